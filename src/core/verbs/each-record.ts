import type { RecordType } from '../../contract/record.ts'
import type { Query, Reader, StoredRecord, Value } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'

/** Records read at a time. */
const PAGE = 1000

/** All records that match, in the order of a field; only the id, that field and the ones that are named are read. */
export async function* eachRecord(
  reader: Reader,
  type: RecordType,
  order: string,
  { fields = [], ...query }: Pick<Query, 'where' | 'owners' | 'fields'>,
): AsyncGenerator<StoredRecord> {
  let after: Query['after']
  let isMore = true
  while (isMore) {
    const { records, more } = await reader.find(type.name, {
      ...query,
      order: { field: order, descending: false },
      limit: PAGE,
      fields: [...new Set([type.id, order, ...fields])],
      ...(after && { after }),
    })
    yield* records
    const last = records.at(-1)
    if (last) after = { value: last[order] as Value, id: idOf(type, last) }
    isMore = more && last !== undefined
  }
}
