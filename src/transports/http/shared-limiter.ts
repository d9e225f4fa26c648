import type { Service } from '../../core/service.ts'
import type { Allowance } from './limiter.ts'

/** Where the allowances are that all processes share. */
export type Allow = Service['store']['takeFromRateLimit']
type Answered = Awaited<ReturnType<Allow>>

export interface SharedLimiter {
  /** Takes one, or so many, from the allowance of this name: all of them or none. At once where it is known already what to answer. */
  take(name: string, count?: number): Allowance | Promise<Allowance>
  /** What all processes have left, taking nothing. At once where that is known to be nothing. */
  look(name: string): Allowance | Promise<Allowance>
}

export interface SharedLimiterOptions {
  readonly allow: Allow
  readonly limit: number
  readonly windowMs: number
  /** So many names are remembered; who is forgotten is asked about again. */
  readonly names: number
  readonly now?: () => number
}

/** The part of what is left that a process takes from the store at once. Close to the limit that is one by one, so that little is left over elsewhere. */
const PART = 50

interface Waiting {
  readonly count: number
  resolve(allowance: Allowance): void
  reject(error: unknown): void
}

interface Window {
  /** How much was taken from the store and not handed out yet. */
  held: number
  /** How much all processes had taken when the store was last asked, with what is held here. It only ever grows. */
  used: number
  /** Until when this is certain. The store's window ends no earlier than when it was asked, and what it then said. */
  until: number
  /** When it begins anew at the latest. */
  ends: number
  /** Whoever waits for an answer of the store; it is being asked as long as somebody does. */
  readonly waiting: Waiting[]
}

/**
 * Allows so many within a window of time, for each name, in all processes together.
 *
 * The store counts. A process takes some in advance and hands them out, so that few calls wait for the store, and what it has not
 * handed out at the end of the window is lost: all together never hand out more than the limit, and sometimes a few less.
 */
export function createSharedLimiter({ allow, limit, windowMs, names, now = () => performance.now() }: SharedLimiterOptions): SharedLimiter {
  const windows = new Map<string, Window>()

  /** Remembers a window as the newest. */
  function keep(name: string, window: Window): Window {
    windows.delete(name)
    if (windows.size >= names) windows.delete(windows.keys().next().value ?? '')
    windows.set(name, window)
    return window
  }

  /** What is left as far as is known, with what is held. */
  const leftIn = ({ held, used }: Pick<Window, 'held' | 'used'>) => limit - used + held

  const allowance = (window: Pick<Window, 'held' | 'used' | 'ends'>, at: number, allowed: boolean): Allowance => ({
    allowed,
    remaining: Math.max(0, leftIn(window)),
    reset: Math.max(1, Math.ceil((window.ends - at) / 1000)),
  })

  /** The answer, where it is known. */
  function answer(window: Window, count: number, at: number): Allowance | undefined {
    if (window.held < count) return count > leftIn(window) ? allowance(window, at, false) : undefined
    window.held -= count
    return allowance(window, at, true)
  }

  /** How many to ask the store for: enough for all who wait and can be served, or none where the first of them cannot be. */
  function wantedIn(window: Window): number {
    const left = leftIn(window)
    let needed = 0
    for (const { count } of window.waiting) if (needed + count <= left) needed += count
    if ((window.waiting[0]?.count ?? 0) > left) return 0
    return Math.min(limit - window.used, Math.max(needed - window.held, Math.floor(left / PART)))
  }

  /** Asks the store until nobody waits any more. */
  async function ask(name: string, window: Window): Promise<void> {
    try {
      // Those who come in the same moment share one question.
      await undefined
      while (window.waiting.length > 0) {
        keep(name, window)
        const sent = now()
        if (sent >= window.until) Object.assign(window, { held: 0, used: 0 })
        const wanted = wantedIn(window)
        const answered = await allow(name, wanted, limit, windowMs)
        learn(window, answered, answered.granted ? wanted : 0, sent)
        serve(window)
      }
    } catch (error) {
      for (const { reject } of window.waiting.splice(0)) reject(error)
    }
  }

  function learn(window: Window, { used, resetMs }: Answered, taken: number, sent: number): void {
    const at = now()
    // What was taken before is good for the window it was taken from, and for no other.
    const same = at < window.until && used >= window.used + taken
    Object.assign(window, { held: (same ? window.held : 0) + taken, used, until: sent + resetMs, ends: at + resetMs })
  }

  /** In the order they came: nobody overtakes a batch that needs more. */
  function serve(window: Window): void {
    const at = now()
    for (let first = window.waiting[0]; first; first = window.waiting[0]) {
      const known = answer(window, first.count, at)
      if (!known) return
      window.waiting.shift()
      first.resolve(known)
    }
  }

  async function lookUp(name: string, window: Window): Promise<Allowance> {
    const sent = now()
    const answered = await allow(name, 0, limit, windowMs)
    const { used, resetMs } = answered
    // That nothing is left is worth knowing; what else is known comes from those who take.
    if (used >= limit && window.waiting.length === 0) learn(window, answered, 0, sent)
    return allowance({ held: 0, used, ends: now() + resetMs }, now(), used < limit)
  }

  const windowOf = (name: string) => windows.get(name) ?? keep(name, { held: 0, used: 0, until: Number.NEGATIVE_INFINITY, ends: 0, waiting: [] })

  return {
    take(name, count = 1) {
      const window = windowOf(name)
      const at = now()
      const known = window.waiting.length === 0 && at < window.until ? answer(window, count, at) : undefined
      if (known) return known
      return new Promise((resolve, reject) => {
        if (window.waiting.push({ count, resolve, reject }) === 1) void ask(name, window)
      })
    },
    look(name) {
      const window = windowOf(name)
      const at = now()
      if (at < window.until && leftIn(window) < 1) return allowance(window, at, false)
      return lookUp(name, window)
    },
  }
}
