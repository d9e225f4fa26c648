import { FIELD_KINDS, type FieldKind } from '../../../contract/fields.ts'
import { RECORD_TYPES, STORE_TYPES } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { Change } from '../../../contract/records/change.ts'
import { EXTENSIBLE } from '../../../contract/records/extensible.ts'
import type { OwnValues, StoredRecord } from '../../platform.ts'
import { FIRST_MIRROR, isMirror } from '../mirror.ts'
import type { Dialect } from './dialect.ts'
import { presentOwner } from './line-owners.ts'

/** The column type of each kind of field. */
const COLUMN_TYPES: Record<FieldKind, keyof Dialect['types']> = {
  text: 'text',
  longText: 'text',
  email: 'text',
  phone: 'text',
  choice: 'text',
  id: 'text',
  number: 'real',
  money: 'real',
  integer: 'integer',
  date: 'text',
  timestamp: 'text',
  boolean: 'boolean',
  choices: 'text',
  json: 'text',
}

/** The kinds of fields that a CRM may have no value in although the contract requires one; it has ids and times in any case. */
const MAY_LACK: ReadonlySet<FieldKind> = new Set<FieldKind>(['choice', 'date'])

export interface Column {
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** The indexed expression; undefined where there is no index. */
  readonly indexed: string | undefined
  /** Whether the index holds only the first characters of the text. */
  readonly prefix: boolean
  /** Whether the index holds only rows with a value. */
  readonly sparse: boolean
  /** Whether a mirror has another index, in which the rows with a value are in the order of their creation. Many rows share a value of it. */
  readonly dated: boolean
  /** What is stored where there is no value: a boolean with a default always has one, and a CRM may lack what the contract requires. */
  readonly empty: 0 | '' | null
}

export type Maker = (cells: readonly unknown[]) => StoredRecord

export interface Table {
  readonly dialect: Dialect
  readonly record: RecordType
  readonly name: string
  readonly id: string
  /** Whether ids begin with the creation time, so that orders and ranges of it can use the primary key. */
  readonly idHoldsCreated: boolean
  readonly columns: readonly Column[]
  /** The columns of a record, and the columns with the numbers of its child records, which only `getWithTotals` returns. */
  readonly answered: readonly string[]
  readonly totals: readonly string[]
  /** The columns that hold JSON. */
  readonly json: ReadonlySet<string>
  /** Returns a function that makes records from the cells of these columns. JSON cells are parsed (`read`) or still text. */
  maker(names: readonly string[], json?: 'read' | 'text'): Maker
  /** The table of another record type in the same store. */
  inStore(type: string): Table
  /** The same table as a mirror reads it, whose ids say nothing about the creation time; undefined where no CRM has such records. */
  readonly mirror: Table | undefined
  /** The expression that reads a column of `t`, or of another row. */
  reads(name: string, row?: string): string
  /** Whether the column has an empty text where there is no value. */
  lacks(name: string): boolean
  /** A value as bound to a statement. */
  toColumn(value: unknown): string | number | null
}

/** Long texts are indexed by their first characters, which keeps the index small. */
export const prefixOf = (text: string) => `substr(${text},1,64)`

/** The column with the values of fields that workspaces have defined, as JSON; null where there are none. */
export const OWN = 'Own'

export const quoted = (name: string) => `"${name}"`
export const queueIndex = ({ name, idHoldsCreated }: Pick<Table, 'name' | 'idHoldsCreated'>) => `${name}_${idHoldsCreated ? 'Queue' : 'QueueByDate'}`
export const indexName = (table: string, column: string) => `${table}_${column}`
export const datedIndex = (table: string, column: string) => `${table}_${column}ByDate`

const ownColumn = (type: string): Column => ({ name: OWN, type, required: false, indexed: undefined, prefix: false, sparse: false, dated: false, empty: null })

function tableOf(dialect: Dialect, record: RecordType, inStore: Table['inStore'], mirror?: Table, inMirror = false): Table {
  const idHoldsCreated = !record.internalId && !inMirror
  const isExtensible = EXTENSIBLE.includes(record)
  const fieldColumns = Object.entries(record.fields).map(([name, field]): Column => {
    const filterable = FIELD_KINDS[field.kind] !== undefined && name !== record.id && !(name === record.createdField && idHoldsCreated)
    const prefix = field.kind === 'longText'
    // Child records are only ever found by their parent.
    const sparse = record.sparse.includes(name)
    const hasIndex =
      sparse ||
      (inMirror && name === record.createdField && !record.childOf) ||
      (record.indexed ? record.indexed.includes(name) : record.childOf ? name === record.childOf.field : filterable && field.access !== 'secret')
    return {
      name,
      type: dialect.types[COLUMN_TYPES[field.kind]],
      required: field.required,
      indexed: hasIndex ? (prefix ? prefixOf(quoted(name)) : quoted(name)) : undefined,
      prefix,
      sparse,
      dated: inMirror && hasIndex && !record.childOf && (name === record.state || name === record.belongs),
      empty:
        field.kind === 'boolean' && field.defaultValue === false && !field.required ? 0 : inMirror && field.required && MAY_LACK.has(field.kind) ? '' : null,
    }
  })
  const columns = isExtensible ? [...fieldColumns, ownColumn(dialect.types.text)] : fieldColumns
  const booleans = new Set(Object.entries(record.fields).flatMap(([name, f]) => (f.kind === 'boolean' ? [name] : [])))
  const json = new Set(Object.entries(record.fields).flatMap(([name, f]) => (f.kind === 'json' || f.kind === 'choices' ? [name] : [])))
  if (isExtensible) json.add(OWN)
  const answered = [...(isExtensible ? [OWN] : []), ...Object.keys(record.fields)]
  const lacking = new Set(columns.flatMap(({ name, empty }) => (empty === '' ? [name] : [])))
  const makers = new Map<string, Maker>()
  const made = (names: readonly string[], parsed: ReadonlySet<string>, key: string) => {
    let make = makers.get(key)
    if (!make) {
      make = makerOf(names, booleans, parsed)
      makers.set(key, make)
    }
    return make
  }
  const whole = { read: made(answered, NONE, 'read'), text: made(answered, json, 'text') }
  return {
    dialect,
    record,
    name: record.name,
    id: record.id,
    idHoldsCreated,
    columns,
    answered,
    totals: record.children.map((child) => child.total),
    json,
    inStore,
    mirror,
    maker(names, form = 'read') {
      return names === answered ? whole[form] : made(names, form === 'read' ? NONE : json, `${form} ${names.join()}`)
    },
    reads(name, row = 't') {
      if (record === Change && name === Change.belongs) return presentOwner(row)
      return lacking.has(name) ? `NULLIF(${row}.${quoted(name)}, '')` : `${row}.${quoted(name)}`
    },
    lacks: (name) => lacking.has(name),
    toColumn(value) {
      if (value === undefined || value === null) return null
      if (typeof value === 'boolean') return value ? 1 : 0
      return typeof value === 'object' ? JSON.stringify(value) : (value as string | number)
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Generated as one object literal, so that all records of a type share a hidden class: a page of 50 is built and serialised in a tenth to
 * a quarter less time than by a loop. It shows in the row "Get Many Leads, a page of 50 with a filter" of bench/results/http.md.
 */
function makerOf(names: readonly string[], booleans: ReadonlySet<string>, json: ReadonlySet<string>): Maker {
  const cell = (name: string, at: string) => (booleans.has(name) ? `${at} === 1` : json.has(name) ? `${at} === null ? null : JSON.parse(${at})` : at)
  const members = names.flatMap((name, i) => (name === OWN ? [] : [`${JSON.stringify(name)}: ${cell(name, `cells[${i}]`)}`]))
  const record = `{ ${members.join(', ')} }`
  const own = names.indexOf(OWN)
  if (own < 0) return new Function('cells', `return ${record}`) as Maker
  const make = new Function('cells', 'withOwn', `return cells[${own}] === null ? ${record} : withOwn(${record}, ${cell(OWN, `cells[${own}]`)})`)
  return (cells) => make(cells, withOwn)
}

/** The values of fields that a workspace has defined are members of the record like any other. */
const withOwn = (record: StoredRecord, { indexed, plain }: OwnValues): StoredRecord => Object.assign(record, indexed, plain)

/** The tables of a store, by record type. */
export interface Tables {
  readonly all: readonly Table[]
  of(type: string): Table
  /** The tables as a workspace or a mirror reads them. */
  in(workspace: number): (type: string) => Table
}

export function tablesIn(dialect: Dialect): Tables {
  const of = (type: string): Table => {
    const table = byType.get(type)
    if (!table) throw new Error(`No table for ${type}`)
    return table
  }
  const ofMirror = (type: string): Table => of(type).mirror ?? of(type)
  const mirrorFor = (record: RecordType) => (STORE_TYPES.includes(record.name) ? undefined : tableOf(dialect, record, ofMirror, undefined, true))
  const byType = new Map(RECORD_TYPES.map((record) => [record.name, tableOf(dialect, record, of, mirrorFor(record))]))
  return { all: [...byType.values()], of, in: (workspace) => (isMirror(workspace) ? ofMirror : of) }
}

export const columnSql = ({ name, type, required, empty }: Column) =>
  `${quoted(name)} ${type}${empty === 0 ? ' NOT NULL DEFAULT 0' : required ? ' NOT NULL' : ''}`
export const totalSql = (total: string) => `${quoted(total)} INTEGER NOT NULL DEFAULT 0`

/** The indexes of a table. */
export function indexStatements(table: Table): { readonly name: string; readonly sql: string }[] {
  const { name, id, columns, record, dialect, mirror } = table
  const index = (indexed: string, on: string, where = '') => ({
    name: indexed,
    sql: `CREATE INDEX ${quoted(indexed)} ON ${quoted(name)} ("Workspace", ${on}, ${quoted(id)})${where}`,
  })
  const whole = (column: Column) => index(indexName(name, column.name), `${column.indexed}${dialect.nullsLowest(false)}`)
  const sparse = (column: Column) => index(indexName(name, column.name), `${column.indexed}`, ` WHERE ${quoted(column.name)} IS NOT NULL`)
  const created = `${quoted(record.createdField)}${dialect.nullsLowest(false)}`
  // For `oldestNotIn`: one index lookup per owner and state.
  const queue = (of: Table, more: string, where?: string) =>
    record.queued && record.state ? [index(queueIndex(of), `${quoted(record.state)}, "OwnerID"${more}`, where)] : []
  const hasCreated = (of: Table | undefined) => of?.columns.some((column) => column.name === record.createdField && column.indexed)
  return [
    ...columns.flatMap((column) => (column.indexed ? [column.sparse ? sparse(column) : whole(column)] : [])),
    ...queue(table, ''),
    ...(hasCreated(mirror) && !hasCreated(table) ? [index(indexName(name, record.createdField), created, IN_MIRRORS)] : []),
    ...(mirror?.columns ?? []).flatMap((column) => (column.dated ? [index(datedIndex(name, column.name), `${column.indexed}, ${created}`, IN_MIRRORS)] : [])),
    ...(mirror ? queue(mirror, `, ${created}`, IN_MIRRORS) : []),
  ]
}

/** Indexes that only mirrors need have only their rows. */
const IN_MIRRORS = ` WHERE "Workspace" >= ${FIRST_MIRROR}`

/** The statements that create these tables. */
export function schemaStatements({ all }: Pick<Tables, 'all'>): string[] {
  return all.flatMap((table) => {
    const columns = [
      '"Workspace" INTEGER NOT NULL',
      ...table.columns.map(columnSql),
      ...table.totals.map(totalSql),
      `PRIMARY KEY ("Workspace", ${quoted(table.id)})`,
    ]
    return [`CREATE TABLE ${quoted(table.name)} (${columns.join(', ')})${table.dialect.tableOptions}`, ...indexStatements(table).map(({ sql }) => sql)]
  })
}
