import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CrmError } from '../../../contract/errors.ts'
import type { Rows, Source } from '../copying/copy.ts'
import { type CopiedTable, countSql, type Place, type Row, readSql } from '../copying/rows.ts'
import { quoted } from '../sql/tables.ts'
import { type Connection, connect, isDamage, sqliteDriver } from './connection.ts'
import { createJournalReader } from './journal.ts'
import { RELEASED } from './key-index.ts'
import { isCurrent, migrate, versionOf } from './migrations.ts'
import { refuseAltered } from './schema-check.ts'

/**
 * Of each idempotency key only the newest row counts, and none where that was released. "Once" has no index by key, so a temporary
 * table provides the order in which keys are copied.
 */
const NEWEST = [
  'CREATE TEMP TABLE "Newest" ("Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Number" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "UserID", "Key")) STRICT, WITHOUT ROWID',
  `INSERT INTO temp."Newest" SELECT "Workspace", "UserID", "Key", number FROM
    (SELECT "Workspace", "UserID", "Key", MAX("Number") AS number, "State" FROM main."Once" GROUP BY 1, 2, 3) WHERE "State" <> '${RELEASED}'`,
]

export function findNewest(connection: Connection): void {
  connection.exec('DROP TABLE IF EXISTS temp."Newest"')
  for (const statement of NEWEST) connection.exec(statement)
}

/** The rows of a table; `findNewest` must have run before. */
export function placeOf({ name }: CopiedTable): Place {
  if (name === 'Once') return { from: 'temp."Newest" n CROSS JOIN main."Once" o ON o."Number" = n."Number"', keys: 'n.', others: 'o.' }
  return { from: quoted(name) }
}

/** Reads rows over a connection. */
export function rowsOn(connection: Connection, place: (table: CopiedTable) => Place = placeOf): Rows {
  return {
    async count(table) {
      return connection.get(countSql(table, place(table)), [])?.count as number
    },
    async read(table, range, limit) {
      const { sql, bind } = readSql(table, place(table), range, limit)
      const statement = connection.database.prepare(sql)
      statement.setReturnArrays(true)
      return statement.all(...(bind as Row)) as unknown as Row[]
    },
    async audit() {
      const reports = []
      for (const { number, name } of connection.all('SELECT "Number" AS number, "Name" AS name FROM "Workspace" ORDER BY "Number"', []))
        reports.push({ workspace: name as string, ...(await createJournalReader(connection, number as number).verify()) })
      return reports
    },
  }
}

/** Opens a store to copy it. The store is never written to: one of an older version is upgraded in a temporary copy. */
export async function openSqliteRows(path: string, check: (connection: Connection) => void = (connection) => refuseBroken(path, connection)): Promise<Source> {
  if (!existsSync(path)) throw new CrmError('not_found', `There is no store at ${path}.`)
  const driver = await sqliteDriver()
  const folder = mkdtempSync(join(tmpdir(), 'crm-upgraded-'))
  let connection: Connection | undefined

  async function open(): Promise<void> {
    connection = connect(driver, path, ['busy_timeout = 5000'])
    check(connection)
    if (!isCurrent(connection)) {
      const copy = join(folder, 'crm.db')
      rmSync(copy, { force: true })
      connection.run('VACUUM INTO ?', [copy])
      connection.close()
      connection = connect(driver, copy, [])
      const hasSecret = connection.get(`SELECT 1 AS one FROM sqlite_schema WHERE name = 'Secret'`, [])
      migrate(connection)
      if (!hasSecret) steadySecret(connection)
    }
    // The first read takes the snapshot.
    connection.exec('BEGIN')
    findNewest(connection)
  }

  async function close(): Promise<void> {
    // `close` takes effect only when all statements have been garbage-collected: end the transaction now.
    if (connection?.database.isTransaction) connection.exec('ROLLBACK')
    connection?.close()
    connection = undefined
  }

  async function reading<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return orDamaged(path, () => work(rowsOn(connection as Connection)))
  }

  const source: Source = {
    count: (table) => reading((rows) => rows.count(table)),
    read: (...wanted) => reading((rows) => rows.read(...wanted)),
    audit: () => reading((rows) => rows.audit()),
    async refresh() {
      await close()
      await orDamaged(path, open)
    },
    async close() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await source.refresh()
    return source
  } catch (error) {
    await source.close()
    throw error
  }
}

/** The same secret each time that a store without one is upgraded, so that a copy can be compared with it. It is made of the keys, all of which no caller knows. */
function steadySecret(connection: Connection): void {
  const keys = connection.all('SELECT "Digest" FROM "Key" ORDER BY "Digest"', [])
  if (keys.length > 0) connection.run('UPDATE "Secret" SET "Value" = ?', [hash('sha256', JSON.stringify(keys))])
}

export function refuseEmpty(connection: Connection): void {
  if (versionOf(connection) === 0) throw new CrmError('invalid_input', 'This file is empty, not a CRM Connector store.')
}

/** Refuses a damaged store before anything is copied. */
function refuseBroken(path: string, connection: Connection): void {
  refuseEmpty(connection)
  const found = connection.get('PRAGMA quick_check(1)', [])?.quick_check
  if (found !== 'ok') throw damaged(path, found)
  refuseAltered(connection)
}

const damaged = (path: string, how: unknown, cause?: unknown) => new CrmError('invalid_input', `The store ${path} is damaged: ${how}`, { cause })

async function orDamaged<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamage(error)) throw error
    throw damaged(path, (error as Error).message, error)
  }
}
