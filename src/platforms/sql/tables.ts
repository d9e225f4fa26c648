import { FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import type { StoredRecord } from '../platform.ts'

/** How each kind of field is kept. Text sorts by code point and moments by their text, so nothing needs translating but these. */
const COLUMN_TYPES: Record<FieldKind, 'TEXT' | 'REAL' | 'INTEGER'> = {
  text: 'TEXT',
  longText: 'TEXT',
  email: 'TEXT',
  phone: 'TEXT',
  choice: 'TEXT',
  id: 'TEXT',
  number: 'REAL',
  money: 'REAL',
  integer: 'INTEGER',
  date: 'TEXT',
  timestamp: 'TEXT',
  boolean: 'INTEGER',
  json: 'TEXT',
}

export interface Column {
  readonly name: string
  readonly type: 'TEXT' | 'REAL' | 'INTEGER'
  readonly required: boolean
  /** What the column's index keeps: the column, or an expression; undefined where there is no index. */
  readonly indexed: string | undefined
  /** Whether the index keeps only the beginning of the text. */
  readonly prefix: boolean
}

export type Maker = (cells: readonly unknown[]) => StoredRecord

export interface Table {
  readonly record: RecordType
  readonly name: string
  readonly id: string
  /** Ids begin with the moment of birth, so that they stand for it in orders and ranges. */
  readonly bornById: boolean
  readonly columns: readonly Column[]
  /** Columns that answer a find, and those that answer a get: the counts of what hangs on the record come with the latter. */
  readonly answered: readonly string[]
  readonly totals: readonly string[]
  /** These columns as one JSON list: the database hands over one text much faster than many values. */
  cells(names: readonly string[]): string
  /** What makes records out of such lists. */
  maker(names: readonly string[]): Maker
  /** A value as it is bound. */
  toColumn(value: unknown): string | number | null
}

/** A long text is indexed by its beginning, which is enough to find it and keeps the index small. */
export const beginning = (text: string) => `substr(${text},1,64)`

export const quoted = (name: string) => `"${name}"`
export const queueIndex = (table: { name: string }) => `${table.name}_Queue`
export const indexName = (table: string, column: string) => `${table}_${column}`

function tableOf(record: RecordType): Table {
  const bornById = !record.hidesId
  const columns = Object.entries(record.fields).map(([name, field]) => {
    const filterable = FIELD_KINDS[field.kind] !== undefined && name !== record.id && !(name === record.born && bornById)
    const prefix = field.kind === 'longText'
    // What hangs on a record is only ever looked up by what it hangs on.
    const wanted = record.indexed ? record.indexed.includes(name) : record.hangsOn ? name === record.hangsOn.field : filterable && field.access !== 'secret'
    return {
      name,
      type: COLUMN_TYPES[field.kind],
      required: field.required,
      indexed: wanted ? (prefix ? beginning(quoted(name)) : quoted(name)) : undefined,
      prefix,
    }
  })
  const booleans = new Set(Object.entries(record.fields).flatMap(([name, f]) => (f.kind === 'boolean' ? [name] : [])))
  const json = new Set(Object.entries(record.fields).flatMap(([name, f]) => (f.kind === 'json' ? [name] : [])))
  const answered = columns.map((column) => column.name)
  const whole = makerOf(answered, booleans)
  const makers = new Map<string, Maker>()
  return {
    record,
    name: record.name,
    id: record.id,
    bornById,
    columns,
    answered,
    totals: record.hanging.map((hanging) => hanging.total),
    cells: (names) => `json_array(${names.map((name) => (json.has(name) ? `json(t.${quoted(name)})` : `t.${quoted(name)}`)).join(', ')})`,
    maker(names) {
      if (names === answered) return whole
      const key = names.join()
      const known = makers.get(key)
      if (known) return known
      const make = makerOf(names, booleans)
      makers.set(key, make)
      return make
    },
    toColumn(value) {
      if (value === undefined || value === null) return null
      if (typeof value === 'boolean') return value ? 1 : 0
      return typeof value === 'object' ? JSON.stringify(value) : (value as string | number)
    },
  }
}

/**
 * Written out as one literal, so that all records of a type share a shape: they are made and serialized much faster than if they
 * were filled in a loop. The names are the contract's.
 */
function makerOf(names: readonly string[], booleans: ReadonlySet<string>): Maker {
  const members = names.map((name, i) => `${JSON.stringify(name)}: cells[${i}]${booleans.has(name) ? ' === 1' : ''}`)
  return new Function('cells', `return { ${members.join(', ')} }`) as Maker
}

export const TABLES: ReadonlyMap<string, Table> = new Map(RECORD_TYPES.map((record) => [record.name, tableOf(record)]))

export function tableFor(type: string): Table {
  const table = TABLES.get(type)
  if (!table) throw new Error(`No table for ${type}`)
  return table
}

/**
 * What stands beside the records: workspaces, the counters of summaries, the index of user-defined values, when users or keys
 * last changed, the idempotency keys, who has taken on which work, and where each chain of changes begins once older ones were let go.
 */
const BESIDE = [
  'CREATE TABLE "Workspace" ("Number" INTEGER PRIMARY KEY, "Name" TEXT NOT NULL UNIQUE, "CreatedDate" TEXT NOT NULL) STRICT',
  'CREATE TABLE "Access" ("Version" INTEGER NOT NULL) STRICT',
  `CREATE TABLE "Rollup" ("Workspace" INTEGER NOT NULL, "RecordType" TEXT NOT NULL, "Kind" TEXT NOT NULL, "OwnerID" TEXT NOT NULL, "State" TEXT NOT NULL, "Bucket" TEXT NOT NULL, "Count" INTEGER NOT NULL, "Amounts" INTEGER NOT NULL, "High" INTEGER NOT NULL, "Low" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket")) STRICT, WITHOUT ROWID`,
  'CREATE TABLE "CustomValue" ("Workspace" INTEGER NOT NULL, "ObjectID" TEXT NOT NULL, "FieldName" TEXT NOT NULL, "Value" ANY NOT NULL, PRIMARY KEY ("Workspace", "ObjectID", "FieldName")) STRICT, WITHOUT ROWID',
  'CREATE UNIQUE INDEX "Key_Digest" ON "Key" ("Digest")',
  'CREATE TABLE "Once" ("Number" INTEGER PRIMARY KEY, "Run" INTEGER NOT NULL, "Hash" INTEGER NOT NULL, "Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "At" TEXT NOT NULL, "State" TEXT NOT NULL, "Answer" TEXT, "ChangeID" TEXT) STRICT',
  'CREATE INDEX "Once_Run" ON "Once" ("Run", "Hash")',
  'CREATE TABLE "Lease" ("Name" TEXT PRIMARY KEY, "Holder" TEXT NOT NULL, "Until" TEXT NOT NULL) STRICT',
  'CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY, "Number" INTEGER NOT NULL, "Seal" TEXT NOT NULL) STRICT',
]

/** The statements that would make today's tables from nothing; a test holds the migrations against them. */
export function schemaStatements(): string[] {
  const records = [...TABLES.values()].flatMap((table) => {
    const columns = [
      '"Workspace" INTEGER NOT NULL',
      ...table.columns.map((column) => `${quoted(column.name)} ${column.type}${column.required ? ' NOT NULL' : ''}`),
      ...table.totals.map((total) => `${quoted(total)} INTEGER NOT NULL DEFAULT 0`),
      `PRIMARY KEY ("Workspace", ${quoted(table.id)})`,
    ]
    return [
      `CREATE TABLE ${quoted(table.name)} (${columns.join(', ')}) STRICT, WITHOUT ROWID`,
      ...table.columns.flatMap((column) =>
        column.indexed
          ? [`CREATE INDEX ${quoted(indexName(table.name, column.name))} ON ${quoted(table.name)} ("Workspace", ${column.indexed}, ${quoted(table.id)})`]
          : [],
      ),
      // Finds the oldest record of an owner in a state in one step.
      ...(table.record.queued && table.record.state
        ? [`CREATE INDEX ${quoted(queueIndex(table))} ON ${quoted(table.name)} ("Workspace", ${quoted(table.record.state)}, "OwnerID", ${quoted(table.id)})`]
        : []),
    ]
  })
  return [...records, ...BESIDE]
}
