import type { Store } from '../../store.ts'
import { mirrorOf } from '../mirror.ts'
import { indexedIds } from '../sql/indexed-ids.ts'
import { isSearched } from '../sql/searched.ts'
import { indexRecord } from './search-index.ts'
import { tableFor } from './tables.ts'
import type { Work } from './work.ts'

/** Indexes all records of a mirror again that are indexed by other words than theirs, page by page. */
export const createReindex =
  (transaction: <T>(work: (piece: Work) => T) => Promise<T>): Store['reindexMirror'] =>
  async (workspace, type) => {
    if (!isSearched({ name: type })) return 0
    const mirror = mirrorOf(workspace)
    let wrong = 0
    for (let after: string | undefined = ''; after !== undefined; )
      after = await transaction((piece) => {
        const { sql, bind } = indexedIds(tableFor(type), mirror, after ?? '')
        const ids = piece.connection.all(sql, bind).map(({ id }) => id as string)
        for (const id of ids) if (indexRecord(piece, mirror, type, id) && !piece.connection.get(IS_QUEUED, [mirror, type, id])) wrong++
        return ids.at(-1)
      })
    return wrong
  }

const IS_QUEUED = 'SELECT 1 AS one FROM "SearchQueue" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ?'
