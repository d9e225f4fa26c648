export interface Allowance {
  readonly allowed: boolean
  readonly remaining: number
  /** Whole seconds until the next window begins. */
  readonly reset: number
}

export interface Limiter {
  /** Takes one, or `count`, from the allowance of this name: all of them or none. */
  take(name: string, count?: number): Allowance
  /** What is left, taking nothing. */
  peek(name: string): Allowance
}

interface Window {
  used: number
  ends: number
}

/**
 * Limits calls in a window of time, for each name, within this process.
 *
 * A window begins with the first call taken. At most `names` of them are held and the oldest are evicted first, so that
 * memory stays bounded however many names turn up.
 */
export function createLimiter(options: { limit: number; windowMs: number; names: number; now?: () => number }): Limiter {
  const { limit, windowMs, names, now = () => performance.now() } = options
  const windows = new Map<string, Window>()

  const current = (name: string, at: number) => {
    const found = windows.get(name)
    if (found === undefined || found.ends > at) return found
    windows.delete(name)
    return undefined
  }

  const allowance = (used: number, ends: number, at: number, allowed: boolean): Allowance => ({
    allowed,
    remaining: Math.max(0, limit - used),
    reset: Math.max(1, Math.ceil((ends - at) / 1000)),
  })

  return {
    take(name, count = 1) {
      const at = now()
      let window = current(name, at)
      if (window === undefined) {
        if (windows.size >= names) windows.delete(windows.keys().next().value ?? '')
        window = { used: 0, ends: at + windowMs }
        windows.set(name, window)
      }
      if (window.used + count > limit) return allowance(window.used, window.ends, at, false)
      window.used += count
      return allowance(window.used, window.ends, at, true)
    },
    peek(name) {
      const at = now()
      const window = current(name, at)
      if (window === undefined) return allowance(0, at + windowMs, at, true)
      return allowance(window.used, window.ends, at, window.used < limit)
    },
  }
}
