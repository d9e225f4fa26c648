import type { Retry } from '../../platforms/platform.ts'

/** How long pauses are: the first, and the longest that doubling leads to. */
export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
}

const PAUSES: Pauses = { firstMs: 200, longestMs: 5_000 }

/**
 * Tries something again as long as that makes sense, for so long after it has failed first. However long the first attempt took, there is
 * a second.
 */
export function retryFor(patienceMs: number, { firstMs, longestMs }: Pauses = PAUSES): Retry {
  return async (attempt, look) => {
    let deadline: number | undefined
    for (let pause = firstMs; ; pause = Math.min(2 * pause, longestMs)) {
      try {
        return await attempt()
      } catch (error) {
        const { again, afterMs } = look(error)
        deadline ??= Date.now() + patienceMs
        // Those who stood in each other's way shall not meet again; who says when to come knows better.
        const wait = afterMs ?? pause * Math.random()
        if (!again || Date.now() + wait > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
  }
}
