import type { Crm } from 'crm-connector'
import type { filtersOf } from './change-filters.tsx'
import type { Change } from './change-text.ts'

interface Page {
  readonly Records: readonly Change[]
  readonly NextCursor: string | null
}

/** Where the next page begins. */
interface Position {
  /** A cursor holds for the filters it was made with, so that after a new batch the time takes its place. */
  readonly cursor?: string | null
  readonly until?: string
  /** Lines at exactly that time were read already. */
  readonly read?: readonly string[]
  readonly batches: readonly string[]
}

const LIMIT = 50
/** Entries of a page, and requests for it: one request may find lines of a single batch only. */
const [ENOUGH, MOST_REQUESTS] = [25, 5]

/** A page of changes in which each batch is represented by its newest line: the others are not read, however many they are. */
export async function groupedLines(crm: Crm, filters: ReturnType<typeof filtersOf>, from: string | null, signal: AbortSignal): Promise<Page> {
  let position: Position = from === null ? { batches: [] } : JSON.parse(from)
  const entries: Change[] = []
  for (let requests = 0; requests < MOST_REQUESTS && entries.length < ENOUGH; requests++) {
    const { cursor, until, read = [], batches } = position
    const { Records, NextCursor } = await crm.changes.getMany(
      {
        Filters: {
          ...filters,
          ...(until !== undefined && { At: { ...filters.At, lte: until } }),
          ...(batches.length > 0 && { not: { BatchID: { in: [...batches] } } }),
        },
        Limit: LIMIT,
        ...(cursor && { Cursor: cursor }),
      },
      { signal },
    )
    const seen = new Set(batches)
    for (const change of Records) {
      if (read.includes(change.ChangeID) || (change.BatchID !== null && seen.has(change.BatchID))) continue
      if (change.BatchID !== null) seen.add(change.BatchID)
      entries.push(change)
    }
    if (NextCursor === null) return { Records: entries, NextCursor: null }
    const at = Records.at(-1)?.At
    position =
      seen.size === batches.length || at === undefined
        ? { ...position, cursor: NextCursor }
        : {
            until: at,
            read: [...(at === until ? read : []), ...Records.flatMap(({ ChangeID, At }) => (At === at ? [ChangeID] : []))],
            batches: [...seen],
          }
  }
  return { Records: entries, NextCursor: JSON.stringify(position) }
}
