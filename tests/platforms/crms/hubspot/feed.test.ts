import { expect, test } from 'vitest'
import { recordType } from '../../../../src/contract/operations.ts'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { changes, idsOf, idsSince, since as sinceMoment } from '../feed.ts'
import { type Account, ADA, good, openAccount as openAt } from './open-account.ts'

/** An account that is searched as often as it takes. */
const openAccount = (options = {}) => openAt({ options: { searches: '1000', ...options } })

const RECORDS: { readonly [type: string]: StoredRecord } = {
  Lead: ADA,
  Opportunity: { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' },
  Case: { Subject: 'Broken', Status: 'New' },
  Company: { CompanyName: 'Navy' },
  Contact: { FirstName: 'Grace', LastName: 'Hopper' },
}

/** Asks the account by hand, as another client would. */
async function ask<T = { id: string }>({ simulator }: Pick<Account, 'simulator'>, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${simulator.url}/crm/v3/${path}`, {
    method,
    headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

const made = async (account: Account, object: string, properties: object) =>
  (await ask(account, 'POST', `objects/${object}`, { properties, associations: [] })).id

async function noteOn(account: Account, text: string, parents: { readonly [object: string]: string }): Promise<string> {
  const id = await made(account, 'notes', { hs_timestamp: '2026-03-12T10:00:00Z', hs_note_body: text })
  for (const [object, parent] of Object.entries(parents)) {
    const path = `${account.simulator.url}/crm/v4/objects/notes/${id}/associations/default/${object}/${parent}`
    expect((await fetch(path, { method: 'PUT', headers: { authorization: 'Bearer simulator' } })).ok).toBe(true)
  }
  return id
}

/** The moment by the clock of the CRM, and what happens later is in another second. */
async function moment({ driver, simulator }: { readonly driver: CrmDriver; readonly simulator: Account['simulator'] }): Promise<number> {
  await simulator.advance(2000)
  await driver.ping()
  const now = driver.now()
  await simulator.advance(2000)
  return now
}

test('every type but campaigns is narrowed, counted and sorted by when it was changed', async () => {
  const { driver, simulator } = await openAccount()
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Hull', Type: 'Number', Label: 'Hull' }])
  for (const type of [...Object.keys(RECORDS), 'CustomObject']) {
    const made: StoredRecord[] = []
    for (let at = 0; at < 12; at++) {
      await simulator.advance(2000)
      const record = RECORDS[type] ?? { ObjectName: 'Boat', Values: { Hull: at } }
      made.push(...(good(await driver.create(type, [type === 'Lead' ? { ...record, Email: `ada${at}@example.com` } : record])) as StoredRecord[]))
    }
    // Calculated properties have moved the dates by then.
    await simulator.advance(600_000)
    const { id } = recordType(type)
    const records = await driver.get(
      type,
      made.map((record) => String(record[id])),
    )
    const times = records.map(({ UpdatedDate }) => String(UpdatedDate)).sort()
    const picked = [0, 5, 11].map((at) => times[at] as string)
    const expected = picked.map((time) => records.filter(({ UpdatedDate }) => String(UpdatedDate) >= time).map((record) => record[id]))
    const found = await idsSince(driver, type, picked, 'Boat')
    expect(found.map((ids) => ids.toSorted())).toEqual(expected.map((ids) => ids.toSorted()))
    const timeOf = new Map(records.map((record) => [record[id], String(record.UpdatedDate)]))
    expect(found[0]?.map((one) => timeOf.get(one as string))).toEqual(times)
    expect(await driver.count(type, { where: [sinceMoment(picked[1] as string)], object: 'Boat' })).toBe(expected[1]?.length)
  }
})

test('what other clients create and change is listed, oldest change first, however many share a moment', async () => {
  const account = await openAccount()
  const { driver, simulator } = account
  simulator.faults.add('same-stamp=60000')
  const ids: string[] = []
  for (let at = 0; at < 25; at++) ids.push(await made(account, 'companies', { name: `C${at}` }))
  await simulator.advance(60_000)
  await ask(account, 'PATCH', `objects/companies/${ids[2]}`, { properties: { phone: '1' } })
  const found = await changes(driver, 'Company')
  expect(new Set(idsOf('Company', found))).toEqual(new Set(ids))
  expect(found).toHaveLength(25)
  expect(found.at(-1)).toMatchObject({ record: { CompanyID: ids[2], Phone: '1' } })
  expect(idsOf('Company', await changes(driver, 'Company', { since: found.at(-1)?.at ?? 0 }))).toEqual([ids[2]])
})

test('a row that the index has late is found by its older moment', async () => {
  const account = await openAccount()
  const { driver, simulator } = account
  simulator.faults.add('late-rows=20000:POST')
  const late = await made(account, 'companies', { name: 'Late' })
  simulator.faults.clear()
  await simulator.advance(5000)
  const seen = await made(account, 'companies', { name: 'Seen' })
  const [first] = await changes(driver, 'Company')
  expect(first?.record.CompanyID).toBe(seen)
  await simulator.advance(20_000)
  expect(idsOf('Company', await changes(driver, 'Company', { since: (first?.at ?? 0) - 10_000 }))).toEqual([late, seen])
})

test('a record that is changed between two pages takes none of the others along', async () => {
  const account = await openAccount()
  const { driver, simulator } = account
  // So many properties that a search cannot show them, and the records are read after it.
  const fields = Array.from({ length: 15 }, (_, at) => `${'long'.repeat(15)}${at}`)
  await driver.define(
    'Boat',
    fields.map((FieldName) => ({ ObjectName: 'Boat', FieldName, Type: 'Number', Label: FieldName })),
  )
  const boats: string[] = []
  for (let at = 0; at < 30; at++) {
    await simulator.advance(2000)
    const [one] = good(await driver.create('CustomObject', [{ ObjectName: 'Boat', Values: { [fields[0] as string]: at } }])) as StoredRecord[]
    boats.push(String(one?.ObjectID))
  }
  simulator.faults.add('index-lag=3600000')
  await simulator.advance(3_600_000)
  const [object, tenth] = String(boats[9]).split('.')
  const [property] = await ask<{ results: { name: string }[] }>(account, 'GET', `properties/${object}`).then(({ results }) =>
    results.filter(({ name }) => name.startsWith('long')),
  )
  await ask(account, 'PATCH', `objects/${object}/${tenth}`, { properties: { [property?.name ?? '']: '99' } })
  const order = { field: 'UpdatedDate', descending: false }
  const first = await driver.find('CustomObject', { where: [], order, size: 10, object: 'Boat' })
  expect(first.records.map(({ ObjectID }) => ObjectID)).toEqual(boats.slice(0, 10))
  simulator.faults.clear()
  const rest: unknown[] = []
  for (let { cursor } = first; cursor !== undefined; ) {
    const page = await driver.find('CustomObject', { where: [], order, size: 10, object: 'Boat', cursor })
    rest.push(...page.records.map(({ ObjectID }) => ObjectID))
    ;({ cursor } = page)
  }
  expect(rest).toEqual([...boats.slice(10), boats[9]])
})

test('notes and comments of all parents are listed with the type of the parent, a note of two records twice', async () => {
  const account = await openAccount()
  const { driver, sent } = account
  const [lead, contact] = [
    await made(account, 'contacts', { lastname: 'Lovelace', lifecyclestage: 'lead' }),
    await made(account, 'contacts', { lastname: 'Hopper', lifecyclestage: 'other' }),
  ]
  const [deal, company] = [await made(account, 'deals', { dealname: 'Engine' }), await made(account, 'companies', { name: 'Navy' })]
  const ticket = await made(account, 'tickets', { subject: 'Broken', hs_pipeline: '0', hs_pipeline_stage: '1' })
  const first = await noteOn(account, 'Lead', { contacts: lead })
  await noteOn(account, 'Contact', { contacts: contact })
  await noteOn(account, 'Both', { deals: deal, companies: company })
  await noteOn(account, 'Loose', {})
  const comment = await noteOn(account, 'Asked', { tickets: ticket })
  const since = await moment(account)
  const parents = (found: Awaited<ReturnType<typeof changes>>) => found.map(({ on, record }) => [on, record.RecordID ?? record.CaseID, record.Note])
  expect(parents(await changes(driver, 'Note'))).toEqual([
    ['Lead', lead, 'Lead'],
    ['Contact', contact, 'Contact'],
    ['Opportunity', deal, 'Both'],
    ['Company', company, 'Both'],
  ])
  expect(await changes(driver, 'Comment')).toMatchObject([
    { on: 'Case', record: { CommentID: comment, CaseID: ticket, Comment: 'Asked', Publish: false }, at: expect.any(Number) },
  ])
  sent.length = 0
  expect(await changes(driver, 'Note', { since })).toEqual([])
  expect(await changes(driver, 'Comment', { since })).toEqual([])
  expect(sent).toHaveLength(2)
  await ask(account, 'PATCH', `objects/notes/${first}`, { properties: { hs_note_body: 'Changed' } })
  sent.length = 0
  expect(parents(await changes(driver, 'Note', { since }))).toEqual([['Lead', lead, 'Changed']])
  // The search, the associations with contacts, deals and companies, and the stage of the contact.
  expect(sent).toHaveLength(5)
})

test('notes are told apart where leads are objects of their own', async () => {
  const account = await openAccount({ leads: 'lead' })
  const { driver } = account
  const [lead] = good(await driver.create('Lead', [ADA])) as StoredRecord[]
  const contact = await made(account, 'contacts', { lastname: 'Hopper' })
  await noteOn(account, 'Both', { leads: String(lead?.LeadID), contacts: contact })
  expect((await changes(driver, 'Note')).map(({ on, record }) => [on, record.RecordID])).toEqual([
    ['Lead', lead?.LeadID],
    ['Contact', contact],
  ])
})

test('memberships are listed campaign by campaign, and only of campaigns that a member was added to', async () => {
  const account = await openAccount()
  const { driver, sent } = account
  const leads: string[] = []
  for (let at = 0; at < 3; at++) leads.push(await made(account, 'contacts', { lastname: `L${at}`, lifecyclestage: 'lead' }))
  const campaigns = good(await driver.create('Campaign', [{ CampaignName: 'Autumn' }, { CampaignName: 'Winter' }, { CampaignName: 'Empty' }])) as StoredRecord[]
  const [autumn, winter] = campaigns.map(({ CampaignID }) => String(CampaignID))
  await ask(account, 'PUT', `lists/${autumn}/memberships/add`, [leads[0], leads[1]])
  const since = await moment(account)
  await ask(account, 'PUT', `lists/${winter}/memberships/add`, [leads[2]])
  const all = await changes(driver, 'Membership')
  expect(idsOf('Membership', all)).toEqual([`${leads[0]}:${autumn}`, `${leads[1]}:${autumn}`, `${leads[2]}:${winter}`])
  expect(all.map(({ on }) => on)).toEqual(['Lead', 'Lead', 'Lead'])
  sent.length = 0
  expect(idsOf('Membership', await changes(driver, 'Membership', { since }))).toEqual([`${leads[2]}:${winter}`])
  expect(sent).toHaveLength(2)
  const later = await moment(account)
  sent.length = 0
  expect(await changes(driver, 'Membership', { since: later })).toEqual([])
  expect(sent).toHaveLength(1)
})

test('notes are read anew with all of their parents, and counted whatever they belong to', async () => {
  const account = await openAccount()
  const { driver } = account
  const [deal, company] = [await made(account, 'deals', { dealname: 'Engine' }), await made(account, 'companies', { name: 'Navy' })]
  const [both, loose, gone] = [
    await noteOn(account, 'Both', { deals: deal, companies: company }),
    await noteOn(account, 'Loose', {}),
    await noteOn(account, 'Gone', { deals: deal }),
  ]
  await ask(account, 'DELETE', `objects/notes/${gone}`)
  const { records, unattached } = (await driver.getAttached?.('Note', [both, loose, gone])) ?? {}
  expect(records?.map(({ on, record }) => [on, record.RecordID, record.Note])).toEqual([
    ['Opportunity', deal, 'Both'],
    ['Company', company, 'Both'],
  ])
  expect(unattached?.map(({ record }) => record.NoteID)).toEqual([loose])
  await moment(account)
  const created = (operator: 'gte' | 'lt') => [{ field: 'CreatedDate', family: 'timestamp', operator, value: new Date(driver.now()).toISOString() } as const]
  expect(await driver.countAttached?.('Note', created('lt'))).toBe(2)
  expect(await driver.countAttached?.('Note', created('gte'))).toBe(0)
  const found = await driver.findAttached?.('Note', { where: created('lt'), order: { field: 'CreatedDate', descending: false }, fields: [], size: 10 })
  expect(found?.records.map(({ NoteID }) => NoteID)).toEqual([both, loose])
})

test('the sizes of all campaigns cost one request', async () => {
  const account = await openAccount()
  const { driver, sent } = account
  const lead = await made(account, 'contacts', { lastname: 'Lovelace', lifecyclestage: 'lead' })
  const campaigns = good(await driver.create('Campaign', [{ CampaignName: 'Autumn' }, { CampaignName: 'Empty' }])) as StoredRecord[]
  const [autumn, empty] = campaigns.map(({ CampaignID }) => String(CampaignID))
  await ask(account, 'PUT', `lists/${autumn}/memberships/add`, [lead])
  sent.length = 0
  const sizes = await driver.campaignSizes?.()
  expect(sent).toHaveLength(1)
  expect(sizes?.get(autumn ?? '')).toEqual({ size: 1, addedAt: expect.any(Number) })
  expect(sizes?.get(empty ?? '')).toMatchObject({ size: 0 })
})

test('of campaigns, all are read, and those that were changed are told', async () => {
  const account = await openAccount()
  const { driver } = account
  const [autumn] = good(await driver.create('Campaign', [{ CampaignName: 'Autumn' }, { CampaignName: 'Winter' }])) as StoredRecord[]
  const since = await moment(account)
  expect(driver.orders('Campaign', { field: 'UpdatedDate', descending: false })).toBe(false)
  expect(await changes(driver, 'Campaign')).toHaveLength(2)
  expect(await changes(driver, 'Campaign', { since })).toEqual([])
  await ask(account, 'PUT', `lists/${autumn?.CampaignID}/update-list-name?listName=Fall`)
  expect(await changes(driver, 'Campaign', { since })).toMatchObject([{ record: { CampaignID: autumn?.CampaignID, CampaignName: 'Fall' } }])
})

test('archived records are not told: there is no log of them', async () => {
  const account = await openAccount()
  const { driver } = account
  const company = await made(account, 'companies', { name: 'Navy' })
  const since = await moment(account)
  await ask(account, 'DELETE', `objects/companies/${company}`)
  expect(await changes(driver, 'Company', { since })).toEqual([])
  expect(driver.deletedSince).toBeUndefined()
})

test('a page of changes costs one search, and the references of records that have some', async () => {
  const account = await openAccount()
  const { driver, sent } = account
  const costs: { [type: string]: number } = {}
  for (const [type, record] of Object.entries(RECORDS)) {
    good(await driver.create(type, [record]))
    sent.length = 0
    expect(await changes(driver, type, { since: 0, size: 200 })).not.toEqual([])
    costs[type] = sent.length
    sent.length = 0
    expect(await changes(driver, type, { since: driver.now() + 86_400_000, size: 200 })).toEqual([])
    expect(sent).toHaveLength(1)
  }
  expect(costs).toEqual({ Lead: 1, Opportunity: 3, Case: 3, Company: 1, Contact: 2 })
})
