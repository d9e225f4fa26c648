import type { Fault } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
import { quote } from '../contract/operations.ts'
import { isObject } from '../helpers/is-object.ts'
import { CRM_NAMES, type CrmName, type PackageName } from '../platforms/crms/names.ts'
import { CONFIG_FILE } from './config-file.ts'
import { type CrmAddress, crmAddress, normalizeAddress } from './crm-address.ts'
import { secretVariable } from './secrets.ts'
import { SETTINGS_TABLE } from './settings-table.ts'

/** What was said of a CRM in one place of the file. */
interface CrmSection {
  readonly at: string
  /** As they were said: only the CRM itself knows which there are. */
  readonly tables: unknown
  readonly options: { readonly [name: string]: string }
}

/** Everything that was said of a CRM that is a platform. */
export interface CrmSettings {
  readonly name: CrmName | PackageName
  readonly place: string
  readonly quotaFloor: number
  readonly timeoutMs: number
  /** How long what only reads is tried again. */
  readonly retryMs: number
  /** After so long a write whose end nobody saw, and that is not there, has not happened. */
  readonly settleMs: number
  /** The later is the stronger. */
  readonly said: readonly CrmSection[]
  /** What the variables with its secrets begin with, and those that there are. */
  readonly prefix: string
  readonly variables: { readonly [variable: string]: string }
}

interface Row {
  readonly help: string
  /** A number has bounds. */
  readonly number?: { readonly fallback: number; readonly from: number; readonly to: number }
}

/** What can be said of a CRM in the file, under `platforms`, by its name or by its whole address. */
export const CRM_SETTINGS_TABLE = {
  tables: { help: 'other objects, fields, words and defaults than the usual ones, and fields beyond the contract; the page of the platform has them' },
  quotaFloor: {
    help: "nothing is asked while less than so much of the account's quota is left, so that others still can",
    number: { fallback: 0, from: 0, to: 1_000_000_000 },
  },
  timeout: { help: 'seconds that a request may take', number: { fallback: 30, from: 0.1, to: 600 } },
  retry: { help: 'seconds for which what only reads, and what cannot have happened, is tried again', number: { fallback: 15, from: 0, to: 600 } },
  settle: {
    help: 'seconds after which a write whose end nobody saw, and that is not there, counts as not having happened',
    number: { fallback: 30, from: 0, to: 86_400 },
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

/** What the file says of the CRMs at these addresses, and what addresses it speaks of beside them; whatever is wrong with it is added to the faults. */
export function readCrmSettings(
  platforms: unknown,
  addresses: Iterable<CrmAddress>,
  environment: NodeJS.ProcessEnv,
  faults: Fault[],
): { readonly crms: { [url: string]: CrmSettings }; readonly unused: readonly string[] } {
  const said = new Map(Object.entries(platformsIn(platforms, faults)).map(([key, value]) => [normalizeAddress(key), section(key, value, faults)] as const))
  const all = [...addresses].map(({ name, place }) => {
    const url = `${name}:${place}`
    // What is said of an address is stronger than what is said of all accounts of its kind.
    const sections = [...new Set([`${name}:`, url])].flatMap((key) => said.get(key) ?? [])
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
      said: sections,
      prefix,
      variables: variablesOf(prefix, environment),
    }
    return [url, settings] as const
  })
  const crms = Object.fromEntries(all)
  const isUnused = (key: string) => crmAddress(key)?.fault === undefined && Boolean(crmAddress(key)?.place) && !Object.hasOwn(crms, key)
  return { crms, unused: [...said.keys()].filter(isUnused) }
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
  // What is no address of ours may hold anything.
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

function prefixIn(said: unknown, fault: Complain): string | undefined {
  if (said === undefined) return undefined
  if (typeof said !== 'string' || !/^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/.test(said)) {
    fault(
      'secrets',
      'form',
      'secrets must be what the variables with the secrets begin with, such as "ACME" for CRM_ACME_…; the secrets themselves do not belong in the file.',
    )
    return undefined
  }
  const taken = Object.values(SETTINGS_TABLE).find(({ variable }) => variable.startsWith(`CRM_${said}_`))?.variable
  if (taken !== undefined || said === 'TEST') fault('secrets', 'value', `secrets cannot be ${said}: ${taken ?? 'CRM_TEST_…'} means something else.`)
  return said
}

function optionsIn(said: unknown, fault: Complain): { [name: string]: string } {
  if (said === undefined) return {}
  if (isObject(said) && Object.values(said).every((one) => ['string', 'number', 'boolean'].includes(typeof one)))
    return Object.fromEntries(Object.entries(said).map(([name, one]) => [name, String(one)]))
  fault('options', 'type', 'options must be an object of texts, such as { "apiVersion": "62.0" }.')
  return {}
}

function variablesOf(prefix: string, environment: NodeJS.ProcessEnv): { [variable: string]: string } {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value && name.startsWith(`CRM_${prefix}_`) ? [[name, value]] : [])))
}
