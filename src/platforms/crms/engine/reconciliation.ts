import { setTimeout as sleep } from 'node:timers/promises'
import { DriverError } from './errors.ts'

/** How long a write is searched for while the caller waits. */
const SEARCH_MS = 3_000
const FIRST_PAUSE_MS = 100
/** How often a write is sent that the CRM has answered with an error and not executed. */
const ATTEMPTS = 3

export interface UncertainWrite<T> {
  send(): Promise<T>
  /** What the write has left in the CRM; undefined where nothing is found. `executed` says that the CRM has reported it as executed. */
  search(executed: boolean): Promise<T | undefined>
  /** How long a search may miss what was written. */
  readonly lagMs: number
  readonly reconcileMs: number
  readonly searchMs?: number | undefined
}

/**
 * Sends a write and, where the answer leaves its outcome open, searches the CRM for what it wrote. It is sent again only when the CRM has ended it
 * and nothing is found. A write that may still be under way is never sent again, and neither is one that was executed.
 */
export async function reconcile<T>(write: UncertainWrite<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write.send()
    } catch (error) {
      if (!(error instanceof DriverError) || !error.unknown) throw error
      const found = await searchFor(write, error)
      if (found !== undefined) return found
      // A search index that lags behind proves nothing.
      if (error.unknown !== 'ended' || write.lagMs > 0) throw error
      if (attempt === ATTEMPTS) throw new DriverError('platform_unavailable', `${error.message} Nothing was written.`, { cause: error, retryAfterMs: 1000 })
    }
  }
}

async function searchFor<T>({ search, lagMs, reconcileMs, searchMs = SEARCH_MS }: UncertainWrite<T>, error: DriverError): Promise<T | undefined> {
  // A write that has ended is visible at once, unless searches lag behind.
  const until = Date.now() + Math.min(error.unknown === 'ended' ? lagMs : Math.max(lagMs, searchMs), reconcileMs)
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const found = await search(error.unknown === 'done').catch((failure: unknown) => {
      throw failure instanceof DriverError && failure.code === 'outcome_unknown' ? failure : error
    })
    if (found !== undefined || Date.now() >= until) return found
    await sleep(Math.min(pause, Math.max(1, until - Date.now())))
  }
}
