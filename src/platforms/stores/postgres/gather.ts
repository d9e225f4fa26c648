interface Asked<A, R> {
  readonly what: A
  resolve(value: R | Promise<R>): void
  reject(error: unknown): void
}

/**
 * Does things together that are asked for at the same time. While few are asked for each is done at once; while so many
 * groups are under way, whatever comes joins the next. What a group leaves unfinished no other waits for.
 */
export function gathering<A, R>(
  { groups, most }: { readonly groups: number; readonly most: number },
  carryOut: (asked: readonly A[]) => Promise<readonly (R | Promise<R>)[]>,
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
      for (const [i, { resolve }] of group.entries()) resolve(ends[i] as R | Promise<R>)
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
