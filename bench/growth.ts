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
import { ask } from '../tests/support/postgres-database.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { median, residentMegabytes, startService } from './processes.ts'
import type { Result } from './report.ts'
import { seedLeads, seedOpportunities, seedUsers } from './seed.ts'

const SMALL = 10_000
const LARGE = Number(process.env.CRM_BENCH_LEADS ?? 1_000_000)
const USERS = 1000

/** Where a store is created. */
interface Place {
  /** The address of the store, for CRM_PLATFORM. */
  readonly platform: string
  open(): Promise<Store>
  /** Runs now what autovacuum would do before long. */
  settle(): Promise<void>
  remove(): Promise<void>
}

/** How the latency of a page and of a summary grows from a small SQLite store to a large one. */
export function growth(): Promise<Result[]> {
  return growthOf(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crm-growth-'))
    const path = join(folder, 'crm.db')
    return {
      platform: `sqlite:${path}`,
      open: () => openSqlite(path),
      settle: async () => {},
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
}

/** The same on PostgreSQL, and the disk space of a lead there. */
export async function postgresGrowth(): Promise<Result[]> {
  const server = await startPostgres({ settings: { shared_buffers: '1GB', max_wal_size: '4GB', effective_cache_size: '4GB' } })
  const bytes: number[] = []
  try {
    const results = await growthOf(async () => {
      const url = await server.database()
      return {
        platform: url,
        open: () => openPostgres(url),
        async settle() {
          await ask(url, 'VACUUM ANALYZE')
          const [row] = await ask(url, `SELECT SUM(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relname = 'Lead'`)
          bytes.push(Number(row?.bytes))
        },
        remove: async () => {},
      }
    })
    const each = (bytes[1] ?? 0) / LARGE
    return [
      ...results,
      {
        what: 'Room for a lead with its indexes',
        ours: `${Math.round(each)} bytes`,
        other: `${SMALL}: ${Math.round((bytes[0] ?? 0) / SMALL)} bytes`,
        ratio: each / ((bytes[0] ?? 0) / SMALL),
      },
    ]
  } finally {
    await server.remove()
  }
}

async function growthOf(place: () => Promise<Place>): Promise<Result[]> {
  const small = await stored(SMALL, await place())
  const large = await stored(LARGE, await place())
  try {
    const results: Result[] = []
    for (const { what, bar, work } of WORK) {
      const before = await timed(small, work)
      const after = await timed(large, work)
      results.push({ what, ours: `${after.toFixed(2)} ms at ${LARGE}`, other: `${before.toFixed(2)} ms at ${SMALL}`, ratio: after / before, atMost: bar })
    }
    results.push(await memory(large.place.platform))
    return results
  } finally {
    for (const { place, close } of [small, large]) {
      await close()
      await place.remove()
    }
  }
}

interface Stored {
  readonly place: Place
  readonly service: Service
  close(): Promise<void>
  readonly admin: Caller
  readonly manager: Caller
  /** Cursors at the beginning, the middle and the end of a filtered listing. */
  readonly cursors: { readonly [depth: string]: string | undefined }
}

const FILTERED = { Filters: { Status: 'Open' }, Limit: 50 }
const page = (depth: string) => (store: Stored) =>
  call(store.service, store.admin, 'get_many_leads', { ...FILTERED, ...(store.cursors[depth] && { Cursor: store.cursors[depth] }) })

const WORK: readonly { what: string; bar: number; work: (store: Stored) => Promise<unknown> }[] = [
  { what: 'Filtered page of 50, first', bar: 1.5, work: page('first') },
  { what: 'Filtered page of 50, half way', bar: 1.5, work: page('middle') },
  { what: 'Filtered page of 50, near the end', bar: 1.5, work: page('end') },
  { what: 'Page of 50 ordered by LastName', bar: 1.5, work: (s) => call(s.service, s.admin, 'get_many_leads', { OrderBy: 'LastName', Limit: 50 }) },
  { what: 'Page of 50 of a manager of 1,000', bar: 1.5, work: (s) => call(s.service, s.manager, 'get_many_leads', FILTERED) },
  { what: 'Lead summary, admin', bar: 3, work: (s) => call(s.service, s.admin, 'get_summary_of_leads', {}) },
  { what: 'Lead summary, manager of 1,000', bar: 3, work: (s) => call(s.service, s.manager, 'get_summary_of_leads', {}) },
  { what: 'Opportunity summary, admin, a tenth as many opportunities', bar: 3, work: (s) => call(s.service, s.admin, 'get_summary_opportunity', {}) },
  {
    what: `Filtered lead summary, linear is ${LARGE / SMALL}`,
    bar: (LARGE / SMALL) * 1.25,
    work: (s) => call(s.service, s.admin, 'get_summary_of_leads', { Filters: { Status: 'Open' } }),
  },
]

async function stored(leads: number, place: Place): Promise<Stored> {
  const store = await place.open()
  const service = createService({ platform: store, store })
  await bootstrap(service, { adminKey: 'b'.repeat(40) })
  const admin = await localAdmin(service)
  const { manager, users } = await seedUsers(store, admin.workspace.number, USERS)
  const started = Date.now()
  await seedLeads(store, admin.workspace.number, users, leads)
  await seedOpportunities(store, admin.workspace.number, users, leads / 10)
  process.stdout.write(`stored ${leads} leads in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
  await place.settle()
  const sees = new Set([manager, ...users])
  const cursors: Record<string, string | undefined> = {}
  const matches = leads / 5
  let cursor: string | null = null
  for (let seen = 0; seen < matches - 1000; seen += 1000) {
    if (seen >= matches / 2) cursors.middle ??= cursor ?? undefined
    const next = await call(service, admin, 'get_many_leads', { ...FILTERED, Limit: 1000, ...(cursor && { Cursor: cursor }) })
    cursor = (next as { NextCursor: string | null }).NextCursor
  }
  cursors.end = cursor ?? undefined
  return { place, service, close: () => store.close(), admin, manager: { ...admin, userId: manager, role: 'manager', sees }, cursors }
}

async function call(service: Service, caller: Caller, operation: string, input: unknown): Promise<unknown> {
  return (await execute(service, { operation, input, caller })).result
}

async function timed(store: Stored, work: (store: Stored) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  const until = Date.now() + 3000
  for (let i = 0; i < 200 && (times.length < 5 || Date.now() < until); i++) {
    const began = process.hrtime.bigint()
    await work(store)
    times.push(Number(process.hrtime.bigint() - began) / 1e6)
  }
  return median(times)
}

/** Resident memory of a service on the large store, after a few calls of each kind. */
async function memory(platform: string): Promise<Result> {
  const service = await startService(tmpdir(), { CRM_PLATFORM: platform, CRM_ADMIN_KEY: 'b'.repeat(40) })
  try {
    const headers = { authorization: `Bearer ${'b'.repeat(40)}`, 'content-type': 'application/json' }
    for (let i = 0; i < 200; i++) {
      const body = JSON.stringify(i % 2 === 0 ? { ...FILTERED, Limit: 100 } : { Filters: { LastName: `Last ${i}` }, Limit: 100 })
      await (await fetch(`${service.url}/v1/operations/get_many_leads`, { method: 'POST', headers, body })).text()
      if (i % 50 === 0) await (await fetch(`${service.url}/v1/operations/get_summary_of_leads`, { method: 'POST', headers, body: '{}' })).text()
    }
    const megabytes = residentMegabytes(service.process.pid ?? 0)
    return { what: `Resident memory with ${LARGE} leads, of 200 MB`, ours: `${megabytes.toFixed(0)} MB`, other: '200 MB', ratio: megabytes / 200, atMost: 1 }
  } finally {
    await service.stop()
  }
}
