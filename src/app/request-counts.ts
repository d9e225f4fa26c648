import type { Store } from '../platforms/store.ts'

const DAY_MS = 86_400_000
/** The days that are counted: the last week, and today. */
export const COUNTED_DAYS = 8
const FLUSH_MS = 60_000
/** Far more than any account allows. */
const MOST = 2_000_000_000

/** The name under which the store counts the requests to a CRM on one day. */
export const countName = (url: string, day: string) => `requests ${day} ${url}`

/** The last days, today first, as YYYY-MM-DD in UTC. */
export const lastDays = (now: number) => Array.from({ length: COUNTED_DAYS }, (_, ago) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10))

/** Counts the requests to CRMs, and adds them up in the store, for all processes together. */
export class RequestCounts {
  private counts = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  add(url: string): void {
    const name = countName(url, new Date().toISOString().slice(0, 10))
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  start(store: Store): void {
    this.timer = setInterval(() => void this.flush(store), FLUSH_MS).unref()
  }

  async stop(store: Store): Promise<void> {
    clearInterval(this.timer)
    await this.flush(store)
  }

  /** What the store cannot take now is added the next time. */
  private async flush(store: Store): Promise<void> {
    const counts = this.counts
    this.counts = new Map()
    for (const [name, count] of counts)
      await store.takeFromRateLimit(name, count, MOST, COUNTED_DAYS * DAY_MS).catch(() => {
        this.counts.set(name, (this.counts.get(name) ?? 0) + count)
      })
  }
}
