import { existsSync } from 'node:fs'
import { callTarget } from '../../config/call-target.ts'
import { isCrm } from '../../config/crm-address.ts'
import { defaultPrefix } from '../../config/crm-settings.ts'
import { fileVariable, secretVariable } from '../../config/secrets.ts'
import { type Config, examineConfig, SETTINGS_TABLE } from '../../config/settings.ts'
import { nearest } from '../../contract/names.ts'
import { CRM_NAMES } from '../../platforms/crms/names.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { partsOf } from '../crms.ts'
import { shownStore } from '../store-address.ts'
import { type DoctorInput, faultFinding, findingsIn } from './findings.ts'

const AREA = 'Configuration'

const { good, doubtful, failed } = findingsIn(AREA)

/** The settings that were given, where, and their faults. */
export async function* examineConfiguration({ flags, environment }: DoctorInput): AsyncGenerator<Finding> {
  const { faults, givenSettings, config, unused } = examineConfig(flags, environment)
  for (const fault of faults) yield faultFinding(AREA, fault)
  for (const { name, value, where } of givenSettings) {
    if (faults.some(({ field }) => field === where)) continue
    const shown = value === undefined ? 'set' : name === 'platform' || name === 'store' ? shownStore(value) : value
    yield good(where.startsWith('crm.config.json') ? where : name, where.startsWith('crm.config.json') ? shown : `${shown}, by ${where}`)
  }
  if (givenSettings.length === 0)
    yield good('Settings', existsSync('crm.config.json') ? 'only what crm.config.json says about values' : 'all at their defaults')
  const known = [...Object.values(SETTINGS_TABLE).map(({ variable }) => variable as string), ...(await secretVariables(config))]
  for (const name of Object.keys(environment)) {
    if (!/^CRM_(?!TEST_)/.test(name) || known.includes(name)) continue
    const [near] = nearest(name, known)
    yield doubtful(name, 'This variable means nothing here.', near === undefined ? 'Remove it, unless it is for another program.' : `Did you mean ${near}?`)
  }
  for (const url of unused)
    yield doubtful(
      `crm.config.json: platforms.${url}`,
      'No records live there.',
      'Is it written as in CRM_PLATFORM or workspaces? Remove it if it is no longer needed.',
    )
  try {
    const destination = callTarget(flags, environment)
    const place = destination.kind === 'server' ? destination.url : `${isCrm(config.platform) ? 'the platform' : 'the store'} ${shownStore(config.platform)}`
    yield good('Commands', `go to ${place}, because ${destination.because}`)
  } catch (error) {
    yield failed('Commands', error, 'crm login --help says where commands go.')
  }
}

/** The variables of CRM secrets: with the default prefix of every CRM, and with the prefixes of the configured ones. */
async function secretVariables({ crms }: Config): Promise<string[]> {
  const places = [...CRM_NAMES.map((name) => ({ name, prefix: defaultPrefix(name) })), ...Object.values(crms)]
  const kinds = await Promise.all(
    places.map(async ({ name, prefix }) => Object.keys((await partsOf(name).kind()).secrets).map((secret) => secretVariable(prefix, secret))),
  )
  return kinds.flat().flatMap((variable) => [variable, fileVariable(variable)])
}
