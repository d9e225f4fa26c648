const GROWTH = 3
const LONGEST_MS = 86_400_000
const JITTER = 0.2

/** The pause after so many failures: it triples each time, up to a day, with jitter so that retries do not come all at once. */
export function backoffAfter(failures: number, firstMs: number, random: () => number = Math.random): number {
  const backoff = Math.min(LONGEST_MS, firstMs * GROWTH ** (failures - 1))
  return Math.round(backoff * (1 - JITTER + 2 * JITTER * random()))
}
