const GROWTH = 3
const LONGEST_MS = 86_400_000
const JITTER = 0.2

/** How long to wait after so many failures: about three times as long each time, a day at most, and never the same for all who wait. */
export function pauseAfter(failures: number, firstMs: number, random: () => number = Math.random): number {
  const pause = Math.min(LONGEST_MS, firstMs * GROWTH ** (failures - 1))
  return Math.round(pause * (1 - JITTER + 2 * JITTER * random()))
}
