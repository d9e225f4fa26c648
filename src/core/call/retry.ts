import type { Retry } from '../../platforms/platform.ts'

/** The backoff: the first pause, and the longest that doubling leads to. */
export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
}

const PAUSES: Pauses = { firstMs: 200, longestMs: 5_000 }

/** Retries an attempt for `budgetMs` after its first failure. The budget starts there, so that a slow first attempt is retried too. */
export function retryFor(budgetMs: number, { firstMs, longestMs }: Pauses = PAUSES): Retry {
  return async (attempt, classify) => {
    let deadline: number | undefined
    for (let pause = firstMs; ; pause = Math.min(2 * pause, longestMs)) {
      try {
        return await attempt()
      } catch (error) {
        const { retryable, afterMs } = classify(error)
        deadline ??= Date.now() + budgetMs
        // Jitter keeps conflicting transactions apart. A Retry-After of the platform takes precedence.
        const wait = afterMs ?? pause * Math.random()
        if (!retryable || Date.now() + wait > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
  }
}
