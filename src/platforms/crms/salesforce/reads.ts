import type { DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { type Page, translatedPage } from '../engine/translated-page.ts'
import { codesOf } from './answered-errors.ts'
import type { Api, Row, Rows } from './api.ts'
import { isId } from './ids.ts'
import { byIds, type Last, placeFor, selection, slices, whereOf } from './selection.ts'

/** Ids in one query. */
const TOGETHER = 500

/** From this page size on Salesforce's own cursor is used; below it, a cursor costs more than a query from the last value on. */
const WORTH_A_CURSOR = 2000

/** The rows of those of these records that there are, with these columns beside those of the table. */
export async function rowsById(api: Api, table: Table, ids: readonly string[], ...columns: string[]): Promise<Row[]> {
  const known = new Set(ids.filter(isId))
  const pages = await Promise.all([...slices([...known], TOGETHER)].map((some) => api.everything(byIds(table, some, columns))))
  return pages.flat().filter(({ Id }) => known.has(Id))
}

/**
 * A page of a search: a large one as Salesforce cuts it, a small one as the first of what there is, to be gone on with beyond its last record.
 * Salesforce keeps few cursors of its own, and those not for long; where it has lost one, that goes on beyond the last record too.
 */
export async function page<T>(api: Api, table: Table, query: DriverQuery, read: (row: Row) => T, ...more: string[]): Promise<Page<T>> {
  const { cursor, size } = query
  const { next, last } = cursor === undefined ? ({} as Onward) : (JSON.parse(cursor) as Onward)
  const rows = next === undefined ? undefined : await api.more(next).catch(unlessLost)
  if (rows) return pageOf(table, query, rows, read)
  const soql = selection(table, query, last, ...more)
  if (size >= WORTH_A_CURSOR) return pageOf(table, query, await api.query(soql, size), read)
  const few = await api.everything(`${soql} LIMIT ${size}`)
  return translatedPage(few, read, few.length >= size ? onward(table, query, few) : undefined)
}

/** How a search goes on: where its last page ended, and by Salesforce's own cursor where there is one. */
interface Onward {
  readonly next?: string
  readonly last?: Last
}

function pageOf<T>(table: Table, query: DriverQuery, { records, done, nextRecordsUrl }: Rows, read: (row: Row) => T): Page<T> {
  return translatedPage(records, read, done || nextRecordsUrl === undefined ? undefined : onward(table, query, records, nextRecordsUrl))
}

function onward(table: Table, query: DriverQuery, rows: readonly Row[], next?: string): string {
  const end = rows.at(-1)
  return JSON.stringify({ ...(next !== undefined && { next }), ...(end && { last: endOf(table, query, end) }) } satisfies Onward)
}

function unlessLost(error: unknown): undefined {
  if (error instanceof DriverError && (error.code === 'conflict' || error.code === 'not_found' || error.code === 'platform_rejected')) return undefined
  throw error
}

/** The value as Salesforce has it says just as well where a page ended. */
function endOf(table: Table, { order }: DriverQuery, row: Row): Last {
  const place = order && placeFor(table, order)
  return { value: (place ? (row[place.name] ?? null) : null) as Last['value'], id: row.Id }
}

/** How many there are; an object that the account does not have, such as the members of campaigns in some editions, has no records. */
export async function counted(api: Api, table: Table, query: Pick<DriverQuery, 'owners' | 'where'>, ...more: string[]): Promise<number> {
  try {
    return (await api.query(`SELECT COUNT() FROM ${table.object}${whereOf(table, query, ...more)}`)).totalSize
  } catch (error) {
    if (error instanceof DriverError && codesOf(error).includes('INVALID_TYPE')) return 0
    throw error
  }
}
