import { CrmError } from '../../../contract/errors.ts'
import { MOVING } from '../sql/missing.ts'
import { indexStatements, quoted } from '../sql/tables.ts'
import type { Connection } from './connection.ts'
import { FORMER_WORKSPACE } from './migrations/0010-workspaces.ts'
import { MIGRATIONS, versionOf } from './migrations.ts'
import { SHADOW_TABLES } from './search-tables.ts'
import { SCHEMA, TABLES } from './tables.ts'

/** A part of the schema that is not as this version makes it. */
export interface SchemaFault {
  readonly message: string
  readonly hint: string
}

interface Part {
  readonly type: string
  readonly name: string
  readonly sql: string
}

const REVIEW = 'Compare the audit with a backup'
const RESTORE = 'and restore that: crm restore FILE --force'

/**
 * What a file has that no version of ours has made, has changed, or lacks: a trigger, a unique index or an ON CONFLICT clause could drop
 * lines of the audit without an error. What the next opening adds may be missing.
 */
export function schemaFaults(connection: Connection): SchemaFault[] {
  const found = connection.all(
    `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR type NOT IN ('table', 'index'))`,
    [],
  )
  const faults: SchemaFault[] = []
  const report = (message: string, hint: string) => faults.push({ message, hint: `${REVIEW}, ${hint}.` })
  const names = new Set<string>()
  const isUpgraded = versionOf(connection) === MIGRATIONS.length
  for (const part of found as unknown as readonly Part[]) {
    const { type, name } = part
    const known = EXPECTED.get(name)
    const ours = known?.type === type ? known : undefined
    if (ours) names.add(name)
    const remove = `then remove it with sqlite3: DROP ${type.toUpperCase()} ${quoted(name)}`
    if (!ours && !isLater(part)) report(`The ${type} ${quoted(name)} is not part of a CRM Connector store.`, remove)
    else if (ours && !isAsMade(ours, part) && (isUpgraded || part.sql !== FORMER_WORKSPACE)) report(`The ${type} ${quoted(name)} has been altered.`, RESTORE)
  }
  if (isUpgraded)
    for (const { type, name } of EXPECTED.values()) if (!names.has(name) && !ADDED.has(name)) report(`The ${type} ${quoted(name)} is missing.`, RESTORE)
  return faults
}

/** Refuses a store with a part that no version of ours has made. */
export function refuseAltered(connection: Connection): void {
  const [first, ...others] = schemaFaults(connection)
  if (!first) return
  throw new CrmError('conflict', [first, ...others].map(({ message }) => message).join(' '), { hint: first.hint })
}

/**
 * The same inside a transaction of an open store, where another process can have changed the schema since: only then is it compared again.
 * An ordinary error, so that callers learn no more than that the store failed.
 */
export function alterationCheck(connection: Connection): () => void {
  let checked: unknown
  return () => {
    const version = connection.get('PRAGMA schema_version', [])?.schema_version
    if (version === checked) return
    const [first] = schemaFaults(connection)
    if (first) throw new Error(`${first.message} Nothing is written to the store. ${first.hint}`)
    checked = version
  }
}

const EXPECTED: ReadonlyMap<string, Part> = new Map([
  ...SCHEMA.flatMap((sql) => {
    const [, type, name] = /^CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX) "(\w+)"/.exec(sql) ?? []
    return type === undefined || name === undefined ? [] : [[name, { type: type.toLowerCase(), name, sql }] as const]
  }),
  ...SHADOW_TABLES.map(({ name, sql }) => [name, { type: 'table', name, sql }] as const),
])

/** What opening a store adds where it is missing: the contract's indexes, and tables that no migration has made. */
const ADDED: ReadonlySet<string> = new Set([
  ...TABLES.all.flatMap((table) => indexStatements(table).map(({ name }) => name)),
  ...TABLES.all.flatMap(({ name }) => (MIGRATIONS.some((migration) => migration.includes(`CREATE TABLE ${quoted(name)} `)) ? [] : [name])),
])

/** The mark of an unfinished copy, and what a later version adds in place, so that this one goes on working beside it: tables of records, plain indexes, and plain columns. */
const LATER = /^CREATE TABLE "\w+" \("Workspace" INTEGER NOT NULL, .*\) STRICT, WITHOUT ROWID$|^CREATE INDEX "\w+" ON "\w+" \("Workspace", .*\)$/s
const LATER_COLUMN = /^"\w+" (TEXT|REAL|INTEGER|INTEGER NOT NULL DEFAULT 0)$/
const NOT_PLAIN = /\b(CONFLICT|CHECK|GENERATED|AS|REFERENCES|WHERE|UNIQUE|COLLATE)\b/i

const isLater = ({ type, name, sql }: Part) => (type === 'table' && name === MOVING) || (LATER.test(sql) && !NOT_PLAIN.test(sql))

/** Whether it is the statement that made ours. A column that was added in place is the last, and a column may be missing yet. */
function isAsMade(ours: Part, { sql, type }: Part): boolean {
  if (type !== 'table') return sql === ours.sql
  const [made, is] = [columnsOf(ours.sql), columnsOf(sql)]
  const missing = new Set(made.columns)
  const further = is.columns.filter((column) => !missing.delete(column))
  return made.options === is.options && further.every((column) => LATER_COLUMN.test(column)) && ![...missing].some((column) => !LATER_COLUMN.test(column))
}

/** The definitions inside a CREATE TABLE statement, and what stands behind them. */
function columnsOf(sql: string): { readonly columns: readonly string[]; readonly options: string } {
  const [, body = sql, options = ''] = /^CREATE TABLE "\w+" ?\((.*)\)([^)]*)$/s.exec(sql) ?? []
  return { columns: body.split(/,(?![^(]*\))/).map((column) => column.trim().replaceAll(/\s+/g, ' ')), options: options.trim() }
}
