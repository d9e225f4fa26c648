import type { Store } from '../../store.ts'
import { mirrorOf } from '../mirror.ts'
import { indexedIds } from '../sql/indexed-ids.ts'
import { isSearched } from '../sql/searched.ts'
import type { Pool } from './pool.ts'
import { indexRecords, lockIndex } from './search-index.ts'
import { inTransaction } from './search-indexer.ts'
import { tableFor } from './tables.ts'

/** Indexes all records of a mirror again that are indexed by other words than theirs, page by page. */
export const createReindex =
  (background: Pool): Store['reindexMirror'] =>
  async (workspace, type) => {
    if (!isSearched({ name: type })) return 0
    const mirror = mirrorOf(workspace)
    let wrong = 0
    for (let after: string | undefined = ''; after !== undefined; )
      after = await inTransaction(background, async (work) => {
        await lockIndex(work, mirror)
        const { sql, bind } = indexedIds(tableFor(type), mirror, after ?? '')
        const ids = (await work.ask(sql, bind)).map(([id]) => id as string)
        // What was queued since is still to be indexed.
        const queued = new Set((await work.ask(QUEUED, [mirror, type, ids])).map(([id]) => id))
        wrong += (await indexRecords(work, mirror, type, ids)).filter((id) => !queued.has(id)).length
        return ids.at(-1)
      })
    return wrong
  }

const QUEUED = 'SELECT "RecordID" FROM "SearchQueue" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ANY(CAST(? AS TEXT[]))'
