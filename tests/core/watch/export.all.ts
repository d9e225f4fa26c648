import { expect, onTestFinished, test } from 'vitest'
import { readPosition } from '../../../src/core/watch/positions.ts'
import type { Reader, StoredRecord } from '../../../src/platforms/platform.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { watchedAccount } from './account.ts'

const LEADS = 10_200
const TOGETHER = 200
const JOBS = '/services/data/v62.0/jobs/query'

/** A watched account with more leads than are read by ordinary pages. */
async function largeAccount() {
  const account = await watchedAccount('salesforce', SALESFORCE, onTestFinished)
  const { url } = account.simulator
  const headers = { ...(await SALESFORCE.headers(url)), 'content-type': 'application/json' }
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    return (await answer.json()) as T
  }
  for (let from = 0; from < LEADS; from += TOGETHER) {
    const records = Array.from({ length: TOGETHER }, (_, at) => ({
      attributes: { type: 'Lead' },
      FirstName: 'Ada "A."',
      LastName: `Lovelace, ${from + at}`,
      Email: `ada${from + at}@example.com`,
      Company: 'Engines\nLtd.',
      Description: at % 3 === 0 ? 'She said "no",\nand left.\n' : null,
      AnnualRevenue: at % 2 === 0 ? at + 0.5 : null,
      NumberOfEmployees: at,
    }))
    await send('POST', '/services/data/v62.0/composite/sobjects', { allOrNone: false, records })
  }
  const second = await account.process()
  return {
    ...account,
    second,
    jobs: async () => (await send<{ records: { id: string; state: string }[] }>('GET', JOBS)).records,
    abort: (id: string) => send('PATCH', `${JOBS}/${id}`, { state: 'Aborted' }),
    position: async () => (await readPosition(second.store.journal(1)))?.types.Lead,
    digests: async () => ({ mirror: await digestsIn(second.store.mirror(1)), account: await digestsIn(account.other.reader(1, { asSearched: true })) }),
  }
}

/** The digests of all leads, which the lower part of a Revision is: they differ where any value does. */
async function digestsIn(reader: Reader): Promise<Map<string, number>> {
  const order = { field: 'LeadID', descending: false }
  const all: StoredRecord[] = []
  for (let more = true, after: { value: string; id: string } | undefined; more; ) {
    const page = await reader.find('Lead', { where: [], order, limit: 1000, ...(after && { after }) })
    all.push(...page.records)
    more = page.more
    const last = page.records.at(-1)?.LeadID as string
    after = { value: last, id: last }
  }
  return new Map(all.map(({ LeadID, Revision }) => [LeadID as string, (Revision as number) % 2 ** 25]))
}

test('a mirror of many leads is backfilled by the Bulk API, whose job is deleted then', async () => {
  const { poll, second, jobs, digests, cursor, events, position } = await largeAccount()
  const before = await cursor()
  await poll(second)
  const { mirror, account } = await digests()
  expect(mirror.size).toBe(LEADS)
  expect(mirror).toEqual(account)
  expect(await jobs()).toEqual([])
  expect(await position()).toEqual({ since: expect.any(Number), isComplete: true, extraFields: expect.any(String) })
  expect(await events(before)).toEqual([])
})

test('an export is resumed where it was, and what was changed meanwhile is not announced later', async () => {
  const { poll, second, process, jobs, digests, simulator, other, cursor, events, position } = await largeAccount()
  const before = await cursor()
  simulator.faults.add('error=1:/results')
  await expect(poll(second)).rejects.toMatchObject({ code: 'platform_unavailable' })
  simulator.faults.clear()
  expect((await position())?.export).toContain('"read"')
  expect(await jobs()).toMatchObject([{ state: 'JobComplete' }])
  const [changed, deleted] = [...(await digests()).account.keys()] as [string, string]
  await other.write(1, (writer) => writer.update('Lead', changed, { LastName: 'King' }))
  await other.write(1, (writer) => writer.delete('Lead', deleted))
  await poll(await process())
  await poll(second)
  const { mirror, account } = await digests()
  expect(mirror.size).toBe(LEADS - 1)
  expect(mirror).toEqual(account)
  expect(await jobs()).toEqual([])
  expect(await events(before)).toEqual([])
})

test.each(['refused', 'aborted by another', 'deleted by another'])('where an export is %s, the mirror is backfilled by pages', async (how) => {
  const { poll, second, jobs, abort, digests, simulator } = await largeAccount()
  if (how === 'refused') simulator.faults.add(`error=1:POST ${JOBS}`)
  else {
    simulator.faults.add(`error=1:GET ${JOBS}/`)
    await expect(poll(second)).rejects.toMatchObject({ code: 'platform_unavailable' })
    simulator.faults.clear()
    const [job] = await jobs()
    await abort(job?.id as string)
    if (how === 'deleted by another') await fetch(`${simulator.url}${JOBS}/${job?.id}`, { method: 'DELETE', headers: await SALESFORCE.headers(simulator.url) })
  }
  await poll(second)
  const { mirror, account } = await digests()
  expect(mirror.size).toBe(LEADS)
  expect(mirror).toEqual(account)
  expect(await jobs()).toEqual([])
})
