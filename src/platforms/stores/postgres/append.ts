import { CommitUnknown } from './errors.ts'
import { gathering } from './gather.ts'
import type { Row } from './inserts.ts'
import type { Pool } from './pool.ts'
import { type Append, Work } from './work.ts'

/** So many writes share a transaction, and so many transactions are under way at a time. */
const TOGETHER = { groups: 3, most: 64 }

/** A key that another transaction is about to keep must not hold up those who have nothing to do with it. */
const PATIENCE = 'SET LOCAL lock_timeout = 100'

/**
 * Commits writes that only add rows, and have asked nothing before, in groups: those that come at the same time share a
 * transaction and one statement a table. Where one of them is refused, or has to wait, each is committed by itself.
 */
export function createAppend(pool: Pool): Append {
  return gathering<readonly Row[], void>(TOGETHER, async (writes) => {
    const [only] = writes
    if (writes.length === 1 && only) return [commit(only)]
    try {
      await commit(writes.flat(), PATIENCE)
      return writes.map(() => undefined)
    } catch (error) {
      if (error instanceof CommitUnknown) throw error
      return writes.map((rows) => commit(rows))
    }
  })

  async function commit(rows: readonly Row[], first?: string): Promise<void> {
    const work = new Work(pool)
    if (first !== undefined) work.run(first, [])
    for (const row of rows) work.add(row)
    await work.commit()
  }
}
