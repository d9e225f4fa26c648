import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { connect } from '../src/transports/sdk/connect.ts'
import { median, start, startService } from './processes.ts'
import type { Result } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 5

/** Calls a second over HTTP, against a bare route that validates and echoes the same JSON in the same run. */
export async function httpRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const service = await startService(folder)
  const echo = await start(['scripts/run.js', 'bench/echo-server.ts'])
  try {
    const crm = connect({ baseUrl: service.url, key: service.key })
    const ada = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' }
    const { LeadID } = await crm.leads.create(ada)
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 100 }, (_, j) => crm.leads.create({ ...ada, LastName: `Lovelace ${i * 100 + j}` })))

    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
    const rate = async (url: string, bodies: readonly unknown[], seconds = SECONDS) => {
      const requests = bodies.map((body) => ({ method: 'POST' as const, body: JSON.stringify(body) }))
      const run = await autocannon({ url, headers, requests, connections: CONNECTIONS, duration: seconds })
      if (run.non2xx > 0 || run.errors > 0) throw new Error(`${url}: ${run.non2xx} refusals, ${run.errors} errors`)
      return run.requests.average
    }
    // Names vary, so that indexes are written to as in production.
    const people = Array.from({ length: 500 }, (_, i) => ({
      FirstName: `Ada ${i % 50}`,
      LastName: `Lovelace ${(i * 7919) % 500}`,
      Email: `ada${(i * 104_729) % 500}@example.com`,
      Phone: `+44 20 7946 ${(i * 31) % 500}`,
    }))
    const measured = [
      { name: 'Get Leads', id: 'get_leads', bodies: [{ LeadID }], bar: 0.7 },
      { name: 'Create A Lead, durable', id: 'create_a_lead', bodies: [ada], bar: 0.5 },
      { name: 'Create A Lead, durable, 500 different people', id: 'create_a_lead', bodies: people, bar: undefined },
      { name: 'Get Many Leads, a page of 50 with a filter', id: 'get_many_leads', bodies: [{ Filters: { Status: 'Open' }, Limit: 50 }], bar: 0.15 },
    ]
    const results: Result[] = []
    for (const { name, id, bodies, bar } of measured) {
      const rounds: { ours: number; bare: number }[] = []
      await rate(`${service.url}/v1/operations/${id}`, bodies, 2)
      await rate(`${echo.url}/${id}`, bodies, 2)
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({ bare: await rate(`${echo.url}/${id}`, bodies), ours: await rate(`${service.url}/v1/operations/${id}`, bodies) })
      }
      const ratio = median(rounds.map(({ ours, bare }) => ours / bare))
      results.push({
        what: `${name}, ${CONNECTIONS} connections`,
        ours: `${Math.round(median(rounds.map(({ ours }) => ours)))}/s`,
        other: `echo ${Math.round(median(rounds.map(({ bare }) => bare)))}/s`,
        ratio,
        ...(bar !== undefined && { atLeast: bar }),
      })
    }
    return results
  } finally {
    await service.stop()
    await echo.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
