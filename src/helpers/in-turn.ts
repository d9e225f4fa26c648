import { FairQueue } from './fair-queue.ts'

/** Starts work once it is its turn; rejects with the signal's reason as soon as that aborts, whether the work waits or has started. */
export interface InTurn {
  <T>(share: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** How much work of a share waits or runs. */
  of(share: string): number
}

/** Runs at most so much work at a time, and of each share; those who share take turns. */
export function createInTurn(most: number, each = most): InTurn {
  const waiting = new FairQueue<() => void>()
  const started = new Map<string, number>()
  let running = 0

  function count(share: string, by: 1 | -1): void {
    running += by
    const now = (started.get(share) ?? 0) + by
    if (now === 0) started.delete(share)
    else started.set(share, now)
  }

  function next(): void {
    for (const [share] of waiting.nexts()) {
      if (running >= most) return
      if ((started.get(share) ?? 0) < each) waiting.shift(share)?.()
    }
  }

  const inTurn = <T>(share: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const start = () => {
        count(share, 1)
        const ended = () => {
          signal?.removeEventListener('abort', abort)
          count(share, -1)
          next()
        }
        work().then(resolve, reject).finally(ended)
      }
      const abort = () => {
        waiting.remove(share, start)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      waiting.push(share, start)
      next()
    })
  return Object.assign(inTurn, { of: (share: string) => waiting.of(share) + (started.get(share) ?? 0) })
}
