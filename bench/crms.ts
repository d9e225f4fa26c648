import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrmName } from '../src/platforms/crms/names.ts'
import { mirrorResults } from './mirror.ts'
import { median, start, startService } from './processes.ts'
import type { Result } from './report.ts'

const LATENCY_MS = 50
const LEADS = 10_000
const CREATES = 1_000
const ROUNDS = 3
const SINGLE = 31

/** The requests of a bare client that does the same without the connector. */
interface Bare {
  /** Credentials for the service, as environment variables. */
  readonly env: { readonly [variable: string]: string }
  /** For the service, too. */
  readonly options?: { readonly [name: string]: string }
  readonly signIn: (url: string) => Promise<{ readonly [header: string]: string }>
  /** All leads, page by page, newest first. Resolves to how many there were. */
  readonly all: (ask: Ask) => Promise<number>
  /** Creates many leads with the CRM's bulk calls; undefined where it has none. */
  readonly createMany?: (ask: Ask, names: readonly string[]) => Promise<void>
  /** Whether bulk calls return complete records, so that nothing has to be read back. */
  readonly whole: boolean
  /** The paths requested, in parallel, for one lead with what is attached to it. */
  readonly get: (id: string) => readonly string[]
}

type Ask = <T>(path: string, body?: unknown) => Promise<T>

const SALESFORCE = '/services/data/v62.0'
const query = (soql: string) => `${SALESFORCE}/query?q=${encodeURIComponent(soql)}`

const CRMS: { readonly [name in CrmName]: Bare } = {
  salesforce: {
    env: { CRM_SALESFORCE_CLIENT_ID: 'simulator', CRM_SALESFORCE_CLIENT_SECRET: 'simulator' },
    async signIn(url) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'simulator', client_secret: 'simulator' })
      const answer = (await (await fetch(`${url}/services/oauth2/token`, { method: 'POST', body })).json()) as { access_token: string }
      return { authorization: `Bearer ${answer.access_token}` }
    },
    async all(ask) {
      let count = 0
      // Every field, as the connector answers with.
      const described: { fields: { name: string; type: string }[] } = await ask(`${SALESFORCE}/sobjects/Lead/describe`)
      const fields = described.fields.flatMap(({ name, type }) => (type === 'address' ? [] : [name])).join(', ')
      let path: string | undefined = query(`SELECT ${fields} FROM Lead ORDER BY CreatedDate DESC NULLS LAST, Id DESC`)
      while (path !== undefined) {
        const page: { records: unknown[]; nextRecordsUrl?: string } = await ask(path)
        count += page.records.length
        path = page.nextRecordsUrl
      }
      return count
    },
    async createMany(ask, names) {
      for (let i = 0; i < names.length; i += 200)
        await ask(`${SALESFORCE}/composite/sobjects`, {
          allOrNone: false,
          records: names.slice(i, i + 200).map((LastName) => ({ attributes: { type: 'Lead' }, FirstName: 'Ada', LastName, Company: 'None' })),
        })
    },
    whole: false,
    get: (id) => [
      `${SALESFORCE}/sobjects/Lead/${id}`,
      query(`SELECT COUNT() FROM Note WHERE ParentId = '${id}'`),
      query(`SELECT COUNT() FROM CampaignMember WHERE LeadId = '${id}'`),
    ],
  },
  hubspot: {
    env: { CRM_HUBSPOT_TOKEN: 'simulator' },
    // The bare loop keeps no limit.
    options: { searches: '1000' },
    signIn: async () => ({ authorization: 'Bearer simulator' }),
    async all(ask) {
      const described: { results: { name: string }[] } = await ask('/crm/v3/properties/contacts')
      const properties = described.results.map(({ name }) => name)
      const lead = { filters: [{ propertyName: 'lifecyclestage', operator: 'EQ', value: 'lead' }] }
      let count = 0
      for (let after: string | undefined = '0'; after !== undefined; ) {
        const page: { results: unknown[]; paging?: { next?: { after: string } } } = await ask('/crm/v3/objects/contacts/search', {
          filterGroups: [lead],
          sorts: [{ propertyName: 'createdate', direction: 'DESCENDING' }],
          properties,
          limit: 200,
          after,
        })
        count += page.results.length
        after = page.paging?.next?.after
        // HubSpot's searches end at 10,000 results.
        if (after !== undefined && Number(after) >= 10_000) break
      }
      return count
    },
    async createMany(ask, names) {
      for (let i = 0; i < names.length; i += 100)
        await ask('/crm/v3/objects/contacts/batch/create', {
          inputs: names.slice(i, i + 100).map((lastname) => ({ properties: { firstname: 'Ada', lastname, lifecyclestage: 'lead' }, associations: [] })),
        })
    },
    whole: true,
    get: (id) => [`/crm/v3/objects/contacts/${id}?properties=firstname,lastname`, `/crm/v4/objects/contacts/${id}/associations/notes`],
  },
  espocrm: {
    env: { CRM_ESPOCRM_API_KEY: 'simulator' },
    signIn: async () => ({ 'x-api-key': 'simulator' }),
    async all(ask) {
      let count = 0
      for (;;) {
        const page: { total: number; list: unknown[] } = await ask(`/api/v1/Lead?maxSize=200&offset=${count}&orderBy=createdAt&order=desc`)
        count += page.list.length
        if (page.list.length < 200) return count
      }
    },
    whole: true,
    get: (id) => [`/api/v1/Lead/${id}`, `/api/v1/Lead/${id}/posts?maxSize=0`, `/api/v1/Lead/${id}/targetLists?maxSize=0`],
  },
}

/** The connector against a bare client that requests the same of a simulated CRM with a latency of 50 ms. */
export async function crmRatios(): Promise<Result[]> {
  const results: Result[] = []
  const add = (rows: readonly Result[]) => {
    results.push(...rows)
    // Shown as they come, since all of them take a quarter of an hour.
    for (const { what, ours, other, ratio } of rows) process.stdout.write(`${what}: ${ours}, ${other}, ${ratio.toFixed(2)}\n`)
  }
  for (const [name, bare] of Object.entries(CRMS)) {
    add(await measured(name, bare))
    add(await mirrorResults(name as CrmName, bare.signIn))
  }
  return results
}

async function measured(name: string, bare: Bare): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const simulator = await start(['dist/main.js', 'simulate', name, '--port', '0'])
  const store = `sqlite:${join(folder, 'journal.db')}`
  writeFileSync(join(folder, 'crm.config.json'), JSON.stringify({ platforms: { [name]: { options: bare.options ?? {} } } }))
  const service = await startService(folder, { ...bare.env, CRM_PLATFORM: `${name}:${simulator.url}`, CRM_STORE: store, CRM_WATCH_INTERVAL: 'off' })
  try {
    const headers = { ...(await bare.signIn(simulator.url)), 'content-type': 'application/json' }
    const ask: Ask = async <T>(path: string, body?: unknown) => {
      const how = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await fetch(`${simulator.url}${path}`, how)
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as T
    }
    const ours = async (path: string, body: unknown, accept = 'application/json') => {
      const answer = await fetch(`${service.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', accept },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
      return text
    }
    const lead = (LastName: string) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName } })
    const create = async (names: readonly string[]) => {
      const { Results } = JSON.parse(await ours('batch', { Operations: names.map(lead) })) as { Results: { Status: number }[] }
      if (Results.some(({ Status }) => Status !== 200)) throw new Error(`A create was refused: ${JSON.stringify(Results.find(({ Status }) => Status !== 200))}`)
    }
    const names = (from: number, count: number) => Array.from({ length: count }, (_, i) => `Lovelace ${from + i}`)

    for (let i = 0; i < LEADS; i += CREATES) await create(names(i, CREATES))
    const faults = (on: readonly string[]) => fetch(`${simulator.url}/simulator/faults`, { method: 'PUT', body: JSON.stringify(on) })
    await faults([`slow=${LATENCY_MS}`])
    const results: Result[] = []

    const pages = await turns(ROUNDS, {
      async ours() {
        const lines = (await ours('operations/get_many_leads', {}, 'application/x-ndjson')).trim().split('\n').length
        if (lines !== LEADS) throw new Error(`${lines} leads came`)
      },
      async bare() {
        const count = await bare.all(ask)
        if (count !== LEADS) throw new Error(`${count} leads are there`)
      },
    })
    results.push(row(`${name}: get-many of ${LEADS.toLocaleString('en')} leads`, pages, 'bare loop over the pages', 1.15))

    const { Records } = JSON.parse(await ours('operations/get_many_leads', { Limit: 1 })) as { Records: { LeadID: string }[] }
    const id = Records[0]?.LeadID as string
    const single = await turns(SINGLE, {
      ours: () => ours('operations/get_leads', { LeadID: id }),
      bare: () => Promise.all(bare.get(id).map((path) => ask(path))),
    })
    results.push(added(`${name}: what the connector adds to the round trips of Get Leads`, single, 5))

    if (bare.createMany) {
      const { createMany } = bare
      let from = LEADS
      const some = () => {
        from += CREATES
        return names(from, CREATES)
      }
      const batches = await turns(ROUNDS, { ours: () => create(some()), bare: () => createMany(ask, some()) })
      results.push(row(`${name}: ${CREATES.toLocaleString('en')} creates through batch`, batches, 'bare collection calls', bare.whole ? 1.3 : 2.3))
    }
    return results
  } finally {
    await service.stop()
    await simulator.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Durations of both sides in milliseconds, alternating; the first round is a warm-up and not counted. */
async function turns(rounds: number, sides: { readonly ours: () => Promise<unknown>; readonly bare: () => Promise<unknown> }) {
  const times: { ours: number; bare: number }[] = []
  const timed = async (side: () => Promise<unknown>) => {
    const began = performance.now()
    await side()
    return performance.now() - began
  }
  for (let round = 0; round <= rounds; round++) {
    const [bare, ours] = [await timed(sides.bare), await timed(sides.ours)]
    if (round > 0) times.push({ ours, bare })
  }
  return times
}

type Times = Awaited<ReturnType<typeof turns>>
const shown = (ms: number) => `${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`

function row(what: string, times: Times, against: string, atMost: number): Result {
  const [ours, bare] = [median(times.map((one) => one.ours)), median(times.map((one) => one.bare))]
  return { what, ours: shown(ours), other: `${against} ${shown(bare)}`, ratio: median(times.map((one) => one.ours / one.bare)), atMost }
}

/** The added milliseconds, as a ratio to the most that are allowed. */
function added(what: string, times: Times, mostMs: number): Result {
  const [ours, bare] = [median(times.map((one) => one.ours)), median(times.map((one) => one.bare))]
  return { what: `${what}, in units of ${mostMs} ms`, ours: shown(ours), other: `bare ${shown(bare)}`, ratio: (ours - bare) / mostMs, atMost: 1 }
}
