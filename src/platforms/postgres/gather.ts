interface Asked<A, R> {
  readonly what: A
  resolve(value: R): void
  reject(error: unknown): void
}

/**
 * Does things together that are asked for at the same time. While few are asked for each is done at once; while so many
 * groups are under way, whatever comes joins the next.
 */
export function gathering<A, R>(
  { groups, most }: { readonly groups: number; readonly most: number },
  carryOut: (asked: readonly A[]) => Promise<readonly PromiseSettledResult<R>[]>,
): (what: A) => Promise<R> {
  let waiting: Asked<A, R>[] = []
  let underWay = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0 || underWay >= groups) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      const group = waiting.slice(0, most)
      waiting = waiting.slice(most)
      underWay++
      void settle(group).finally(() => {
        underWay--
        schedule()
      })
      schedule()
    })
  }

  async function settle(group: readonly Asked<A, R>[]): Promise<void> {
    try {
      const ends = await carryOut(group.map(({ what }) => what))
      for (const [i, { resolve, reject }] of group.entries()) {
        const end = ends[i]
        if (end?.status === 'fulfilled') resolve(end.value)
        else reject(end?.reason)
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return (what) =>
    new Promise((resolve, reject) => {
      waiting.push({ what, resolve, reject })
      schedule()
    })
}

export const fulfilled = <R>(value: R): PromiseSettledResult<R> => ({ status: 'fulfilled', value })
