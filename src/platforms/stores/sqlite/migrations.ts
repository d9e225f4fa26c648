import { CrmError } from '../../../contract/errors.ts'
import { catalogueOf, missingStatements } from '../sql/missing.ts'
import type { Tables } from '../sql/tables.ts'
import { type Connection, NOT_A_DATABASE, sqliteCode } from './connection.ts'
import { FIRST } from './migrations/0001-first.ts'
import { JOURNAL } from './migrations/0002-journal.ts'
import { ALLOWANCES } from './migrations/0003-allowances.ts'
import { PLANS } from './migrations/0004-plans.ts'
import { OWNERS } from './migrations/0005-owners.ts'
import { SECRET } from './migrations/0006-secret.ts'
import { SEARCH } from './migrations/0007-search.ts'
import { OWN_VALUES } from './migrations/0008-own-values.ts'
import { SEARCH_PLACES } from './migrations/0009-search-places.ts'
import { WORKSPACES } from './migrations/0010-workspaces.ts'
import { SEARCH_REBUILT } from './migrations/0011-search-rebuilt.ts'
import { POSITIONS } from './migrations/0012-positions.ts'
import { TABLES } from './tables.ts'

/** In order; a store's version is the number of those it has been through. Each is frozen once released. */
export const MIGRATIONS: readonly string[] = [
  FIRST,
  JOURNAL,
  ALLOWANCES,
  PLANS,
  OWNERS,
  SECRET,
  SEARCH,
  OWN_VALUES,
  SEARCH_PLACES,
  WORKSPACES,
  SEARCH_REBUILT,
  POSITIONS,
]

/** Marks a file as ours, so that no other program's database is ever taken for a store: "CRMC". */
const APPLICATION_ID = 0x43524d43

/**
 * Brings a store up to this version: the numbered migrations first, which make structural changes, then what it lacks of the contract's
 * tables. Several processes may try at once; one does it, the others find it done. Migrations other than all of ours make an older or a
 * newer store, to which the contract's tables do not belong. Answers with the statements that the contract's tables needed in a store
 * that is not new.
 */
export function migrate(
  connection: Connection,
  migrations: readonly string[] = MIGRATIONS,
  tables: Pick<Tables, 'all'> = migrations === MIGRATIONS ? TABLES : { all: [] },
): string[] {
  if (versionOf(connection, migrations.length) === migrations.length && missingIn(connection, tables).length === 0) return []
  connection.exec('BEGIN IMMEDIATE')
  try {
    const from = versionOf(connection, migrations.length)
    for (const migration of migrations.slice(from)) connection.exec(migration)
    const missing = missingIn(connection, tables)
    for (const statement of missing) connection.exec(statement)
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    connection.exec(`PRAGMA user_version = ${migrations.length}`)
    connection.exec('COMMIT')
    return from === 0 ? [] : missing
  } catch (error) {
    if (connection.database.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** The statements that add what a store lacks of the contract's tables. */
export function missingIn(connection: Connection, tables: Pick<Tables, 'all'> = TABLES): string[] {
  const columns = connection.all(`SELECT t.name AS name, c.name AS column FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`, [])
  const indexes = connection.all(`SELECT name FROM sqlite_schema WHERE type = 'index'`, [])
  return missingStatements(
    tables,
    catalogueOf(
      columns.map(({ name, column }) => [name as string, column as string]),
      indexes.map(({ name }) => name as string),
    ),
  )
}

/** Whether a store has all that this version needs. */
export const isCurrent = (connection: Connection) => versionOf(connection) === MIGRATIONS.length && missingIn(connection).length === 0

/**
 * How many migrations a store has been through; 0 for an empty file. Throws when it is not a store that this version can open. Reads the
 * mark last, so that a store which another process makes meanwhile is never taken for a database of another program.
 */
export function versionOf(connection: Connection, newest = MIGRATIONS.length): number {
  const version = pragma(connection, 'user_version')
  const empty = version === 0 && connection.get('SELECT COUNT(*) AS n FROM sqlite_schema', [])?.n === 0
  const mark = pragma(connection, 'application_id')
  if (mark !== APPLICATION_ID && !(empty && mark === 0))
    throw new CrmError('invalid_input', 'This file is a database of another program, not a CRM Connector store.')
  if (version > newest)
    throw new CrmError('unsupported', `This store was made by a newer CRM Connector (schema ${version}, this one knows ${newest}). Upgrade to open it.`)
  return version
}

function pragma(connection: Connection, name: string): number {
  try {
    return Number(connection.get(`PRAGMA ${name}`, [])?.[name])
  } catch (error) {
    throw sqliteCode(error) === NOT_A_DATABASE ? new CrmError('invalid_input', 'This file is not a database, so it cannot be a CRM Connector store.') : error
  }
}
