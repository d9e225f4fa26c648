import type { Service } from '../../../core/service.ts'
import type { Allowance } from './limiter.ts'

/** Takes from the allowance that all processes share. */
export type TakeFromStore = Service['store']['takeFromRateLimit']
type StoreAnswer = Awaited<ReturnType<TakeFromStore>>

export interface SharedLimiter {
  /** Takes one, or `count`, from the allowance of this name: all of them or none. Asks the store only where `takeCached` has no answer. */
  take(name: string, count?: number): Promise<Allowance>
  /** The same from what this process has reserved, or a refusal that is certain; undefined where only the store has the answer. */
  takeCached(name: string, count?: number): Allowance | undefined
  /** What all processes have left, taking nothing. */
  peek(name: string): Promise<Allowance>
}

export interface SharedLimiterOptions {
  readonly allow: TakeFromStore
  readonly limit: number
  readonly windowMs: number
  /** How many names are cached; the store is asked again about those that were evicted. */
  readonly names: number
  readonly now?: () => number
}

/** A process reserves this part of what is left. Near the limit that is one call at a time, so that few reserved calls are wasted in other processes. */
const PART = 50

interface Waiting {
  readonly count: number
  resolve(allowance: Allowance): void
  reject(error: unknown): void
}

interface Window {
  /** Reserved from the store and not handed out yet. */
  reserved: number
  /** Used by all processes at the store's last answer, including what is reserved here. Within a window it only grows. */
  used: number
  /** Until when `used` is certain to belong to the current window: counted from when the store was asked, since its window began no later. */
  until: number
  /** When the next window begins at the latest. */
  ends: number
  /** Calls that wait for the store; it is being asked as long as there are any. */
  readonly waiting: Waiting[]
}

/**
 * Limits calls in a window of time, for each name, over all processes together.
 *
 * The store counts. A process reserves some calls in advance and hands them out, so that few calls wait for the store. What it has reserved and not
 * handed out by the end of the window is lost: together the processes never exceed the limit, and may stay slightly below it.
 */
export function createSharedLimiter({ allow, limit, windowMs, names, now = () => performance.now() }: SharedLimiterOptions): SharedLimiter {
  const windows = new Map<string, Window>()

  /** Caches a window as the most recently used. */
  function cache(name: string, window: Window): Window {
    windows.delete(name)
    if (windows.size >= names) windows.delete(windows.keys().next().value ?? '')
    windows.set(name, window)
    return window
  }

  const leftIn = ({ reserved, used }: Pick<Window, 'reserved' | 'used'>) => limit - used + reserved

  const allowance = (window: Pick<Window, 'reserved' | 'used' | 'ends'>, at: number, allowed: boolean): Allowance => ({
    allowed,
    remaining: Math.max(0, leftIn(window)),
    reset: Math.max(1, Math.ceil((window.ends - at) / 1000)),
  })

  /** The answer without asking the store, where it is certain. */
  function answer(window: Window, count: number, at: number): Allowance | undefined {
    if (window.reserved < count) return count > leftIn(window) ? allowance(window, at, false) : undefined
    window.reserved -= count
    return allowance(window, at, true)
  }

  /** How many calls to ask the store for: enough for all that wait and fit, or none where the first of them does not fit. */
  function wantedIn(window: Window): number {
    const left = leftIn(window)
    let needed = 0
    for (const { count } of window.waiting) if (needed + count <= left) needed += count
    if ((window.waiting[0]?.count ?? 0) > left) return 0
    return Math.min(limit - window.used, Math.max(needed - window.reserved, Math.floor(left / PART)))
  }

  /** Asks the store until no call waits. */
  async function ask(name: string, window: Window): Promise<void> {
    try {
      // Calls of the same tick share one question.
      await undefined
      while (window.waiting.length > 0) {
        cache(name, window)
        const sent = now()
        if (sent >= window.until) Object.assign(window, { reserved: 0, used: 0 })
        const wanted = wantedIn(window)
        const answered = await allow(name, wanted, limit, windowMs)
        update(window, answered, answered.granted ? wanted : 0, sent)
        serve(window)
      }
    } catch (error) {
      for (const { reject } of window.waiting.splice(0)) reject(error)
    }
  }

  function update(window: Window, { used, resetMs }: StoreAnswer, taken: number, sent: number): void {
    const at = now()
    // Calls reserved in one window may not be handed out in the next.
    const isSame = at < window.until && used >= window.used + taken
    Object.assign(window, { reserved: (isSame ? window.reserved : 0) + taken, used, until: sent + resetMs, ends: at + resetMs })
  }

  /** In order of arrival, so that small calls do not starve a batch. */
  function serve(window: Window): void {
    const at = now()
    for (let first = window.waiting[0]; first; first = window.waiting[0]) {
      const certain = answer(window, first.count, at)
      if (!certain) return
      window.waiting.shift()
      first.resolve(certain)
    }
  }

  const windowOf = (name: string) => windows.get(name) ?? cache(name, { reserved: 0, used: 0, until: Number.NEGATIVE_INFINITY, ends: 0, waiting: [] })

  function takeCached(name: string, count = 1): Allowance | undefined {
    const window = windowOf(name)
    const at = now()
    return window.waiting.length === 0 && at < window.until ? answer(window, count, at) : undefined
  }

  return {
    takeCached,
    take(name, count = 1) {
      const certain = takeCached(name, count)
      if (certain) return Promise.resolve(certain)
      const window = windowOf(name)
      return new Promise((resolve, reject) => {
        if (window.waiting.push({ count, resolve, reject }) === 1) void ask(name, window)
      })
    },
    async peek(name) {
      const window = windowOf(name)
      const sent = now()
      if (sent < window.until && leftIn(window) < 1) return allowance(window, sent, false)
      const answered = await allow(name, 0, limit, windowMs)
      const { used, resetMs } = answered
      // Only a used-up limit is cached: anything else is updated by the calls that take.
      if (used >= limit && window.waiting.length === 0) update(window, answered, 0, sent)
      return allowance({ reserved: 0, used, ends: now() + resetMs }, now(), used < limit)
    },
  }
}
