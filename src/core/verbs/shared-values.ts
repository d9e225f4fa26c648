import { CrmError } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Condition, Reader, StoredRecord, Value } from '../../platforms/platform.ts'
import { idOf } from '../call/records.ts'
import { eachRecord } from './each-record.ts'
import { equals } from './unique-values.ts'
import { NAMED } from './upsert.ts'

const filled = (type: RecordType, field: string): Condition => ({ ...equals(type, field, null), operator: 'ne' })

/** Refuses with the ids of records that have the same value in a field. They are read in the order of their values, so that equal ones follow each other. */
export async function refuseShared(reader: Reader, type: RecordType, field: string): Promise<void> {
  let same: StoredRecord[] = []
  for await (const record of eachRecord(reader, type, field, { where: [filled(type, field)] })) {
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
  for await (const record of eachRecord(reader, type, 'UpdatedDate', { where: [changed, filled(type, field)], fields: [field] })) {
    const where = [equals(type, field, record[field] as Value)]
    const { records } = await reader.find(type.name, { where, order: { field: type.id, descending: false }, limit: NAMED + 1, fields: [type.id, field] })
    if (records.length > 1) throw sharing(type, field, records)
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
