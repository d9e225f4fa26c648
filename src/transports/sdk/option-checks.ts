import type { CallOptions, FollowOptions } from '../../contract/client/transport.ts'
import { CrmError, type Fault } from '../../contract/errors.ts'
import type { ConnectOptions, ServiceOptions, StoreOptions } from './options.ts'

/** What an option must be: in words, and as a check. */
type Kind = readonly [string, (value: unknown) => boolean]

const is = (type: string) => (value: unknown) => typeof value === type && value !== null
const TEXT: Kind = ['a non-empty text', (value) => !!value && is('string')(value)]
const COUNT: Kind = ['a whole number, 0 or more', (value) => Number.isInteger(value) && (value as number) >= 0]
const MS: Kind = ['milliseconds above 0', (value) => is('number')(value) && (value as number) > 0]
const TRUTH: Kind = ['true or false', is('boolean')]
const CONFIRM: Kind = ['deletes, updates or person', (value) => is('boolean')(value) || /^(deletes|updates|person)$/.test(value as string)]
const FUNCTION: Kind = ['a function', is('function')]
const OBJECT: Kind = ['an object', is('object')]
const SIGNAL: Kind = ['an AbortSignal', (value) => is('boolean')(Object(value).aborted)]

type Rules<Options> = { readonly [option in keyof Options]-?: Kind }

/** The options without those typed `undefined`, which belong to the other way to connect. */
type Own<Options> = { [option in keyof Options as undefined extends Options[option] ? (Options[option] extends undefined ? never : option) : option]: unknown }

const EITHER = { key: TEXT, retries: COUNT, timeoutMs: MS }
const SERVICE: Rules<Own<ServiceOptions>> = {
  baseUrl: TEXT,
  headers: OBJECT,
  fetch: FUNCTION,
  onRequest: FUNCTION,
  onResponse: FUNCTION,
  ...EITHER,
}
const STORE: Rules<Own<StoreOptions>> = { platform: TEXT, store: TEXT, workspace: TEXT, ...EITHER }
const CALL: Rules<CallOptions> = {
  signal: SIGNAL,
  idempotencyKey: TEXT,
  dryRun: TRUTH,
  confirm: CONFIRM,
  confirmation: TEXT,
  retries: COUNT,
  timeoutMs: MS,
  onProgress: FUNCTION,
  onOutcome: FUNCTION,
}
const FOLLOW: Rules<FollowOptions> = { after: TEXT, signal: SIGNAL }

/** No user or query: credentials belong into `key`. */
const ADDRESS = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i

type Given = { readonly [option: string]: unknown }

function faultsIn(given: Given, rules: { readonly [option: string]: Kind }, who: string): Fault[] {
  return Object.entries(given).flatMap(([field, value]): Fault[] => {
    const [expected, fits] = (Object.hasOwn(rules, field) && rules[field]) || []
    if (!fits) {
      const near = meant(field, Object.keys(rules))
      return [{ field, code: 'unknown', message: `${who} takes no ${field}.${near ? ` Did you mean ${near}?` : ''}`, ...(near && { didYouMean: near }) }]
    }
    return value === undefined || fits(value) ? [] : [{ field, code: 'type', message: `${field} must be ${expected}.` }]
  })
}

/** The name whose letters, in any order, differ least from those typed, if few do. `nearest` is more exact, but too large for a browser bundle. */
function meant(typed: string, names: readonly string[]): string | undefined {
  const beyond = (a: string, b: string) => [...b.toLowerCase()].reduce((left, letter) => left.replace(letter, ''), a.toLowerCase()).length
  const slips = (name: string) => beyond(typed, name) + beyond(name, typed)
  return names.filter((name) => slips(name) < 4).sort((a, b) => slips(a) - slips(b))[0]
}

function refuse(errors: readonly Fault[], hint?: string): void {
  if (errors.length === 0) return
  throw new CrmError('invalid_input', errors.map(({ message }) => message).join(' '), { errors, ...(hint && { hint }) })
}

export const checkCall = (options: CallOptions): void => refuse(faultsIn({ ...options }, CALL, 'A call'))

export const checkFollow = (options: FollowOptions): void => refuse(faultsIn({ ...options }, FOLLOW, 'follow'))

/** Reports all faults of the options at once. */
export function checkOptions(options: ConnectOptions): void {
  const given: Given = { ...options }
  const { baseUrl, key, workspace } = given
  const isStore = given.platform !== undefined
  const errors = (isStore ? [] : ['baseUrl', 'key'])
    .filter((field) => given[field] === undefined)
    .map((field): Fault => ({ field, code: 'missing', message: `connect needs ${field}.` }))
  errors.push(...faultsIn(given, isStore ? STORE : SERVICE, 'connect'))
  if (baseUrl && typeof baseUrl === 'string' && !(ADDRESS.test(baseUrl) && URL.canParse(baseUrl)))
    errors.push({
      field: 'baseUrl',
      code: 'value',
      message: 'baseUrl must be like http://127.0.0.1:8484, without user or query.',
    })
  if (isStore && key !== undefined && workspace !== undefined) errors.push({ field: 'workspace', code: 'value', message: 'Give workspace or key.' })
  refuse(errors, 'connect({ baseUrl, key }) is for a service, connect({ platform }) for a store.')
}
