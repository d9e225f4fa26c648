import { batching } from '../../../helpers/batching.ts'
import { CommitUnknown } from './errors.ts'
import type { Row } from './inserts.ts'
import type { Pool } from './pool.ts'
import { type Append, Work } from './work.ts'

/** The maximum number of writes in a transaction, and of concurrent transactions. */
const BATCHES = { groups: 3, most: 64 }

/** Short, so that one write which waits for another transaction with the same idempotency key does not delay the rest of the batch. */
const SHORT_LOCK_TIMEOUT = 'SET LOCAL lock_timeout = 100'

/**
 * Group commit for writes that only insert rows and have read nothing in their transaction: concurrent ones share a transaction and one
 * statement per table. When the batch is refused or has to wait for a lock, each write is committed by itself.
 */
export function createAppend(pool: Pool): Append {
  return batching<readonly Row[], void>(BATCHES, async (writes) => {
    const [only] = writes
    if (writes.length === 1 && only) return [commit(only)]
    try {
      await commit(writes.flat(), SHORT_LOCK_TIMEOUT)
      return writes.map(() => undefined)
    } catch (error) {
      if (error instanceof CommitUnknown) throw error
      return writes.map((rows) => commit(rows))
    }
  })

  async function commit(rows: readonly Row[], setting?: string): Promise<void> {
    const work = new Work(pool)
    if (setting !== undefined) work.run(setting, [])
    for (const row of rows) work.add(row)
    await work.commit()
  }
}
