import { CrmError } from '../../../contract/errors.ts'
import { shareOf } from '../../../core/call/budget.ts'
import type { Caller } from '../../../core/service.ts'

/** Takes one of the places that a key has; the returned function gives it back. Refuses where all of them are taken. */
export type TakePlace = (caller: Caller) => () => void

/** Limits how much of something, such as open streams, each key has at a time. */
export function createShares(most: number, what: string): TakePlace {
  const taken = new Map<string, number>()
  return (caller) => {
    const share = shareOf(caller)
    const before = taken.get(share) ?? 0
    if (before >= most)
      throw new CrmError('rate_limited', `This key has ${most} ${what} at a time, the most it may have.`, {
        retryAfter: 1,
        hint: 'Wait until one of them has ended.',
      })
    taken.set(share, before + 1)
    return () => {
      const now = (taken.get(share) ?? 0) - 1
      if (now > 0) taken.set(share, now)
      else taken.delete(share)
    }
  }
}
