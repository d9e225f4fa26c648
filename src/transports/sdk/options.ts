/** How calls are repeated, and for how long each is waited for. */
export interface RetryOptions {
  /** How often a call is repeated by itself when that is safe and may help; 3 unless given. */
  readonly retries?: number | undefined
  /** How long each attempt may take; 30 s unless given. */
  readonly timeoutMs?: number | undefined
}

/** What the other way to connect takes, and this one does not. */
type Not<Names extends string> = { readonly [N in Names]?: never }

/** What leads to a service. */
export interface ServiceOptions extends RetryOptions, Not<'platform' | 'store' | 'workspace'> {
  /** Where the service listens: `http://127.0.0.1:8484`. */
  readonly baseUrl: string
  readonly key: string
  /** Sent with every request. */
  readonly headers?: MoreHeaders | undefined
  /** Used instead of the one there is. */
  readonly fetch?: typeof fetch | undefined
  /** Sees each attempt before it is sent, and may answer with headers to add to it, though not in the place of the client's own. */
  readonly onRequest?: ((request: Sent) => MoreHeaders | Promise<MoreHeaders>) | ((request: Sent) => void) | undefined
  /** Sees what became of each attempt. What it throws is dropped. */
  readonly onResponse?: ((response: Received) => void) | undefined
}

/** What leads to a store of this process's own. Only in Node. What is not given is read from the configuration, as the service does. */
export interface StoreOptions extends RetryOptions, Not<'baseUrl' | 'headers' | 'fetch' | 'onRequest' | 'onResponse'> {
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
