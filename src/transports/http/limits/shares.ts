import { CrmError } from '../../../contract/errors.ts'
import { shareOf } from '../../../core/call/budget.ts'
import type { Caller } from '../../../core/service.ts'

/** A workspace has so many times the places of a key. */
const WORKSPACE = 4

/** Takes one of the places that a key and its workspace have; the returned function gives it back. Refuses where all of them are taken. */
export type TakePlace = (caller: Caller) => () => void

/** Limits how much of something, such as open streams, each key and each workspace has at a time. */
export function createShares(most: number, what: string): TakePlace {
  const taken = new Map<string, number>()

  function count(name: string, by: 1 | -1): void {
    const now = (taken.get(name) ?? 0) + by
    if (now > 0) taken.set(name, now)
    else taken.delete(name)
  }

  return (caller) => {
    const places = [
      { whose: 'This key', name: shareOf(caller), limit: most },
      { whose: 'This workspace', name: String(caller.workspace.number), limit: WORKSPACE * most },
    ]
    const full = places.find(({ name, limit }) => (taken.get(name) ?? 0) >= limit)
    if (full)
      throw new CrmError('rate_limited', `${full.whose} has ${full.limit} ${what} at a time, the most it may have.`, {
        retryAfter: 1,
        hint: 'Wait until one of them has ended.',
      })
    for (const { name } of places) count(name, 1)
    return () => {
      for (const { name } of places) count(name, -1)
    }
  }
}
