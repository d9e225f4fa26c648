import { expect, onTestFinished, test } from 'vitest'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { changes, idsOf, idsSince } from '../feed.ts'
import { type Account, apiUser, openAccount as openAt, openingOf, RIGHTS } from './account.ts'

async function openAccount(): Promise<Account & { made: (scope: string, values: object) => Promise<string>; moment: () => Promise<number> }> {
  const account = await openAt()
  onTestFinished(account.close)
  return {
    ...account,
    made: async (scope, values) => String((await account.ask('POST', scope, values)).id),
    /** The moment by the clock of the CRM, and what happens later is in another second. */
    async moment() {
      await account.simulator.advance(2000)
      await account.driver.ping()
      const now = account.driver.now()
      await account.simulator.advance(2000)
      return now
    },
  }
}

const RECORDS: { readonly [type: string]: StoredRecord } = {
  Lead: { FirstName: 'Ada', LastName: 'Lovelace', Status: 'New' },
  Opportunity: { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 1 },
  Case: { Subject: 'Broken', Status: 'New' },
  Company: { CompanyName: 'Navy' },
  Contact: { FirstName: 'Grace', LastName: 'Hopper' },
  Campaign: { CampaignName: 'Autumn', Status: 'Planned' },
}

test('every type is narrowed and sorted by when it was changed', async () => {
  const { driver, simulator } = await openAccount()
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Hull', Type: 'Number', Label: 'Hull' }])
  for (const type of [...Object.keys(RECORDS), 'CustomObject']) {
    const ids: unknown[] = []
    const moments: string[] = []
    for (let at = 0; at < 5; at++) {
      await simulator.advance(at === 3 ? 0 : 2000)
      const [record] = (await driver.create(type, [RECORDS[type] ?? { ObjectName: 'Boat', Values: { Hull: 7 } }])) as StoredRecord[]
      ids.push(Object.values(record ?? {})[0])
      moments.push(String(record?.UpdatedDate))
    }
    const found = await idsSince(driver, type, moments, 'Boat')
    for (const [at, some] of found.entries()) expect(some).toEqual(ids.slice(moments.indexOf(moments[at] as string)))
  }
})

test('what other clients create and change is listed, oldest change first, and ties are not lost', async () => {
  const { driver, simulator, ask, made } = await openAccount()
  simulator.faults.add('same-stamp=60000')
  const ids: string[] = []
  for (let at = 0; at < 7; at++) ids.push(await made('Account', { name: `A${at}` }))
  await simulator.advance(60_000)
  await ask('PUT', `Account/${ids[2]}`, { website: 'https://example.com' })
  simulator.faults.clear()
  const found = await changes(driver, 'Company')
  expect(new Set(idsOf('Company', found))).toEqual(new Set(ids))
  expect(found).toHaveLength(7)
  expect(found.at(-1)).toMatchObject({ record: { CompanyID: ids[2], Website: 'https://example.com' } })
  expect(idsOf('Company', await changes(driver, 'Company', { since: (found.at(-1)?.at ?? 0) + 999 }))).toEqual([ids[2]])
})

test('a row that is committed late is found by its older moment', async () => {
  const { driver, simulator, made } = await openAccount()
  simulator.faults.add('late-rows=20000:POST')
  const late = await made('Account', { name: 'Late' })
  simulator.faults.clear()
  await simulator.advance(5000)
  const seen = await made('Account', { name: 'Seen' })
  const [first] = await changes(driver, 'Company')
  expect(first?.record.CompanyID).toBe(seen)
  await simulator.advance(20_000)
  expect(idsOf('Company', await changes(driver, 'Company', { since: (first?.at ?? 0) - 10_000 }))).toEqual([late, seen])
})

test('notes and comments of all parents are listed with the type of the parent', async () => {
  const { driver, simulator, ask, made, moment } = await openAccount()
  const parents = {
    Lead: await made('Lead', { lastName: 'Lovelace' }),
    Opportunity: await made('Opportunity', { name: 'Engine', amount: 1, amountCurrency: 'USD', closeDate: '2026-12-31' }),
    Company: await made('Account', { name: 'Navy' }),
    Contact: await made('Contact', { lastName: 'Hopper' }),
  }
  const ticket = await made('Case', { name: 'Broken' })
  const post = (parentType: string, parentId: string, text: string, more: object = {}) =>
    made('Note', { type: 'Post', parentType, parentId, post: text, ...more })
  const notes: string[] = []
  for (const [on, id] of Object.entries(parents)) {
    await simulator.advance(2000)
    notes.push(await post(on === 'Company' ? 'Account' : on, id, on))
  }
  await post('Case', ticket, 'Asked', { isInternal: true })
  const since = await moment()
  // Entries that EspoCRM itself makes are none of ours.
  await ask('PUT', `Lead/${parents.Lead}`, { status: 'Assigned' })
  const found = await changes(driver, 'Note')
  expect(found.map(({ on, record }) => [on, record.RecordID, record.Note])).toEqual(Object.entries(parents).map(([on, id]) => [on, id, on]))
  expect(found[0]?.record).toEqual((await driver.get('Note', [notes[0] as string]))[0])
  expect(await changes(driver, 'Comment')).toMatchObject([{ on: 'Case', record: { CaseID: ticket, Comment: 'Asked', Publish: false } }])
  expect(await changes(driver, 'Note', { since })).toEqual([])
  await ask('PUT', `Note/${notes[0]}`, { post: 'Changed' })
  expect(await changes(driver, 'Note', { since })).toMatchObject([{ on: 'Lead', record: { RecordID: parents.Lead, Note: 'Changed' } }])
})

test('an API user is not shown the posts of others, and with an administrator beside it all are', async () => {
  const { simulator, made } = await openAccount()
  const lead = await made('Lead', { lastName: 'Lovelace' })
  await made('Note', { type: 'Post', parentType: 'Lead', parentId: lead, post: 'by a person' })
  const { apiKey } = await apiUser(simulator, RIGHTS)
  const alone = await espocrm.open(openingOf(simulator, { secrets: { apiKey } }))
  const both = await espocrm.open(openingOf(simulator, { secrets: { apiKey, username: 'admin', password: 'simulator' } }))
  onTestFinished(async () => {
    await Promise.all([alone.close(), both.close()])
  })
  expect(await alone.attached?.('Note', { size: 10 })).toBeUndefined()
  expect(await alone.attached?.('Membership', { size: 10 })).toEqual({ records: [] })
  expect(await changes(both, 'Note')).toMatchObject([{ record: { Note: 'by a person' } }])
})

test('memberships of all campaigns are listed, whatever the moment', async () => {
  const { driver, made, moment } = await openAccount()
  const [autumn, winter] = [await made('Campaign', { name: 'Autumn' }), await made('Campaign', { name: 'Winter' })]
  const leads: string[] = []
  for (let at = 0; at < 3; at++) leads.push(await made('Lead', { lastName: `L${at}` }))
  const pairs = [...leads.map((LeadID) => ({ LeadID, CampaignID: autumn })), { LeadID: leads[0] as string, CampaignID: winter }]
  await driver.create('Membership', pairs)
  // A list that belongs to no campaign of ours.
  await made('TargetList', { name: 'Mine' })
  const since = await moment()
  const ids = pairs.map(({ LeadID, CampaignID }) => `${LeadID}:${CampaignID}`)
  for (const from of [undefined, since]) {
    const found = await changes(driver, 'Membership', from === undefined ? {} : { since: from })
    expect(idsOf('Membership', found).sort()).toEqual(ids.toSorted())
    expect(new Set(found.map(({ on }) => on))).toEqual(new Set(['Lead']))
    expect(await driver.get('Membership', ids)).toEqual(expect.arrayContaining(found.map(({ record }) => record)))
  }
})

test('posts are read anew with their parents, and counted by when they were made', async () => {
  const { driver, ask, made, moment } = await openAccount()
  const [lead, ticket] = [await made('Lead', { lastName: 'Lovelace' }), await made('Case', { name: 'Broken' })]
  const post = (parentType: string, parentId: string, text: string) => made('Note', { type: 'Post', parentType, parentId, post: text })
  const [kept, gone, comment] = [await post('Lead', lead, 'kept'), await post('Lead', lead, 'gone'), await post('Case', ticket, 'Asked')]
  await ask('DELETE', `Note/${gone}`)
  expect((await driver.getAttached?.('Note', [kept, gone, comment]))?.records).toMatchObject([{ on: 'Lead', record: { NoteID: kept, RecordID: lead } }])
  const created = (value: number) => [{ field: 'CreatedDate', family: 'timestamp', operator: 'lt', value: new Date(value).toISOString() } as const]
  const now = await moment()
  expect(await driver.countAttached?.('Note', created(now))).toBe(1)
  expect(await driver.countAttached?.('Note', created(now - 3_600_000))).toBe(0)
  const query = { where: created(now), order: { field: 'CreatedDate', descending: false }, fields: [], size: 10 }
  expect((await driver.findAttached?.('Comment', query))?.records.map(({ CommentID }) => CommentID)).toEqual([comment])
})

test('the sizes of campaigns are those of their lists', async () => {
  const { driver, made } = await openAccount()
  const [autumn, winter] = [await made('Campaign', { name: 'Autumn' }), await made('Campaign', { name: 'Winter' })]
  expect(await driver.campaignSizes?.()).toEqual(new Map())
  for (const name of ['Lovelace', 'Hopper']) await driver.create('Membership', [{ LeadID: await made('Lead', { lastName: name }), CampaignID: autumn }])
  expect(await driver.campaignSizes?.()).toEqual(
    new Map([
      [autumn, { size: 2 }],
      [winter, { size: 0 }],
    ]),
  )
})

test('deletions are not told: there is no log of them', async () => {
  const { driver, ask, made, moment } = await openAccount()
  const company = await made('Account', { name: 'Navy' })
  const since = await moment()
  await ask('DELETE', `Account/${company}`)
  expect(await changes(driver, 'Company', { since })).toEqual([])
  expect(driver.deletedSince).toBeUndefined()
})
