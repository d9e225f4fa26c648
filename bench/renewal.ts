import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { connect } from '../src/transports/sdk/connect.ts'
import { startService } from './processes.ts'
import { type Result, ratiosOf } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 2
const ROUNDS = 6
/** Calls that wait for the renewal meanwhile. */
const WAITING = 16
/** How long the CRM takes to renew a token: longer than a round. */
const SLOW = `slow=${SECONDS + 2}s:/token`

/** The rate of calls of one workspace while the tokens of another one's connection are renewed, against the rate without, in the same run. */
export async function renewalRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const simulator = await startSimulator(simulateHubSpot)
  const service = await startService(folder, { CRM_CONNECT_PRIVATE: 'true', CRM_WATCH_INTERVAL: 'off' })
  try {
    const crm = connect({ baseUrl: service.url, key: service.key })
    const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    const { Key } = await crm.workspaces.create({ Name: 'acme' })
    const acme = connect({ baseUrl: service.url, key: Key })
    await connectTo(acme, simulator.url)
    const theirs = await acme.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    simulator.faults.add(SLOW)

    const measure = async () => {
      const run = await autocannon({
        url: `${service.url}/v1/operations/get_leads`,
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ LeadID }),
        connections: CONNECTIONS,
        duration: SECONDS,
      })
      if (run.non2xx > 0 || run.errors > 0) throw new Error(`${run.non2xx} refusals, ${run.errors} errors`)
      return run.requests.average
    }
    const measureRenewing = async () => {
      simulator.simulated.tokens?.expire()
      let renewed = false
      const waiting = Promise.all(Array.from({ length: WAITING }, () => acme.leads.get({ LeadID: theirs.LeadID }))).then(() => {
        renewed = true
      })
      const rate = await measure()
      if (renewed) throw new Error('The renewal did not last as long as the round.')
      await waiting
      return rate
    }
    await measure()
    const rounds: { quiet: number; renewing: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = round % 2 === 0 ? await measure() : undefined
      const renewing = await measureRenewing()
      rounds.push({ renewing, quiet: quiet ?? (await measure()) })
    }
    const what = `Get Leads, while ${WAITING} calls of another workspace wait for the renewal of its tokens, ${CONNECTIONS} connections`
    return [ratiosOf(rounds)(what, 'renewing', 'quiet', 'without a renewal', 0.9)]
  } finally {
    await service.stop()
    await simulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function connectTo(crm: ReturnType<typeof connect>, Address: string): Promise<void> {
  const Secrets = { clientId: 'simulator', clientSecret: 'simulator' }
  const { ConnectionID } = await crm.connections.create({ Platform: 'hubspot', Address, SignIn: 'browser', Secrets })
  const { Link } = await crm.connections.authorize({ ConnectionID, RedirectURI: 'http://127.0.0.1:1/callback' })
  const answer = await fetch(Link, { method: 'POST', body: new URLSearchParams({ decision: 'allow' }), redirect: 'manual' })
  const { searchParams } = new URL(answer.headers.get('location') ?? '')
  await crm.connections.complete({ State: searchParams.get('state') ?? '', Code: searchParams.get('code') ?? '' })
}
