import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { connect } from '../src/transports/sdk/connect.ts'
import { buildBefore } from './before.ts'
import { cpuMicroseconds, median, startService } from './processes.ts'
import type { Result } from './report.ts'

const CONNECTIONS = 64
const SECONDS = 4
const ROUNDS = 3

/** The last commit before records had companies, contacts and fields of one's own; another one with CRM_BENCH_BEFORE. */
const BEFORE = process.env.CRM_BENCH_BEFORE ?? 'ab5e17d'

interface Side {
  readonly service: Awaited<ReturnType<typeof startService>>
  readonly id: string
  readonly bodies: readonly unknown[]
}

async function measure({ service, id, bodies }: Side, seconds = SECONDS): Promise<{ readonly rate: number; readonly cpu: number }> {
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' }
  const requests = bodies.map((body) => ({ method: 'POST' as const, body: JSON.stringify(body) }))
  const before = cpuMicroseconds(service.process.pid as number)
  const run = await autocannon({ url: `${service.url}/v1/operations/${id}`, headers, requests, connections: CONNECTIONS, duration: seconds })
  if (run.non2xx > 0 || run.errors > 0) throw new Error(`${id}: ${run.non2xx} refusals, ${run.errors} errors`)
  return { rate: run.requests.average, cpu: (cpuMicroseconds(service.process.pid as number) - before) / run.requests.total }
}

interface Bar {
  readonly atLeast?: number
  /** How many times as long it may take. */
  readonly atMost?: number
}

async function compared(what: string, ours: Side, other: Side, against: string, { atLeast, atMost }: Bar): Promise<Result> {
  await measure(ours, 2)
  await measure(other, 2)
  const rounds: { readonly ours: Awaited<ReturnType<typeof measure>>; readonly other: Awaited<ReturnType<typeof measure>> }[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push({ other: await measure(other), ours: await measure(ours) })
  const figures = (side: 'ours' | 'other') =>
    `${Math.round(median(rounds.map((round) => round[side].rate)))}/s, ${Math.round(median(rounds.map((round) => round[side].cpu)))} µs`
  const faster = median(rounds.map((round) => round.ours.rate / round.other.rate))
  return {
    what,
    ours: figures('ours'),
    other: `${against} ${figures('other')}`,
    ratio: atMost === undefined ? faster : 1 / faster,
    cpuRatio: median(rounds.map((round) => (atMost === undefined ? round.other.cpu / round.ours.cpu : round.ours.cpu / round.other.cpu))),
    ...(atLeast !== undefined && { atLeast }),
    ...(atMost !== undefined && { atMost }),
  }
}

const person = (i: number) => ({
  FirstName: `Ada ${i % 50}`,
  LastName: `Lovelace ${(i * 7919) % 500}`,
  Email: `ada${i}@example.com`,
  Phone: `+44 20 7946 ${(i * 31) % 500}`,
})

/** What whole records cost: beside the version before, an upsert beside a create, Include beside a page without, fields of one's own beside standard ones. */
export async function wholeRecords(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const build = buildBefore(folder, BEFORE)
  const before = await startService(join(folder, 'data-before'), {}, build.path)
  const now = await startService(join(folder, 'data-now'))
  try {
    const seeded = async (service: typeof now) => {
      const crm = connect({ baseUrl: service.url, key: service.key })
      const ids: string[] = []
      for (let i = 0; i < 10; i++)
        ids.push(...(await Promise.all(Array.from({ length: 100 }, (_, j) => crm.leads.create(person(i * 100 + j))))).map(({ LeadID }) => LeadID))
      return { crm, leads: ids.map((LeadID) => ({ LeadID })) }
    }
    const old = await seeded(before)
    const { crm, leads } = await seeded(now)
    const people = Array.from({ length: 500 }, (_, i) => person(i))
    const page = [{ Filters: { Status: 'Open' }, Limit: 50 }]
    const here = (id: string, bodies: readonly unknown[]): Side => ({ service: now, id, bodies })
    const there = (id: string, bodies: readonly unknown[]): Side => ({ service: before, id, bodies })
    const results = [
      await compared('Create A Lead', here('create_a_lead', people), there('create_a_lead', people), 'before', { atLeast: 0.9 }),
      await compared('Get Leads, 1,000 of them in turn', here('get_leads', leads), there('get_leads', old.leads), 'before', { atLeast: 0.9 }),
      await compared('Get Many Leads, a page of 50 with a filter', here('get_many_leads', page), there('get_many_leads', page), 'before', { atLeast: 0.9 }),
    ]

    const matching = people.map((one, i) => ({ ...one, ExternalID: `external-${i}` }))
    results.push(await compared('Upsert Lead by ExternalID', here('upsert_lead', matching), here('create_a_lead', people), 'create', { atLeast: 0.7 }))

    const companies = await Promise.all(Array.from({ length: 50 }, (_, i) => crm.companies.create({ CompanyName: `Engines ${i}` })))
    await Promise.all(companies.map(({ CompanyID }, i) => crm.contacts.create({ LastName: `Babbage ${i}`, CompanyID })))
    const contacts = { Limit: 50 }
    results.push(
      await compared(
        'Get Many Contacts, a page of 50 with their companies',
        here('get_many_contacts', [{ ...contacts, Include: ['Company'] }]),
        here('get_many_contacts', [contacts]),
        'without',
        { atMost: 1.5 },
      ),
    )

    await crm.fields.define({ RecordType: 'Contact', FieldName: 'Score', Kind: 'integer', Indexed: true })
    await crm.fields.define({ RecordType: 'Contact', FieldName: 'Nickname', Kind: 'text' })
    const contact = (i: number, more: object) => ({ LastName: `Babbage ${i}`, ...more })
    const own = people.map((_, i) => contact(i, { Score: i % 10, Nickname: `Nick ${i}` }))
    const standard = people.map((_, i) => contact(i, { Email: `score${i % 10}@example.com`, Title: `Nick ${i}` }))
    results.push(
      await compared('Create Contact with two fields of one’s own', here('create_contact', own), here('create_contact', standard), 'two standard ones', {}),
    )
    results.push(
      await compared(
        'Get Many Contacts, a page of 50 filtered by one’s own field',
        here('get_many_contacts', [{ Filters: { Score: 5 }, Limit: 50 }]),
        here('get_many_contacts', [{ Filters: { Email: 'score5@example.com' }, Limit: 50 }]),
        'a standard one',
        {},
      ),
    )
    return results
  } finally {
    await now.stop()
    await before.stop()
    build.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
