import { CommitUnknown } from './errors.ts'
import { fulfilled, gathering } from './gather.ts'
import type { Row } from './inserts.ts'
import type { Pool } from './pool.ts'
import { type Append, Work } from './work.ts'

/** So many writes share a transaction, and so many transactions are under way at a time. */
const TOGETHER = { groups: 3, most: 64 }

/**
 * Commits writes that only add rows, and have asked nothing before, in groups: those that come at the same time share a
 * transaction and one statement a table. Where one of them is refused, each is committed by itself.
 */
export function createAppend(pool: Pool): Append {
  return gathering<readonly Row[], void>(TOGETHER, async (writes) => {
    try {
      await commit(writes.flat())
      return writes.map(() => fulfilled(undefined))
    } catch (error) {
      if (writes.length === 1 || error instanceof CommitUnknown) throw error
      return Promise.allSettled(writes.map(commit))
    }
  })

  async function commit(rows: readonly Row[]): Promise<void> {
    const work = new Work(pool)
    for (const row of rows) work.add(row)
    await work.commit()
  }
}
