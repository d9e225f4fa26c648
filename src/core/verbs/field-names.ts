import type { TSchema } from 'typebox'
import { ANSWER_REMARKS, CALL_OPTIONS } from '../../contract/call-words.ts'
import type { Fault } from '../../contract/errors.ts'
import { fold } from '../../contract/names.ts'
import type { Verb } from '../../contract/operation.ts'
import { OPERATIONS, quote } from '../../contract/operations.ts'
import { nameBehind, type RecordType } from '../../contract/record.ts'

/** The verbs in whose inputs or answers the fields of a record have other members beside them, or whose answers are told apart by such members. */
const WITH_FIELDS: readonly Verb[] = ['create', 'upsert', 'get', 'getMany', 'update', 'delete']

/** Those members: `Filters`, `UpdatedFields`, `NextCursor`. */
const MEMBERS = OPERATIONS.filter(({ verb }) => WITH_FIELDS.includes(verb)).flatMap(({ input, output, record }) => {
  const known = [...membersOf(record.stored), ...attachedNames(record)]
  return [input, output].flatMap(membersOf).filter((name) => !known.includes(name))
})

/** Names that mean something else beside the fields of every record. */
const TAKEN = new Set(
  [
    ...MEMBERS,
    ...CALL_OPTIONS,
    ...ANSWER_REMARKS,
    ...['any', 'not', 'Values', 'Own', 'Workspace'],
    // Flags of the command line.
    ...['json', 'output', 'all', 'url', 'store', 'platform', 'workspace', 'confirm', 'help', 'version', 'null', 'read-only', 'key'],
    ...Object.getOwnPropertyNames(Object.prototype),
  ].map(fold),
)

/** Whether a record type may have a field of this name; a reference also has the name of the record behind it. */
export function nameFaults(type: RecordType, name: string, isReference: boolean): Fault[] {
  const folded = [name, ...(isReference ? [nameBehind(name)] : [])].map(fold)
  const standard = Object.keys(type.fields).find((field) => folded.includes(fold(field)))
  if (standard) {
    const message = `${type.name} has a field ${standard} already.`
    return [{ field: 'FieldName', code: 'conflict', message, expected: 'a name that no field has' }]
  }
  const attached = attachedNames(type).map(fold)
  if (!folded.some((one) => TAKEN.has(one) || attached.includes(one))) return []
  return [{ field: 'FieldName', code: 'value', message: `${quote(name)} means something else in inputs or answers.`, expected: 'another name' }]
}

/** The names of what an answer has beside the fields of its record: lists of attached records, and the records behind references. */
function attachedNames({ children, fields }: RecordType): string[] {
  const attached = children.flatMap(({ list, total, type }) => [list, total, type])
  return [...attached, ...Object.entries(fields).flatMap(([field, { refers }]) => (refers ? [nameBehind(field)] : []))]
}

function membersOf(schema: TSchema): string[] {
  return Object.keys((schema as { readonly properties?: object }).properties ?? {})
}
