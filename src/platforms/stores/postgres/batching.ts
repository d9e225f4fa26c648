interface Pending<A, R> {
  readonly item: A
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

/**
 * Batches concurrent calls. While fewer than `groups` batches are running, a call is run in the next turn of the event loop; otherwise it
 * waits and joins the next batch. `run` may return a promise for an item: then only that caller waits for it, not the next batch. The row
 * "Create A Lead, 64 connections" of bench/results/postgres.md needs that, where writes of a refused batch are committed separately.
 */
export function batching<A, R>(
  { groups, most }: { readonly groups: number; readonly most: number },
  run: (items: readonly A[]) => Promise<readonly (R | Promise<R>)[]>,
): (item: A) => Promise<R> {
  let waiting: Pending<A, R>[] = []
  let running = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= groups) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      const group = waiting.slice(0, most)
      waiting = waiting.slice(most)
      running++
      void runGroup(group).finally(() => {
        running--
        schedule()
      })
      schedule()
    })
  }

  async function runGroup(group: readonly Pending<A, R>[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item))
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as R | Promise<R>)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
