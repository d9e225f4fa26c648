import { CrmError } from '../../../contract/errors.ts'
import { type Into, into } from '../postgres/inserts.ts'
import { MIGRATIONS, migrateIn, versionOf } from '../postgres/migrations.ts'
import type { Pool } from '../postgres/pool.ts'
import { orWrongServer, poolFor, rowsBy, type Snapshot, settings, takeSnapshot } from '../postgres/rows.ts'
import { sortable } from '../postgres/sortable.ts'
import { SCHEMA, TABLES } from '../postgres/tables.ts'
import { refuseInUse } from '../postgres/use.ts'
import { Work } from '../postgres/work.ts'
import { MOVING } from '../sql/missing.ts'
import { recountStatements } from '../sql/recount.ts'
import { quoted } from '../sql/tables.ts'
import type { Target } from './copy.ts'
import { COPIED, type CopiedTable, type Range, type Row, userDefinedIn, withinSql } from './rows.ts'

/** Whoever fills a store holds this number, together with one for the schema. */
const FILLING = 0x43524d46

export interface Filling {
  /** Where the rows come from, as it may be shown: only the same source goes on with what was begun. */
  readonly source: string
  /** Whether a store that is there is to be replaced, and kept. */
  readonly force: boolean
  /** What can be done where there is one. */
  readonly hint?: string
}

/**
 * Fills a store. In an empty database that happens in its place, with a mark that nobody may use it yet. Where there is a store
 * already, it happens in a schema of its own, and both change places in the end: until then everything is as it was.
 */
export async function fillPostgres(url: string, { source, force, hint }: Filling): Promise<Target> {
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
    const [row] = await guard.ask(`SELECT current_schema(), pg_try_advisory_xact_lock(${FILLING}, hashtext(current_schema()))`, [])
    const [place, alone] = row as [string | null, boolean]
    if (place === null) throw new CrmError('invalid_input', 'The schema that the address names is not there.', { hint: 'Make it with CREATE SCHEMA.' })
    if (!alone) throw new CrmError('conflict', 'Somebody else is filling this store right now.')
    const there = await transaction(pool, undefined, (work) => whatIsThere(work))
    const goesOn = there.source === source
    if (!goesOn && there.source !== undefined && !force) throw otherSource(there.source, source)
    if (there.holds && !force) throw new CrmError('conflict', 'There is already a store in this database.', { ...(hint !== undefined && { hint }) })
    if (there.version > 0) await refuseInUse(pool)
    if (!force || goesOn || (!there.holds && there.source === undefined)) {
      await transaction(pool, undefined, (work) => mark(work, source))
      return targetIn(pool, undefined, (work) => settleDown(work))
    }
    const aside = `restoring_${plain(place)}`
    await prepareAside(pool, aside, source)
    return targetIn(pool, aside, (work) => changePlaces(work, pool, place, aside))
  }

  function targetIn(own: Pool, schema: string | undefined, putInPlace: (work: Work) => Promise<string | undefined>): Target {
    /** What has been written is read in transactions of its own, and all of it as it is at one moment once nothing more is written. */
    async function asking<T>(work: (rows: ReturnType<typeof rowsBy>) => Promise<T>): Promise<T> {
      if (snapshot) return work(rowsBy(snapshot.ask))
      return transaction(own, schema, (one) => work(rowsBy((sql, bind) => one.ask(sql, bind))))
    }

    return {
      count: (table) => asking((rows) => rows.count(table)),
      read: (...wanted) => asking((rows) => rows.read(...wanted)),

      replace: (table, range, rows) => transaction(own, schema, async (work) => replace(work, table, range, rows)),

      async settle() {
        await transaction(own, schema, async (work) => {
          for (const statement of SETTLE) work.run(statement, [])
        })
        snapshot = await takeSnapshot(own, schema)
      },

      audit: () => asking((rows) => rows.audit()),

      async finish() {
        await snapshot?.end()
        snapshot = undefined
        return transaction(own, schema, putInPlace)
      },

      close,
    }
  }
}

async function transaction<T>(pool: Pool, schema: string | undefined, carryOut: (work: Work) => Promise<T>): Promise<T> {
  const work = new Work(pool)
  try {
    for (const setting of settings(schema)) work.run(setting, [])
    const value = await carryOut(work)
    await work.commit()
    return value
  } catch (error) {
    await work.rollback()
    throw error
  }
}

interface There {
  readonly version: number
  /** Whether a store that somebody uses is there. */
  readonly holds: boolean
  /** Where it was being filled from, when that was interrupted. */
  readonly source: string | undefined
}

async function whatIsThere(work: Work): Promise<There> {
  const version = await versionOf((sql) => work.ask(sql, []), MIGRATIONS.length, true)
  const [row] = (await has(work, MOVING)) ? await work.ask(`SELECT "Source" FROM ${quoted(MOVING)}`, []) : []
  const source = row?.[0] as string | undefined
  const [some] = version > 0 ? await work.ask('SELECT 1 FROM "Workspace" UNION ALL SELECT 1 FROM "User" LIMIT 1', []) : []
  return { version, source, holds: source === undefined && some !== undefined }
}

const has = async (work: Work, table: string) => (await work.ask('SELECT to_regclass(?)', [quoted(table)]))[0]?.[0] !== null

function otherSource(begun: string, source: string): CrmError {
  return new CrmError('conflict', `This store was begun to be filled from ${begun}, not from ${source}.`, {
    hint: `Go on with ${begun}, or give the store an empty database.`,
  })
}

/** By which records are found; made once all of them are there, that takes a fraction of the time. */
const INDEXES = SCHEMA.filter((statement) => /^CREATE (UNIQUE )?INDEX /.test(statement))

/** Makes the tables, and the mark that they are being filled. */
async function mark(work: Work, source: string): Promise<void> {
  await migrateIn(work, MIGRATIONS, true)
  if (!(await has(work, MOVING))) for (const statement of INDEXES) work.run(`DROP INDEX ${/"\w+"/.exec(statement)?.[0]}`, [])
  work.run(`CREATE TABLE IF NOT EXISTS ${quoted(MOVING)} ("Source" TEXT PRIMARY KEY)`, [])
  work.run(`INSERT INTO ${quoted(MOVING)} VALUES (?) ON CONFLICT DO NOTHING`, [source])
}

/** A schema beside the store. What an attempt with another source has left there is of no use. */
async function prepareAside(pool: Pool, aside: string, source: string): Promise<void> {
  await transaction(pool, undefined, async (work) => {
    const [made] = await work.ask('SELECT 1 FROM pg_namespace WHERE nspname = ?', [aside])
    if (made) {
      const moving = `${quoted(aside)}.${quoted(MOVING)}`
      const [ours] = await work.ask('SELECT to_regclass(?)', [moving])
      if (ours?.[0] === null) throw new CrmError('conflict', `The schema ${aside} is in the way, and is not ours.`, { hint: 'Rename it or drop it.' })
      const [begun] = await work.ask(`SELECT "Source" FROM ${moving}`, [])
      if (begun?.[0] === source) return
      work.run(`DROP SCHEMA ${quoted(aside)} CASCADE`, [])
    }
    work.run(`CREATE SCHEMA ${quoted(aside)}`, [])
    work.run(`SET LOCAL search_path = ${quoted(aside)}`, [])
    await mark(work, source)
  })
}

const INSERTS = new Map<string, Into>(
  COPIED.map(({ name, columns }) => {
    const types = new Map(TABLES.all.find((table) => table.name === name)?.columns.map((column) => [column.name, column.type]))
    const totals = TABLES.all.find((table) => table.name === name)?.totals ?? []
    const typeOf = (column: string) => {
      if (column === 'Workspace' || totals.includes(column) || (name === 'Workspace' && column === 'Number')) return 'INTEGER'
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
const VALUES = into('CustomValue', [
  ['Workspace', 'INTEGER'],
  ['ObjectID', 'TEXT'],
  ['FieldName', 'TEXT'],
  ['Value', 'TEXT'],
])

function replace(work: Work, table: CopiedTable, range: Range, rows: readonly Row[]): void {
  const { sql, bind } = withinSql(table, { from: '' }, range)
  // What a failure of the server takes away again is copied by the next attempt.
  work.run('SET LOCAL synchronous_commit = off', [])
  work.run(`DELETE FROM ${quoted(table.name)} WHERE ${sql}`, bind)
  for (const values of rows) work.add({ into: INSERTS.get(table.name) as Into, values })
  if (!table.userDefined) return
  work.run(`DELETE FROM "CustomValue" WHERE ${sql}`, bind)
  for (const row of rows)
    for (const [name, value] of userDefinedIn(table, row))
      work.add({ into: VALUES, values: [row[0] as number, row[1] as string, name, sortable(typeof value === 'boolean' ? Number(value) : value)] })
}

/** What follows from the rows. Statistics too, by which the database chooses how to find something. */
const SETTLE = [
  ...INDEXES.map((statement) => statement.replace(' INDEX ', ' INDEX IF NOT EXISTS ')),
  'DELETE FROM "RollupDelta"',
  'DELETE FROM "Rollup"',
  ...recountStatements(TABLES.all, (amount) => (amount === undefined ? '0' : `COALESCE(SUM(ROUND(CAST(${amount} AS NUMERIC) * 10000)), 0)`)),
  'DELETE FROM "KeyPlace"',
  'INSERT INTO "KeyPlace" ("Digest", "Workspace", "KeyID") SELECT "Digest", "Workspace", "KeyID" FROM "Key"',
  'INSERT INTO "Chain" ("Workspace") SELECT "Number" FROM "Workspace" ON CONFLICT DO NOTHING',
  'UPDATE "Chain" SET "HeadNumber" = "Number", "HeadSeal" = "Seal"',
  `UPDATE "Chain" c SET "HeadNumber" = h."Number", "HeadSeal" = COALESCE(h."Seal", '') FROM "Workspace" w CROSS JOIN LATERAL
    (SELECT "Number", "Seal" FROM "Change" WHERE "Workspace" = w."Number" AND "Number" IS NOT NULL ORDER BY "Number" DESC NULLS LAST LIMIT 1) h
    WHERE c."Workspace" = w."Number"`,
  `ANALYZE ${[...COPIED.map(({ name }) => name), 'CustomValue', 'Rollup', 'KeyPlace'].map(quoted).join(', ')}`,
]

/** What is filled in its place becomes a store. Whoever has known another one there looks anew. */
async function settleDown(work: Work): Promise<undefined> {
  work.run('UPDATE "Pulse" SET "Version" = ?', [Date.now()])
  work.run(`DROP TABLE ${quoted(MOVING)}`, [])
}

/** Puts what was filled aside in the place of a store, and that into a schema of its own, whose name is the answer. */
async function changePlaces(work: Work, pool: Pool, place: string, aside: string): Promise<string> {
  await refuseInUse(pool)
  await settleDown(work)
  work.run(`SET LOCAL lock_timeout = '10s'`, [])
  const kept = `before_restore_${new Date().toISOString().replaceAll(/\D/g, '_').replace(/_$/, '')}`
  work.run(`CREATE SCHEMA ${quoted(kept)}`, [])
  for (const [from, to] of [
    [place, kept],
    [aside, place],
  ] as const)
    for (const [kind, name] of await work.ask(PARTS, [from, NAMES]))
      work.run(`ALTER ${kind} ${quoted(from)}.${quoted(name as string)} SET SCHEMA ${quoted(to)}`, [])
  work.run(`DROP SCHEMA ${quoted(aside)}`, [])
  return kept
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
