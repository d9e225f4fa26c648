export interface RetryOptions {
  /** How often a call is retried when that is safe and may help; 3 unless given. */
  readonly retries?: number | undefined
  /** How long each attempt may take; 30 s unless given. */
  readonly timeoutMs?: number | undefined
}

/** Options of the other way to connect. */
type Not<Names extends string> = { readonly [N in Names]?: never }

/** Connects to a service over HTTP. */
export interface ServiceOptions extends RetryOptions, Not<'platform' | 'store' | 'workspace'> {
  /** Where the service listens: `http://127.0.0.1:8484`. */
  readonly baseUrl: string
  readonly key: string
  /** Sent with every request. */
  readonly headers?: MoreHeaders | undefined
  /** Used instead of the global fetch. */
  readonly fetch?: typeof fetch | undefined
  /** Called before each attempt. May return headers to add; it cannot replace those of the client. */
  readonly onRequest?: ((request: Sent) => MoreHeaders | Promise<MoreHeaders>) | ((request: Sent) => void) | undefined
  /** Called after each attempt. What it throws is dropped. */
  readonly onResponse?: ((response: Received) => void) | undefined
}

/** Opens a store in this process; only in Node. Settings that are not given are read from the configuration, as the service does. */
export interface StoreOptions extends RetryOptions, Not<'baseUrl' | 'headers' | 'fetch' | 'onRequest' | 'onResponse'> {
  /** Where the records live: `sqlite:crm.db` or `postgres://…`. */
  readonly platform: string
  /** Where users, keys and the journal live; the platform itself unless given. */
  readonly store?: string | undefined
  /** Acts as its user; as the first admin of the workspace unless given. */
  readonly key?: string | undefined
  /** Without a key: the workspace whose admin it acts as; `default` unless given. */
  readonly workspace?: string | undefined
}

export type ConnectOptions = ServiceOptions | StoreOptions

export type MoreHeaders = { readonly [name: string]: string }

/** One attempt as it is sent. */
export interface Sent {
  /** The operation as it was requested, or `batch`. */
  readonly operation: string
  /** 1 for the first. */
  readonly attempt: number
  readonly method: string
  readonly url: string
  /** In lower case, and without the key. */
  readonly headers: MoreHeaders
}

/** The outcome of one attempt. */
export interface Received extends Sent {
  /** Undefined where no answer came. */
  readonly status: number | undefined
  /** The id of the request in the service's log. */
  readonly requestId: string | undefined
  readonly ms: number
  /** The CrmError it ended with, or the reason it was aborted for; undefined where it was answered. */
  readonly error: unknown
}
