import { hash } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { recordType } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Condition, Query, Reader, StoredRecord, Value } from '../../platforms/platform.ts'
import { notFound, ownersFor, seesRecord } from '../access.ts'
import { fieldsOf, findDefinitions, valuesOf } from '../definitions.ts'
import type { Definition, Selection } from '../filters.ts'
import { type Context, reading, shown } from './context.ts'

export interface Page {
  readonly Records: readonly StoredRecord[]
  readonly NextCursor: string | null
}

/** One page of the records that match and that the caller may see. */
export async function getMany(context: Context): Promise<Page> {
  const { caller, operation, search } = context
  const type = operation.record
  return page(context, type, { ...ownersFor(caller, type), where: search.where, order: search.order, ...fieldsWanted(type, search.select) }, search.select)
}

/** One page of what hangs on a record the caller may see. */
export async function getAttached(context: Context): Promise<Page> {
  const { caller, operation, input } = context
  const type = operation.record
  const field = type.hangsOn?.field as string
  const id = input[field] as string
  const reader = reading(context)
  for (const name of type.hangsOn?.types ?? []) {
    const parent = await reader.get(name, id)
    if (!parent || !seesRecord(caller, recordType(name), parent)) continue
    return page(context, type, { where: [{ field, family: 'text', operator: 'eq', value: id }], order: { field: 'CreatedDate', descending: true } }, undefined)
  }
  throw notFound(recordType(type.hangsOn?.types[0] ?? type.name), id, field)
}

async function page(context: Context, type: RecordType, query: Omit<Query, 'limit' | 'after'>, select: Selection | undefined): Promise<Page> {
  const { input } = context
  const after = typeof input.Cursor === 'string' ? readCursor(input.Cursor, type, query) : undefined
  const reader = reading(context)
  const { records, more } = await reader.find(type.name, {
    ...query,
    limit: (input.Limit as number | undefined) ?? LIMITS.defaultPage,
    ...(after && { after }),
  })
  const last = records.at(-1)
  return {
    Records: type.userDefined ? await customRecords(reader, type, records, select) : records.map((record) => selected(type, shown(type, record), select)),
    NextCursor: more && last ? writeCursor(last, type, query) : null,
  }
}

function fieldsWanted(type: RecordType, select: Selection | undefined): { fields?: readonly string[] } {
  if (!select) return {}
  // Definitions are found by the object's name, whether or not it was asked for.
  return { fields: type.userDefined ? [...select.fields, 'ObjectName'] : select.fields }
}

function selected(type: RecordType, record: StoredRecord, select: Selection | undefined): StoredRecord {
  if (!select) return record
  return Object.fromEntries(Object.entries(record).filter(([name]) => name === type.id || select.fields.includes(name)))
}

async function customRecords(reader: Reader, type: RecordType, records: readonly StoredRecord[], select: Selection | undefined): Promise<StoredRecord[]> {
  const known = new Map<string, Definition[]>()
  for (const name of new Set(records.map((record) => record.ObjectName as string))) known.set(name, await findDefinitions(reader, name))
  return records.map((record) => {
    const definitions = known.get(record.ObjectName as string) ?? []
    const wanted = select?.names ? definitions.filter(({ FieldName }) => select.names?.includes(FieldName)) : definitions
    const whole: Record<string, unknown> = { ...record, Fields: fieldsOf(definitions) }
    if (record.Values !== undefined) whole.Values = valuesOf(wanted, record.Values as Record<string, Value>)
    return selected(type, whole as StoredRecord, select)
  })
}

/** A cursor says where a page ended, and which search it belongs to. It is no secret: the caller's access is applied anew. */
function writeCursor(last: StoredRecord, type: RecordType, query: Pick<Query, 'where' | 'order'>): string {
  const { field, name } = query.order
  const value = name === undefined ? last[field] : ((last[field] as Record<string, Value>)[name] ?? null)
  return Buffer.from(JSON.stringify([digestOf(type, query), value, last[type.id]])).toString('base64url')
}

function readCursor(cursor: string, type: RecordType, query: Pick<Query, 'where' | 'order'>): { value: Value; id: string } {
  const parts = parse(cursor)
  if (!parts) throw badCursor('Cursor is not one that this service made.')
  const [digest, value, id] = parts
  if (digest !== digestOf(type, query)) throw badCursor('Cursor belongs to another search: Filters and OrderBy must stay the same from page to page.')
  return { value, id }
}

function parse(cursor: string): [string, Value, string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 3) return undefined
    const [digest, value, id] = parts
    const plain = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return typeof digest === 'string' && typeof id === 'string' && plain ? [digest, value, id] : undefined
  } catch {
    return undefined
  }
}

function badCursor(message: string): CrmError {
  return new CrmError('invalid_input', message, {
    errors: [{ field: 'Cursor', code: 'value', message, expected: 'the NextCursor of the page before' }],
    hint: 'Leave Cursor out to start from the first page.',
  })
}

function digestOf(type: RecordType, { where, order }: { where: readonly Condition[]; order: Query['order'] }): string {
  return hash('sha256', JSON.stringify([type.name, where, order]), 'base64url').slice(0, 12)
}
