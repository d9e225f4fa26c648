import { AsyncLocalStorage } from 'node:async_hooks'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import pg from 'pg'
import { localAdmin } from '../src/core/access/authenticate.ts'
import { execute } from '../src/core/call/execute.ts'
import { createService } from '../src/core/service.ts'
import { openPostgres } from '../src/platforms/stores/postgres/postgres.ts'
import { connect } from '../src/transports/sdk/connect.ts'
import { ask } from '../tests/support/postgres-database.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { median, start, startService } from './processes.ts'
import type { Result } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 5
const KEY = 'b'.repeat(40)
const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' }
/** Two services, a database and a load generator: with fewer cores they compete for processor time. */
const CORES_FOR_TWO = 6

/** A statement of a call, as passed to the driver. */
export interface Recorded {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Calls a second over HTTP on PostgreSQL, against a bare loop that sends the same statements with the same driver, pool and
 * concurrency. Both sides write changes, which the service numbers in both cases. They alternate.
 */
export async function postgresRatios(): Promise<Result[]> {
  const server = await startPostgres({ settings: { shared_buffers: '256MB', max_connections: 100 } })
  const url = await server.database('bench')
  const serving = () => startService(tmpdir(), { CRM_PLATFORM: url, CRM_ADMIN_KEY: KEY })
  const service = await serving()
  const second = await serving()
  try {
    const crm = connect({ baseUrl: service.url, key: KEY })
    const { LeadID } = await crm.leads.create(ADA)
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 100 }, (_, j) => crm.leads.create({ ...ADA, LastName: `Lovelace ${i * 100 + j}` })))
    const measured = [
      { name: 'Create A Lead', id: 'create_a_lead', input: ADA, bar: 0.5 },
      { name: 'Get Leads', id: 'get_leads', input: { LeadID }, bar: 0.6 },
      { name: 'Get Many Leads, a page of 50 with a filter', id: 'get_many_leads', input: { Filters: { Status: 'Open' }, Limit: 50 }, bar: 0.6 },
    ]
    const results: Result[] = []
    for (const { name, id, input, bar } of measured) {
      const file = join(tmpdir(), `crm-bench-${process.pid}.json`)
      writeFileSync(file, JSON.stringify(await recorded(url, id, input)))
      const ours = (at: readonly string[], seconds = SECONDS) => rateOf(at, id, input, seconds)
      const bare = async (seconds = SECONDS) => {
        const loop = await start(['scripts/run.js', 'bench/postgres-loop.ts', url, file, String(CONNECTIONS), String(seconds)])
        return Number(loop.url)
      }
      await ours([service.url, second.url], 2)
      await bare(1)
      const rounds: { ours: number; bare: number; two: number; share: number }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const loop = await bare()
        const before = spent(service.process.pid ?? 0, server.folder)
        const one = await ours([service.url])
        const after = spent(service.process.pid ?? 0, server.folder)
        const [mine, theirs] = [after.service - before.service, after.database - before.database]
        rounds.push({ bare: loop, ours: one, two: await ours([service.url, second.url]), share: theirs / (mine + theirs) })
      }
      const figure = (of: keyof (typeof rounds)[0]) => median(rounds.map((round) => round[of]))
      results.push(
        {
          what: `${name}, ${CONNECTIONS} connections`,
          ours: `${Math.round(figure('ours'))}/s`,
          other: `bare loop ${Math.round(figure('bare'))}/s`,
          ratio: median(rounds.map((round) => round.ours / round.bare)),
          atLeast: bar,
        },
        {
          what: `${name}, two processes`,
          ours: `${Math.round(figure('two'))}/s`,
          other: `one ${Math.round(figure('ours'))}/s`,
          ratio: median(rounds.map((round) => round.two / round.ours)),
          ...(cpus().length >= CORES_FOR_TWO && { atLeast: 1.3 }),
        },
        {
          what: `${name}, share of processor time in the database`,
          ours: `${Math.round(figure('share') * 100)} %`,
          other: 'service and database',
          ratio: figure('share'),
        },
      )
    }
    return [...results, await roomOf(url)]
  } finally {
    await service.stop()
    await second.stop()
    await server.remove()
  }
}

/** Calls a second, with the connections divided among the services. */
async function rateOf(urls: readonly string[], id: string, input: unknown, seconds: number): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const rates = urls.map(async (url) => {
    const run = await autocannon({
      url: `${url}/v1/operations/${id}`,
      method: 'POST',
      headers,
      body: JSON.stringify(input),
      connections: CONNECTIONS / urls.length,
      duration: seconds,
    })
    if (run.non2xx > 0 || run.errors > 0) throw new Error(`${url}: ${run.non2xx} refusals, ${run.errors} errors`)
    return run.requests.average
  })
  return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0)
}

/** Records the statements of one call, and the ids created in it, which have to be replaced in each repetition. */
async function recorded(url: string, operation: string, input: object): Promise<{ statements: Recorded[]; ids: string[] }> {
  const statements: Recorded[] = []
  const call = new AsyncLocalStorage<true>()
  const { query } = pg.Client.prototype
  const spy = function (this: pg.Client, ...args: unknown[]) {
    const [config] = args as [{ text: string; values?: readonly unknown[] }]
    if (call.getStore()) statements.push(oneRow({ text: config.text, values: config.values ?? [] }))
    return (query as (...args: unknown[]) => unknown).apply(this, args)
  }
  pg.Client.prototype.query = spy as typeof query
  const store = await openPostgres(url)
  try {
    const service = createService({ platform: store, store })
    const caller = await localAdmin(service)
    const { result, changeId } = await call.run(true, () => execute(service, { operation, input, caller }))
    const { LeadID } = result as { LeadID?: string }
    return { statements, ids: changeId === undefined ? [] : [changeId, LeadID as string] }
  } finally {
    pg.Client.prototype.query = query
    await store.close()
  }
}

/** Turns the bulk form of an INSERT (unnest) into a plain one, which a client that sends single rows would use. */
function oneRow({ text, values }: Recorded): Recorded {
  const [insert] = /INSERT INTO "\w+" \([^)]*\)/.exec(text) ?? []
  const [, lists] = /SELECT \* FROM unnest\((.*?\[\]\))\)/s.exec(text) ?? []
  if (insert === undefined || lists === undefined) return { text, values }
  return { text: `${insert} VALUES (${lists.replaceAll('[])', ')')})`, values: values.map((list) => (list as readonly unknown[])[0]) }
}

/** Disk space of the change that a create writes to the journal, relative to the lead. */
async function roomOf(url: string): Promise<Result> {
  await ask(url, 'VACUUM "Change", "Lead"')
  const [row] = await ask(
    url,
    `SELECT pg_total_relation_size('"Change"') AS change, pg_total_relation_size('"Lead"') AS lead, (SELECT COUNT(*) FROM "Change") AS changes, (SELECT COUNT(*) FROM "Lead") AS leads`,
  )
  const [change, lead] = [Number(row?.change) / Number(row?.changes), Number(row?.lead) / Number(row?.leads)]
  return {
    what: 'Room for the change that a create leaves, with its indexes',
    ours: `${Math.round(change)} bytes`,
    other: `the lead ${Math.round(lead)} bytes`,
    ratio: change / lead,
  }
}

/** Ticks of processor time that the service and the database have used so far. */
function spent(service: number, folder: string): { service: number; database: number } {
  const [postmaster] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
  const ticks = (pid: string) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      const [own, ended] = [11, 13].map((at) => Number(fields[at]) + Number(fields[at + 1])) as [number, number]
      return { parent: fields[1], own, ended }
    } catch {
      return { parent: '', own: 0, ended: 0 }
    }
  }
  const backends = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && ticks(name).parent === postmaster)
  // Backends that have ended are counted with their parent.
  return { service: ticks(String(service)).own, database: backends.reduce((sum, pid) => sum + ticks(pid).own, ticks(postmaster ?? '').ended) }
}
