import { createHash } from 'node:crypto'
import { type CrmAnswer, type CrmRequest, reads } from '../engine/connection.ts'
import type { OpenOptions } from '../engine/kind.ts'
import { RollingLimit } from '../engine/rate-limits.ts'

/** The smallest limit of an account, until HubSpot tells its own: requests in an interval. */
const REQUESTS = { limit: 100, intervalMs: 10_000 }
/** HubSpot does not tell this one. */
export const SEARCHES_A_SECOND = 5
/** After a refusal, and where HubSpot says that none is left: others use the same account. */
const PAUSE_MS = 1_000

/** How long a read may wait. */
const LONGEST_MS = 60_000
const RECONCILE_MS = 30_000

/** Keeps the limits of an app in an account, which HubSpot tells with its answers. Refused requests count against the app, too. */
export class Throttle {
  private readonly requests: RollingLimit
  private readonly searches: RollingLimit
  /** How long a write may wait: not until the next call with its key may count it as not executed. */
  private readonly longestWriteMs: number

  constructor({ address, secrets, settings, takeFromRateLimit = () => undefined, reconcileMs = RECONCILE_MS }: OpenOptions) {
    this.longestWriteMs = reconcileMs / 2
    const app = createHash('sha256')
      .update(JSON.stringify([address, secrets.token ?? secrets.clientId]))
      .digest('base64url')
      .slice(0, 16)
    this.requests = new RollingLimit(`hubspot ${app} requests`, takeFromRateLimit, REQUESTS.limit, REQUESTS.intervalMs)
    this.searches = new RollingLimit(`hubspot ${app} searches`, takeFromRateLimit, Number(settings.options.searches ?? SEARCHES_A_SECOND), 1_000)
  }

  async hold(request: CrmRequest): Promise<void> {
    if (isSearch(request)) await this.searches.hold(LONGEST_MS)
    await this.requests.hold(reads(request) ? LONGEST_MS : this.longestWriteMs)
  }

  onAnswer({ status, headers }: CrmAnswer, request: CrmRequest): void {
    const [limit = 0, intervalMs = 0] = [headers['x-hubspot-ratelimit-max'], headers['x-hubspot-ratelimit-interval-milliseconds']].map(Number)
    if (limit > 0 && intervalMs > 0) this.requests.set(limit, intervalMs)
    if (status === 429) (isSearch(request) ? this.searches : this.requests).pause(PAUSE_MS)
    else if (headers['x-hubspot-ratelimit-remaining'] === '0') this.requests.pause(PAUSE_MS)
  }
}

const isSearch = ({ method, path }: CrmRequest) => method === 'POST' && path.includes('/objects/') && path.endsWith('/search')
