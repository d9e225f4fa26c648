import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { CrmError, type Fault } from '../contract/errors.ts'
import { DEFAULT_MIRROR_USE, type MirrorUse, READS, type Reads } from '../contract/mirror-use.ts'
import { didYouMean } from '../contract/names.ts'
import { RECORD_TYPES } from '../contract/operations.ts'
import type { OidcSettings } from '../core/oidc/settings.ts'
import {
  DEFAULT_CALL_TIMEOUT_MS,
  DEFAULT_RETENTION,
  DEFAULT_SETTINGS,
  DEFAULT_WATCH,
  DEFAULT_WEBHOOK_SETTINGS,
  type Retention,
  type Settings,
  type WatchSettings,
  type WebhookSettings,
} from '../core/service.ts'
import { isObject } from '../helpers/is-object.ts'
import { isLocalHost } from '../helpers/local-host.ts'
import { withoutTrailingSlashes } from '../helpers/trailing-slashes.ts'
import { CONFIG_FILE, isStringList } from './config-file.ts'
import { type CrmAddress, crmAddress, normalizeAddress } from './crm-address.ts'
import { type CrmSettings, readCrmSettings } from './crm-settings.ts'
import { KEY_FORM, readSealingKeys } from './sealing-keys.ts'
import { type Flags, JOURNAL_STORE, LOG_LEVELS, SETTINGS_TABLE, type SettingName, type SettingRow } from './settings-table.ts'
import { refuseSharedAccounts } from './shared-accounts.ts'
import { readSignIn } from './sign-in.ts'

export { type Flags, SETTINGS_TABLE, type SettingName } from './settings-table.ts'

/** The configuration of the service. */
export interface Config {
  readonly platform: string
  readonly store: string
  readonly host: string
  readonly port: number
  /** Without a slash at its end. */
  readonly publicUrl: string | undefined
  readonly processes: number | 'auto'
  readonly adminKey: string | undefined
  /** The keys that seal secrets in the store; empty where none are given. */
  readonly secretKeys: readonly Buffer[]
  /** How people sign in; undefined where they do so with keys alone. */
  readonly oidc: OidcSettings | undefined
  /** A code of ISO 4217. */
  readonly currency: string | undefined
  readonly logLevel: string
  readonly rateLimit: number | undefined
  readonly callTimeoutMs: number
  readonly memoryBytes: number | undefined
  readonly corsOrigin: string | undefined
  readonly trustProxy: string | undefined
  readonly settings: Settings
  readonly retention: Retention
  readonly webhooks: WebhookSettings
  /** How it is looked for what others have changed in CRMs; undefined where it is not. */
  readonly watch: WatchSettings | undefined
  /** How the CRM of the first workspace is used. */
  readonly mirrorUse: MirrorUse
  /** Whether connections made at run time may lead to private networks. */
  readonly connectPrivate: boolean
  /** Platforms of workspaces that have their own, by the workspace's name. */
  readonly workspaces: { readonly [name: string]: { readonly platform: string; readonly mirrorUse: MirrorUse } }
  /** The settings of the platforms that are CRMs, by address. They include secrets. */
  readonly crms: { readonly [url: string]: CrmSettings }
}

const HOUR_MS = 3_600_000
const UNITS = { 1000: 'seconds', [HOUR_MS]: 'hours', [24 * HOUR_MS]: 'days' }
/** The maximum of a duration, in its own unit. */
const LONGEST = 100_000

const FILE_ONLY = ['wonStages', 'lostStages', 'closedStatuses', 'allowedValues', 'workspaces', 'platforms', 'signIn'] as const

const SECRET_SETTINGS: readonly SettingName[] = ['adminKey', 'secretKeys', 'oidcClientSecret', 'key']

/** A setting that was given, and its source: a flag, a variable or the file. */
export interface GivenSetting {
  readonly name: SettingName
  /** Undefined for secrets. */
  readonly value: string | undefined
  readonly where: string
}

/**
 * Reads flags, the environment and the file, in this order of precedence. Reports all faults in one error; those of how people sign in only with `serves`,
 * since a command in another shell needs no issuer.
 */
export function readConfig(flags: Flags = {}, environment: NodeJS.ProcessEnv = process.env, { serves = false } = {}): Config {
  const { config, faults: all, signInFaults } = examineConfig(flags, environment)
  const faults = serves ? all : all.filter((fault) => !signInFaults.includes(fault))
  if (faults.length === 0) return config
  throw new CrmError('invalid_input', `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}: ${faults[0]?.message}`, {
    errors: faults,
  })
}

/** The same without throwing: also returns the faults, the given settings, and the configured CRMs that no platform uses. */
export function examineConfig(
  flags: Flags = {},
  environment: NodeJS.ProcessEnv = process.env,
): {
  readonly config: Config
  readonly faults: readonly Fault[]
  /** Those of them that matter to the service alone. */
  readonly signInFaults: readonly Fault[]
  readonly givenSettings: readonly GivenSetting[]
  readonly unused: readonly string[]
} {
  const faults: Fault[] = []
  const file = readFile(faults)

  /** The given value with the highest precedence, and its source. */
  function given(name: SettingName): { readonly value: unknown; readonly where: string } {
    const { flag = '', variable = '' }: SettingRow = SETTINGS_TABLE[name]
    if (flags[name] !== undefined) return { value: flags[name], where: flag }
    if (environment[variable]) return { value: environment[variable], where: variable }
    const value = typeof file[name] === 'object' ? undefined : file[name]
    return { value, where: value === undefined ? variable : `${CONFIG_FILE}: ${name}` }
  }

  function textOf(name: SettingName): string | undefined {
    const { value } = given(name)
    return value === undefined || value === false ? (SETTINGS_TABLE[name] as SettingRow).fallback : String(value)
  }

  function fault(name: SettingName, message: string, more: Partial<Fault> = {}): void {
    const { where } = given(name)
    faults.push({ field: where, code: 'value', message: `${where} ${message}`, ...more })
  }

  function whole(name: SettingName, from: number, to: number): number | undefined {
    const text = textOf(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (Number.isInteger(value) && value >= from && value <= to && text.trim() !== '') return value
    fault(name, `must be a whole number from ${from} to ${to}.`)
    return undefined
  }

  /** A number of some unit of time, in milliseconds. */
  function milliseconds(name: SettingName, unit: keyof typeof UNITS, orElse = ''): number | undefined {
    const text = textOf(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() !== '' && value > 0 && value <= LONGEST) return value * unit
    fault(name, `must be a number of ${UNITS[unit]} above 0, at most ${LONGEST}${orElse}.`)
    return undefined
  }

  function oidcSettings(): OidcSettings | undefined {
    const signIn = readSignIn(file.signIn, faults)
    const [issuer, clientId, scopes = ''] = [textOf('oidcIssuer'), textOf('oidcClientId'), textOf('oidcScopes')]
    const sessionMs = milliseconds('sessionHours', HOUR_MS) ?? 0
    if (issuer === undefined) {
      for (const name of ['oidcClientId', 'oidcClientSecret'] as const) if (textOf(name) !== undefined) fault(name, 'needs CRM_OIDC_ISSUER too.')
      if (file.signIn !== undefined) faults.push({ field: `${CONFIG_FILE}: signIn`, code: 'value', message: 'signIn needs CRM_OIDC_ISSUER too.' })
      return undefined
    }
    if (!isPublicUrl(issuer)) fault('oidcIssuer', 'must be an address such as https://login.example.com, without a query; only on this machine may it be http.')
    if (clientId === undefined) fault('oidcClientId', 'is missing: the issuer knows this service by it.', { code: 'missing' })
    if (!scopes.split(/\s+/).includes('openid')) fault('oidcScopes', 'must contain openid.')
    if (signIn.rules.length === 0 && !signIn.unknown)
      faults.push({
        field: `${CONFIG_FILE}: signIn`,
        code: 'missing',
        message: 'There are no rules for the people who sign in, so that every person would be refused.',
        expected: '"signIn": { "rules": [{ "claims": { "groups": "crm-admins" }, "role": "admin" }] }',
      })
    const name = textOf('oidcName') ?? ''
    return { issuer, clientId: clientId ?? '', clientSecret: textOf('oidcClientSecret'), name, scopes, sessionMs, ...signIn }
  }

  const addresses: CrmAddress[] = []

  /** The normalised address of a platform. */
  function place(url: string, complain: (message: string) => void): string {
    const crm = crmAddress(url)
    if (!crm) return url
    if (crm.fault === undefined) addresses.push(crm)
    else complain(crm.fault)
    return normalizeAddress(url)
  }

  const platform = place(textOf('platform') ?? '', (message) => fault('platform', message))
  const store = textOf('store') ?? (crmAddress(platform) ? JOURNAL_STORE : platform)
  if (crmAddress(store))
    fault('store', 'cannot be a CRM: it holds users, keys and the journal.', { expected: 'sqlite:PATH or postgres://…, with the CRM as CRM_PLATFORM' })
  const workspaces = workspacesIn(file.workspaces, place, faults)
  refuseSharedAccounts(platform, workspaces, faults)
  const { crms, unused } = readCrmSettings(file.platforms, addresses, environment, faults)
  const logLevel = textOf('logLevel') ?? ''
  if (!LOG_LEVELS.includes(logLevel)) fault('logLevel', `must be one of ${LOG_LEVELS.join(', ')}.`, didYouMean(logLevel, LOG_LEVELS))
  const currency = textOf('currency')
  const currencies = Intl.supportedValuesOf('currency')
  if (currency !== undefined && !currencies.includes(currency))
    fault('currency', 'must be the code of a currency (ISO 4217), such as EUR.', didYouMean(currency, currencies))
  const corsOrigin = textOf('corsOrigin')
  if (corsOrigin !== undefined && !items(corsOrigin).every((origin) => /^(\*|[a-z][a-z\d+.-]*:\/\/[^\s/]+\/?)$/i.test(origin)))
    fault('corsOrigin', 'must be * or origins such as https://app.example.com, comma-separated.')
  const trustProxy = textOf('trustProxy')
  if (trustProxy !== undefined && !/^(true|false|[1-9]\d?)$/.test(trustProxy) && !items(trustProxy).every(isAddress))
    fault('trustProxy', 'must be true, a count of hops, or addresses such as 10.0.0.0/8, comma-separated.')
  const publicUrl = textOf('publicUrl')
  if (publicUrl !== undefined && !isPublicUrl(publicUrl))
    fault('publicUrl', 'must be an address such as https://crm.example.com, without a query; only on this machine may it be http.')
  function flag(name: SettingName): boolean {
    const text = given(name).value === false ? 'false' : (textOf(name) ?? '')
    if (!/^(true|false)$/.test(text)) fault(name, 'must be true or false.')
    return text === 'true'
  }
  const processes = textOf('processes') ?? ''
  if (!/^(auto|[1-9]|[1-5]\d|6[0-4])$/.test(processes)) fault('processes', 'must be auto or a whole number from 1 to 64.')
  const adminKey = textOf('adminKey')
  if (adminKey !== undefined && !/^[\x21-\x7e]{32,}$/.test(adminKey)) fault('adminKey', 'must be 32 or more visible characters without spaces.')

  const secretKeys = readSealingKeys(textOf('secretKeys') ?? '')
  if (!secretKeys) fault('secretKeys', 'has a key of another form.', { expected: `${KEY_FORM}, comma-separated` })

  const before = faults.length
  const oidc = oidcSettings()
  const signInFaults = faults.slice(before)

  const megabytes = whole('memory', 32, 1_000_000)

  const watches = !['off', 'false', '0'].includes(String(given('watchInterval').value).toLowerCase())
  const intervalMs = watches ? (milliseconds('watchInterval', 1000, ', or off') ?? DEFAULT_WATCH.intervalMs) : undefined
  const requestsPerDay = whole('watchRequests', 100, 1_000_000_000)
  const reads = textOf('reads') ?? ''
  if (!isReads(reads)) fault('reads', `must be one of ${READS.join(', ')}.`, didYouMean(reads, READS))
  const config: Config = {
    platform,
    store,
    host: textOf('host') ?? '',
    port: whole('port', 0, 65_535) ?? 0,
    publicUrl: publicUrl && withoutTrailingSlashes(publicUrl),
    processes: processes === 'auto' ? 'auto' : Number(processes),
    adminKey,
    secretKeys: secretKeys ?? [],
    oidc,
    currency,
    logLevel,
    rateLimit: whole('rateLimit', 1, 1_000_000_000),
    callTimeoutMs: milliseconds('callTimeout', 1000) ?? DEFAULT_CALL_TIMEOUT_MS,
    memoryBytes: megabytes && megabytes * 1_048_576,
    corsOrigin,
    trustProxy: trustProxy === 'false' ? undefined : trustProxy,
    settings: {
      wonStages: texts(file, 'wonStages', faults) ?? DEFAULT_SETTINGS.wonStages,
      lostStages: texts(file, 'lostStages', faults) ?? DEFAULT_SETTINGS.lostStages,
      closedStatuses: texts(file, 'closedStatuses', faults) ?? DEFAULT_SETTINGS.closedStatuses,
      allowedValues: allowedValues(file.allowedValues, faults),
    },
    retention: {
      keyMs: milliseconds('idempotencyHours', HOUR_MS) ?? DEFAULT_RETENTION.keyMs,
      changesMs: milliseconds('keepChangesDays', 24 * HOUR_MS),
    },
    webhooks: {
      allowPrivate: flag('webhookPrivate'),
      timeoutMs: milliseconds('webhookTimeout', 1000) ?? DEFAULT_WEBHOOK_SETTINGS.timeoutMs,
      backoffMs: milliseconds('webhookBackoff', 1000) ?? DEFAULT_WEBHOOK_SETTINGS.backoffMs,
      attempts: whole('webhookAttempts', 1, 100) ?? DEFAULT_WEBHOOK_SETTINGS.attempts,
      pauseAfterMs: milliseconds('webhookPauseAfter', HOUR_MS) ?? DEFAULT_WEBHOOK_SETTINGS.pauseAfterMs,
    },
    watch: intervalMs === undefined ? undefined : { ...(requestsPerDay === undefined ? DEFAULT_WATCH : { requestsPerDay }), intervalMs },
    mirrorUse: { watch: flag('watch'), reads: isReads(reads) ? reads : DEFAULT_MIRROR_USE.reads },
    connectPrivate: flag('connectPrivate'),
    workspaces,
    crms,
  }
  const givenSettings = (Object.keys(SETTINGS_TABLE) as SettingName[]).flatMap((name) => {
    const { value, where } = given(name)
    return value === undefined ? [] : [{ name, value: SECRET_SETTINGS.includes(name) ? undefined : String(value), where }]
  })
  return { config, faults, signInFaults, givenSettings, unused }
}

/** Codes and tokens pass through this address, so that it has to be encrypted unless it is that of the machine itself. */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, search, hash, username, password } = new URL(text)
  return (protocol === 'https:' || (protocol === 'http:' && isLocalHost(host))) && `${search}${hash}${username}${password}` === ''
}

/** The names of the settings in the file; empty where there is none or it cannot be read. */
export function fileSettings(): readonly string[] {
  return Object.keys(readFile([]))
}

function readFile(faults: Fault[]): Record<string, unknown> {
  if (!existsSync(CONFIG_FILE)) return {}
  let file: unknown
  try {
    file = JSON.parse(readFileSync(CONFIG_FILE, 'utf8'))
  } catch (error) {
    faults.push({ field: CONFIG_FILE, code: 'form', message: `${CONFIG_FILE} is not JSON: ${(error as Error).message}` })
    return {}
  }
  if (!isObject(file)) {
    faults.push({ field: CONFIG_FILE, code: 'type', message: `${CONFIG_FILE} must hold an object.` })
    return {}
  }
  const rows: { readonly [name: string]: SettingRow } = SETTINGS_TABLE
  const known = [...Object.keys(rows).filter((name) => rows[name]?.notInFile === undefined), ...FILE_ONLY]
  for (const name of Object.keys(file)) {
    const notInFile = Object.hasOwn(rows, name) ? rows[name]?.notInFile : undefined
    if (notInFile !== undefined) faults.push({ field: `${CONFIG_FILE}: ${name}`, code: 'value', message: notInFile })
    else if (!known.includes(name))
      faults.push({
        field: `${CONFIG_FILE}: ${name}`,
        code: 'unknown',
        message: `${CONFIG_FILE} has no setting called ${name}.`,
        expected: known.join(', '),
        ...didYouMean(name, known),
      })
    else if (name in SETTINGS_TABLE && typeof file[name] === 'object' && file[name] !== null)
      faults.push({ field: `${CONFIG_FILE}: ${name}`, code: 'type', message: `${name} must be a text, a number or a truth value.` })
  }
  return file
}

function texts(file: Record<string, unknown>, name: string, faults: Fault[]): string[] | undefined {
  const value = file[name]
  if (value === undefined || isStringList(value)) return value
  faults.push({ field: `${CONFIG_FILE}: ${name}`, code: 'type', message: `${name} must be a list of texts.` })
  return undefined
}

function allowedValues(value: unknown, faults: Fault[]): Settings['allowedValues'] {
  if (value === undefined) return {}
  const choices = new Map(
    RECORD_TYPES.flatMap((type) => Object.entries(type.fields).flatMap(([name, field]) => (field.suggested ? [[`${type.name}.${name}`, field] as const] : []))),
  )
  const expected = [...choices.keys()].join(', ')
  for (const [type, fields] of Object.entries(isObject(value) ? value : { '': null })) {
    for (const [name, values] of Object.entries(isObject(fields) ? fields : { '': null })) {
      const choice = choices.get(`${type}.${name}`)
      const at = `${CONFIG_FILE}: allowedValues${type && `.${type}`}${name && `.${name}`}`
      if (!choice || !isStringList(values) || values.length === 0) {
        faults.push({ field: at, code: 'value', message: 'allowedValues must be { "Lead": { "Status": ["…"] } }, with lists of texts.', expected })
      } else if (typeof choice.defaultValue === 'string' && !values.includes(choice.defaultValue)) {
        faults.push({
          field: at,
          code: 'value',
          message: `${type}.${name} must allow ${JSON.stringify(choice.defaultValue)}, the default of new records.`,
          expected: choice.defaultValue,
        })
      }
    }
  }
  return value as Settings['allowedValues']
}

function workspacesIn(value: unknown, place: (url: string, complain: (message: string) => void) => string, faults: Fault[]): Config['workspaces'] {
  if (value === undefined) return {}
  const at = `${CONFIG_FILE}: workspaces`
  if (!isObject(value) || !Object.values(value).every((one) => isObject(one) && typeof one.platform === 'string')) {
    faults.push({ field: at, code: 'type', message: 'workspaces must be { "name": { "platform": "sqlite:…" } }.' })
    return {}
  }
  const named = Object.entries(value as { [name: string]: { platform: string; watch?: unknown; reads?: unknown } }).map(
    ([name, { platform, watch, reads }]) => {
      const refuse = (member: string, message: string) =>
        faults.push({ field: `${at}.${name}.${member}`, code: 'value', message: `${at}.${name}.${member} ${message}` })
      if (watch !== undefined && typeof watch !== 'boolean') refuse('watch', 'must be true or false.')
      if (reads !== undefined && !isReads(reads)) refuse('reads', `must be one of ${READS.join(', ')}.`)
      const mirrorUse = { watch: watch !== false, reads: isReads(reads) ? reads : DEFAULT_MIRROR_USE.reads }
      return [name, { platform: place(platform, (message) => refuse('platform', message)), mirrorUse }] as const
    },
  )
  return Object.fromEntries(named)
}

const isReads = (value: unknown): value is Reads => (READS as readonly unknown[]).includes(value)

const items = (list: string) => list.split(',').map((item) => item.trim())

/** An address, or a range of them as in 10.0.0.0/8. */
function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 4: 32, 6: 128 }[isIP(address)]
  return most !== undefined && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
}
