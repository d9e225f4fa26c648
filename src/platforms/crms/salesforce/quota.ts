import type { Quota } from '../../platform.ts'
import type { CrmAnswer } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'

/** How long a low quota is cached; then requests are let through to refresh it. */
const STALE_MS = 60_000

/** The account's API usage, from a header of every response. */
export class RequestQuota {
  private known: Quota | undefined
  private readAt = 0
  private readonly floor: number

  constructor(floor: number) {
    this.floor = floor
  }

  onAnswer({ headers }: CrmAnswer): void {
    const [, used, most] = /api-usage=(\d+)\/(\d+)/.exec(headers['sforce-limit-info'] ?? '') ?? []
    if (used === undefined || most === undefined) return
    this.known = { of: 'API requests in 24 hours', used: Number(used), most: Number(most) }
    this.readAt = Date.now()
  }

  checkQuota(): void {
    if (!this.known || this.floor === 0) return
    const left = this.known.most - this.known.used
    const waitMs = this.readAt + STALE_MS - Date.now()
    if (left >= this.floor || waitMs <= 0) return
    throw new DriverError('rate_limited', `Only ${left} of the account's ${this.known.most} API requests in 24 hours are left.`, {
      retryAfterMs: waitMs,
      hint: `The configuration keeps ${this.floor} of them back, in \`quotaFloor\`.`,
    })
  }

  now(): Quota | undefined {
    return this.known
  }
}
