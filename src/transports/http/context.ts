import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Authenticate } from '../../core/access/authenticate.ts'
import type { DocumentOptions } from '../../core/oauth/metadata-documents.ts'
import type { OAuth } from '../../core/oauth/oauth.ts'
import type { OidcSettings } from '../../core/oidc/settings.ts'
import type { Service } from '../../core/service.ts'
import type { Memory } from './limits/memory.ts'
import type { CheckRateLimit } from './limits/rate-limit.ts'
import type { TakePlace } from './limits/shares.ts'
import type { Metrics } from './metrics/calls.ts'
import type { PublicAddress } from './public-url.ts'
import type { ResourceSignIn } from './resource-sign-in.ts'
import type { Credentials } from './session-cookie.ts'

export interface HttpOptions extends PublicAddress {
  readonly service: Service
  readonly authenticate: Authenticate
  readonly log: Logger
  readonly version: string
  /** The folder of the files built for browsers: `docs` and `console`. */
  readonly built: string
  /** How people sign in; with keys alone unless given. */
  readonly oidc?: OidcSettings | undefined
  /** The code of the currency that the console shows amounts in; plain numbers unless given. */
  readonly currency?: string | undefined
  /** Other origins whose pages may call: one, several separated by commas, or `*`. None by default. */
  readonly corsOrigin?: string | undefined
  /** Whether X-Forwarded-For is trusted: for the last hop, for a number of hops, or for proxies at these addresses. */
  readonly trustProxy?: boolean | string | undefined
  /** Calls a minute for each key; unlimited by default. */
  readonly rateLimit?: number | undefined
  /** The window of the rate limits; a minute unless a test sets less. */
  readonly limitWindowMs?: number | undefined
  /** Bytes of memory that large calls may use together; by default half of what the process may have. */
  readonly memoryBytes?: number | undefined
  /** Further lines for /metrics. */
  readonly moreMetrics?: (() => string | Promise<string>) | undefined
  /** Given the metrics of this process, returns how to get those of all that share its listener. */
  readonly allMetrics?: ((own: () => Promise<string>) => () => Promise<string>) | undefined
  /** Fills a new workspace with demo data; undefined where there is none to fill. */
  readonly loadDemo?: ((workspace: string, how: DemoProgress) => Promise<unknown>) | undefined
  /** Loads the MCP transport, with the first request for it; a test can make that fail. */
  readonly loadMcp?: (() => Promise<typeof import('../mcp/http.ts')>) | undefined
  /** How the metadata documents of OAuth clients are fetched, where a test sets that. */
  readonly clientDocuments?: Partial<DocumentOptions> | undefined
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number | undefined
}

/** How loading demo data reports how far it has come, and is stopped. */
export interface DemoProgress {
  readonly progress: (reached: { readonly part: number | undefined; readonly done: number }) => void
  readonly signal: AbortSignal
}

/** What the routes of one server share. */
export interface Context extends HttpOptions {
  readonly credentials: Credentials
  readonly signIn: ResourceSignIn
  readonly oauth: OAuth
  readonly checkRateLimit: CheckRateLimit
  /** The places of a key for what it may have at a time. */
  readonly places: { readonly batches: TakePlace; readonly recordStreams: TakePlace; readonly eventStreams: TakePlace }
  readonly memory: Memory
  readonly metrics: Metrics
  /** Responses that are not yet sent. */
  readonly inFlight: Set<ServerResponse>
  /** Ends each live stream; called when the server begins to close. */
  readonly liveStreams: Set<() => void>
  closing: boolean
  /** When it began to close, on the clock of `performance.now()`. */
  closingSince: number
}
