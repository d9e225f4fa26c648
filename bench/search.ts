import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localAdmin } from '../src/core/access/authenticate.ts'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { execute } from '../src/core/call/execute.ts'
import { type Caller, createService, type Service } from '../src/core/service.ts'
import type { Store } from '../src/platforms/store.ts'
import { openPostgres } from '../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { ask as askSqlite } from '../tests/support/database.ts'
import { ask as askPostgres } from '../tests/support/postgres-database.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { median } from './processes.ts'
import type { Result } from './report.ts'
import { indexPostgres, indexSqlite } from './search-index.ts'
import { seedLeads, seedUsers } from './seed.ts'

const SMALL = 10_000
const LARGE = Number(process.env.CRM_BENCH_LEADS ?? 1_000_000)
const USERS = 1000
const BAR = 3

/**
 * Stores that were seeded before, as two SQLite files and two URLs of PostgreSQL databases, small and large, with commas between; those that are empty are seeded. Without
 * it, each run seeds its own.
 */
const KEPT = process.env.CRM_BENCH_STORES?.split(',') ?? []

/** Where a store is created. */
interface Place {
  open(): Promise<Store>
  ask(sql: string): Promise<Record<string, unknown>[]>
  /** Indexes what was written, and resolves to the number of records. */
  index(workspace: number): Promise<number>
}

/** How the latency of a search grows from a small store to a large one, on both stores. */
export async function searches(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-search-'))
  const server = await startPostgres({ settings: { shared_buffers: '512MB', max_wal_size: '4GB' } })
  const sqlite = (path: string): Place => ({ open: () => openSqlite(path), ask: (sql) => askSqlite(path, sql), index: () => indexSqlite(path) })
  const postgres = (url: string): Place => ({
    open: () => openPostgres(url),
    ask: (sql) => askPostgres(url, sql),
    index: (workspace) => indexPostgres(url, workspace),
  })
  const [smallFile = join(folder, 'small.db'), largeFile = join(folder, 'large.db'), smallUrl, largeUrl] = KEPT
  try {
    return [
      ...(await growthOf('SQLite', sqlite(smallFile), sqlite(largeFile))),
      ...(await growthOf('PostgreSQL', postgres(smallUrl ?? (await server.database())), postgres(largeUrl ?? (await server.database())))),
    ]
  } finally {
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Stored {
  readonly service: Service
  readonly store: Store
  readonly admin: Caller
  readonly user: Caller
  readonly manager: Caller
  /** What indexing a lead took, in microseconds, where the store was not seeded before. */
  readonly indexing: number | undefined
}

const SEARCHES: readonly { readonly what: string; readonly text: string; readonly as: 'admin' | 'user' | 'manager' }[] = [
  { what: 'A word that every lead has', text: 'example', as: 'admin' },
  { what: 'A word that a few leads have', text: '7777', as: 'admin' },
  { what: 'A word that one lead has', text: 'person7777', as: 'admin' },
  { what: 'A part of words', text: 'rson77', as: 'admin' },
  { what: 'Two words', text: 'first 777', as: 'admin' },
  { what: 'A word that no lead has', text: 'lovelace', as: 'admin' },
  { what: 'One letter', text: 'p', as: 'admin' },
  { what: 'A word that every lead has, a user with one in 1,000', text: 'example', as: 'user' },
  { what: 'A word that every lead has, manager of 1,000', text: 'example', as: 'manager' },
]

async function growthOf(name: string, smallPlace: Place, largePlace: Place): Promise<Result[]> {
  const small = await stored(SMALL, smallPlace)
  const large = await stored(LARGE, largePlace)
  try {
    const results: Result[] = []
    for (const { what, text, as } of SEARCHES) {
      const [before, after] = await timed([small, large], text, as)
      results.push({
        what: `${name}: ${what}`,
        ours: `${after.toFixed(2)} ms at ${LARGE}`,
        other: `${before.toFixed(2)} ms at ${SMALL}`,
        ratio: after / before,
        atMost: BAR,
      })
    }
    const [each, few] = [large.indexing, small.indexing]
    if (each !== undefined && few !== undefined)
      results.push({
        what: `${name}: indexing a lead`,
        ours: `${each.toFixed(0)} µs at ${LARGE}`,
        other: `${few.toFixed(0)} µs at ${SMALL}`,
        ratio: each / few,
      })
    return results
  } finally {
    for (const { store } of [small, large]) await store.close()
  }
}

async function stored(leads: number, place: Place): Promise<Stored> {
  const store = await place.open()
  const service = createService({ platform: store, store })
  await bootstrap(service, { adminKey: 'b'.repeat(40) })
  const admin = await localAdmin(service)
  const workspace = admin.workspace.number
  const seeded = (await place.ask('SELECT "UserID", "ManagerID" FROM "User" WHERE "ManagerID" IS NOT NULL ORDER BY "UserID"')) as {
    UserID: string
    ManagerID: string
  }[]
  const [first] = seeded
  const { manager, users } = first ? { manager: first.ManagerID, users: seeded.map(({ UserID }) => UserID) } : await seedUsers(store, workspace, USERS)
  if (!first) await seedLeads(store, workspace, users, leads)
  const began = performance.now()
  const indexed = await place.index(workspace)
  const indexing = indexed >= leads / 2 ? ((performance.now() - began) / indexed) * 1000 : undefined
  process.stdout.write(`${leads} leads, of which ${indexed} were indexed\n`)
  const caller = (userId: string, sees: readonly string[]): Caller => ({ ...admin, userId, role: 'manager', sees: new Set(sees) })
  return { service, store, admin, user: caller(users[7] as string, users.slice(7, 8)), manager: caller(manager, [manager, ...users]), indexing }
}

/** The median of each store. They take turns, so that other work on the machine slows both. */
async function timed(stores: readonly [Stored, Stored], text: string, as: 'admin' | 'user' | 'manager'): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  const until = Date.now() + 6000
  for (let i = 0; i < 200 && (i < 5 || Date.now() < until); i++)
    for (const side of [0, 1] as const) {
      const { service, [as]: caller } = stores[side]
      const began = process.hrtime.bigint()
      await execute(service, { operation: 'search', input: { Text: text, RecordTypes: ['Lead'] }, caller })
      times[side].push(Number(process.hrtime.bigint() - began) / 1e6)
    }
  return [median(times[0]), median(times[1])]
}
