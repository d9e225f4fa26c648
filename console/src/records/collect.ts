import type { Crm } from 'crm-connector'
import { LIMITS } from 'crm-connector/contract'
import type { RowPages } from '../grid/row-pages.ts'
import { findRows, type RowQuery } from './calls.ts'
import type { RecordSchema, Row } from './record-schema.ts'

/**
 * All records that match now, with the fields that name them and their Revision. Pages go from the newest record to older ones, so that records that are
 * created meanwhile are not among them.
 */
export async function collectRows(
  crm: Crm,
  schema: RecordSchema,
  filters: RowQuery['filters'],
  signal: AbortSignal,
  onProgress: (found: number) => void,
): Promise<readonly Row[]> {
  const select = selectOf(schema)
  const found: Row[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof findRows>> = await findRows(
      crm,
      schema,
      { filters, order: undefined, select, limit: LIMITS.page, ...(cursor !== undefined && { cursor }) },
      { signal },
    )
    found.push(...page.Records)
    onProgress(found.length)
    cursor = page.NextCursor
  }
  return found
}

const selectOf = (schema: RecordSchema) => [schema.id, ...schema.titles, ...schema.fields.flatMap(({ Name }) => (Name === 'Revision' ? [Name] : []))]

/** The same records as they are now, without those that are gone. Where they cannot be read, they stay as they were. */
export async function rereadRows(crm: Crm, schema: RecordSchema, rows: readonly Row[]): Promise<readonly Row[]> {
  const read = rows.slice(0, LIMITS.page)
  if (read.length === 0) return []
  const filters = { [schema.id]: { in: read.map((row) => row[schema.id]) } }
  const found = await findRows(crm, schema, { filters, order: undefined, select: selectOf(schema), limit: LIMITS.page }).catch(() => undefined)
  return [...(found?.Records ?? read), ...rows.slice(LIMITS.page)]
}

/** Where a row was. */
export interface Place {
  readonly id: string
  readonly index: number
}

/** How many rows may have come in between before a range is given up. */
const MOST_NEW = 1000

/** Every row between two, both included, whether it is in memory or not. Undefined where one of the two is no longer where it was. */
export async function rowsBetween(rows: RowPages<Row>, idOf: (row: Row) => string, one: Place, other: Place): Promise<readonly Row[] | undefined> {
  const [first, last] = one.index <= other.index ? [one, other] : [other, one]
  const found: Row[] = []
  for await (const page of rows.rowsFrom(first.index)) {
    for (const row of page) {
      if (found.length === 0 && idOf(row) !== first.id) continue
      found.push(row)
      if (idOf(row) === last.id) return found
    }
    if (found.length === 0 || found.length > last.index - first.index + MOST_NEW) return undefined
  }
  return undefined
}
