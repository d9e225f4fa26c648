import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { start, startService } from './processes.ts'
import { type Result, ratiosOf } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 5
const BATCH = 500

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' }

/** What idempotency keys cost, and what batches save; every create writes its audit entry and its event. The sides alternate. */
export async function journalRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const service = await startService(folder)
  const echo = await start(['scripts/run.js', 'bench/echo-server.ts'])
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
  let keys = 0

  /** Requests a second. Every request gets a unique header, so that the load generator does the same work for all sides. */
  async function rate(url: string, body: string, keyed: boolean, seconds = SECONDS): Promise<number> {
    const name = keyed ? 'idempotency-key' : 'x-request-id'
    const setupRequest = (request: { headers?: object }) => ({ ...request, headers: { ...request.headers, [name]: `bench-${Math.random()}-${++keys}` } })
    const run = await autocannon({ url, headers, connections: CONNECTIONS, duration: seconds, requests: [{ method: 'POST', body, setupRequest }] } as never)
    if (run.non2xx > 0 || run.errors > 0) throw new Error(`${url}: ${run.non2xx} refusals, ${run.errors} errors`)
    return run.requests.average
  }

  /** Calls a second when sent in batches, one batch at a time. */
  async function batchRate(seconds = SECONDS): Promise<number> {
    const body = JSON.stringify({ Operations: Array.from({ length: BATCH }, () => ({ Operation: 'create_a_lead', Input: ADA })) })
    const began = performance.now()
    let calls = 0
    while (performance.now() - began < seconds * 1000) {
      const answer = await fetch(`${service.url}/v1/batch`, { method: 'POST', headers, body })
      const { Results } = (await answer.json()) as { Results: { Status: number }[] }
      calls += Results.filter(({ Status }) => Status === 200).length
    }
    return calls / ((performance.now() - began) / 1000)
  }

  /** Calls a second of a single sequential caller. */
  async function singleRate(seconds = SECONDS): Promise<number> {
    const began = performance.now()
    let calls = 0
    while (performance.now() - began < seconds * 1000) {
      const answer = await fetch(`${service.url}/v1/operations/create_a_lead`, { method: 'POST', headers, body: JSON.stringify(ADA) })
      await answer.text()
      calls++
    }
    return calls / ((performance.now() - began) / 1000)
  }

  try {
    const create = `${service.url}/v1/operations/create_a_lead`
    const body = JSON.stringify(ADA)
    await rate(create, body, true, 2)
    await rate(`${echo.url}/create_a_lead`, body, false, 2)
    const rounds: { bare: number; plain: number; keyed: number; batch: number; single: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        bare: await rate(`${echo.url}/create_a_lead`, body, false),
        plain: await rate(create, body, false),
        keyed: await rate(create, body, true),
        batch: await batchRate(),
        single: await singleRate(),
      })
    }
    const result = ratiosOf(rounds)
    return [
      result(`Create A Lead with key, audit and event, ${CONNECTIONS} connections`, 'keyed', 'bare', 'echo', 0.4),
      result('The same with key against without', 'keyed', 'plain', 'without', 0.8),
      result(`Create A Lead in batches of ${BATCH}, one caller`, 'batch', 'single', 'one by one', 5),
      result(`Create A Lead in batches of ${BATCH}, one caller, against ${CONNECTIONS} connections`, 'batch', 'plain', 'one by one'),
    ]
  } finally {
    await service.stop()
    await echo.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
