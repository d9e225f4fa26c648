import { setTimeout as sleep } from 'node:timers/promises'

const DAY_MS = 86_400_000

/** Requests may be saved up for so long, for what takes many at once. */
const SAVED_MS = 3_600_000

/** The requests that the watch of an account may send, so many a day and spent evenly: a token bucket that holds those of an hour. */
export class Allowance {
  /** All that were sent. */
  spent = 0
  private reported = 0
  private readonly perMs: number
  private readonly most: number
  private left: number
  private at = performance.now()

  constructor(perDay: number) {
    this.perMs = perDay / DAY_MS
    this.most = Math.max(1, this.perMs * SAVED_MS)
    this.left = this.most
  }

  /** Those that were sent since this was last called. */
  takeUnreported(): number {
    const requests = this.spent - this.reported
    this.reported = this.spent
    return requests
  }

  /** Resolves once another request may be sent. */
  async take(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    this.left = Math.min(this.most, this.left + (now - this.at) * this.perMs) - 1
    this.at = now
    if (this.left < 0) await sleep(-this.left / this.perMs, undefined, { signal, ref: false })
    this.spent++
  }
}
