import { hash } from 'node:crypto'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { type Family, FIELD_KINDS } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import { isDate, utcOf } from '../../helpers/times.ts'
import type { Query, StoredRecord, Value } from '../../platforms/platform.ts'
import { isText } from './schemas.ts'

/** Where a page ended, and a digest of its search. It needs no signature: each page checks the caller's access again. */
interface Cursor {
  readonly search: string
  readonly value: Value
  readonly id: string
}

/** The search that a cursor belongs to. */
export interface Searched {
  readonly workspace: number
  readonly type: RecordType
  readonly query: Pick<Query, 'where' | 'order'>
}

export function writeCursor(last: StoredRecord, searched: Searched): string {
  const { field, name } = searched.query.order
  const value = (name === undefined ? last[field] : ((last[field] as Record<string, Value>)[name] ?? null)) as Value
  return Buffer.from(JSON.stringify([digestOf(searched, value), value, last[searched.type.id]])).toString('base64url')
}

export function readCursor(text: string, searched: Searched): { value: Value; id: string } {
  const cursor = parseCursor(text)
  if (!cursor || !fits(cursor.value, searched)) throw refusal(invalidCursor())
  if (cursor.search !== digestOf(searched, cursor.value)) {
    throw refusal({ ...invalidCursor(), message: 'Cursor belongs to another search: Filters and OrderBy must stay the same from page to page.' })
  }
  return cursor
}

/** Undefined for a text that is no cursor. */
export function parseCursor(text: string): Cursor | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) return undefined
  try {
    const parts: unknown = JSON.parse(bytes.toString())
    if (!Array.isArray(parts) || parts.length !== 3) return undefined
    const [search, value, id] = parts
    return typeof search === 'string' && typeof id === 'string' && isText(id) && isPlain(value) ? { search, value, id } : undefined
  } catch {
    return undefined
  }
}

/** What a store can be asked about: texts without NUL, which PostgreSQL refuses, and numbers that are finite. */
function isPlain(value: unknown): value is Value {
  return value === null || typeof value === 'boolean' || (typeof value === 'string' ? isText(value) : Number.isFinite(value))
}

const OF_FAMILY: Record<Family, (value: Value) => boolean> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  date: (value) => typeof value === 'string' && isDate(value),
  timestamp: (value) => typeof value === 'string' && utcOf(value) !== undefined,
  boolean: (value) => typeof value === 'boolean',
  list: () => false,
}

/** Whether a record can have this value in the field of the order; a user-defined field may have held values of any type. */
function fits(value: Value, { type, query: { order } }: Searched): boolean {
  const family = order.name === undefined ? FIELD_KINDS[type.fields[order.field]?.kind ?? 'json'] : undefined
  return value === null || family === undefined || OF_FAMILY[family](value)
}

export function invalidCursor(): Fault {
  return { field: 'Cursor', code: 'value', message: 'Cursor is not one that this service has answered with.', expected: 'the NextCursor of the page before' }
}

function refusal(fault: Fault): CrmError {
  return new CrmError('invalid_input', fault.message, { errors: [fault], hint: 'Leave Cursor out to start from the first page.' })
}

/** Covers the type of the value too, so that a cursor with a value of another type is refused. */
function digestOf({ workspace, type, query }: Searched, value: Value): string {
  return hash('sha256', JSON.stringify([workspace, type.name, query.where, query.order, value === null ? 'null' : typeof value]), 'base64url').slice(0, 12)
}
