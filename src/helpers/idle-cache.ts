const PERIOD_MS = 60_000

/**
 * A cache that lets go of what is not used: an entry that was neither read nor set for one to two periods is dropped. Only what can be made again may be
 * kept in it.
 */
export class IdleCache<K, T> {
  private used = new Map<K, T>()
  private before = new Map<K, T>()
  private timer: NodeJS.Timeout | undefined
  private readonly periodMs: number

  constructor(periodMs = PERIOD_MS) {
    this.periodMs = periodMs
  }

  get(key: K): T | undefined {
    const value = this.used.get(key)
    if (value !== undefined) return value
    const earlier = this.before.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: K, value: T): void {
    this.used.set(key, value)
    this.timer ??= setInterval(() => this.turn(), this.periodMs).unref()
  }

  delete(key: K): void {
    this.used.delete(key)
    this.before.delete(key)
  }

  clear(): void {
    this.used.clear()
    this.before.clear()
  }

  /** How many entries there are at most: one may count twice. */
  get size(): number {
    return this.used.size + this.before.size
  }

  private turn(): void {
    this.before = this.used
    this.used = new Map()
    if (this.before.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}

/** Makes one value for each key when it is first asked for, and again after it was not used for a while. */
export function whileUsed<K, T>(make: (key: K) => T, cache = new IdleCache<K, T>()): (key: K) => T {
  return (key) => {
    let value = cache.get(key)
    if (value === undefined) {
      value = make(key)
      cache.set(key, value)
    }
    return value
  }
}
