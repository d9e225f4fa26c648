import type { Fault } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
import { quote } from '../contract/operations.ts'
import { isObject } from '../helpers/is-object.ts'
import { CRM_NAMES, type CrmName, type PackageName } from '../platforms/crms/names.ts'
import { CONFIG_FILE } from './config-file.ts'
import { type CrmAddress, crmAddress, normalizeAddress } from './crm-address.ts'
import { secretVariable } from './secrets.ts'
import { SETTINGS_TABLE } from './settings-table.ts'

/** The settings of a CRM in one section of the file. */
interface CrmSection {
  readonly at: string
  /** Unchecked: the CRM checks them itself. */
  readonly tables: unknown
  readonly options: { readonly [name: string]: string }
}

/** All settings of a CRM that is a platform. */
export interface CrmSettings {
  readonly name: CrmName | PackageName
  readonly place: string
  readonly quotaFloor: number
  readonly timeoutMs: number
  /** How long reads are retried. */
  readonly retryMs: number
  /** How long after a write was given up the CRM may still execute it. */
  readonly settleMs: number
  /** Later ones override earlier ones. */
  readonly sections: readonly CrmSection[]
  /** The prefix of the variables with its secrets, and those that are set. */
  readonly prefix: string
  readonly variables: { readonly [variable: string]: string }
}

interface Row {
  readonly help: string
  readonly number?: { readonly fallback: number; readonly from: number; readonly to: number }
}

/** The settings of a CRM in the file, under `platforms`, by its name or its address. */
export const CRM_SETTINGS_TABLE = {
  tables: { help: 'other objects, fields, words and defaults than the usual ones, and fields beyond the contract; the page of the platform has them' },
  quotaFloor: {
    help: "nothing is asked while less than so much of the account's quota is left, so that others still can",
    number: { fallback: 0, from: 0, to: 1_000_000_000 },
  },
  timeout: {
    help: 'seconds that a request may take; the answer to a read has to begin within 10 of them, or within a third of them where that is more',
    number: { fallback: 30, from: 0.1, to: 600 },
  },
  retry: { help: 'seconds for which reads, and writes that were not executed, are retried', number: { fallback: 15, from: 0, to: 600 } },
  settle: {
    help: 'seconds that the CRM may go on with a request after it was given up; a write of unknown outcome that is not found by then counts as not executed',
    number: { fallback: 120, from: 0, to: 86_400 },
  },
  secrets: { help: 'what the variables with its secrets begin with: with "ACME" they are CRM_ACME_…; the name of the platform in capitals unless given' },
  options: { help: 'what is for one CRM alone; the page of the platform has them' },
} as const satisfies { readonly [name: string]: Row }

type NumberName = {
  [N in keyof typeof CRM_SETTINGS_TABLE]: (typeof CRM_SETTINGS_TABLE)[N] extends { number: unknown } ? N : never
}[keyof typeof CRM_SETTINGS_TABLE]

const LIKE_A_SECRET = /secret|token|password|credential|private|apikey|api_key|clientid|client_id/i

/** `HUBSPOT` for hubspot, `ACME` for package:@acme/crm-acme. */
export const defaultPrefix = (name: CrmName | PackageName) =>
  name
    .replace(/^package:(.*\/)?(crm-)?/, '')
    .replace(/\.[cm]?js$/, '')
    .toUpperCase()
    .replace(/[^A-Z\d]+/g, '_')

/** The settings of the CRMs at these addresses, and the addresses in the file that are not used. Adds what is wrong to the faults. */
export function readCrmSettings(
  platforms: unknown,
  addresses: Iterable<CrmAddress>,
  environment: NodeJS.ProcessEnv,
  faults: Fault[],
): { readonly crms: { [url: string]: CrmSettings }; readonly unused: readonly string[] } {
  const byAddress = new Map(Object.entries(platformsIn(platforms, faults)).map(([key, value]) => [normalizeAddress(key), section(key, value, faults)] as const))
  const all = [...addresses].map(({ name, place }) => {
    const url = `${name}:${place}`
    // The section of an address overrides that of its CRM.
    const sections = [...new Set([`${name}:`, url])].flatMap((key) => byAddress.get(key) ?? [])
    const last = <T>(of: (one: Section) => T | undefined, fallback: T) => sections.map(of).findLast((value) => value !== undefined) ?? fallback
    const number = (row: NumberName) => last(({ numbers }) => numbers[row], CRM_SETTINGS_TABLE[row].number.fallback)
    const prefix = last(({ prefix }) => prefix, defaultPrefix(name))
    const settings: CrmSettings = {
      name,
      place,
      quotaFloor: number('quotaFloor'),
      timeoutMs: number('timeout') * 1000,
      retryMs: number('retry') * 1000,
      settleMs: number('settle') * 1000,
      sections,
      prefix,
      variables: variablesOf(prefix, environment),
    }
    return [url, settings] as const
  })
  const crms = Object.fromEntries(all)
  const isUnused = (key: string) => crmAddress(key)?.fault === undefined && Boolean(crmAddress(key)?.place) && !Object.hasOwn(crms, key)
  return { crms, unused: [...byAddress.keys()].filter(isUnused) }
}

interface Section extends CrmSection {
  readonly numbers: { readonly [row in NumberName]?: number }
  readonly prefix: string | undefined
}

function platformsIn(platforms: unknown, faults: Fault[]): Record<string, unknown> {
  if (platforms === undefined) return {}
  if (isObject(platforms)) return platforms
  faults.push({ field: `${CONFIG_FILE}: platforms`, code: 'type', message: 'platforms must be { "salesforce": { … } }, by the name or the address of a CRM.' })
  return {}
}

function section(key: string, value: unknown, faults: Fault[]): Section {
  const address = crmAddress(key)
  // An unknown address may hold a secret, so only its scheme is shown.
  const shown = address ? normalizeAddress(key).replace(/:$/, '') : (key.split(':')[0] ?? '')
  const at = `${CONFIG_FILE}: platforms.${shown}`
  const fault = (name: string, code: Fault['code'], message: string, more: Partial<Fault> = {}) =>
    void faults.push({ field: `${at}.${name}`, code, message, ...more })
  const empty: Section = { at, tables: undefined, options: {}, numbers: {}, prefix: undefined }
  if (!address)
    faults.push({
      field: at,
      code: 'unknown',
      message: `There is no CRM called ${quote(shown)}.`,
      expected: CRM_NAMES.join(', '),
      ...didYouMean(shown, CRM_NAMES),
    })
  else if (address.fault !== undefined) faults.push({ field: at, code: 'value', message: `${shown} ${address.fault}` })
  if (!address || address.fault !== undefined) return empty
  if (!isObject(value)) {
    faults.push({ field: at, code: 'type', message: `${shown} must have an object of settings behind it.` })
    return empty
  }
  const prefix = prefixIn(value.secrets, fault)
  const known = Object.keys(CRM_SETTINGS_TABLE)
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    if (LIKE_A_SECRET.test(name)) fault(name, 'value', secretFault(secretVariable(prefix ?? defaultPrefix(address.name), name)))
    else fault(name, 'unknown', `There is no setting called ${name} for a platform.`, { expected: known.join(', '), ...didYouMean(name, known) })
  }
  const numbers = Object.entries(CRM_SETTINGS_TABLE).flatMap(([name, row]) => {
    const given = value[name]
    if (!('number' in row) || given === undefined) return []
    const { from, to } = row.number
    if (typeof given === 'number' && given >= from && given <= to) return [[name, given]]
    fault(name, 'value', `${name} must be a number from ${from} to ${to}.`)
    return []
  })
  return { at, tables: value.tables, options: optionsIn(value.options, fault), numbers: Object.fromEntries(numbers), prefix }
}

export const secretFault = (variable: string) => `A secret does not belong in the file; use ${variable}, or ${variable}_FILE for a file that holds it.`

type Complain = (name: string, code: Fault['code'], message: string) => void

function prefixIn(given: unknown, fault: Complain): string | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'string' || !/^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/.test(given)) {
    fault(
      'secrets',
      'form',
      'secrets must be what the variables with the secrets begin with, such as "ACME" for CRM_ACME_…; the secrets themselves do not belong in the file.',
    )
    return undefined
  }
  const taken = Object.values(SETTINGS_TABLE).find(({ variable }) => variable.startsWith(`CRM_${given}_`))?.variable
  if (taken !== undefined || given === 'TEST') fault('secrets', 'value', `secrets cannot be ${given}: ${taken ?? 'CRM_TEST_…'} means something else.`)
  return given
}

function optionsIn(given: unknown, fault: Complain): { [name: string]: string } {
  if (given === undefined) return {}
  if (isObject(given) && Object.values(given).every((one) => ['string', 'number', 'boolean'].includes(typeof one)))
    return Object.fromEntries(Object.entries(given).map(([name, one]) => [name, String(one)]))
  fault('options', 'type', 'options must be an object of texts, such as { "apiVersion": "62.0" }.')
  return {}
}

function variablesOf(prefix: string, environment: NodeJS.ProcessEnv): { [variable: string]: string } {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value && name.startsWith(`CRM_${prefix}_`) ? [[name, value]] : [])))
}
