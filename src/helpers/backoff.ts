export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * The delay before a retry: doubles with each failure up to the longest, and is drawn at random below that (full jitter), so that callers
 * which failed together do not return together.
 */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff, random: () => number = Math.random): number {
  return random() * Math.min(longestMs, firstMs * 2 ** (failures - 1))
}
