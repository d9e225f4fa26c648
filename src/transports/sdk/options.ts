import { CrmError, type Fault } from '../../contract/errors.ts'

/** How calls are repeated, and for how long each is waited for. */
export interface Persistence {
  /** How often a call is repeated by itself when that is safe and may help; 3 unless given. */
  readonly retries?: number
  /** How long each attempt may take; 30 s unless given. */
  readonly timeoutMs?: number
}

/** What leads to a service. */
export interface ServiceOptions extends Persistence {
  /** Where the service listens: `http://127.0.0.1:8484`. */
  readonly baseUrl: string
  readonly key: string
  /** Sent with every request. */
  readonly headers?: MoreHeaders
  /** Used instead of the one there is. */
  readonly fetch?: typeof fetch
  /** Sees each attempt before it is sent, and may answer with headers to add to it. */
  readonly onRequest?: ((request: Sent) => MoreHeaders | Promise<MoreHeaders>) | ((request: Sent) => void)
  /** Sees what became of each attempt. */
  readonly onResponse?: (response: Received) => void
}

/** What leads to a store of this process's own. Only in Node. What is not given is read from the configuration, as the service does. */
export interface StoreOptions extends Persistence {
  /** Where the records live: `sqlite:crm.db` or `postgres://…`. */
  readonly platform: string
  /** Where users, keys and the journal live; the platform itself unless given. */
  readonly store?: string
  /** Acts as its user; as the first admin of the workspace unless given. */
  readonly key?: string
  /** Where there is no key: the workspace whose admin it acts as; `default` unless given. */
  readonly workspace?: string
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

/** What an option must be. */
type Rule = readonly [expected: string, fits: (value: unknown) => boolean]
type Rules = { readonly [option: string]: Rule }

const text: Rule = ['a text', (value) => typeof value === 'string']
const work: Rule = ['a function', (value) => typeof value === 'function']
const PERSISTENCE: Rules = {
  retries: ['a whole number from 0 on', (value) => Number.isInteger(value) && Number(value) >= 0],
  timeoutMs: ['a number above 0', (value) => Number(value) > 0],
}
const SERVICE: Rules = {
  baseUrl: ['an address such as http://127.0.0.1:8484', (value) => URL.canParse(String(value)) && /^https?:/i.test(String(value))],
  key: text,
  headers: ['an object', (value) => typeof value === 'object'],
  fetch: work,
  onRequest: work,
  onResponse: work,
  ...PERSISTENCE,
}
const STORE: Rules = { platform: text, store: text, key: text, workspace: text, ...PERSISTENCE }

/** Refuses options that make no sense, with all that is wrong with them. */
export function checkOptions(options: ConnectOptions): void {
  const given = Object(options) as { readonly [option: string]: unknown }
  const rules = given.platform === undefined ? SERVICE : STORE
  const names = Object.keys(rules)
  const faults: Fault[] = []
  for (const name of rules === SERVICE ? ['baseUrl', 'key'] : [])
    if (given[name] === undefined) faults.push({ field: name, code: 'missing', message: `connect needs ${name}.` })
  for (const [field, value] of Object.entries(given)) {
    const [expected, fits] = (Object.hasOwn(rules, field) && rules[field]) || []
    const near = names.find((name) => name.toLowerCase() === field.toLowerCase())
    if (!expected)
      faults.push({ field, code: 'unknown', message: `connect takes no ${field} here.`, expected: names.join(', '), ...(near && { didYouMean: near }) })
    else if (value !== undefined && !fits?.(value)) faults.push({ field, code: 'value', message: `${field} must be ${expected}.`, expected })
  }
  if (rules === STORE && given.key !== undefined && given.workspace !== undefined)
    faults.push({ field: 'workspace', code: 'value', message: 'workspace does not go with a key, which belongs to one.' })
  if (faults.length > 0)
    throw new CrmError('invalid_input', faults.map(({ message }) => message).join(' '), {
      errors: faults,
      hint: 'connect({ baseUrl, key }) leads to a service, connect({ platform }) to a store that this process opens.',
    })
}
