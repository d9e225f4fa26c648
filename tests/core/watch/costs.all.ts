import { describe, expect, test } from 'vitest'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { type WatchedAccount, watchedAccount } from './account.ts'

const [SECOND_MS, MINUTE_MS] = [1000, 60_000]
const ATTACHED = 3
const MANY = 40

/** The requests that a simulator is sent from now on. */
function requestsTo({ simulated }: WatchedAccount['simulator']): string[] {
  const sent: string[] = []
  const answer = simulated.answer.bind(simulated)
  simulated.answer = (request) => {
    sent.push(`${request.method} ${request.path}`)
    return answer(request)
  }
  return sent
}

describe.each(ALL_CRMS)('an account of %s in which nothing has changed', (name, crm) => {
  test('costs at most two requests a type and poll', async ({ onTestFinished }) => {
    const { simulator, client, types, poll } = await watchedAccount(name, crm, onTestFinished)
    await client.customObjects.create({ ObjectName: 'Boat', Fields: { Port: { Type: 'String', Label: 'Port', Value: 'Kiel' } } })
    await simulator.advance(MINUTE_MS)
    await poll()
    await simulator.advance(15 * MINUTE_MS)
    await poll()
    const sent = requestsTo(simulator)
    for (let polls = 0; polls < 3; polls++) {
      sent.length = 0
      await simulator.advance(120 * SECOND_MS)
      await poll()
      expect(sent.length, sent.join('\n')).toBeGreaterThan(types.size)
      expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(2 * (types.size + ATTACHED))
    }
  })
})

describe.each(ALL_CRMS)('an account of %s', (name, crm) => {
  test('is charged for each request that is sent, however many a page takes', async ({ onTestFinished }) => {
    const { simulator, client, other, poll } = await watchedAccount(name, crm, onTestFinished)
    const sent = requestsTo(simulator)
    const polled = async () => {
      await simulator.advance(MINUTE_MS)
      sent.length = 0
      let count = 0
      await poll(undefined, undefined, { onSent: () => count++ })
      expect(count, sent.join('\n')).toBe(sent.length)
    }
    for (const ObjectName of ['Boat', 'Pier', 'Sail'])
      await client.customObjects.create({ ObjectName, Fields: { Port: { Type: 'String', Label: 'Port', Value: 'Kiel' } } })
    await polled()
    const Description = 'A long text. '.repeat(2_000)
    for (const LastName of ['Lovelace', 'Hopper', 'Babbage']) await other.write(1, (writer) => writer.create('Lead', { LastName, Status: 'Open', Description }))
    for (let polls = 0; polls < 3; polls++) await polled()
    // Texts that EspoCRM's lists cut off are read once.
    expect(sent.filter((one) => one.includes('/Lead/'))).toEqual([])
  })
})

describe.each(ALL_CRMS)('an account of %s in which many records come back', (name, crm) => {
  test('costs a few requests more for all of them, not some for each', async ({ onTestFinished }) => {
    const account = await watchedAccount(name, crm, onTestFinished)
    const { simulator, other, people, types, poll } = account
    const contacts: string[] = []
    for (let i = 0; i < MANY; i++) contacts.push((await other.write(1, (writer) => writer.create('Contact', { LastName: `Hopper ${i}` }))).ContactID as string)
    for (const RecordID of contacts.slice(0, 3)) await other.write(1, (writer) => writer.create('Note', { RecordID, Note: 'Called' }, 'Contact'))
    await simulator.advance(MINUTE_MS)
    await poll()
    await simulator.advance(15 * MINUTE_MS)
    for (const id of contacts) await other.write(1, (writer) => writer.delete('Contact', id))
    await poll()
    await simulator.advance(15 * MINUTE_MS)
    await poll()
    for (const id of contacts) expect(await people.restore('Contact', id)).toBe(true)
    await simulator.advance(10 * SECOND_MS)
    const [cursor, sent] = [await account.cursor(), requestsTo(simulator)]
    await poll()
    expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(2 * (types.size + ATTACHED) + MANY / 2)
    const created = (await account.events(cursor)).filter(({ Type }) => Type === 'contact.created').map(({ RecordID }) => RecordID)
    expect(created.sort()).toEqual(contacts.sort())
    expect(await account.mirror()).toEqual(await account.account())
  })
})

describe('a list of hubspot that also has a contact who is no lead', () => {
  test('is read once, and again only when its members have changed', async ({ onTestFinished }) => {
    const account = await watchedAccount('hubspot', HUBSPOT, onTestFinished)
    const { simulator, other, poll } = account
    const join = (id: unknown) =>
      fetch(`${simulator.url}/crm/v3/lists/${CampaignID}/memberships/add`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: 'Bearer simulator' },
        body: JSON.stringify([id]),
      }).then(({ ok }) => expect(ok).toBe(true))
    const { CampaignID } = await other.write(1, (writer) => writer.create('Campaign', { CampaignName: 'Fair' }))
    const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }))
    const { ContactID } = await other.write(1, (writer) => writer.create('Contact', { LastName: 'Hopper' }))
    await poll()
    await join(ContactID)
    await poll()
    const sent = requestsTo(simulator)
    for (const minutes of [0, 2, 10]) {
      await simulator.advance(minutes * MINUTE_MS)
      await poll()
    }
    expect(sent.filter((one) => one.endsWith(`/${CampaignID}/memberships`))).toEqual([])
    const cursor = await account.cursor()
    await join(LeadID)
    await poll()
    expect((await account.events(cursor)).map(({ Type }) => Type)).toEqual(['lead.added_to_campaign'])
    expect(await account.mirror()).toEqual(await account.account())
  })
})
