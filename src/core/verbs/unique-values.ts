import { CrmError, type Fault } from '../../contract/errors.ts'
import { FIELD_KINDS } from '../../contract/fields.ts'
import { LIMITS } from '../../contract/limits.ts'
import { quote } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Condition, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { seesRecord } from '../access/access.ts'
import { idOf, parentField } from '../call/records.ts'
import type { Context } from '../call/types.ts'

const uniques = new WeakMap<RecordType, readonly string[]>()

/** The fields of a record type whose values are unique, memoised. */
export function uniqueFields(type: RecordType): readonly string[] {
  let known = uniques.get(type)
  if (!known) {
    known = Object.entries(type.fields).flatMap(([name, { unique, absent }]) => (unique && absent === undefined ? [name] : []))
    uniques.set(type, known)
  }
  return known
}

export const hasUnique = (type: RecordType, values: StoredRecord) => uniqueFields(type).some((field) => (values[field] ?? null) !== null)

/** The name to lock while a value is looked for and written. */
export const valueName = (type: RecordType, field: string, value: unknown) => `${type.name}.${field} ${JSON.stringify(value)}`

export function equals(type: RecordType, field: string, value: Value): Condition {
  return { field, family: FIELD_KINDS[type.fields[field]?.kind ?? 'text'] ?? 'text', operator: 'eq', value }
}

/** Locks the unique ones among these values; call it before any record is read. */
export async function lockUnique(writer: Writer, type: RecordType, values: StoredRecord): Promise<void> {
  const names = uniqueFields(type).flatMap((field) => ((values[field] ?? null) === null ? [] : [valueName(type, field, values[field])]))
  for (const name of names.sort()) await writer.lockName(name)
}

/** Refuses a unique value that another record has. An earlier attempt of the same call may have written it, which the platform reconciles. */
export async function refuseTaken(context: Context, writer: Writer, type: RecordType, values: StoredRecord, own: string | undefined, at = ''): Promise<void> {
  if (writer.earlier) return
  for (const field of uniqueFields(type)) {
    const value = (values[field] ?? null) as Value
    if (value === null) continue
    const other = await withValue(writer, type, equals(type, field, value), own)
    if (!other) continue
    // What hangs on a record may be that of another user.
    const isSeen = type.childOf === undefined && seesRecord(context.caller, type, other)
    const message = `Another ${type.name} has the ${field} ${quote(String(value))}.`
    const fault: Fault = { field: `${at}${field}`, code: 'conflict', message, expected: 'a value that no other has' }
    throw new CrmError('conflict', message, { errors: [fault], ...(isSeen && { hint: `It is the ${type.name} ${idOf(type, other)}.` }) })
  }
}

/** Another record that has a value. What a deleted record has left behind, to be restored with it, does not count. */
async function withValue(writer: Writer, type: RecordType, where: Condition, own: string | undefined): Promise<StoredRecord | undefined> {
  const limit = type.childOf ? LIMITS.list : 2
  const { records } = await writer.find(type.name, { where: [where], order: { field: type.id, descending: false }, limit })
  const others = records.filter((record) => idOf(type, record) !== own)
  if (!type.childOf) return others[0]
  for (const other of others) for (const parent of type.childOf.types) if (await writer.get(parent, other[parentField(type)] as string)) return other
  return undefined
}
