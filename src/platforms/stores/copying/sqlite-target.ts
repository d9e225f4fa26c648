import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../../config/private-folder.ts'
import { CrmError } from '../../../contract/errors.ts'
import { DELETE_OWN, INSERT_OWN } from '../sql/own-index.ts'
import { recountStatements } from '../sql/recount.ts'
import { quoted } from '../sql/tables.ts'
import { SIDES, sync } from '../sqlite/backup.ts'
import { BUSY, type Connection, connect, type Driver, isDamage, orClosed, setPragmas, sqliteCode, sqliteDriver } from '../sqlite/connection.ts'
import { hashOf, RUN } from '../sqlite/key-index.ts'
import { migrate } from '../sqlite/migrations.ts'
import { COUNTERS } from '../sqlite/recount.ts'
import { findNewest, placeOf, rowsOn } from '../sqlite/rows.ts'
import { FILL_ALL } from '../sqlite/search-tables.ts'
import { SCHEMA, TABLES, tableFor } from '../sqlite/tables.ts'
import type { Target } from './copy.ts'
import { type Cell, type CopiedTable, ownIndexRows, ownIndexRowsOf, ownSql, type Place, type Range, type Row, userDefinedIn, withinSql } from './rows.ts'

/**
 * The file is locked against other processes. It need not survive a power failure before `finish`, which syncs it. Deleted content is
 * overwritten, as in every store.
 */
const PRAGMAS = [
  'locking_mode = EXCLUSIVE',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  'secure_delete = ON',
  'cache_size = -65536',
  'wal_autocheckpoint = 16384',
  'trusted_schema = OFF',
]

/** Holds the idempotency keys until all are copied: only then can they be numbered by age, as "Once" requires. */
const STAGED =
  'CREATE TABLE "Staged" ("Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "At" TEXT NOT NULL, "State" TEXT NOT NULL, "Answer" TEXT, "ChangeID" TEXT, "Hash" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "UserID", "Key")) STRICT, WITHOUT ROWID'
const KEY_COLUMNS = '"Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID", "Hash"'
const UNSTAGE = [
  'DELETE FROM "Once"',
  `INSERT INTO "Once" ("Number", "Run", ${KEY_COLUMNS}) SELECT number, number / ${RUN}, ${KEY_COLUMNS} FROM (SELECT row_number() OVER (ORDER BY "At", "Workspace", "UserID", "Key") AS number, ${KEY_COLUMNS} FROM "Staged")`,
  'DROP TABLE "Staged"',
]

/** Created after all rows are copied, which takes a fraction of the time. */
const INDEXES = SCHEMA.filter((statement) => /^CREATE (UNIQUE )?INDEX /.test(statement))
const WITH_INDEXES = INDEXES.map((statement) => statement.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
const WITHOUT_INDEXES = INDEXES.map((statement) => `DROP INDEX ${/"\w+"/.exec(statement)?.[0]}`)

const RECOUNT = ['DELETE FROM "Rollup"', ...recountStatements(TABLES.all, COUNTERS.sums)]

export interface SqliteTargetOptions {
  /** The source's address without a password. Only a copy from the same source is resumed. */
  readonly source: string
  /** Discards what an earlier attempt has copied. */
  readonly restart: boolean
}

/** Whether there is a file at the path of a store. */
export const isTaken = (path: string) => ['', ...SIDES].some((side) => existsSync(path + side) && statSync(path + side).size > 0)

/** Copies into `PATH.partial` and renames it on `finish`, so that no other process ever opens half a store. */
export async function openSqliteTarget(path: string, options: SqliteTargetOptions): Promise<Target> {
  refuseTaken(path)
  const partial = `${path}.partial`
  const driver = await sqliteDriver()
  makePrivateFolder(dirname(path))
  const connection = resume(driver, partial, options) ?? connect(driver, created(partial), PRAGMAS)
  let staged = true
  let open = true
  const rows = rowsOn(connection, (table) => (staged && table.name === 'Once' ? STAGED_PLACE : placeOf(table)))
  orClosed(connection, begin)

  function begin(): void {
    migrate(connection)
    transaction(() => {
      if (!has(connection, 'Moving')) {
        for (const statement of WITHOUT_INDEXES) connection.exec(statement)
        connection.exec('CREATE TABLE "Moving" ("Source" TEXT NOT NULL) STRICT')
        connection.run('INSERT INTO "Moving" VALUES (?)', [options.source])
      }
      if (has(connection, 'Staged')) return
      connection.exec(STAGED)
      connection.exec(`INSERT INTO "Staged" SELECT ${KEY_COLUMNS} FROM "Once"`)
      connection.exec('DELETE FROM "Once"')
    })
  }

  function transaction(work: () => void): void {
    connection.exec('BEGIN IMMEDIATE')
    try {
      work()
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.database.isTransaction) connection.exec('ROLLBACK')
      throw error
    }
  }

  function replace(table: CopiedTable, range: Range, rows: readonly Row[]): void {
    const { sql, bind } = withinSql(table, { from: '' }, range)
    const [name, columns] = table.name === 'Once' ? ['Staged', [...table.columns, 'Hash']] : [table.name, table.columns]
    if (table.isExtensible) {
      const own = ownSql(table, range)
      const statement = connection.database.prepare(own.sql)
      statement.setReturnArrays(true)
      for (const [workspace, id, values] of statement.all(...(own.bind as Row)) as unknown as [Cell, Cell, Cell][])
        for (const row of ownIndexRows(tableFor(table.name), workspace, id, values)) connection.run(DELETE_OWN, row)
    }
    connection.run(`DELETE FROM ${quoted(name)} WHERE ${sql}`, bind)
    const insert = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    for (const row of rows) connection.run(insert, table.name === 'Once' ? [...row, hashOf(row[0] as number, row[1] as string, row[2] as string)] : row)
    if (table.userDefined) index(table, range, rows)
    if (table.isExtensible) for (const row of rows) for (const indexed of ownIndexRowsOf(table, tableFor(table.name), row)) connection.run(INSERT_OWN, indexed)
  }

  function index(table: CopiedTable, range: Range, rows: readonly Row[]): void {
    const { sql, bind } = withinSql(table, { from: '' }, range)
    connection.run(`DELETE FROM "CustomValue" WHERE ${sql}`, bind)
    for (const row of rows)
      for (const [name, value] of userDefinedIn(table, row))
        connection.run('INSERT INTO "CustomValue" ("Workspace", "ObjectID", "FieldName", "Value") VALUES (?, ?, ?, ?)', [
          row[0] as number,
          row[1] as string,
          name,
          typeof value === 'boolean' ? Number(value) : value,
        ])
  }

  return {
    ...rows,

    async replace(table, range, page) {
      transaction(() => replace(table, range, page))
    },

    async rebuild() {
      transaction(() => {
        for (const statement of [...UNSTAGE, ...WITH_INDEXES, ...RECOUNT, FILL_ALL]) connection.exec(statement)
        // Invalidates what other processes have cached of a store that was at this path before.
        connection.run('UPDATE "Access" SET "Version" = ?', [Date.now()])
      })
      staged = false
      findNewest(connection)
    },

    async finish() {
      connection.exec('DROP TABLE "Moving"')
      open = false
      release(connection)
      sync(partial)
      refuseTaken(path)
      renameSync(partial, path)
      sync(dirname(path))
      return undefined
    },

    async close() {
      if (open) release(connection)
      open = false
    },
  }
}

const STAGED_PLACE: Place = { from: '"Staged"' }

/** Opens what an earlier attempt from the same source has copied. */
function resume(driver: Driver, partial: string, { source, restart }: SqliteTargetOptions): Connection | undefined {
  if (!existsSync(partial)) return undefined
  const connection = connect(driver, partial, [])
  try {
    setPragmas(connection, PRAGMAS)
    const mark = has(connection, 'Moving') ? connection.get('SELECT "Source" AS source FROM "Moving"', []) : undefined
    if (mark && !restart && mark.source === source) return connection
    if (mark && !restart)
      throw new CrmError('conflict', `${partial} is an unfinished copy of ${mark.source}, not of ${source}.`, {
        hint: `Copy from ${mark.source} to resume it, or delete ${partial} to start again.`,
      })
    connection.close()
    return undefined
  } catch (error) {
    connection.close()
    if (sqliteCode(error) === BUSY) throw new CrmError('conflict', `Another process is writing to ${partial}.`)
    // Not a database: the remains of something else that was interrupted.
    if (isDamage(error)) return undefined
    throw error
  }
}

/** Creates a file that only its owner may read. */
function created(partial: string): string {
  for (const side of ['', ...SIDES]) rmSync(partial + side, { force: true })
  closeSync(openSync(partial, 'wx', 0o600))
  return partial
}

/** Releases the file's lock at once: `close` takes effect only when all statements have been garbage-collected. */
function release(connection: Connection): void {
  try {
    setPragmas(connection, ['journal_mode = DELETE', 'locking_mode = NORMAL'])
    has(connection, '')
  } finally {
    connection.close()
  }
}

function refuseTaken(path: string): void {
  if (isTaken(path)) throw new CrmError('conflict', `${path} exists already, and is not overwritten.`)
}

const has = (connection: Connection, table: string) =>
  connection.get("SELECT 1 AS one FROM sqlite_schema WHERE type = 'table' AND name = ?", [table]) !== undefined
