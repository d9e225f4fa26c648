import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Authenticate } from '../../core/access/authenticate.ts'
import type { Service } from '../../core/service.ts'
import type { CheckRateLimit } from './limits/rate-limit.ts'
import type { Metrics } from './metrics/calls.ts'
import type { SignIn } from './sign-in.ts'

export interface HttpOptions {
  readonly service: Service
  readonly authenticate: Authenticate
  readonly log: Logger
  readonly version: string
  /** The folder with what was built for browsers: `docs` and `console`. */
  readonly built: string
  /** Who may call from a browser page elsewhere: one origin, several with commas between, or `*`. Nobody by default. */
  readonly corsOrigin?: string | undefined
  /** Whether X-Forwarded-For is believed: of the last hop, of so many hops, or of the proxies at these addresses. */
  readonly trustProxy?: boolean | string | undefined
  /** Calls a minute for each key; unlimited by default. */
  readonly rateLimit?: number | undefined
  /** How long limits count before they begin anew: a minute, unless a test cannot wait that long. */
  readonly limitWindowMs?: number | undefined
  /** Further lines for /metrics. */
  readonly moreMetrics?: (() => string) | undefined
  /** Loads the MCP transport, with the first request for it; a test can make that fail. */
  readonly loadMcp?: (() => Promise<typeof import('../mcp/http.ts')>) | undefined
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs?: number | undefined
}

/** What the routes of one server share. */
export interface Context extends HttpOptions {
  readonly signIn: SignIn
  readonly checkRateLimit: CheckRateLimit
  readonly metrics: Metrics
  /** The answers still owed. */
  readonly inFlight: Set<ServerResponse>
  /** What live streams want to be told when the server begins to close. */
  readonly liveStreams: Set<() => void>
  closing: boolean
  /** When it began to close, on the clock of `performance.now()`. */
  closingSince: number
}
