import { CrmError, type Fault } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'

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

/** What each option must be, in words and as a test, by what it leads to. */
const COMMON = {
  retries: { expected: 'a whole number from 0 to 100', fits: (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100 },
  timeoutMs: { expected: 'a number of milliseconds above 0', fits: (value: unknown) => typeof value === 'number' && value > 0 && value < 2 ** 31 },
}
const text = { expected: 'a text', fits: (value: unknown) => typeof value === 'string' }
const work = { expected: 'a function', fits: (value: unknown) => typeof value === 'function' }
const SERVICE = {
  baseUrl: { expected: 'the address of a service, such as http://127.0.0.1:8484', fits: isAddress },
  key: { ...text, needed: true },
  headers: { expected: 'an object of texts', fits: (value: unknown) => typeof value === 'object' },
  fetch: work,
  onRequest: work,
  onResponse: work,
  ...COMMON,
}
const STORE = { platform: text, store: text, key: text, workspace: text, ...COMMON }

/** Refuses options that make no sense, with all that is wrong with them. */
export function checkOptions(options: ConnectOptions): void {
  const given = Object.entries(Object(options) as object).filter(([, value]) => value !== undefined)
  const names = given.map(([name]) => name)
  const rows: { readonly [name: string]: { readonly expected: string; readonly needed?: boolean; fits(value: unknown): boolean } } = names.includes('platform')
    ? STORE
    : SERVICE
  const faults: Fault[] = []
  const fault = (field: string, code: Fault['code'], message: string, more?: Partial<Fault>) => faults.push({ field, code, message, ...more })

  if (!names.includes('platform') && !names.includes('baseUrl'))
    fault('baseUrl', 'missing', 'connect needs baseUrl, the address of a service, or platform, a store to open in this process.')
  else
    for (const [name, { needed, expected }] of Object.entries(rows))
      if (needed && !names.includes(name)) fault(name, 'missing', `connect needs ${name}.`, { expected })
  for (const [name, value] of given) {
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined
    const [near] = row ? [] : nearest(name, Object.keys(rows))
    if (!row) fault(name, 'unknown', `connect takes no ${name}${rows === STORE ? ' beside platform' : ''}.`, near ? { didYouMean: near } : {})
    else if (!row.fits(value)) fault(name, 'value', `${name} must be ${row.expected}.`, { expected: row.expected })
  }
  if (faults.length === 0) return
  const [first] = faults
  throw new CrmError('invalid_input', first?.message ?? '', { errors: faults, ...(first?.didYouMean && { hint: `Did you mean ${first.didYouMean}?` }) })
}

function isAddress(value: unknown): boolean {
  try {
    return /^https?:$/.test(new URL(String(value)).protocol)
  } catch {
    return false
  }
}
