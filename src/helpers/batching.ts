import { requestLeft } from './request-left.ts'

interface Pending<A, R> {
  readonly item: A
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

interface Options {
  /** How many batches may run at once. With 1 they run in the order of the calls. */
  readonly groups: number
  /** How many calls a batch has at most. */
  readonly most: number
  /** A batch that is not full waits until no further call has come for so long; without this, for the next turn of the event loop. */
  readonly quietMs?: number
}

/**
 * Batches concurrent calls. While `groups` batches are running, calls wait and join the next batch. `run` may return a promise for an item:
 * then only that caller waits for it, not the next batch. The row "Create A Lead, 64 connections" of bench/results/postgres.md needs that,
 * where writes of a refused batch are committed separately.
 */
export function batching<A, R>(
  { groups, most, quietMs }: Options,
  run: (items: readonly A[]) => Promise<readonly (R | Promise<R>)[]>,
): (item: A) => Promise<R> {
  let waiting: Pending<A, R>[] = []
  let running = 0
  let scheduled = false
  let quiet: NodeJS.Timeout | undefined

  function schedule(): void {
    clearTimeout(quiet)
    if (scheduled || waiting.length === 0 || running >= groups) return
    if (waiting.length >= most) start()
    else if (quietMs !== undefined) quiet = setTimeout(start, quietMs)
    else {
      scheduled = true
      setImmediate(() => {
        scheduled = false
        start()
      })
    }
  }

  function start(): void {
    const group = waiting.slice(0, most)
    waiting = waiting.slice(most)
    running++
    void runGroup(group)
    schedule()
  }

  async function runGroup(group: readonly Pending<A, R>[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item)).finally(next)
      // The next batch is sent before the callers of this one go on with its results. What rejects meanwhile is theirs to handle.
      void Promise.allSettled(results)
      if (running > 0) await requestLeft()
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as R | Promise<R>)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function next(): void {
    running--
    schedule()
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
