import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { start, startService } from './processes.ts'
import { type Result, ratiosOf } from './report.ts'

const LISTENERS = 1000
const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 3

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958' }

/** What event streams cost those who write: creates a second with many that listen, against none in the same run. The sides alternate. */
export async function fanoutRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const service = await startService(folder)
  const url = `${service.url}/v1/operations/create_a_lead`
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify(ADA)

  async function rate(connections: number, seconds = SECONDS): Promise<number> {
    const run = await autocannon({ url, headers, connections, duration: seconds, requests: [{ method: 'POST', body }] })
    if (run.non2xx > 0 || run.errors > 0) throw new Error(`${run.non2xx} refusals, ${run.errors} errors`)
    return run.requests.average
  }

  try {
    await rate(CONNECTIONS, 2)
    const rounds: { alone: number; heard: number; manyAlone: number; manyHeard: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const [alone, manyAlone] = [await rate(1), await rate(CONNECTIONS)]
      const listeners = await start(['scripts/run.js', 'bench/listeners.ts', service.url, service.key, String(LISTENERS)])
      rounds.push({ alone, manyAlone, heard: await rate(1), manyHeard: await rate(CONNECTIONS) })
      await listeners.stop()
    }
    const result = ratiosOf(rounds)
    return [
      result(`Create A Lead with ${LISTENERS} event streams, one caller`, 'heard', 'alone', 'without', 0.5),
      result(`Create A Lead with ${LISTENERS} event streams, ${CONNECTIONS} connections`, 'manyHeard', 'manyAlone', 'without', 0.5),
    ]
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
