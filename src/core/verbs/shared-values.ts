import { CrmError } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Condition, Query, Reader, StoredRecord, Value } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import { equals } from './unique-values.ts'
import { NAMED } from './upsert.ts'

/** Records read at a time. */
const PAGE = 1000

const filled = (type: RecordType, field: string): Condition => ({ ...equals(type, field, null), operator: 'ne' })

/** Refuses with the ids of records that have the same value in a field. They are read in the order of their values, so that equal ones follow each other. */
export async function refuseShared(reader: Reader, type: RecordType, field: string): Promise<void> {
  let same: StoredRecord[] = []
  for await (const record of each(reader, type, field, [filled(type, field)])) {
    if (same.length === 0 || same[0]?.[field] === record[field]) same.push(record)
    else if (same.length > 1) break
    else same = [record]
    if (same.length > NAMED) break
  }
  if (same.length > 1) throw sharing(type, field, same)
}

/** The same of the values of records that were changed since then. */
export async function refuseSharedSince(reader: Reader, type: RecordType, field: string, since: string): Promise<void> {
  const changed: Condition = { field: 'UpdatedDate', family: FIELD_KINDS.timestamp ?? 'timestamp', operator: 'gte', value: since }
  for await (const record of each(reader, type, 'UpdatedDate', [changed, filled(type, field)])) {
    const where = [equals(type, field, record[field] as Value)]
    const { records } = await reader.find(type.name, { where, order: { field: type.id, descending: false }, limit: NAMED + 1, fields: [type.id, field] })
    if (records.length > 1) throw sharing(type, field, records)
  }
}

async function* each(reader: Reader, type: RecordType, order: string, where: readonly Condition[]): AsyncGenerator<StoredRecord> {
  let after: Query['after']
  let isMore = true
  while (isMore) {
    const fields = [...new Set([type.id, order, ...where.map((condition) => condition.field)])]
    const { records, more } = await reader.find(type.name, { where, order: { field: order, descending: false }, limit: PAGE, fields, ...(after && { after }) })
    yield* records
    const last = records.at(-1)
    if (last) after = { value: last[order] as Value, id: idOf(type, last) }
    isMore = more && last !== undefined
  }
}

function sharing(type: RecordType, field: string, records: readonly StoredRecord[]): CrmError {
  const ids = records.slice(0, NAMED).map((record) => idOf(type, record))
  const count = records.length > NAMED ? `More than ${NAMED}` : String(records.length)
  const message = `${count} records of the type ${type.name} have the same ${field}: ${ids.join(', ')}.`
  return new CrmError('conflict', message, {
    errors: [{ field: 'FieldsToUpdate.Unique', code: 'conflict', message, expected: 'a field of which no two records have the same value' }],
    hint: 'Give them values of their own first.',
  })
}
