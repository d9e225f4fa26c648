import jsforce from 'jsforce'
import { expect, test } from 'vitest'
import type { CrmDriver } from '../../../../src/platforms/crms/engine/driver.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { changes, idsOf, idsSince } from '../feed.ts'
import { account, create } from './account.ts'

const { open, send, simulator, requests } = account()

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const RECORDS: { readonly [type: string]: StoredRecord } = {
  Lead: { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' },
  Opportunity: { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' },
  Case: { Subject: 'Broken', Status: 'New' },
  Company: { CompanyName: 'Navy' },
  Contact: { FirstName: 'Grace', LastName: 'Hopper' },
  Campaign: { CampaignName: 'Autumn', Status: 'Planned' },
}

/** What another client creates; resolves to its id. */
const made = async (object: string, values: object) => (await send<{ id: string }>('POST', `/sobjects/${object}`, values)).id
const edit = (object: string, id: string, values: object) => send('PATCH', `/sobjects/${object}/${id}`, values)
const remove = (object: string, id: string) => send('DELETE', `/sobjects/${object}/${id}`)

const elsewhere = () => new jsforce.Connection({ instanceUrl: simulator().url, accessToken: 'simulator', version: '60.0' })

/** The moment by the clock of the CRM, and what happens later is in another second. */
async function moment(driver: CrmDriver): Promise<number> {
  await simulator().advance(2000)
  await driver.find('Lead', { where: [], size: 1 })
  return driver.now()
}

test('every type is narrowed and sorted by when it was changed', async () => {
  const driver = await open()
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Hull', Type: 'Number', Label: 'Hull' }])
  for (const type of [...Object.keys(RECORDS), 'CustomObject']) {
    const record = RECORDS[type] ?? { ObjectName: 'Boat', Values: { Hull: 7 } }
    const ids: string[] = []
    const moments: string[] = []
    for (let at = 0; at < 5; at++) {
      await simulator().advance(at === 3 ? 0 : 2000)
      ids.push(await create(driver, type, record))
      const [read] = await driver.get(type, ids.slice(-1))
      moments.push(String(read?.UpdatedDate))
    }
    const found = await idsSince(driver, type, moments, 'Boat')
    for (const [at, some] of found.entries()) expect(some).toEqual(ids.slice(moments.indexOf(moments[at] as string)))
  }
})

test('what other clients create and change is listed from any moment on, oldest change first, and ties are not lost', async () => {
  const driver = await open()
  simulator().faults.add('same-stamp=60000')
  const ids: string[] = []
  for (let at = 0; at < 7; at++) ids.push(await made('Lead', { LastName: `L${at}`, Company: 'Navy' }))
  await simulator().advance(MINUTE_MS)
  await edit('Lead', ids[2] as string, { Phone: '1' })
  const found = await changes(driver, 'Lead')
  expect(idsOf('Lead', found)).toEqual([...ids.filter((id) => id !== ids[2]), ids[2]])
  expect(found.at(-1)).toMatchObject({ record: { LeadID: ids[2], Phone: '1' }, at: Date.parse(String(found.at(-1)?.record.UpdatedDate)) })
  expect(idsOf('Lead', await changes(driver, 'Lead', { since: (found.at(-1)?.at ?? 0) + 999 }))).toEqual([ids[2]])
  expect(idsOf('Lead', await changes(driver, 'Lead', { since: found[0]?.at ?? 0, size: 2000 }))).toEqual(idsOf('Lead', found))
})

test('a row that is committed late is found by its older stamp', async () => {
  const driver = await open()
  simulator().faults.add('late-rows=20000:POST')
  const late = await made('Lead', { LastName: 'Late', Company: 'Navy' })
  simulator().faults.clear()
  await simulator().advance(5000)
  const seen = await made('Lead', { LastName: 'Seen', Company: 'Navy' })
  const [first] = await changes(driver, 'Lead')
  expect(first?.record.LeadID).toBe(seen)
  await simulator().advance(20_000)
  expect(idsOf('Lead', await changes(driver, 'Lead', { since: (first?.at ?? 0) - 10_000 }))).toEqual([late, seen])
})

test('what Salesforce itself changes is listed, although UpdatedDate stays', async () => {
  const driver = await open()
  const campaign = await made('Campaign', { Name: 'Autumn' })
  const deal = await made('Opportunity', { Name: 'Engine', StageName: 'Prospecting', CloseDate: '2026-12-31', CampaignId: campaign })
  const since = await moment(driver)
  await remove('Campaign', campaign)
  const found = await changes(driver, 'Opportunity', { since })
  expect(found).toMatchObject([{ record: { OpportunityID: deal, CampaignID: null } }])
  expect(found[0]?.at).toBeGreaterThan(Date.parse(String(found[0]?.record.UpdatedDate)))
})

test('a converted lead is listed as one that lists leave out', async () => {
  const driver = await open()
  const [ada, grace] = [await made('Lead', { LastName: 'Lovelace', Company: 'Navy' }), await made('Lead', { LastName: 'Hopper', Company: 'Navy' })]
  await simulator().advance(2000)
  await elsewhere().soap.convertLead({ leadId: ada, convertedStatus: 'Closed - Converted' } as never)
  expect((await changes(driver, 'Lead')).map(({ record, leftOut }) => [record.LeadID, leftOut])).toEqual([
    [grace, undefined],
    [ada, true],
  ])
})

test('notes, comments and memberships of all parents are listed with the type of the parent', async () => {
  const driver = await open()
  const [lead, deal, company, contact] = [
    await made('Lead', { LastName: 'Lovelace', Company: 'Navy' }),
    await made('Opportunity', { Name: 'Engine', StageName: 'Prospecting', CloseDate: '2026-12-31' }),
    await made('Account', { Name: 'Navy' }),
    await made('Contact', { LastName: 'Hopper' }),
  ]
  const [ticket, campaign] = [await made('Case', { Subject: 'Broken' }), await made('Campaign', { Name: 'Autumn' })]
  const parents = { Lead: lead, Opportunity: deal, Company: company, Contact: contact }
  for (const [on, ParentId] of Object.entries(parents)) await made('Note', { Title: on, Body: on, ParentId })
  await made('Note', { Title: 'Campaign', Body: 'of no record that has notes here', ParentId: campaign })
  const since = await moment(driver)
  const comment = await made('CaseComment', { ParentId: ticket, CommentBody: 'Asked' })
  const member = await made('CampaignMember', { LeadId: lead, CampaignId: campaign })
  await made('CampaignMember', { ContactId: contact, CampaignId: campaign })

  const notes = await changes(driver, 'Note')
  expect(notes.map(({ on, record }) => [on, record.RecordID, record.Note])).toEqual(Object.entries(parents).map(([on, id]) => [on, id, on]))
  expect(await changes(driver, 'Note', { since })).toEqual([])
  await edit('Note', String(notes[1]?.record.NoteID), { Body: 'Changed' })
  expect(await changes(driver, 'Note', { since })).toMatchObject([{ on: 'Opportunity', record: { RecordID: deal, Note: 'Changed' } }])

  expect(await changes(driver, 'Comment', { since })).toMatchObject([
    { on: 'Case', record: { CommentID: comment, CaseID: ticket, Comment: 'Asked', Publish: false } },
  ])
  const membership = { MembershipID: `${lead}:${campaign}`, LeadID: lead, CampaignID: campaign }
  expect(await changes(driver, 'Membership', { since })).toMatchObject([{ on: 'Lead', record: membership }])

  await remove('CampaignMember', member)
  await remove('CaseComment', comment)
  expect(await driver.deletedSince?.('Membership', since)).toMatchObject([{ id: membership.MembershipID }])
  expect(await driver.deletedSince?.('Comment', since)).toMatchObject([{ id: comment }])
  expect(await driver.deletedSince?.('Note', since)).toEqual([])
})

test('a modern note of two records is listed twice, and read once', async () => {
  const driver = await open({}, { notes: 'ContentNote' })
  const [lead, company] = [await made('Lead', { LastName: 'Lovelace', Company: 'Navy' }), await made('Account', { Name: 'Navy' })]
  const since = await moment(driver)
  const note = await create(driver, 'Note', { RecordID: lead, Note: 'Both' }, 'Lead')
  await made('ContentDocumentLink', { ContentDocumentId: note, LinkedEntityId: company, ShareType: 'V' })
  requests.length = 0
  const found = await changes(driver, 'Note', { since, size: 50 })
  expect(found.map(({ on, record }) => [on, record.RecordID, record.Note, record.NoteID]).sort()).toEqual([
    ['Company', company, 'Both', note],
    ['Lead', lead, 'Both', note],
  ])
  expect(requests).toHaveLength(4)
  const anew = await driver.getAttached?.('Note', [note, 'nothing'])
  expect(anew?.records.map(({ on, record }) => [on, record.RecordID, record.Note]).sort()).toEqual([
    ['Company', company, 'Both'],
    ['Lead', lead, 'Both'],
  ])
  await remove('ContentDocument', note)
  expect(await driver.getAttached?.('Note', [note])).toEqual({ records: [] })
  expect(await driver.deletedSince?.('Note', since)).toMatchObject([{ id: note }])
})

test('what was deleted or merged is told in one request, and what was restored is not', async () => {
  const driver = await open()
  const ids: string[] = []
  for (let at = 0; at < 5; at++) ids.push(await made('Lead', { LastName: `L${at}`, Company: 'Navy' }))
  const [master = '', merged = '', gone = '', back = '', before = ''] = ids
  await remove('Lead', before)
  const since = await moment(driver)
  await remove('Lead', gone)
  await remove('Lead', back)
  await elsewhere().soap.merge([{ masterRecord: { type: 'Lead', Id: master }, recordToMergeIds: [merged] } as never])
  await elsewhere().soap.undelete([back])
  requests.length = 0
  const found = (await driver.deletedSince?.('Lead', since)) ?? []
  expect(requests).toHaveLength(1)
  expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([{ id: merged, mergedInto: master }, { id: gone }])
  for (const { at } of found) expect(at).toBeGreaterThanOrEqual(since - 1000)
  for (const type of ['Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'Note', 'Comment', 'Membership'])
    expect(await driver.deletedSince?.(type, since)).toEqual([])
})

test('more deletions than fit in an answer are told', async () => {
  const driver = await open()
  const since = await moment(driver)
  const ids: string[] = []
  for (let at = 0; at < 11; at++) {
    const records = Array.from({ length: 200 }, (_, n) => ({ attributes: { type: 'Contact' }, LastName: `L${at}-${n}` }))
    ids.push(...(await send<{ id: string }[]>('POST', '/composite/sobjects', { records })).map(({ id }) => id))
  }
  for (let at = 0; at < ids.length; at += 200) await send('DELETE', `/composite/sobjects?ids=${ids.slice(at, at + 200)}`)
  const found = (await driver.deletedSince?.('Contact', since)) ?? []
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(ids))
  expect(found).toHaveLength(2200)
})

test('deletions before the log begins, or of which it was purged, are not told', async () => {
  const driver = await open()
  const [first, second] = [await made('Lead', { LastName: 'First', Company: 'Navy' }), await made('Lead', { LastName: 'Second', Company: 'Navy' })]
  const since = await moment(driver)
  await remove('Lead', first)
  await simulator().advance(10 * MINUTE_MS)
  const purged = await moment(driver)
  await fetch(`${simulator().url}/simulator/deleted/purge`, { method: 'POST', body: '{}' })
  expect(await driver.deletedSince?.('Lead', since)).toBeUndefined()
  await simulator().advance(10 * MINUTE_MS)
  await remove('Lead', second)
  const later = await moment(driver)
  expect(await driver.deletedSince?.('Lead', purged + 5 * MINUTE_MS)).toMatchObject([{ id: second }])
  await simulator().advance(16 * DAY_MS)
  await moment(driver)
  expect(await driver.deletedSince?.('Lead', later)).toBeUndefined()
})

test('what was removed from the recycle bin is told by the log', async () => {
  const driver = await open()
  const [lead, campaign] = [await made('Lead', { LastName: 'Lovelace', Company: 'Navy' }), await made('Campaign', { Name: 'Autumn' })]
  const member = await made('CampaignMember', { LeadId: lead, CampaignId: campaign })
  const since = await moment(driver)
  await remove('CampaignMember', member)
  await remove('Lead', lead)
  await elsewhere().soap.emptyRecycleBin([lead, member])
  await simulator().advance(2 * DAY_MS)
  await moment(driver)
  expect(await driver.deletedSince?.('Lead', since)).toMatchObject([{ id: lead }])
  // The log does not say which lead and which campaign the row was about.
  expect(await driver.deletedSince?.('Membership', since)).toBeUndefined()
})

test('a feed that finds nothing costs one request for changes and one for deletions', async () => {
  const driver = await open()
  await made('Lead', { LastName: 'Lovelace', Company: 'Navy' })
  const since = await moment(driver)
  for (const type of ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'Note', 'Comment', 'Membership']) {
    requests.length = 0
    expect(await changes(driver, type, { since, size: 2000 })).toEqual([])
    expect(await driver.deletedSince?.(type, since)).toEqual([])
    expect(requests).toHaveLength(2)
  }
})

test('the clock of the CRM counts, not ours', async () => {
  const ahead = await moment(await open())
  simulator().faults.add('clock-skew=3600000')
  const driver = await open()
  const since = await moment(driver)
  expect(since).toBeLessThan(ahead)
  const lead = await made('Lead', { LastName: 'Lovelace', Company: 'Navy' })
  expect(idsOf('Lead', await changes(driver, 'Lead', { since }))).toEqual([lead])
  await remove('Lead', lead)
  expect(await driver.deletedSince?.('Lead', since)).toMatchObject([{ id: lead }])
})
