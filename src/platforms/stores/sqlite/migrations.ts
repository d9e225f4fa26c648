import { CrmError } from '../../../contract/errors.ts'
import { type Connection, NOT_A_DATABASE, sqliteCode } from './connection.ts'
import { FIRST } from './migrations/0001-first.ts'
import { JOURNAL } from './migrations/0002-journal.ts'
import { ALLOWANCES } from './migrations/0003-allowances.ts'
import { PLANS } from './migrations/0004-plans.ts'

/** In order; a store's version is the number of those it has been through. Each is frozen once released. */
export const MIGRATIONS: readonly string[] = [FIRST, JOURNAL, ALLOWANCES, PLANS]

/** Marks a file as ours, so that no other program's database is ever taken for a store: "CRMC". */
const APPLICATION_ID = 0x43524d43

/** Brings a store up to this version. Several processes may try at once; one does it, the others find it done. */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): void {
  if (versionOf(connection, migrations.length) === migrations.length) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    const from = versionOf(connection, migrations.length)
    for (const migration of migrations.slice(from)) connection.exec(migration)
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    connection.exec(`PRAGMA user_version = ${migrations.length}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.database.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/**
 * How many migrations a store has been through; none for an empty file. Throws when it is not a store that this version
 * can open. Reads the mark last, so that a store which another process makes meanwhile is never taken for a stranger's.
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
