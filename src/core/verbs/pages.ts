import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { quote, recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { Change } from '../../contract/records/change.ts'
import type { Condition, Query, Reader, StoredRecord, Value } from '../../platforms/platform.ts'
import { hiddenEvents, hiddenTypes, ownersFor, seesRecord } from '../access/access.ts'
import { readCursor, writeCursor } from '../call/cursors.ts'
import { fieldsOf, findDefinitions, valuesOf } from '../call/definitions.ts'
import type { Definition, Selection } from '../call/filters.ts'
import { includedBy } from '../call/included.ts'
import { parentField, shown } from '../call/records.ts'
import type { Context } from '../call/types.ts'
import { recordCounts } from '../journal/forbidden-calls.ts'
import { seesNumbers } from '../journal/positions.ts'
import type { Caller } from '../service.ts'
import { type Source, sourceOf } from '../watch/source.ts'
import { withIncluded } from './include.ts'

export interface Page {
  readonly Records: readonly StoredRecord[]
  readonly NextCursor: string | null
  readonly AsOf?: string
}

/** One page of the records that match and that the caller may see. */
export async function getMany(context: Context): Promise<Page> {
  const { caller, operation, search } = context
  const type = operation.record
  // Only admins see the lines of refusals.
  if (type === Change && caller.role === 'admin') await recordCounts(context.service)
  const where = type === Change ? [...search.where, ...hiddenLines(caller)] : search.where
  const found = await page(
    context,
    await sourceOf(context),
    type,
    { ...ownersFor(caller, type), where, order: search.order, ...fieldsWanted(context, type, search.select) },
    search.select,
  )
  return type === Change && !seesNumbers(caller) ? { ...found, Records: found.Records.map(withoutNumber) } : found
}

const withoutNumber = (change: StoredRecord): StoredRecord => (change.Number === undefined ? change : { ...change, Number: null })

/** Excludes the audit lines of records, and of notes, comments and memberships, that the caller's key may not read. */
function hiddenLines(caller: Caller): Condition[] {
  const without = (field: string) => (value: string) => ({ field, family: 'text', operator: 'ne', value }) as const
  return [...hiddenTypes(caller).map(without('RecordType')), ...hiddenEvents(caller).map(without('EventType'))]
}

/** One page of the notes or comments of a record the caller may see. */
export async function getAttached(context: Context): Promise<Page> {
  const { caller, operation, input } = context
  const type = operation.record
  const field = parentField(type)
  const id = input[field] as string
  const source = await sourceOf(context)
  const reader = source.reader(type)
  for (const name of type.childOf?.types ?? []) {
    const parent = await reader.get(name, id)
    if (!parent || !seesRecord(caller, recordType(name), parent)) continue
    const where: Condition[] = [{ field, family: 'text', operator: 'eq', value: id }]
    return page(context, source, type, { where, order: { field: 'CreatedDate', descending: true }, on: name }, undefined)
  }
  const message = `There is no ${type.childOf?.types.join(' or ')} ${quote(id)}, or none that you may see.`
  throw new CrmError('not_found', message, { errors: [{ field, code: 'not_found', message }] })
}

async function page(context: Context, source: Source, type: RecordType, query: Omit<Query, 'limit' | 'after'>, select: Selection | undefined): Promise<Page> {
  const { input } = context
  const searched = { workspace: context.caller.workspace.number, type, query }
  const after = typeof input.Cursor === 'string' ? readCursor(input.Cursor, searched) : undefined
  const reader = source.reader(type)
  const { records, more } = await reader.find(type.name, {
    ...query,
    limit: (input.Limit as number | undefined) ?? LIMITS.defaultPage,
    ...(after && { after }),
  })
  const answered = type.userDefined ? await customRecords(reader, type, records, select) : records.map((record) => selected(type, shown(type, record), select))
  const last = records[answered.length - 1]
  return {
    Records: await withIncludedIn(context, source, type, records, answered),
    NextCursor: (more || answered.length < records.length) && last ? writeCursor(last, searched) : null,
    ...source.dated,
  }
}

/** The fields to read: those that are selected, and those by which definitions and included records are found. */
function fieldsWanted(context: Context, type: RecordType, select: Selection | undefined): { fields?: readonly string[] } {
  if (!select) return {}
  return { fields: [...select.fields, ...(type.userDefined ? ['ObjectName'] : []), ...includedBy(context, type).map(({ field }) => field)] }
}

/** The answered records with those that `Include` asks for, which are found by what was read, selected or not. */
async function withIncludedIn(
  context: Context,
  source: Source,
  type: RecordType,
  read: readonly StoredRecord[],
  answered: readonly StoredRecord[],
): Promise<readonly StoredRecord[]> {
  const included = includedBy(context, type)
  if (included.length === 0) return answered
  const found = await withIncluded(context, source, type, read.slice(0, answered.length))
  return answered.map((record, i) => ({ ...record, ...Object.fromEntries(included.map(({ name }) => [name, found[i]?.[name] ?? null])) }))
}

function selected(type: RecordType, record: StoredRecord, select: Selection | undefined): StoredRecord {
  if (!select) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => name === type.id || select.fields.includes(name)))
}

/** Each record is answered with the definitions of its object, which may be large, so that a page may end before the last of the records. */
async function customRecords(reader: Reader, type: RecordType, records: readonly StoredRecord[], select: Selection | undefined): Promise<StoredRecord[]> {
  const objects = new Map<string, CustomFields>()
  const answered: StoredRecord[] = []
  let bytes = 0
  for (const record of records) {
    const name = record.ObjectName as string
    let object = objects.get(name)
    if (!object) {
      object = customFields(await findDefinitions(reader, name), select)
      objects.set(name, object)
    }
    bytes += object.bytes
    if (answered.length > 0 && bytes > LIMITS.pageBytes) break
    const whole: Record<string, unknown> = { ...record, Fields: object.fields }
    if (record.Values !== undefined) whole.Values = valuesOf(object.wanted, record.Values as Record<string, Value>)
    answered.push(selected(type, whole as StoredRecord, select))
  }
  return answered
}

interface CustomFields {
  readonly fields: ReturnType<typeof fieldsOf>
  /** The definitions of the values that are answered. */
  readonly wanted: readonly Definition[]
  /** How much the names and definitions take in each record. */
  readonly bytes: number
}

function customFields(definitions: readonly Definition[], select: Selection | undefined): CustomFields {
  const wanted = select?.names ? definitions.filter(({ FieldName }) => select.names?.includes(FieldName)) : definitions
  const fields = fieldsOf(definitions)
  const names = wanted.reduce((length, { FieldName }) => length + FieldName.length, 0)
  return { fields, wanted, bytes: names + (!select || select.fields.includes('Fields') ? JSON.stringify(fields).length : 0) }
}
