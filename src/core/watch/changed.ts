import type { RecordType } from '../../contract/record.ts'
import type { ChangedRecord, StoredRecord } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import type { Watched } from './watched.ts'

/** The records that were changed since a moment, oldest change first, page by page. */
export async function* changedSince({ platform, records }: Watched, type: RecordType, since: number | undefined): AsyncGenerator<readonly StoredRecord[]> {
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

/** Their versions. */
export async function* versionsSince(watched: Watched, type: RecordType, since: number | undefined): AsyncGenerator<readonly ChangedRecord[]> {
  for await (const records of changedSince(watched, type, since)) yield records.map((record) => ({ id: idOf(type, record), Revision: Number(record.Revision) }))
}
