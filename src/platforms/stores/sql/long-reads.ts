import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { createInTurn } from '../../../helpers/in-turn.ts'
import type { Budget } from '../../platform.ts'

/** Starts a long read once it is its turn. Rejects with the reason of the budget once that is over. */
export type LongReads = <T>(budget: Budget | undefined, read: () => Promise<T>) => Promise<T>

/**
 * Runs at most so many long reads at a time. Callers take turns, one alone has half of them at most, and each may have a limited number of
 * them wait or run.
 */
export function createLongReads(most: number): LongReads {
  const inTurn = createInTurn(most, Math.ceil(most / 2))
  return async (budget, read) => {
    if (!budget) return inTurn('', read)
    const { share } = budget
    if (inTurn.of(share) >= LIMITS.longReads)
      throw new CrmError('rate_limited', `This key has ${LIMITS.longReads} long searches or summaries under way, the most it may have.`, {
        retryAfter: 1,
        hint: 'Wait for the answers of some of them, or narrow their filters.',
      })
    return inTurn(share, read, budget.signal)
  }
}
