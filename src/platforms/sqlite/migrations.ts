import type { Connection } from './connection.ts'
import { FIRST } from './migrations/0001-first.ts'

/** In order; a store's version is the number of those it has been through. Each is frozen once released. */
export const MIGRATIONS: readonly string[] = [FIRST]

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

/** Throws unless this is a store that this version can open. */
export function checkStore(connection: Connection): void {
  if (versionOf(connection, MIGRATIONS.length) === 0) throw new Error('This file is empty, not a CRM Connector store.')
}

function versionOf(connection: Connection, newest: number): number {
  const version = pragma(connection, 'user_version')
  const tables = connection.get('SELECT COUNT(*) AS n FROM sqlite_schema', [])?.n
  if (pragma(connection, 'application_id') !== APPLICATION_ID && tables !== 0)
    throw new Error('This file is a database of another program, not a CRM Connector store.')
  if (version > newest) throw new Error(`This store was made by a newer CRM Connector (schema ${version}, this one knows ${newest}). Upgrade to open it.`)
  return version
}

function pragma(connection: Connection, name: string): number {
  return Number(connection.get(`PRAGMA ${name}`, [])?.[name])
}
