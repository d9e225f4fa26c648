import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../../config/private-folder.ts'
import { CrmError } from '../../../contract/errors.ts'
import { recountStatements } from '../sql/recount.ts'
import { amountSums } from '../sql/rollups.ts'
import { quoted } from '../sql/tables.ts'
import { SIDES, sync } from '../sqlite/backup.ts'
import { BUSY, type Connection, connect, type Driver, isDamage, orClosed, setPragmas, sqliteCode, sqliteDriver } from '../sqlite/connection.ts'
import { hashOf, RUN } from '../sqlite/key-index.ts'
import { migrate } from '../sqlite/migrations.ts'
import { findNewest, placeOf, rowsOn } from '../sqlite/rows.ts'
import { SCHEMA, TABLES } from '../sqlite/tables.ts'
import type { Target } from './copy.ts'
import { type CopiedTable, type Place, type Range, type Row, userDefinedIn, withinSql } from './rows.ts'

/**
 * Nobody else may have the file, and what is written need not outlive a failure of the machine before all of it is there. What is
 * deleted is overwritten, as in every store.
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

/** Idempotency keys on their way: they are numbered by age, which is known once all of them are there. */
const STAGED =
  'CREATE TABLE "Staged" ("Workspace" INTEGER NOT NULL, "UserID" TEXT NOT NULL, "Key" TEXT NOT NULL, "Fingerprint" TEXT NOT NULL, "At" TEXT NOT NULL, "State" TEXT NOT NULL, "Answer" TEXT, "ChangeID" TEXT, "Hash" INTEGER NOT NULL, PRIMARY KEY ("Workspace", "UserID", "Key")) STRICT, WITHOUT ROWID'
const KEPT = '"Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID", "Hash"'
const UNSTAGE = [
  'DELETE FROM "Once"',
  `INSERT INTO "Once" ("Number", "Run", ${KEPT}) SELECT number, number / ${RUN}, ${KEPT} FROM (SELECT row_number() OVER (ORDER BY "At", "Workspace", "UserID", "Key") AS number, ${KEPT} FROM "Staged")`,
  'DROP TABLE "Staged"',
]

/** By which records are found; made once all of them are there, that takes a fraction of the time. */
const INDEXES = SCHEMA.filter((statement) => /^CREATE (UNIQUE )?INDEX /.test(statement))
const WITH_INDEXES = INDEXES.map((statement) => statement.replace(' INDEX ', ' INDEX IF NOT EXISTS '))
const WITHOUT_INDEXES = INDEXES.map((statement) => `DROP INDEX ${/"\w+"/.exec(statement)?.[0]}`)

const RECOUNT = [
  'DELETE FROM "Rollup"',
  ...recountStatements(TABLES.all, (amount) => {
    if (amount === undefined) return '0, 0'
    const { high, low } = amountSums(amount)
    return `COALESCE(${high}, 0), COALESCE(${low}, 0)`
  }),
]

export interface Filling {
  /** Where the rows come from, as it may be shown: only the same source goes on with what was begun. */
  readonly source: string
  /** Whether what an earlier attempt has left is of no use. */
  readonly anew: boolean
}

/** Whether there is anything in the place of a store. */
export const isTaken = (path: string) => ['', ...SIDES].some((side) => existsSync(path + side) && statSync(path + side).size > 0)

/** Fills a store beside its place, and puts it there once it is finished. */
export async function fillSqlite(path: string, filling: Filling): Promise<Target> {
  refuseTaken(path)
  const partial = `${path}.partial`
  const driver = await sqliteDriver()
  makePrivateFolder(dirname(path))
  const connection = leftBehind(driver, partial, filling) ?? connect(driver, created(partial), PRAGMAS)
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
        connection.run('INSERT INTO "Moving" VALUES (?)', [filling.source])
      }
      if (has(connection, 'Staged')) return
      connection.exec(STAGED)
      connection.exec(`INSERT INTO "Staged" SELECT ${KEPT} FROM "Once"`)
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
    connection.run(`DELETE FROM ${quoted(name)} WHERE ${sql}`, bind)
    const insert = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    for (const row of rows) connection.run(insert, table.name === 'Once' ? [...row, hashOf(row[0] as number, row[1] as string, row[2] as string)] : row)
    if (table.userDefined) index(table, range, rows)
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

    async settle() {
      transaction(() => {
        for (const statement of [...UNSTAGE, ...WITH_INDEXES, ...RECOUNT]) connection.exec(statement)
        // Whoever has known another store in this place looks anew.
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

/** What an earlier attempt with the same source has left, if it has. */
function leftBehind(driver: Driver, partial: string, { source, anew }: Filling): Connection | undefined {
  if (!existsSync(partial)) return undefined
  const connection = connect(driver, partial, [])
  try {
    setPragmas(connection, PRAGMAS)
    const mark = has(connection, 'Moving') ? connection.get('SELECT "Source" AS source FROM "Moving"', []) : undefined
    if (mark && !anew && mark.source === source) return connection
    if (mark && !anew)
      throw new CrmError('conflict', `${partial} was begun from ${mark.source}, not from ${source}.`, {
        hint: `Go on with ${mark.source}, or remove ${partial} to begin anew.`,
      })
    connection.close()
    return undefined
  } catch (error) {
    connection.close()
    if (sqliteCode(error) === BUSY) throw new CrmError('conflict', `Somebody else is writing to ${partial} right now.`)
    // What is no database was left by something else that was cut off.
    if (isDamage(error)) return undefined
    throw error
  }
}

/** A new file that nobody else may read. */
function created(partial: string): string {
  for (const side of ['', ...SIDES]) rmSync(partial + side, { force: true })
  closeSync(openSync(partial, 'wx', 0o600))
  return partial
}

/** Lets go of the file at once: a connection may be closed in earnest only when its statements have been collected. */
function release(connection: Connection): void {
  try {
    setPragmas(connection, ['journal_mode = DELETE', 'locking_mode = NORMAL'])
    has(connection, '')
  } finally {
    connection.close()
  }
}

function refuseTaken(path: string): void {
  if (isTaken(path)) throw new CrmError('conflict', `There is already something at ${path}, and nothing is ever overwritten.`)
}

const has = (connection: Connection, table: string) =>
  connection.get("SELECT 1 AS one FROM sqlite_schema WHERE type = 'table' AND name = ?", [table]) !== undefined
