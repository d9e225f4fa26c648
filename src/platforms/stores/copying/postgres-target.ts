import { CrmError } from '../../../contract/errors.ts'
import { CUSTOM_VALUES, type Into, into, OWN_VALUES } from '../postgres/inserts.ts'
import { MIGRATIONS, migrateIn, versionOf } from '../postgres/migrations.ts'
import type { Pool } from '../postgres/pool.ts'
import { COUNTERS } from '../postgres/recount.ts'
import { orWrongServer, poolFor, rowsBy, type Snapshot, settings, takeSnapshot } from '../postgres/rows.ts'
import { FILL_ALL } from '../postgres/search-tables.ts'
import { sortable } from '../postgres/sortable.ts'
import { SCHEMA, TABLES, tableFor } from '../postgres/tables.ts'
import { refuseInUse } from '../postgres/use.ts'
import { Work } from '../postgres/work.ts'
import { MOVING } from '../sql/missing.ts'
import { DELETE_OWN } from '../sql/own-index.ts'
import { recountStatements } from '../sql/recount.ts'
import { quoted } from '../sql/tables.ts'
import type { Target } from './copy.ts'
import { type Cell, COPIED, type CopiedTable, ownIndexRows, ownIndexRowsOf, ownSql, type Range, type Row, userDefinedIn, withinSql } from './rows.ts'

/** The advisory lock that a copy holds, together with the hash of the schema's name. */
const COPY_LOCK = 0x43524d46

export interface PostgresTargetOptions {
  /** The source's address without a password. Only a copy from the same source is resumed. */
  readonly source: string
  /** Whether an existing store is replaced; it is moved to a schema of its own, not dropped. */
  readonly force: boolean
  /** The hint of the error when there is a store and `force` is not set. */
  readonly hint?: string
}

/**
 * Copies into a database. An empty schema is filled in place, with a mark by which other processes refuse to open it. Where there is a
 * store already, the copy is made in a schema of its own, and `finish` swaps both in one transaction: until then the old store is intact.
 */
export async function openPostgresTarget(url: string, { source, force, hint }: PostgresTargetOptions): Promise<Target> {
  const pool = poolFor(url)
  let guard: Work | undefined
  let snapshot: Snapshot | undefined
  try {
    return await orWrongServer(begin)
  } catch (error) {
    await close()
    throw error
  }

  async function close(): Promise<void> {
    await snapshot?.end()
    await guard?.rollback()
    await pool.close()
  }

  async function begin(): Promise<Target> {
    guard = new Work(pool)
    guard.run('SET LOCAL idle_in_transaction_session_timeout = 0', [])
    const [row] = await guard.ask(`SELECT current_schema(), pg_try_advisory_xact_lock(${COPY_LOCK}, hashtext(current_schema()))`, [])
    const [schema, locked] = row as [string | null, boolean]
    if (schema === null) throw new CrmError('invalid_input', 'The schema that the address names does not exist.', { hint: 'Create it with CREATE SCHEMA.' })
    if (!locked) throw new CrmError('conflict', 'Another process is copying into this store.')
    const found = await transaction(pool, undefined, (work) => contentsOf(work))
    const resumes = found.source === source
    if (!resumes && found.source !== undefined && !force) throw otherSource(found.source, source)
    if (found.hasStore && !force) throw new CrmError('conflict', 'There is already a store in this database.', { ...(hint !== undefined && { hint }) })
    if (found.version > 0) await refuseInUse(pool)
    if (!force || resumes || (!found.hasStore && found.source === undefined)) {
      await transaction(pool, undefined, (work) => mark(work, source))
      return targetIn(pool, undefined, (work) => unmark(work))
    }
    const staging = `restoring_${plain(schema)}`
    await createStaging(pool, staging, source)
    return targetIn(pool, staging, (work) => swapSchemas(work, pool, schema, staging))
  }

  function targetIn(own: Pool, schema: string | undefined, putInPlace: (work: Work) => Promise<string | undefined>): Target {
    /** While rows are written, each read has its own transaction; after `rebuild` all reads share one snapshot. */
    async function reading<T>(work: (rows: ReturnType<typeof rowsBy>) => Promise<T>): Promise<T> {
      if (snapshot) return work(rowsBy(snapshot.ask))
      return transaction(own, schema, (one) => work(rowsBy((sql, bind) => one.ask(sql, bind))))
    }

    return {
      count: (table) => reading((rows) => rows.count(table)),
      read: (...wanted) => reading((rows) => rows.read(...wanted)),

      replace: (table, range, rows) => transaction(own, schema, (work) => replace(work, table, range, rows)),

      async rebuild() {
        await transaction(own, schema, async (work) => {
          for (const statement of REBUILD) work.run(statement, [])
        })
        snapshot = await takeSnapshot(own, schema)
      },

      audit: () => reading((rows) => rows.audit()),

      async finish() {
        await snapshot?.end()
        snapshot = undefined
        return transaction(own, schema, putInPlace)
      },

      close,
    }
  }
}

async function transaction<T>(pool: Pool, schema: string | undefined, body: (work: Work) => Promise<T>): Promise<T> {
  const work = new Work(pool)
  try {
    for (const setting of settings(schema)) work.run(setting, [])
    const value = await body(work)
    await work.commit()
    return value
  } catch (error) {
    await work.rollback()
    throw error
  }
}

interface Contents {
  readonly version: number
  /** Whether there is a finished store with content. */
  readonly hasStore: boolean
  /** The source of an unfinished copy. */
  readonly source: string | undefined
}

async function contentsOf(work: Work): Promise<Contents> {
  const version = await versionOf((sql) => work.ask(sql, []), MIGRATIONS.length, true)
  const [row] = (await has(work, MOVING)) ? await work.ask(`SELECT "Source" FROM ${quoted(MOVING)}`, []) : []
  const source = row?.[0] as string | undefined
  const [some] = version > 0 ? await work.ask('SELECT 1 FROM "Workspace" UNION ALL SELECT 1 FROM "User" LIMIT 1', []) : []
  return { version, source, hasStore: source === undefined && some !== undefined }
}

const has = async (work: Work, table: string) => (await work.ask('SELECT to_regclass(?)', [quoted(table)]))[0]?.[0] !== null

function otherSource(unfinished: string, source: string): CrmError {
  return new CrmError('conflict', `This database has an unfinished copy of ${unfinished}, not of ${source}.`, {
    hint: `Copy from ${unfinished} to resume it, or use an empty database.`,
  })
}

/** Created after all rows are copied, which takes a fraction of the time. */
const INDEXES = SCHEMA.filter((statement) => /^CREATE (UNIQUE )?INDEX /.test(statement))

/** Creates the tables without their indexes, and the mark of an unfinished copy. */
async function mark(work: Work, source: string): Promise<void> {
  await migrateIn(work, MIGRATIONS, true)
  if (!(await has(work, MOVING))) for (const statement of INDEXES) work.run(`DROP INDEX ${/"\w+"/.exec(statement)?.[0]}`, [])
  work.run(`CREATE TABLE IF NOT EXISTS ${quoted(MOVING)} ("Source" TEXT PRIMARY KEY)`, [])
  work.run(`INSERT INTO ${quoted(MOVING)} VALUES (?) ON CONFLICT DO NOTHING`, [source])
}

/** Creates the schema that is copied into. What an earlier attempt from another source has left in it is dropped. */
async function createStaging(pool: Pool, staging: string, source: string): Promise<void> {
  await transaction(pool, undefined, async (work) => {
    const [exists] = await work.ask('SELECT 1 FROM pg_namespace WHERE nspname = ?', [staging])
    if (exists) {
      const moving = `${quoted(staging)}.${quoted(MOVING)}`
      const [mark] = await work.ask('SELECT to_regclass(?)', [moving])
      if (mark?.[0] === null)
        throw new CrmError('conflict', `The schema ${staging} exists already and was not made by crm restore.`, { hint: 'Rename it or drop it.' })
      const [unfinished] = await work.ask(`SELECT "Source" FROM ${moving}`, [])
      if (unfinished?.[0] === source) return
      work.run(`DROP SCHEMA ${quoted(staging)} CASCADE`, [])
    }
    work.run(`CREATE SCHEMA ${quoted(staging)}`, [])
    work.run(`SET LOCAL search_path = ${quoted(staging)}`, [])
    await mark(work, source)
  })
}

const INSERTS = new Map<string, Into>(
  COPIED.map(({ name, columns }) => {
    const types = new Map(TABLES.all.find((table) => table.name === name)?.columns.map((column) => [column.name, column.type]))
    const totals = TABLES.all.find((table) => table.name === name)?.totals ?? []
    const typeOf = (column: string) => {
      if (column === 'Workspace' || totals.includes(column)) return 'INTEGER'
      return types.get(column) ?? (name === 'Chain' && column === 'Number' ? 'DOUBLE PRECISION' : 'TEXT')
    }
    return [
      name,
      into(
        name,
        columns.map((column) => [column, typeOf(column)]),
      ),
    ]
  }),
)

async function replace(work: Work, table: CopiedTable, range: Range, rows: readonly Row[]): Promise<void> {
  const { sql, bind } = withinSql(table, { from: '' }, range)
  // A page that a crash of the server loses is copied again by the next attempt.
  work.run('SET LOCAL synchronous_commit = off', [])
  if (table.isExtensible) {
    const own = ownSql(table, range)
    for (const [workspace, id, values] of (await work.ask(own.sql, own.bind)) as readonly [Cell, Cell, Cell][])
      for (const row of ownIndexRows(tableFor(table.name), workspace, id, values)) work.run(DELETE_OWN, row)
    for (const row of rows) for (const values of ownIndexRowsOf(table, tableFor(table.name), row)) work.add({ into: OWN_VALUES, values })
  }
  work.run(`DELETE FROM ${quoted(table.name)} WHERE ${sql}`, bind)
  for (const values of rows) work.add({ into: INSERTS.get(table.name) as Into, values })
  if (!table.userDefined) return
  work.run(`DELETE FROM "CustomValue" WHERE ${sql}`, bind)
  for (const row of rows)
    for (const [name, value] of userDefinedIn(table, row))
      work.add({ into: CUSTOM_VALUES, values: [row[0] as number, row[1] as string, name, sortable(typeof value === 'boolean' ? Number(value) : value)] })
}

/** Rebuilds what is derived from the rows, and the planner's statistics. */
const REBUILD = [
  ...INDEXES.map((statement) => statement.replace(' INDEX ', ' INDEX IF NOT EXISTS ')),
  'DELETE FROM "RollupDelta"',
  'DELETE FROM "Rollup"',
  ...recountStatements(TABLES.all, COUNTERS.sums),
  'DELETE FROM "KeyPlace"',
  'INSERT INTO "KeyPlace" ("Digest", "Workspace", "KeyID") SELECT "Digest", "Workspace", "KeyID" FROM "Key"',
  'INSERT INTO "Chain" ("Workspace") SELECT CAST("Number" AS INTEGER) FROM "Workspace" ON CONFLICT DO NOTHING',
  'UPDATE "Chain" SET "HeadNumber" = "Number", "HeadSeal" = "Seal"',
  `UPDATE "Chain" c SET "HeadNumber" = h."Number", "HeadSeal" = COALESCE(h."Seal", '') FROM (SELECT CAST("Number" AS INTEGER) AS "Number" FROM "Workspace") w CROSS JOIN LATERAL
    (SELECT "Number", "Seal" FROM "Change" WHERE "Workspace" = w."Number" AND "Number" IS NOT NULL ORDER BY "Number" DESC NULLS LAST LIMIT 1) h
    WHERE c."Workspace" = w."Number"`,
  ...FILL_ALL,
  `ANALYZE ${[...COPIED.map(({ name }) => name), 'CustomValue', 'OwnValue', 'Rollup', 'KeyPlace'].map(quoted).join(', ')}`,
]

/** Removes the mark, and invalidates what other processes have cached of an earlier store. */
async function unmark(work: Work): Promise<undefined> {
  work.run('UPDATE "Pulse" SET "Version" = ?', [Date.now()])
  work.run(`DROP TABLE ${quoted(MOVING)}`, [])
}

/** Moves the old store to a schema of its own, and the copy into its place. Resolves to the name of the old store's new schema. */
async function swapSchemas(work: Work, pool: Pool, schema: string, staging: string): Promise<string> {
  await refuseInUse(pool)
  await unmark(work)
  work.run(`SET LOCAL lock_timeout = '10s'`, [])
  const retired = `before_restore_${new Date().toISOString().replaceAll(/\D/g, '_').replace(/_$/, '')}`
  work.run(`CREATE SCHEMA ${quoted(retired)}`, [])
  for (const [from, to] of [
    [schema, retired],
    [staging, schema],
  ] as const)
    for (const [kind, name] of await work.ask(PARTS, [from, NAMES]))
      work.run(`ALTER ${kind} ${quoted(from)}.${quoted(name as string)} SET SCHEMA ${quoted(to)}`, [])
  work.run(`DROP SCHEMA ${quoted(staging)}`, [])
  return retired
}

/** The tables and sequences of all versions of a store. */
const NAMES = [
  'Schema',
  MOVING,
  ...TABLES.all.map(({ name }) => name),
  ...MIGRATIONS.flat().flatMap((statement) => /^CREATE (?:TABLE|SEQUENCE) "(\w+)"/.exec(statement)?.[1] ?? []),
]
const PARTS = `SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ? AND c.relkind IN ('r', 'S') AND c.relname = ANY(CAST(? AS TEXT[])) ORDER BY c.relname`

/** A name that needs no quotes. */
const plain = (name: string) => name.toLowerCase().replaceAll(/\W/g, '_')
