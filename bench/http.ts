import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { connect } from '../src/transports/sdk/connect.ts'
import { cpuMicroseconds, median, start, startService } from './processes.ts'
import type { Result } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 5

/** Calls a second over HTTP and CPU time a call, against a bare route that validates and echoes the same JSON in the same run. */
export async function httpRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const service = await startService(folder)
  const echo = await start(['scripts/run.js', 'bench/echo-server.ts'])
  try {
    const crm = connect({ baseUrl: service.url, key: service.key })
    const ada = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' }
    const { LeadID } = await crm.leads.create(ada)
    const leads: { LeadID: string }[] = []
    for (let i = 0; i < 10; i++) {
      const created = await Promise.all(Array.from({ length: 100 }, (_, j) => crm.leads.create({ ...ada, LastName: `Lovelace ${i * 100 + j}` })))
      leads.push(...created.map((lead) => ({ LeadID: lead.LeadID })))
    }

    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
    const measure = async (server: typeof echo, path: string, bodies: readonly unknown[], seconds = SECONDS) => {
      const url = `${server.url}/${path}`
      const requests = bodies.map((body) => ({ method: 'POST' as const, body: JSON.stringify(body) }))
      const before = cpuMicroseconds(server.process.pid as number)
      const run = await autocannon({ url, headers, requests, connections: CONNECTIONS, duration: seconds })
      if (run.non2xx > 0 || run.errors > 0) throw new Error(`${url}: ${run.non2xx} refusals, ${run.errors} errors`)
      return { rate: run.requests.average, cpu: (cpuMicroseconds(server.process.pid as number) - before) / run.requests.total }
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
      { name: 'Get Leads, 1,000 of them in turn', id: 'get_leads', bodies: leads, bar: undefined },
      // Every write drops what is cached.
      { name: 'Get Leads, beside 100 writes a second', id: 'get_leads', bodies: leads, bar: undefined, beside: () => crm.leads.create(ada) },
      { name: 'Create A Lead, durable', id: 'create_a_lead', bodies: [ada], bar: 0.4 },
      { name: 'Create A Lead, durable, 500 different people', id: 'create_a_lead', bodies: people, bar: undefined },
      { name: 'Get Many Leads, a page of 50 with a filter', id: 'get_many_leads', bodies: [{ Filters: { Status: 'Open' }, Limit: 50 }], bar: 0.15 },
    ]
    const results: Result[] = []
    for (const { name, id, bodies, bar, beside } of measured) {
      const path = `v1/operations/${id}`
      const rounds: Record<'ours' | 'bare', { rate: number; cpu: number }>[] = []
      const writing = beside && setInterval(beside, 10)
      await measure(service, path, bodies, 2)
      await measure(echo, id, bodies, 2)
      for (let round = 0; round < ROUNDS; round++) rounds.push({ bare: await measure(echo, id, bodies), ours: await measure(service, path, bodies) })
      clearInterval(writing)
      const figures = (side: 'ours' | 'bare') =>
        `${Math.round(median(rounds.map((round) => round[side].rate)))}/s, ${Math.round(median(rounds.map((round) => round[side].cpu)))} µs`
      results.push({
        what: `${name}, ${CONNECTIONS} connections`,
        ours: figures('ours'),
        other: `echo ${figures('bare')}`,
        ratio: median(rounds.map(({ ours, bare }) => ours.rate / bare.rate)),
        cpuRatio: median(rounds.map(({ ours, bare }) => bare.cpu / ours.cpu)),
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
