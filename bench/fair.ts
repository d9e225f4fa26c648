import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { createService } from '../src/core/service.ts'
import type { Store } from '../src/platforms/store.ts'
import { openPostgres } from '../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'
import { connect } from '../src/transports/sdk/connect.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { LOADS, type Target } from './fair-loads.ts'
import { startService } from './processes.ts'
import type { Result } from './report.ts'
import { seedLeads, seedUsers } from './seed.ts'

const LEADS = Number(process.env.FAIR_LEADS ?? 200_000)
const NOTES = Number(process.env.FAIR_NOTES ?? 10_000)
const SECONDS = Number(process.env.FAIR_SECONDS ?? 5)
/** Only loads whose name contains this. */
const ONLY = process.env.FAIR_ONLY ?? ''
const PLATFORMS = process.env.FAIR_PLATFORMS ?? 'sqlite,postgres'
const WARM_UP_MS = 1000
/** A probe that meets nobody takes a few milliseconds, so that three times as much is still quick. */
const ALWAYS_GOOD_MS = 20

interface Latency {
  readonly p50: number
  readonly p99: number
}

/** How long Get and Create take for one caller, alone and beside each load of another caller, on SQLite and on PostgreSQL. */
export async function fairness(): Promise<Result[]> {
  return [...(PLATFORMS.includes('sqlite') ? await onSqlite() : []), ...(PLATFORMS.includes('postgres') ? await onPostgres() : [])]
}

async function onSqlite(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-fair-'))
  try {
    return await measure('SQLite', folder, await openSqlite(join(folder, 'crm.db')), {})
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onPostgres(): Promise<Result[]> {
  const server = await startPostgres({ settings: { shared_buffers: '256MB', max_connections: 100 } })
  try {
    const url = await server.database('fair')
    return await measure('PostgreSQL', tmpdir(), await openPostgres(url), { CRM_PLATFORM: url })
  } finally {
    await server.stop()
  }
}

async function measure(platform: string, folder: string, store: Store, env: NodeJS.ProcessEnv): Promise<Result[]> {
  const adminKey = 'fair-bench-admin-key-0123456789abcdef'
  const { users } = await seed(store, adminKey)
  const service = await startService(folder, { CRM_ADMIN_KEY: adminKey, CRM_LOG_LEVEL: 'silent', ...env })
  try {
    const admin = connect({ baseUrl: service.url, key: adminKey })
    const keyFor = async (Name: string, Scopes: string[]) => {
      const { UserID } = await admin.users.create({ Name, Role: 'admin' })
      return (await admin.keys.create({ UserID, Scopes })).Key as string
    }
    const [mine, theirs, narrow] = [
      await keyFor('Probe', ['read', 'write']),
      await keyFor('Load', ['read', 'write', 'delete']),
      await keyFor('Narrow', ['read']),
    ]
    const { LeadID } = await admin.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    await withNotes(admin, LeadID, NOTES)
    const { LeadID: probed } = await admin.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    const probes = {
      Get: { path: '/v1/operations/get_leads', input: { LeadID: probed } },
      Create: { path: '/v1/operations/create_a_lead', input: { FirstName: 'Edsger', LastName: 'Dijkstra' } },
    }
    const results: Result[] = []
    for (const load of Object.keys(LOADS).filter((name) => name.includes(ONLY))) {
      const before = await probe(service.url, mine, probes)
      const child = startLoad(load, { url: service.url, key: theirs, narrowKey: narrow, leadId: LeadID, userIds: users.slice(0, 2) })
      const ended = once(child, 'exit')
      await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS))
      const during = await probe(service.url, mine, probes)
      child.kill('SIGKILL')
      await ended
      await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS))
      for (const name of ['Get', 'Create'] as const) {
        const [alone, beside] = [before[name] as Latency, during[name] as Latency]
        results.push({
          what: `${platform}: ${name} beside ${load}`,
          ours: `p50 ${shown(beside.p50)}, p99 ${shown(beside.p99)}`,
          other: `alone p50 ${shown(alone.p50)}, p99 ${shown(alone.p99)}`,
          ratio: beside.p99 / Math.max(3 * alone.p99, ALWAYS_GOOD_MS),
          atMost: 1,
        })
        process.stdout.write(`${results.at(-1)?.what}: ${results.at(-1)?.ours} (${results.at(-1)?.other})\n`)
      }
    }
    return results
  } finally {
    await service.stop()
  }
}

const shown = (ms: number) => `${ms.toFixed(1)} ms`

function startLoad(load: string, target: Target): ChildProcess {
  return spawn('nice', [process.execPath, 'scripts/run.js', 'bench/fair-load.ts', load, JSON.stringify(target)], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function seed(store: Store, adminKey: string): Promise<{ users: string[] }> {
  await bootstrap(createService({ platform: store, store }), { adminKey })
  const { users } = await seedUsers(store, 1, 20)
  await seedLeads(store, 1, users, LEADS)
  await store.close()
  return { users }
}

async function withNotes(admin: ReturnType<typeof connect>, LeadID: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000)
    await admin.batch({
      Operations: Array.from({ length: 1000 }, (_, i) => ({ Operation: 'add_notes_to_leads', Input: { LeadID, Note: `Note ${done + i}` } })),
    })
}

/** Sends the probes in turn, one request at a time. */
async function probe(url: string, key: string, probes: { readonly [name: string]: { readonly path: string; readonly input: unknown } }) {
  const agent = new Agent({ keepAlive: true })
  const taken: { [name: string]: number[] } = Object.fromEntries(Object.keys(probes).map((name) => [name, []]))
  const until = performance.now() + 1000 * SECONDS
  while (performance.now() < until) {
    for (const [name, { path, input }] of Object.entries(probes)) {
      const started = performance.now()
      await post(agent, url, path, key, JSON.stringify(input))
      taken[name]?.push(performance.now() - started)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  agent.destroy()
  return Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, latencyOf(times)]))
}

function post(agent: Agent, url: string, path: string, key: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${path} was answered with ${answer.statusCode}`))))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function latencyOf(times: readonly number[]): Latency {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
