/** The delay that a Retry-After header asks for, in milliseconds, whether it is given in seconds or as a date; undefined where it is neither. */
export function retryAfterMs(header: string | null | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  const seconds = Number(text)
  const ms = Number.isNaN(seconds) ? Date.parse(text) - now : seconds * 1000
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
