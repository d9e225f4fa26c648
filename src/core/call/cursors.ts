import { hash } from 'node:crypto'
import { CrmError, type Fault } from '../../contract/errors.ts'
import type { Query, StoredRecord, Value } from '../../platforms/platform.ts'

/** Where a page ended, and a digest of its search. It needs no signature: each page checks the caller's access again. */
interface Cursor {
  readonly search: string
  readonly value: Value
  readonly id: string
}

/** The search that a cursor belongs to. */
export interface Searched {
  readonly workspace: number
  readonly type: string
  readonly id: string
  readonly query: Pick<Query, 'where' | 'order'>
}

export function writeCursor(last: StoredRecord, searched: Searched): string {
  const { field, name } = searched.query.order
  const value = (name === undefined ? last[field] : ((last[field] as Record<string, Value>)[name] ?? null)) as Value
  return Buffer.from(JSON.stringify([digestOf(searched, value), value, last[searched.id]])).toString('base64url')
}

export function readCursor(text: string, searched: Searched): { value: Value; id: string } {
  const cursor = parseCursor(text)
  if (!cursor) throw refusal(invalidCursor())
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
    const plain = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    return typeof search === 'string' && typeof id === 'string' && plain ? { search, value, id } : undefined
  } catch {
    return undefined
  }
}

export function invalidCursor(): Fault {
  return { field: 'Cursor', code: 'value', message: 'Cursor is not one that this service has answered with.', expected: 'the NextCursor of the page before' }
}

function refusal(fault: Fault): CrmError {
  return new CrmError('invalid_input', fault.message, { errors: [fault], hint: 'Leave Cursor out to start from the first page.' })
}

/** Covers the type of the value too, so that a cursor with a value of another type is refused. */
function digestOf({ workspace, type, query }: Searched, value: Value): string {
  return hash('sha256', JSON.stringify([workspace, type, query.where, query.order, value === null ? 'null' : typeof value]), 'base64url').slice(0, 12)
}
