import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../../src/contract/records/event.ts'
import { isLocked, lockRecord } from '../../../src/core/call/record-locks.ts'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { watchWorkspace, withWatched } from '../../../src/core/watch/watch.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { type Crm, overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'

/** Leads, opportunities, cases, companies, contacts, campaigns, records of custom objects, notes, comments and memberships. */
const TYPES = 10

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** The connector over a CRM, and another client of the same account. */
async function open(kind: Crm) {
  const connection = await overCrm(kind)
  const other = await otherClient(kind, connection.simulator.url)
  onTestFinished(async () => {
    await other.close()
    await connection.close()
  })
  const crm = connection.signIn(connection.adminKey)
  const poll = () => watchWorkspace(connection.service, 1, new AbortController().signal)
  let cursor: string | undefined
  /** The events since it was last asked. */
  async function news() {
    const { Events, NextCursor } = await crm.events.getMany({ Limit: 1000, ...(cursor !== undefined && { After: cursor }) })
    cursor = NextCursor
    return Events.filter(({ RecordType }) => RecordType !== 'User' && RecordType !== 'Key').map(({ Type, RecordID, Source, ChangedFields }) => ({
      Type,
      RecordID,
      Source,
      ChangedFields,
    }))
  }
  const last = async () => (await crm.events.getMany({ Limit: 1000 })).Events.at(-1) as Event
  const mirror = connection.service.store.mirror(1)
  return { ...connection, crm, other, poll, news, last, mirror }
}

describe.each(ALL_CRMS)('a watch of %s', (_name, kind) => {
  test('announces nothing at its first start, and has a mirror of what is there', async () => {
    const { crm, other, poll, news, mirror } = await open(kind)
    const theirs = await other.write(1, (writer) => writer.create('Lead', { ...ADA, Status: 'Open' }))
    const { LeadID } = await crm.leads.create({ FirstName: 'Grace', LastName: 'Hopper' })
    await news()
    await poll()
    expect(await news()).toEqual([])
    const { records } = await mirror.find('Lead', { where: [], order: { field: 'LeadID', descending: false }, limit: 10 })
    expect(records.map((record) => record.LeadID).sort()).toEqual([theirs.LeadID as string, LeadID].sort())
    expect(records.find((record) => record.LeadID === LeadID)).toMatchObject({ FirstName: 'Grace', LastName: 'Hopper' })
  })

  test('announces what others create, change and delete, once', async () => {
    const { other, poll, news, last } = await open(kind)
    await poll()
    await news()
    const { LeadID } = (await other.write(1, (writer) => writer.create('Lead', { ...ADA, Status: 'Open' }))) as { LeadID: string }
    await poll()
    await poll()
    expect(await news()).toMatchObject([{ Type: 'lead.created', RecordID: LeadID, Source: 'crm' }])
    await other.write(1, (writer) => writer.update('Lead', LeadID, { LastName: 'King' }))
    await poll()
    await poll()
    expect(await news()).toEqual([{ Type: 'lead.updated', RecordID: LeadID, Source: 'crm', ChangedFields: ['LastName'] }])
    expect(await last()).toMatchObject({ Before: { LastName: 'Lovelace' }, Record: { LastName: 'King' } })
    await other.write(1, (writer) => writer.delete('Lead', LeadID))
    await poll()
    await poll()
    expect(await news()).toEqual([{ Type: 'lead.deleted', RecordID: LeadID, Source: 'crm', ChangedFields: [] }])
    const { Before, Record } = await last()
    expect(Before).toEqual(Record)
    expect(Before).toMatchObject({ LeadID, FirstName: 'Ada', LastName: 'King' })
  })

  test('a text that is empty is no changed field', async () => {
    const { other, poll, last } = await open(kind)
    await poll()
    await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'Open' }))
    await poll()
    const { ChangedFields, Before } = await last()
    expect(ChangedFields).toContain('LastName')
    expect(ChangedFields).not.toContain('FirstName')
    expect(Before).toBeNull()
  })

  test('does not announce again what was done through the connector', async () => {
    const { crm, poll, news } = await open(kind)
    await poll()
    await news()
    const { LeadID } = await crm.leads.create(ADA)
    await poll()
    await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' } })
    await poll()
    await crm.leads.delete({ LeadID })
    await poll()
    expect((await news()).map(({ Type, Source }) => [Type, Source])).toEqual([
      ['lead.created', 'api'],
      ['lead.updated', 'api'],
      ['lead.deleted', 'api'],
    ])
  })

  test('leaves a record to a call that is writing it, and finds it once the call has ended', async () => {
    const { service, crm, other, poll, news } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    await poll()
    await news()
    const budget = { share: '', isOver: false, signal: new AbortController().signal }
    const release = await lockRecord(service.store, 1, `Lead ${LeadID}`, budget)
    await other.write(1, (writer) => writer.update('Lead', LeadID, { LastName: 'King' }))
    await poll()
    expect(await news()).toEqual([])
    release()
    await vi.waitFor(() => expect(isLocked(service.store, 1, `Lead ${LeadID}`)).toBe(false), 60_000)
    await poll()
    expect(await news()).toEqual([{ Type: 'lead.updated', RecordID: LeadID, Source: 'crm', ChangedFields: ['LastName'] }])
  })

  test('costs at most two requests a type where nothing has changed', async () => {
    const requests: string[] = []
    const simulate: Crm['simulate'] = (world) => {
      const simulated = kind.simulate(world)
      return {
        ...simulated,
        answer(request) {
          requests.push(`${request.method} ${request.path}`)
          return simulated.answer(request)
        },
      }
    }
    const { poll } = await open({ ...kind, simulate })
    await poll()
    await poll()
    requests.length = 0
    await poll()
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(2 * TYPES)
  })

  test('reads anew what refers to a record that others have deleted', async () => {
    const { other, poll, news, mirror, simulator } = await open(kind)
    const create = (type: string, record: StoredRecord) => other.write(1, (writer) => writer.create(type, record))
    const CompanyID = (await create('Company', { CompanyName: 'Engines' })).CompanyID as string
    const deal = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-01', CompanyID }
    const OpportunityID = (await create('Opportunity', deal)).OpportunityID as string
    await poll()
    // Beyond what each poll reads again.
    await simulator.advance(15 * 60_000)
    await poll()
    await news()
    await other.write(1, (writer) => writer.delete('Company', CompanyID))
    await poll()
    // Salesforce deletes the opportunities of an account with it, and EspoCRM goes on to show the id of one that is gone.
    const read = await other.reader(1).get('Opportunity', OpportunityID)
    const told = read ? (read.CompanyID === null ? ['opportunity.updated'] : []) : ['opportunity.deleted']
    expect((await news()).map(({ Type }) => Type)).toEqual(['company.deleted', ...told])
    expect((await mirror.get('Opportunity', OpportunityID))?.CompanyID).toBe(read?.CompanyID)
  })

  test('takes own writes for own, although the clock of the account was set back', async () => {
    const { crm, poll, news, simulator } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    await poll()
    await news()
    simulator.faults.add('clock-skew=5s')
    await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'Byron' } })
    expect((await crm.leads.getMany({})).Records).toMatchObject([{ LastName: 'Byron' }])
    await poll()
    expect(await news()).toMatchObject([{ Type: 'lead.updated', Source: 'api' }])
  })
})

test('own writes that the lists of espocrm do not show yet are not told as deleted, nor as made by others', async () => {
  const { crm, poll, news, simulator, mirror } = await open(ESPOCRM)
  await poll()
  await news()
  simulator.faults.add('index-lag=3s')
  const leads = await Promise.all(Array.from({ length: 6 }, (_, i) => crm.leads.create({ FirstName: `${i}`, LastName: 'Lovelace' })))
  for (const { LeadID } of leads) await crm.leads.addNote({ LeadID, Note: 'Called' })
  for (const { LeadID } of leads) await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'Byron' } })
  await poll()
  expect(await mirror.count('Lead', [])).toBe(leads.length)
  await simulator.advance(10_000)
  await poll()
  expect((await news()).filter(({ Source }) => Source === 'crm')).toEqual([])
})

test('a mirror of salesforce has no converted leads, whatever is attached to them, and verifying takes out those that it has', async () => {
  const { crm, other, poll, mirror, service } = await open(SALESFORCE)
  const { CampaignID } = await other.write(1, (writer) => writer.create('Campaign', { CampaignName: 'Fair' }))
  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { ...ADA, Company: 'Engines', Status: 'Open' }))
  const lead = await other.reader(1).get('Lead', LeadID as string)
  await other.write(1, (writer) => writer.create('Note', { RecordID: LeadID as string, Note: 'Called' }, 'Lead'))
  await other.write(1, (writer) =>
    writer.create('Membership', { MembershipID: `${LeadID}:${CampaignID}`, LeadID: LeadID as string, CampaignID: CampaignID as string }),
  )
  await other.write(1, async (writer) => writer.convertLead?.({ leadId: LeadID as string }))
  await poll()
  expect(await mirror.count('Lead', [])).toBe(0)
  expect((await crm.leads.getSummary({})).Total).toBe((await crm.leads.getSummary({ Fresh: true })).Total)
  await service.store.write(1, (writer) => writer.inMirror().create('Lead', lead as StoredRecord))
  await withWatched(service, 1, (watched) => verifyMirror(watched, new AbortController().signal))
  expect(await mirror.count('Lead', [])).toBe(0)
})

test('a watch of salesforce announces what Salesforce itself changes, and converted leads', async () => {
  const { other, poll, news } = await open(SALESFORCE)
  const { CampaignID } = await other.write(1, (writer) => writer.create('Campaign', { CampaignName: 'Fair' }))
  const deal = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-01', CampaignID: CampaignID as string }
  const { OpportunityID } = await other.write(1, (writer) => writer.create('Opportunity', deal))
  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { ...ADA, Company: 'Engines', Status: 'Open' }))
  await poll()
  await news()
  await other.write(1, (writer) => writer.delete('Campaign', CampaignID as string))
  await poll()
  expect(await news()).toEqual(
    expect.arrayContaining([
      { Type: 'campaign.deleted', RecordID: CampaignID, Source: 'crm', ChangedFields: [] },
      { Type: 'opportunity.updated', RecordID: OpportunityID, Source: 'crm', ChangedFields: ['CampaignID'] },
    ]),
  )
  await other.write(1, async (writer) => writer.convertLead?.({ leadId: LeadID as string }))
  await poll()
  expect((await news()).map(({ Type }) => Type).sort()).toEqual(['company.created', 'contact.created', 'lead.updated'])
})
