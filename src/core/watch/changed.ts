import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { Watched } from './watched.ts'

/** The records that were changed since a moment, oldest change first, page by page. */
export async function* changedSince(watched: Watched, type: RecordType, since: number): AsyncGenerator<readonly StoredRecord[]> {
  const { changed } = watched.records
  // Each custom object has a log of its own.
  if (!changed || type.userDefined) return yield* updatedSince(watched, type, since)
  let cursor: string | undefined
  do {
    const page = await changed(type.name, since, cursor)
    cursor = page.cursor
    if (page.records.length > 0) yield page.records
  } while (cursor !== undefined)
}

/** The records whose UpdatedDate is not before a moment, or all, oldest first. */
export async function* updatedSince({ platform, records }: Watched, type: RecordType, since: number | undefined): AsyncGenerator<readonly StoredRecord[]> {
  const order = { field: 'UpdatedDate', descending: false }
  const where = since === undefined ? [] : [{ field: 'UpdatedDate', family: 'timestamp', operator: 'gte', value: new Date(since).toISOString() } as const]
  let after: { readonly value: string; readonly id: string } | undefined
  for (;;) {
    const page = await records.find(type.name, { where, order, limit: platform.supports.page, ...(after && { after }) })
    const last = page.records.at(-1)
    if (last) yield page.records
    if (!page.more || !last) return
    after = { value: last.UpdatedDate as string, id: last[type.id] as string }
  }
}
