import type { StoredRecord } from '../platform.ts'
import { WireError } from '../web/errors.ts'
import type { Table } from '../web/tables.ts'
import type { Asked, WirePage } from '../web/wire.ts'
import type { Api, Row, Rows } from './api.ts'
import { isId } from './ids.ts'
import { byIds, type Last, placeFor, selection, slices, whereOf } from './selection.ts'

/** Ids in one query. */
const TOGETHER = 500

/** Whoever wants so many reads on, and is given the pages of Salesforce's own cursor. Whoever wants fewer is not worth one. */
const WORTH_A_CURSOR = 2000

/** The rows of those of these records that there are. */
export async function rowsById(api: Api, table: Table, ids: readonly string[]): Promise<Row[]> {
  const known = new Set(ids.filter(isId))
  const pages = await Promise.all([...slices([...known], TOGETHER)].map((some) => api.everything(byIds(table, some))))
  return pages.flat().filter(({ Id }) => known.has(Id))
}

/** A page of a search: a large one as Salesforce cuts it, a small one as the first of what there is, to be gone on with beyond its last record. */
export async function page(api: Api, table: Table, asked: Asked, read: (row: Row) => StoredRecord, ...more: string[]): Promise<WirePage> {
  const { cursor, size } = asked
  if (cursor?.startsWith('/')) return pageOf(await api.more(cursor).catch(orStale), read)
  const last = cursor === undefined ? undefined : (JSON.parse(cursor) as Last)
  const soql = selection(table, asked, last, ...more)
  if (size >= WORTH_A_CURSOR) return pageOf(await api.query(soql, size), read)
  const rows = await api.everything(`${soql} LIMIT ${size}`)
  const end = rows.at(-1)
  return { records: rows.map(read), ...(rows.length >= size && end && { cursor: JSON.stringify(endOf(table, asked, end)) }) }
}

/** Its rows are read when somebody looks at them, so that the next page can be asked for before. */
function pageOf({ records, done, nextRecordsUrl }: Rows, read: (row: Row) => StoredRecord): WirePage {
  return {
    get records() {
      return records.map(read)
    },
    ...(!done && nextRecordsUrl !== undefined && { cursor: nextRecordsUrl }),
  }
}

/** Salesforce keeps few cursors, and those not for long. */
function orStale(error: unknown): never {
  const gone = error instanceof WireError && (error.code === 'conflict' || error.code === 'not_found' || error.code === 'platform_rejected')
  throw gone ? new WireError('conflict', 'Salesforce no longer knows where the page before ended.', { cause: error }) : error
}

/** The value as Salesforce has it says just as well where a page ended. */
function endOf(table: Table, { order }: Asked, row: Row): Last {
  const place = order && placeFor(table, order)
  return { value: (place ? (row[place.name] ?? null) : null) as Last['value'], id: row.Id }
}

export async function counted(api: Api, table: Table, asked: Pick<Asked, 'owners' | 'where'>, ...more: string[]): Promise<number> {
  return (await api.query(`SELECT COUNT() FROM ${table.object}${whereOf(table, asked, ...more)}`)).totalSize
}
