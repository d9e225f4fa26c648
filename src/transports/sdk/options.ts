import { CrmError, type Fault } from '../../contract/errors.ts'

/** How calls are repeated, and for how long each is waited for. */
export interface Persistence {
  /** How often a call is repeated by itself when that is safe and may help; 3 unless given. */
  readonly retries?: number | undefined
  /** How long each attempt may take; 30 s unless given. */
  readonly timeoutMs?: number | undefined
}

/** What the other way to connect takes, and this one does not. */
type Not<Names extends string> = { readonly [N in Names]?: never }

/** What leads to a service. */
export interface ServiceOptions extends Persistence, Not<'platform' | 'store' | 'workspace'> {
  /** Where the service listens: `http://127.0.0.1:8484`. */
  readonly baseUrl: string
  readonly key: string
  /** Sent with every request. */
  readonly headers?: MoreHeaders | undefined
  /** Used instead of the one there is. */
  readonly fetch?: typeof fetch | undefined
  /** Sees each attempt before it is sent, and may answer with headers to add to it. */
  readonly onRequest?: ((request: Sent) => MoreHeaders | Promise<MoreHeaders>) | ((request: Sent) => void) | undefined
  /** Sees what became of each attempt. */
  readonly onResponse?: ((response: Received) => void) | undefined
}

/** What leads to a store of this process's own. Only in Node. What is not given is read from the configuration, as the service does. */
export interface StoreOptions extends Persistence, Not<'baseUrl' | 'headers' | 'fetch' | 'onRequest' | 'onResponse'> {
  /** Where the records live: `sqlite:crm.db` or `postgres://…`. */
  readonly platform: string
  /** Where users, keys and the journal live; the platform itself unless given. */
  readonly store?: string | undefined
  /** Acts as its user; as the first admin of the workspace unless given. */
  readonly key?: string | undefined
  /** Where there is no key: the workspace whose admin it acts as; `default` unless given. */
  readonly workspace?: string | undefined
}

export type ConnectOptions = ServiceOptions | StoreOptions

export type MoreHeaders = { readonly [name: string]: string }

/** One attempt as it is sent. */
export interface Sent {
  /** The operation as it was asked for, or `batch`. */
  readonly operation: string
  /** 1 for the first. */
  readonly attempt: number
  readonly method: string
  readonly url: string
  /** In lower case, and without the key. */
  readonly headers: MoreHeaders
}

/** What became of it. */
export interface Received extends Sent {
  /** Undefined where nobody answered. */
  readonly status: number | undefined
  /** What the service calls the request in its log. */
  readonly requestId: string | undefined
  readonly ms: number
  /** The CrmError it ended with, or the reason it was aborted for; undefined where it was answered. */
  readonly error: unknown
}

/** What each option is, by the way to connect. */
type Rules = { readonly [option: string]: 'string' | 'number' | 'function' | 'object' | undefined }
const EITHER = { key: 'string', retries: 'number', timeoutMs: 'number' } as const
const SERVICE: Rules = { baseUrl: 'string', headers: 'object', fetch: 'function', onRequest: 'function', onResponse: 'function', ...EITHER }
const STORE: Rules = { platform: 'string', store: 'string', workspace: 'string', ...EITHER }

/** Refuses options that make no sense, with all that is wrong with them. */
export function checkOptions(options: ConnectOptions): void {
  const given: { readonly [option: string]: unknown } = { ...options }
  const rules = given.platform === undefined ? SERVICE : STORE
  const errors: Fault[] = []
  const fault = (field: string, code: Fault['code'], message: string, didYouMean?: string) =>
    errors.push({ field, code, message, ...(didYouMean && { didYouMean }) })
  for (const name of rules === SERVICE ? ['baseUrl', 'key'] : []) if (given[name] === undefined) fault(name, 'missing', `connect needs ${name}.`)
  for (const [name, value] of Object.entries(given)) {
    const type = Object.hasOwn(rules, name) ? rules[name] : undefined
    const like = (other: string) => other.toLowerCase() === name.toLowerCase()
    if (!type) fault(name, 'unknown', `connect takes no ${name} here.`, Object.keys(rules).find(like))
    // biome-ignore lint/suspicious/noSelfCompare: of all values only the number that is none differs from itself.
    else if (value !== undefined && (typeof value !== type || Number(value) < 0 || value !== value)) fault(name, 'type', `${name} must be a ${type}.`)
  }
  const { baseUrl, key, workspace } = given
  if (typeof baseUrl === 'string' && !(/^https?:/i.test(baseUrl) && URL.canParse(baseUrl)))
    fault('baseUrl', 'value', 'baseUrl must be an address such as http://127.0.0.1:8484.')
  if (rules === STORE && key !== undefined && workspace !== undefined) fault('workspace', 'value', 'workspace does not go with a key, which belongs to one.')
  if (errors.length > 0)
    throw new CrmError('invalid_input', errors.map(({ message }) => message).join(' '), {
      errors,
      hint: 'connect({ baseUrl, key }) leads to a service, connect({ platform }) to a store that this process opens.',
    })
}
