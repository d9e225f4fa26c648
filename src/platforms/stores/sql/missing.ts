import { columnSql, indexStatements, quoted, schemaStatements, type Tables, totalSql } from './tables.ts'

/** The names that a database has already. */
export interface Catalogue {
  /** The columns, by table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
  readonly indexes: ReadonlySet<string>
}

/** The table that marks an unfinished copy; it holds the address of the source. */
export const MOVING = 'Moving'

/**
 * The statements that add what a store lacks of the contract's tables, so that a new field, or a new record type, needs no migration of
 * its own. Only additions are made, in place: a process of the version before goes on working beside it. A required field has no value in
 * the records that exist, so that it needs a migration that gives them one.
 */
export function missingStatements(tables: Pick<Tables, 'all'>, { columns, indexes }: Catalogue): string[] {
  // A copy creates the indexes after all rows.
  const copying = columns.has(MOVING)
  return tables.all.flatMap((table) => {
    const existing = columns.get(table.name)
    if (!existing) return schemaStatements({ all: [table] })
    const missing = table.columns.filter(({ name }) => !existing.has(name))
    const required = missing.find((column) => column.required)
    if (required)
      throw new Error(`${table.name}.${required.name} is required, and existing records have no value for it: make it optional, or write a migration.`)
    const add = (column: string) => `ALTER TABLE ${quoted(table.name)} ADD COLUMN ${column}`
    return [
      ...missing.map((column) => add(columnSql(column))),
      ...table.totals.filter((total) => !existing.has(total)).map((total) => add(totalSql(total))),
      ...(copying ? [] : indexStatements(table).flatMap(({ name, sql }) => (indexes.has(name) ? [] : [sql]))),
    ]
  })
}

/** A catalogue from rows of table and column, and the names of indexes. */
export function catalogueOf(columns: Iterable<readonly [table: string, column: string]>, indexes: Iterable<string>): Catalogue {
  const byTable = new Map<string, Set<string>>()
  for (const [table, column] of columns) byTable.set(table, (byTable.get(table) ?? new Set()).add(column))
  return { columns: byTable, indexes: new Set(indexes) }
}

/** What to log of an upgrade in place; nothing where there was none. */
export const addedRemark = (statements: readonly string[]) =>
  statements.length === 0 ? undefined : `The store was upgraded in place, and processes of the version before go on working: ${statements.join('; ')}`
