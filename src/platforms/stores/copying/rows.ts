import { RECORD_TYPES } from '../../../contract/operations.ts'
import type { Fragment } from '../sql/conditions.ts'
import { quoted } from '../sql/tables.ts'

export type Cell = string | number | null

/** A row as it is the same in every store: its cells in the order of the columns, those of the key first. */
export type Row = readonly Cell[]

/** A table whose rows make up a store, whichever it is. What follows from them is made anew where they arrive. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** So many of the first columns tell one row from the others. */
  readonly keys: number
  /** The column that holds user-defined values, of which stores keep an index. */
  readonly userDefined: string | undefined
}

const beside = (name: string, keys: number, ...columns: string[]): CopiedTable => ({ name, keys, columns, userDefined: undefined })

/** Users and keys first: whoever looks at what has arrived sees whose it is. */
export const COPIED: readonly CopiedTable[] = [
  beside('Workspace', 1, 'Number', 'Name', 'CreatedDate'),
  ...RECORD_TYPES.map(({ name, fields, hanging, userDefined }) => ({
    name,
    keys: 2,
    // The id is the first of a record's fields.
    columns: ['Workspace', ...Object.keys(fields), ...hanging.map(({ total }) => total)],
    userDefined,
  })),
  beside('Chain', 1, 'Workspace', 'Number', 'Seal'),
  beside('Once', 3, 'Workspace', 'UserID', 'Key', 'Fingerprint', 'At', 'State', 'Answer', 'ChangeID'),
]

/** Everything beyond one key up to another, which is part of it; undefined is where a table begins or ends. */
export interface Range {
  readonly after: Row | undefined
  readonly upTo: Row | undefined
}

export const EVERYTHING: Range = { after: undefined, upTo: undefined }

export const keyOf = (table: CopiedTable, row: Row): Row => row.slice(0, table.keys)

/** Where a store keeps the rows of a table. */
export interface Place {
  readonly from: string
  /** Which of the rows there count. */
  readonly where?: string
  /** What stands before the names of the key's columns, and of all others. */
  readonly keys?: string
  readonly others?: string
}

const columnsOf = ({ columns, keys }: CopiedTable, place: Place) => columns.map((name, i) => `${(i < keys ? place.keys : place.others) ?? ''}${quoted(name)}`)
const keysOf = (table: CopiedTable, place: Place) => columnsOf(table, place).slice(0, table.keys).join(', ')

/** Which rows are in a range. */
export function withinSql(table: CopiedTable, place: Place, { after, upTo }: Range): Fragment {
  const columns = keysOf(table, place)
  const compared = (operator: string, key: Row | undefined): Fragment[] =>
    key ? [{ sql: `(${columns}) ${operator} (${key.map(() => '?').join(', ')})`, bind: key }] : []
  const all = [{ sql: place.where ?? '1 = 1', bind: [] }, ...compared('>', after), ...compared('<=', upTo)]
  return { sql: all.map(({ sql }) => sql).join(' AND '), bind: all.flatMap(({ bind }) => bind) }
}

/** The first rows of a range, in the order of their keys. */
export function readSql(table: CopiedTable, place: Place, range: Range, limit: number): Fragment {
  const { sql, bind } = withinSql(table, place, range)
  return {
    sql: `SELECT ${columnsOf(table, place).join(', ')} FROM ${place.from} WHERE ${sql} ORDER BY ${keysOf(table, place)} LIMIT ?`,
    bind: [...bind, limit],
  }
}

export const countSql = ({ from, where = '1 = 1' }: Place) => `SELECT COUNT(*) AS count FROM ${from} WHERE ${where}`

/** The user-defined values of a row by their names, but for those that are null. */
export function userDefinedIn(table: CopiedTable, row: Row): [name: string, value: string | number | boolean][] {
  const values = JSON.parse(String(row[table.columns.indexOf(table.userDefined ?? '')] ?? '{}')) as Record<string, string | number | boolean | null>
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}
