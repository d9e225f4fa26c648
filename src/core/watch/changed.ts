import type { RecordType } from '../../contract/record.ts'
import type { ChangedRecord, Found, Query, StoredRecord } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import type { Watched } from './watched.ts'

/** The records that were changed since a moment, oldest change first, page by page, `from` a place in this order on. */
export async function* changedSince(
  { platform, records }: Watched,
  type: RecordType,
  since: number | undefined,
  from?: Query['after'],
): AsyncGenerator<readonly StoredRecord[]> {
  const order = { field: 'UpdatedDate', descending: false }
  const where = since === undefined ? [] : [{ field: 'UpdatedDate', family: 'timestamp', operator: 'gte', value: new Date(since).toISOString() } as const]
  const find = (after?: Query['after']) => records.find(type.name, { where, order, limit: platform.supports.page, ...(after && { after }) })
  for (let coming: Promise<Found> | undefined = find(from); coming; ) {
    const { records: page, more }: Found = await coming
    const last = page.at(-1)
    // The next page is fetched while this one is stored.
    coming = more && last ? find(placeOf(type, last)) : undefined
    // A caller that stops here never awaits it.
    coming?.catch(() => {})
    if (last) yield page
  }
}

/** The place of a record in the order of changes. */
export const placeOf = (type: RecordType, record: StoredRecord): NonNullable<Query['after']> => ({
  value: record.UpdatedDate as string,
  id: idOf(type, record),
})

/** Their versions. */
export async function* versionsSince(watched: Watched, type: RecordType, since: number | undefined): AsyncGenerator<readonly ChangedRecord[]> {
  for await (const records of changedSince(watched, type, since)) yield records.map((record) => versionOf(type, record))
}

export const versionOf = (type: RecordType, record: StoredRecord): ChangedRecord => ({ id: idOf(type, record), Revision: Number(record.Revision), record })
