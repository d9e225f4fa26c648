/** The delay that a Retry-After header asks for, in milliseconds, whether it is given in seconds or as a date; undefined where it is neither. */
export function retryAfterMs(header: string | null | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? ''
  if (text === '') return undefined
  const ms = Number.isNaN(Number(text)) ? Date.parse(text) - now : Number(text) * 1000
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
