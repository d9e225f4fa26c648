import { RECORD_TYPES } from '../../../contract/operations.ts'
import { EXTENSIBLE } from '../../../contract/records/extensible.ts'
import { FIRST_MIRROR } from '../mirror.ts'
import { type Fragment, joined } from '../sql/conditions.ts'
import type { Parameter } from '../sql/dialect.ts'
import { indexRows } from '../sql/own-index.ts'
import { OWN, quoted, type Table } from '../sql/tables.ts'

export type Cell = string | number | null

/** A row in the form that both kinds of store share: its cells in the order of the columns, those of the primary key first. */
export type Row = readonly Cell[]

/** A table that is copied. Derived tables (counters, indexes of values) are not: the target rebuilds them. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** How many of the first columns are the primary key. */
  readonly keys: number
  /** Restricts which rows are copied. */
  readonly where?: string
  /** The column that holds user-defined values, which stores index in a table of their own. */
  readonly userDefined: string | undefined
  /** Whether it has the column of fields that workspaces define, which stores index in a table of their own too. */
  readonly isExtensible: boolean
}

const otherTable = (name: string, keys: number, ...columns: string[]): CopiedTable => ({ name, keys, columns, userDefined: undefined, isExtensible: false })

/** A mirror is not copied: it is backfilled again. */
const NOT_MIRRORED = `"Workspace" < ${FIRST_MIRROR}`

/** The tables in the order in which they are copied. */
export const COPIED: readonly CopiedTable[] = [
  otherTable('Secret', 1, 'Name', 'Value'),
  ...RECORD_TYPES.map((type) => {
    const isExtensible = EXTENSIBLE.includes(type)
    // The id is the first of a record's fields.
    const columns = ['Workspace', ...Object.keys(type.fields), ...(isExtensible ? [OWN] : []), ...type.children.map(({ total }) => total)]
    return { name: type.name, keys: 2, where: NOT_MIRRORED, columns, userDefined: type.userDefined, isExtensible }
  }),
  otherTable('Erasure', 1, 'Workspace', 'Until'),
  otherTable('RecordOwner', 2, 'Workspace', 'RecordID', 'OwnerID'),
  // The beginning of an audit chain, where changes were removed.
  { ...otherTable('Chain', 1, 'Workspace', 'Number', 'Seal'), where: '"Number" > 0' },
  { ...otherTable('Position', 2, 'Workspace', 'Name', 'Value'), where: `${NOT_MIRRORED} AND "Name" NOT LIKE 'mirror %'` },
  otherTable('Once', 3, 'Workspace', 'UserID', 'Key', 'Fingerprint', 'At', 'State', 'Answer', 'ChangeID'),
]

/** A range of primary keys, `after` exclusive and `upTo` inclusive; undefined is the beginning or end of the table. */
export interface Range {
  readonly after: Row | undefined
  readonly upTo: Row | undefined
}

export const EVERYTHING: Range = { after: undefined, upTo: undefined }

export const keyOf = (table: CopiedTable, row: Row): Row => row.slice(0, table.keys)

/** Where a store has the rows of a table, as SQL. */
export interface Place {
  readonly from: string
  /** The table alias of the key columns, and of all other columns. */
  readonly keys?: string
  readonly others?: string
}

const columnsOf = ({ columns, keys }: CopiedTable, place: Place) => columns.map((name, i) => `${(i < keys ? place.keys : place.others) ?? ''}${quoted(name)}`)
const keysOf = (table: CopiedTable, place: Place) => columnsOf(table, place).slice(0, table.keys).join(', ')

/** The condition for rows in a range. */
export function withinSql(table: CopiedTable, place: Place, { after, upTo }: Range): Fragment {
  const columns = keysOf(table, place)
  const compared = (operator: string, key: Row | undefined): Fragment[] =>
    key ? [{ sql: `(${columns}) ${operator} (${key.map(() => '?').join(', ')})`, bind: key }] : []
  return joined([{ sql: '1 = 1', bind: [] }, ...compared('>', after), ...compared('<=', upTo)])
}

const copied = ({ where = '1 = 1' }: CopiedTable) => where

/** The first rows of a range, in the order of their keys. */
export function readSql(table: CopiedTable, place: Place, range: Range, limit: number): Fragment {
  const { sql, bind } = withinSql(table, place, range)
  return {
    sql: `SELECT ${columnsOf(table, place).join(', ')} FROM ${place.from} WHERE ${copied(table)} AND ${sql} ORDER BY ${keysOf(table, place)} LIMIT ?`,
    bind: [...bind, limit],
  }
}

export const countSql = (table: CopiedTable, { from }: Place) => `SELECT COUNT(*) AS count FROM ${from} WHERE ${copied(table)}`

/** The user-defined values of a row by name, without nulls. */
export function userDefinedIn(table: CopiedTable, row: Row): [name: string, value: string | number | boolean][] {
  const values = JSON.parse(String(row[table.columns.indexOf(table.userDefined ?? '')] ?? '{}')) as Record<string, string | number | boolean | null>
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}

/** Selects the records of a range that have values in fields that their workspace has defined. */
export function ownSql(table: CopiedTable, range: Range): Fragment {
  const { sql, bind } = withinSql(table, { from: '' }, range)
  return {
    sql: `SELECT "Workspace", ${quoted(table.columns[1] as string)}, ${quoted(OWN)} FROM ${quoted(table.name)} WHERE ${sql} AND ${quoted(OWN)} IS NOT NULL`,
    bind,
  }
}

/** The rows of the index for a record of a workspace, whose values are JSON. */
export function ownIndexRows(table: Table, workspace: Cell, id: Cell, own: Cell): Parameter[][] {
  return typeof own === 'string' ? indexRows(table, JSON.parse(own), id as string).map((row) => [workspace, ...row]) : []
}

/** The rows of the index for a copied row of an extensible table. */
export const ownIndexRowsOf = ({ columns }: CopiedTable, table: Table, row: Row): Parameter[][] =>
  ownIndexRows(table, row[0] as Cell, row[1] as Cell, row[columns.indexOf(OWN)] as Cell)
