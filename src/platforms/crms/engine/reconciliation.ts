import { setTimeout as sleep } from 'node:timers/promises'
import { DriverError } from './errors.ts'

/** How long one looks for what may have been written while the caller waits. */
const LOOKING_MS = 3_000
const FIRST_PAUSE_MS = 100
/** So often something is written that the CRM has answered with an error and not carried out. */
const ATTEMPTS = 3

export interface Uncertain<T> {
  /** Writes it. */
  attempt(): Promise<T>
  /** What it has written, if it has; undefined where nothing is to be seen of it. `done` says that it was carried out, whatever is to be seen. */
  look(done: boolean): Promise<T | undefined>
  /** For how long a look may miss what is there. */
  readonly lagMs: number
  readonly settleMs: number
}

/**
 * Writes something, and finds out whether it was written where the CRM did not say. It is written again only when the CRM has ended with it
 * and nothing is to be seen of it; a write that may still be under way is left as it is, and nobody knows how it will end. What was
 * carried out is never written again.
 */
export async function reconciled<T>(uncertain: Uncertain<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await uncertain.attempt()
    } catch (error) {
      if (!(error instanceof DriverError) || !error.unknown) throw error
      const found = await lookedFor(uncertain, error)
      if (found !== undefined) return found
      // What a search that lags behind does not show may be there all the same.
      if (error.unknown !== 'ended' || uncertain.lagMs > 0) throw error
      if (attempt === ATTEMPTS) throw new DriverError('platform_unavailable', `${error.message} Nothing was written.`, { cause: error, retryAfterMs: 1000 })
    }
  }
}

async function lookedFor<T>({ look, lagMs, settleMs }: Uncertain<T>, error: DriverError): Promise<T | undefined> {
  // What has ended shows at once, unless searches lag behind.
  const until = Date.now() + Math.min(error.unknown === 'ended' ? lagMs : Math.max(lagMs, LOOKING_MS), settleMs)
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const found = await look(error.unknown === 'done').catch((fault: unknown) => {
      throw fault instanceof DriverError && fault.code === 'outcome_unknown' ? fault : error
    })
    if (found !== undefined || Date.now() >= until) return found
    await sleep(Math.min(pause, Math.max(1, until - Date.now())))
  }
}
