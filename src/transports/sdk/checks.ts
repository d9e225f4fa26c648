import type { CallOptions, FollowOptions } from '../../contract/client.ts'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import type { ConnectOptions, ServiceOptions, StoreOptions } from './options.ts'

/** What an option may be, in words and in truth. */
const KINDS = {
  text: ['a text that is not empty', (value) => typeof value === 'string' && value !== ''],
  count: ['a whole number, 0 or more', (value) => Number.isInteger(value) && Number(value) >= 0],
  ms: ['a number of milliseconds above 0', (value) => typeof value === 'number' && value > 0],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  function: ['a function', (value) => typeof value === 'function'],
  object: ['an object', (value) => typeof value === 'object' && value !== null],
  signal: ['an AbortSignal', (value) => typeof (value as AbortSignal | null)?.aborted === 'boolean'],
} as const satisfies { readonly [kind: string]: readonly [string, (value: unknown) => boolean] }

/** What each of some options is. */
type Rules<Options> = { readonly [option in keyof Options]-?: keyof typeof KINDS }

/** The options that are meant for the other way to connect are no options here. */
type Own<Options> = { [option in keyof Options as undefined extends Options[option] ? (Options[option] extends undefined ? never : option) : option]: unknown }

const EITHER = { key: 'text', retries: 'count', timeoutMs: 'ms' } as const
const SERVICE: Rules<Own<ServiceOptions>> = {
  baseUrl: 'text',
  headers: 'object',
  fetch: 'function',
  onRequest: 'function',
  onResponse: 'function',
  ...EITHER,
}
const STORE: Rules<Own<StoreOptions>> = { platform: 'text', store: 'text', workspace: 'text', ...EITHER }
const CALL: Rules<CallOptions> = {
  signal: 'signal',
  idempotencyKey: 'text',
  dryRun: 'boolean',
  confirm: 'boolean',
  confirmation: 'text',
  retries: 'count',
  timeoutMs: 'ms',
  onOutcome: 'function',
}
const FOLLOW: Rules<FollowOptions> = { after: 'text', signal: 'signal' }

type Given = { readonly [option: string]: unknown }

function faultsIn(given: Given, rules: { readonly [option: string]: keyof typeof KINDS }, who: string): Fault[] {
  return Object.entries(given).flatMap(([field, value]): Fault[] => {
    const kind = Object.hasOwn(rules, field) ? rules[field] : undefined
    if (!kind) {
      const [didYouMean] = nearest(field, Object.keys(rules))
      return [{ field, code: 'unknown', message: `${who} takes no ${field}.`, ...(didYouMean && { didYouMean }) }]
    }
    const [expected, fits] = KINDS[kind]
    return value === undefined || fits(value) ? [] : [{ field, code: 'type', message: `${field} must be ${expected}.`, expected }]
  })
}

function refuse(errors: readonly Fault[], hint?: string): void {
  if (errors.length === 0) return
  const said = errors.map(({ message, didYouMean }) => (didYouMean ? `${message} Did you mean ${didYouMean}?` : message))
  throw new CrmError('invalid_input', said.join(' '), { errors, ...(hint && { hint }) })
}

/** Refuses what makes no sense beside a call, with all that is wrong with it. */
export const checkCall = (options: CallOptions): void => refuse(faultsIn({ ...options }, CALL, 'A call'))

export const checkFollow = (options: FollowOptions): void => refuse(faultsIn({ ...options }, FOLLOW, 'follow'))

/** Refuses options that lead nowhere, with all that is wrong with them. */
export function checkOptions(options: ConnectOptions): void {
  const given: Given = { ...options }
  const { baseUrl, key, workspace } = given
  const isStore = given.platform !== undefined
  const errors = (isStore ? [] : ['baseUrl', 'key'])
    .filter((field) => given[field] === undefined)
    .map((field): Fault => ({ field, code: 'missing', message: `connect needs ${field}.` }))
  errors.push(...faultsIn(given, isStore ? STORE : SERVICE, isStore ? 'connect with a platform' : 'connect'))
  if (typeof baseUrl === 'string' && baseUrl !== '' && !isAddress(baseUrl))
    errors.push({
      field: 'baseUrl',
      code: 'value',
      message: 'baseUrl must be an address such as http://127.0.0.1:8484, with nothing before its host or behind its path.',
    })
  if (isStore && key !== undefined && workspace !== undefined)
    errors.push({ field: 'workspace', code: 'value', message: 'workspace does not go with a key, which belongs to one.' })
  refuse(errors, 'connect({ baseUrl, key }) leads to a service, connect({ platform }) to a store that this process opens.')
}

function isAddress(text: string): boolean {
  if (!/^https?:/i.test(text) || !URL.canParse(text) || /[?#]/.test(text)) return false
  const { username, password } = new URL(text)
  return username + password === ''
}
