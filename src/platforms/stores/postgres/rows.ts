import { CrmError } from '../../../contract/errors.ts'
import type { Rows, Source } from '../copying/copy.ts'
import { type CopiedTable, countSql, type Place, type Row, readSql } from '../copying/rows.ts'
import { columnsAs, SEALED } from '../sql/audit-columns.ts'
import { type Link, linkAfter, type Unsealed } from '../sql/chain.ts'
import { quoted } from '../sql/tables.ts'
import { type Address, readAddress } from './address.ts'
import { createJournalReader } from './journal.ts'
import { MIGRATIONS, missingIn, versionOf } from './migrations.ts'
import { type Ask, createHosts, createPool, named, type Pool, type Session, WrongServer } from './pool.ts'

/** The application name of copies, by which `use.ts` distinguishes them from services. */
const COPIER = 'crm-copier'
/** The statement timeout of a copy. */
const COPY_STATEMENT_MS = 3_600_000

const placeOf = ({ name }: CopiedTable): Place => ({ from: quoted(name) })

/** Reads rows with queries. */
export function rowsBy(ask: Ask): Rows {
  return {
    async count(table) {
      return Number((await ask(countSql(table, placeOf(table)), []))[0]?.[0])
    },
    async read(table, range, limit) {
      const { sql, bind } = readSql(table, placeOf(table), range, limit)
      return (await ask(sql, bind)) as readonly Row[]
    },
    async audit() {
      const reports = []
      for (const [number, name] of await ask('SELECT "Number", "Name" FROM "Workspace" ORDER BY "Number"', []))
        reports.push({ workspace: name as string, ...(await createJournalReader(ask, number as number, async () => {}).verify()) })
      return reports
    },
  }
}

/** Connections for copying. */
export function poolFor(url: string): Pool {
  const address: Address = readAddress(url)
  // The last value of a repeated parameter counts.
  const hosts = address.hosts.map((host) => `${host}${host.includes('?') ? '&' : '?'}application_name=${COPIER}`)
  const copying = { ...address, hosts, statementMs: COPY_STATEMENT_MS }
  return createPool(copying, createHosts(copying), 4)
}

/** Reports an unsuitable server as `unsupported`. */
export async function orWrongServer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof WrongServer ? new CrmError('unsupported', error.message) : error
  }
}

export interface Snapshot {
  readonly ask: Ask
  end(): Promise<void>
}

/** Settings of a copy's transactions. Pages are read along the primary key even where the statistics of a new table suggest a scan. */
export const settings = (schema?: string) => [
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  `SET LOCAL statement_timeout = ${COPY_STATEMENT_MS}`,
  'SET LOCAL enable_seqscan = off',
  'SET LOCAL enable_bitmapscan = off',
  ...(schema === undefined ? [] : [`SET LOCAL search_path = ${quoted(schema)}`]),
]

/** Opens a read-only transaction whose reads all see the same snapshot. */
export async function takeSnapshot(pool: Pool, schema?: string): Promise<Snapshot> {
  const session: Session = await pool.session()
  const end = async (error?: unknown) => {
    // Queries that were read ahead are answered before the ROLLBACK.
    await session.query('ROLLBACK').then(
      () => session.release(error),
      (failure) => session.release(failure),
    )
  }
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const setting of settings(schema)) await session.query(setting)
    return { ask: async (sql, bind) => (await session.query(sql, bind)).rows, end }
  } catch (error) {
    await end(error)
    throw error
  }
}

/** Equal for two addresses exactly when they lead to the same store. */
export async function identityOf(url: string): Promise<string> {
  const pool = poolFor(url)
  try {
    const [row] = await orWrongServer(() => pool.read('SELECT pg_postmaster_start_time(), current_database(), current_schema()', []))
    return JSON.stringify(row)
  } finally {
    await pool.close()
  }
}

/** Opens a store to copy it. The store is never written to. */
export async function openPostgresRows(url: string): Promise<Source> {
  const pool = poolFor(url)
  let snapshot: Snapshot | undefined
  let sealed = new Map<string, Link>()

  async function refresh(): Promise<void> {
    await snapshot?.end()
    snapshot = undefined
    snapshot = await orWrongServer(() => takeSnapshot(pool))
    const { ask } = snapshot
    const version = await versionOf((sql) => ask(sql, []))
    if (version === 0) throw new CrmError('not_found', 'There is no store in this database.')
    if (version < MIGRATIONS.length || (await missingIn((sql) => ask(sql, []))).length > 0)
      throw new CrmError('conflict', 'This store is of an older version.', { hint: 'Any other command on it upgrades it, such as crm workspaces list.' })
    sealed = await sealRest(ask)
  }

  const ask: Ask = (sql, bind) => (snapshot as Snapshot).ask(sql, bind)
  const { read, ...rest } = rowsBy(ask)
  const source: Source = {
    ...rest,
    async read(table, range, limit) {
      const rows = await read(table, range, limit)
      return table.name === 'Change' && sealed.size > 0 ? rows.map((row) => withSeal(table, row, sealed)) : rows
    },
    refresh,
    async close() {
      await snapshot?.end()
      await pool.close()
    },
  }
  try {
    await refresh()
    return source
  } catch (error) {
    await source.close()
    throw error
  }
}

/**
 * Numbers and seals for changes that are committed but not sequenced yet, computed as the sequencer would. The source is not written to,
 * and the copy is complete nevertheless.
 */
async function sealRest(ask: Ask): Promise<Map<string, Link>> {
  const links = new Map<string, Link>()
  for (const [workspace, number, seal] of await ask('SELECT "Workspace", "HeadNumber", "HeadSeal" FROM "Chain"', [])) {
    let head: Link = { number: number as number, seal: seal as string }
    const rows = await ask(`SELECT ${columnsAs(SEALED)} FROM "Change" WHERE "Workspace" = ? AND "Number" IS NULL ORDER BY "Arrived"`, [workspace as number])
    for (const line of rows.map(named(SEALED)) as unknown as readonly Unsealed[]) {
      head = linkAfter(head, line, workspace as number)
      links.set(`${workspace} ${line.changeId}`, head)
    }
  }
  return links
}

function withSeal({ columns }: CopiedTable, row: Row, links: ReadonlyMap<string, Link>): Row {
  const link = links.get(`${row[0]} ${row[1]}`)
  if (!link) return row
  return row.map((cell, i) => (columns[i] === 'Number' ? link.number : columns[i] === 'Seal' ? link.seal : cell))
}
