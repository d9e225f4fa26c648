import { FAULTS, FaultError, readFault, startSimulator } from 'crm-simulators'
import { defaultPrefix } from '../config/crm-settings.ts'
import { secretVariable } from '../config/secrets.ts'
import { CrmError, type Fault } from '../contract/errors.ts'
import { nearest } from '../contract/names.ts'
import { quote } from '../contract/operations.ts'
import { CRM_NAMES } from '../platforms/crms/names.ts'
import { CRMS } from '../platforms/crms/registry.ts'
import type { Simulation } from '../transports/cli/app.ts'
import { listenError } from './listen-error.ts'
import { stopSignal } from './stop-signal.ts'

/** Starts the simulator of a CRM. */
export async function simulate(
  name: string,
  { port, host = '127.0.0.1', faults, seed }: { port?: number | undefined; host?: string | undefined; faults: readonly string[]; seed?: number | undefined },
): Promise<Simulation> {
  const crm = CRM_NAMES.find((one) => one === name)
  if (crm === undefined) {
    const [near] = nearest(name, CRM_NAMES)
    const hint = `${near === undefined ? '' : `Did you mean ${near}? `}There are: ${CRM_NAMES.join(', ')}.`
    throw new CrmError('invalid_input', `There is no simulator for ${quote(name)}.`, { hint })
  }
  refuseUnknown(faults)
  const { kind, simulator } = CRMS[crm]
  const place = { host, port: port ?? simulator.port }
  const running = await startSimulator(await simulator.load(), { ...place, faults, ...(seed !== undefined && { seed }) }).catch((error: unknown) => {
    if (error instanceof FaultError) throw nothingStarted([{ field: '--fault', code: 'value', message: error.message }])
    throw listenError(error, place, { port: '--port', host: '--host' })
  })
  return {
    label: (await kind()).label,
    url: running.url,
    platform: `${crm}:${running.url}`,
    variables: Object.fromEntries(Object.entries(simulator.secrets).map(([secret, value]) => [secretVariable(defaultPrefix(crm), secret), value])),
    stopRequested: stopSignal(),
    close: () => running.close(),
  }
}

function refuseUnknown(given: readonly string[]): void {
  const errors = given.flatMap((fault) => {
    try {
      readFault(fault)
      return []
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      const [name = ''] = fault.split(/[=:]/)
      const [didYouMean] = Object.hasOwn(FAULTS, name) ? [] : nearest(name, Object.keys(FAULTS))
      return [{ field: '--fault', code: 'value' as const, message: error.message, ...(didYouMean !== undefined && { didYouMean }) }]
    }
  })
  if (errors.length > 0) throw nothingStarted(errors)
}

function nothingStarted(errors: readonly Fault[]): CrmError {
  return new CrmError('invalid_input', `Nothing was started: ${errors[0]?.message}`, { errors, hint: 'crm simulate --help explains each fault.' })
}
