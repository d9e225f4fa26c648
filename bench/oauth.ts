import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { connect } from '../src/transports/sdk/connect.ts'
import { cpuMicroseconds, median, startService } from './processes.ts'
import type { Result } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 5

/** What a call costs by a token of OAuth, against the same call by a key, in the same run. */
export async function oauthRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const service = await startService(folder)
  try {
    const crm = connect({ baseUrl: service.url, key: service.key })
    const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    const { KeyID, Key } = await crm.keys.create({})
    const credentials = { grant_type: 'client_credentials', client_id: KeyID, client_secret: Key, resource: `${service.url}/v1` }
    const response = await fetch(`${service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(credentials) })
    const { access_token } = (await response.json()) as { access_token: string }
    const sides = { key: Key, token: access_token }

    const measure = async (side: keyof typeof sides, seconds = SECONDS) => {
      const before = cpuMicroseconds(service.process.pid as number)
      const run = await autocannon({
        url: `${service.url}/v1/operations/get_leads`,
        method: 'POST',
        headers: { authorization: `Bearer ${sides[side]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ LeadID }),
        connections: CONNECTIONS,
        duration: seconds,
      })
      if (run.non2xx > 0 || run.errors > 0) throw new Error(`${side}: ${run.non2xx} refusals, ${run.errors} errors`)
      return { rate: run.requests.average, cpu: (cpuMicroseconds(service.process.pid as number) - before) / run.requests.total }
    }
    const rounds: Record<keyof typeof sides, { rate: number; cpu: number }>[] = []
    await measure('key', 2)
    await measure('token', 2)
    // In turn, so that neither always follows the other.
    for (let round = 0; round < ROUNDS; round++) {
      const [key, token] = round % 2 === 0 ? [await measure('key'), await measure('token')] : [await measure('token'), await measure('key')].reverse()
      if (key && token) rounds.push({ key, token })
    }
    const figures = (side: keyof typeof sides) =>
      `${Math.round(median(rounds.map((round) => round[side].rate)))}/s, ${Math.round(median(rounds.map((round) => round[side].cpu)))} µs`
    return [
      {
        what: `Get Leads by a token of OAuth, ${CONNECTIONS} connections`,
        ours: figures('token'),
        other: `by a key ${figures('key')}`,
        ratio: median(rounds.map((round) => round.key.rate / round.token.rate)),
        cpuRatio: median(rounds.map((round) => round.token.cpu / round.key.cpu)),
        atMost: 1.1,
      },
    ]
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
