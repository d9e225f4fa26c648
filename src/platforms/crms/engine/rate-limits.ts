import { setTimeout as sleep } from 'node:timers/promises'
import { DriverError } from './errors.ts'

type Units = [name: string, wanted: number, most: number, windowMs: number]

/** Whether units were taken from a window, how many are by now, and when it ends. */
interface RateLimitState {
  readonly granted: boolean
  readonly used: number
  readonly resetMs: number
}

/** Takes units from a rate limit of the store, so that all of its processes keep it together; undefined while there is no store. */
export type TakeFromRateLimit = (...units: Units) => Promise<RateLimitState> | undefined

/** The parts of an interval in which requests are sent, so that short bursts need not wait for the whole of it. */
const PARTS = 4
/** A little of a limit is left, since requests do not arrive in the rhythm in which they are sent. */
const SHARE = 0.95
interface Waiting {
  /** It is refused where it has not been sent by then. */
  readonly until: number
  resolve(): void
  reject(error: unknown): void
}

/**
 * Holds requests back so that a rolling limit of an account is kept by all processes of a store: a part of an interval allows a fifth of the limit, as an
 * interval of any beginning touches five parts at most.
 */
export class RollingLimit {
  private readonly name: string
  private readonly take: TakeFromRateLimit
  private readonly own = ownLimits()
  private most = 1
  private windowMs = 1
  /** Until when nothing is sent, because the CRM has refused a request. */
  private pausedUntil = 0
  private readonly waiting: Waiting[] = []

  constructor(name: string, take: TakeFromRateLimit, limit: number, intervalMs: number) {
    this.name = name
    this.take = take
    this.set(limit, intervalMs)
  }

  /** Takes over a limit that the CRM has told. */
  set(limit: number, intervalMs: number): void {
    this.most = Math.max(1, Math.floor((limit * SHARE) / (PARTS + 1)))
    this.windowMs = Math.max(1, Math.ceil(intervalMs / PARTS))
  }

  pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, Date.now() + ms)
  }

  /** Resolves when a request may be sent, in the order in which they came. Rejects where that takes longer than it may wait; it is then never sent. */
  hold(longestMs: number): Promise<void> {
    const waitMs = Math.floor(this.waiting.length / this.most) * this.windowMs
    if (waitMs > longestMs) throw tooMany(waitMs)
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ until: Date.now() + longestMs, resolve, reject }) === 1) void this.release()
    })
  }

  /** Lets requests go until none waits. */
  private async release(): Promise<void> {
    try {
      let wanted = 1
      while (this.waiting.length > 0) {
        const pauseMs = this.pausedUntil - Date.now()
        if (pauseMs > 0) await sleep(pauseMs)
        const { granted, used, resetMs } = await this.taken(wanted)
        if (granted) for (const one of this.waiting.splice(0, wanted)) one.until < Date.now() ? one.reject(tooMany(this.windowMs)) : one.resolve()
        const left = this.most - used
        if (!granted && left < 1) await sleep(resetMs)
        wanted = Math.max(1, Math.min(this.waiting.length, granted || left > 0 ? left : this.most))
      }
    } catch (error) {
      for (const { reject } of this.waiting.splice(0)) reject(error)
    }
  }

  private taken(wanted: number): Promise<RateLimitState> {
    const units: Units = [this.name, wanted, this.most, this.windowMs]
    return this.take(...units) ?? this.own(...units)
  }
}

function tooMany(waitMs: number): DriverError {
  return new DriverError('rate_limited', 'More requests wait already than the CRM allows in the time that this one may wait.', {
    retryAfterMs: Math.max(1_000, waitMs),
    hint: 'Send less at once, or several records in one call of the batch.',
  })
}

/** The same as a store does, for one process alone. */
function ownLimits(): (...units: Units) => Promise<RateLimitState> {
  let window = { used: 0, ends: 0 }
  return async (_name, wanted, most, windowMs) => {
    const now = Date.now()
    if (window.ends <= now) window = { used: 0, ends: now + windowMs }
    const granted = window.used + wanted <= most
    if (granted) window.used += wanted
    return { granted, used: window.used, resetMs: window.ends - now }
  }
}
