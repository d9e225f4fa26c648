import type { Quota } from '../../platform.ts'
import type { CrmAnswer } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'

/** The last known quota counts for this long; then one request may find out whether a new day has begun. */
const KNOWN_MS = 300_000

/** How many requests a day are left, by the headers of answers. Only private apps get them. */
export class Allowance {
  private readonly floor: number
  private known: { readonly most: number; readonly left: number; readonly at: number } | undefined

  constructor(floor: number) {
    this.floor = floor
  }

  onAnswer({ headers }: CrmAnswer): void {
    const most = Number(headers['x-hubspot-ratelimit-daily'] ?? Number.NaN)
    const left = Number(headers['x-hubspot-ratelimit-daily-remaining'] ?? Number.NaN)
    if (Number.isFinite(most) && Number.isFinite(left)) this.known = { most, left, at: Date.now() }
  }

  quota(): Quota | undefined {
    return this.known && { of: 'API requests a day', used: this.known.most - this.known.left, most: this.known.most }
  }

  checkQuota(): void {
    const { known, floor } = this
    if (!known || known.left >= floor) return
    const waitMs = known.at + KNOWN_MS - Date.now()
    if (waitMs <= 0) {
      this.known = { ...known, at: Date.now() }
      return
    }
    throw new DriverError('rate_limited', `Only ${known.left} of ${known.most} requests to HubSpot are left for today, and ${floor} are to be left over.`, {
      retryAfterMs: waitMs,
      hint: 'Wait for the next day, or set a lower quotaFloor for this platform.',
    })
  }
}
