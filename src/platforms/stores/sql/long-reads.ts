import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { FairQueue } from '../../../helpers/fair-queue.ts'
import type { Budget } from '../../platform.ts'

/** Starts a long read once it is its turn. Rejects with the reason of the budget once that is over, while it waits or after it has started. */
export type LongReads = <T>(budget: Budget | undefined, read: () => Promise<T>) => Promise<T>

/** Runs at most so many long reads at a time. Callers take turns, and each may have a limited number of them wait or run. */
export function createLongReads(most: number): LongReads {
  const waiting = new FairQueue<() => void>()
  const started = new Map<string, number>()
  let running = 0

  const inUse = (share: string) => waiting.of(share) + (started.get(share) ?? 0)

  function count(share: string, by: 1 | -1): void {
    running += by
    const now = (started.get(share) ?? 0) + by
    if (now === 0) started.delete(share)
    else started.set(share, now)
  }

  function next(): void {
    while (running < most && waiting.length > 0) waiting.shift()?.()
  }

  return (budget, read) =>
    new Promise((resolve, reject) => {
      const { share = '', signal } = budget ?? {}
      if (budget && inUse(share) >= LIMITS.longReads) throw tooMany()
      signal?.throwIfAborted()
      const start = () => {
        count(share, 1)
        const ended = () => {
          signal?.removeEventListener('abort', abort)
          count(share, -1)
          next()
        }
        read().then(resolve, reject).finally(ended)
      }
      const abort = () => {
        waiting.remove(share, start)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      waiting.push(share, start)
      next()
    })
}

function tooMany(): CrmError {
  return new CrmError('rate_limited', `This key has ${LIMITS.longReads} long searches or summaries under way, the most it may have.`, {
    retryAfter: 1,
    hint: 'Wait for the answers of some of them, or narrow their filters.',
  })
}
