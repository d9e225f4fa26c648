import { CrmError } from './contract/errors.ts'
import { nearest } from './contract/names.ts'
import { CRM_NAMES, type CrmName } from './crm-address.ts'
import { defaultPrefix } from './crm-settings.ts'
import { listenFault } from './listen-fault.ts'
import { secretVariable } from './secrets.ts'
import { FAULTS, FaultError, readFault } from './simulators/faults.ts'
import type { Simulate } from './simulators/simulated.ts'
import { startSimulator } from './simulators/simulator.ts'
import { stopped } from './stopped.ts'
import type { Simulation } from './transports/cli/doors.ts'

interface Simulator {
  readonly label: string
  /** Where it listens unless told otherwise. */
  readonly port: number
  readonly load: () => Promise<Simulate>
  /** What it takes for the secrets of an account. */
  readonly secrets: { readonly [name: string]: string }
}

export const SIMULATORS: { readonly [name in CrmName]: Simulator } = {
  salesforce: {
    label: 'Salesforce',
    port: 8485,
    load: async () => (await import('./simulators/salesforce/salesforce.ts').catch(missing)).simulateSalesforce,
    secrets: { clientId: 'simulator', clientSecret: 'simulator' },
  },
  hubspot: {
    label: 'HubSpot',
    port: 8486,
    load: async () => (await import('./simulators/hubspot/hubspot.ts').catch(missing)).simulateHubSpot,
    secrets: { accessToken: 'simulator' },
  },
  espocrm: {
    label: 'EspoCRM',
    port: 8487,
    load: async () => (await import('./simulators/espocrm/espocrm.ts').catch(missing)).simulateEspoCrm,
    secrets: { apiKey: 'simulator' },
  },
}

const missing = (error: unknown): never => {
  throw error
}

/** Starts a CRM that is none, until it is closed. */
export async function simulate(
  name: string,
  { port, host = '127.0.0.1', faults, seed }: { port?: number | undefined; host?: string | undefined; faults: readonly string[]; seed?: number | undefined },
): Promise<Simulation> {
  const crm = CRM_NAMES.find((one) => one === name)
  if (crm === undefined)
    throw new CrmError('invalid_input', `There is no simulator for ${JSON.stringify(name)}.`, { hint: `There are: ${CRM_NAMES.join(', ')}.` })
  refuseUnknown(faults)
  const { label, port: usual, load, secrets } = SIMULATORS[crm]
  const place = { host, port: port ?? usual }
  const told = stopped()
  const running = await startSimulator(await load(), { ...place, faults, ...(seed !== undefined && { seed }) }).catch((error: unknown) => {
    throw listenFault(error, place, { port: '--port', host: '--host' })
  })
  return {
    label,
    url: running.url,
    platform: `${crm}:${running.url}`,
    variables: Object.fromEntries(Object.entries(secrets).map(([secret, value]) => [secretVariable(defaultPrefix(crm), secret), value])),
    told,
    close: () => running.close(),
  }
}

function refuseUnknown(said: readonly string[]): void {
  const errors = said.flatMap((fault) => {
    try {
      readFault(fault)
      return []
    } catch (error) {
      if (!(error instanceof FaultError)) throw error
      const [didYouMean] = nearest(fault.split(/[=:]/)[0] ?? '', Object.keys(FAULTS))
      const known = Object.hasOwn(FAULTS, didYouMean ?? '') && fault.startsWith(didYouMean ?? '')
      return [{ field: '--fault', code: 'value' as const, message: error.message, ...(didYouMean !== undefined && !known && { didYouMean }) }]
    }
  })
  const [first] = errors
  if (first) throw new CrmError('invalid_input', first.message, { errors, hint: 'crm simulate --help explains each.' })
}
