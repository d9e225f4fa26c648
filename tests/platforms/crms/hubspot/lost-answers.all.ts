import { expect, onTestFinished, test } from 'vitest'
import type { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import { openCrmPlatform } from '../../../../src/platforms/crms/engine/open.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { StoredRecord, WriteOptions, Writer } from '../../../../src/platforms/platform.ts'
import { ADA, patient, startAccount } from './open-account.ts'

const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', OwnerID: 'nobody' }
const TICKET = { Subject: 'Jam', Description: 'Stuck', Status: 'New', OwnerID: 'nobody' }

/** A platform over an account of which the searches lag behind. */
async function open(options: { readonly [name: string]: string } = {}, searchMs?: number) {
  const { opening, simulator } = await startAccount({ options: { lag: '400', ...options }, retry: patient })
  simulator.faults.add('index-lag=200')
  const platform = await openCrmPlatform(hubspot, { ...opening, reconcileMs: 5000, ...(searchMs !== undefined && { searchMs }) })
  onTestFinished(() => platform.close())
  const records = () => simulator.simulated.state().records as { readonly [object: string]: number }
  return { simulator, records, write: <T>(work: (writer: Writer) => Promise<T>, how?: WriteOptions) => platform.write(1, work, how) }
}

test.for([
  ['drop-after', 'contact', 'Lead', ADA, 'contacts'],
  ['error-after', 'contact', 'Lead', ADA, 'contacts'],
  ['drop-after', 'lead', 'Lead', ADA, 'leads'],
  ['drop-after', 'contact', 'Opportunity', DEAL, 'deals'],
  ['error-after', 'contact', 'Case', TICKET, 'tickets'],
] as const)('after %s there is one record: leads as %s, %s', async ([fault, leads, type, draft, object]) => {
  const { simulator, records, write } = await open({ leads })
  simulator.faults.add(`${fault}=1x:POST /crm/objects/2026-03/${object}`)
  const made = await write((writer) => writer.create(type, { ...draft, OwnerID: 'nobody' }))
  expect(made).toMatchObject(draft)
  expect(records()[object]).toBe(1)
})

test.for([
  'drop-after=1x:POST /crm/objects/2026-03/leads',
  'error-after=1x:POST /crm/objects/2026-03/leads',
  'drop-after=1x:PATCH /crm/objects/2026-03/contacts',
])('after %s there is one lead about a contact that was there', async (fault) => {
  const { simulator, records, write } = await open({ leads: 'lead' })
  const { Phone, ...known } = ADA
  const first = await write((writer) => writer.create('Lead', { ...known, OwnerID: 'nobody' }))
  simulator.faults.add(fault)
  const draft = { ...ADA, OwnerID: 'nobody' }
  const since = Date.now()
  const second = await write((writer) => writer.create('Lead', draft)).catch((error: DriverError): Promise<StoredRecord> => {
    expect(error.code).toBe('outcome_unknown')
    return write((writer) => writer.create('Lead', draft), { earlier: { agoMs: Date.now() - since, waitMs: 0, changesByOthers: async () => [] } })
  })
  expect(second).toMatchObject({ ...ADA, Phone })
  expect(second.LeadID).not.toBe(first.LeadID)
  expect(records()).toMatchObject({ contacts: 1, leads: 2 })
})

test.for(['drop-after', 'error-after'])('after %s there is one note, and it belongs to its record', async (fault) => {
  const { simulator, records, write } = await open()
  const deal = await write((writer) => writer.create('Opportunity', DEAL))
  simulator.faults.add(`${fault}=1x:POST /crm/objects/2026-03/notes`)
  const RecordID = deal.OpportunityID as string
  const note = await write((writer) => writer.create('Note', { RecordID, Note: 'a < b\n& c', AuthorID: 'nobody' }, 'Opportunity'))
  expect(note).toMatchObject({ Note: 'a < b\n& c' })
  expect(records().notes).toBe(1)
})

test('a membership whose making was lost is there once', async () => {
  const { simulator, write } = await open()
  const lead = await write((writer) => writer.create('Lead', { ...ADA, OwnerID: 'nobody' }))
  const campaign = await write((writer) => writer.create('Campaign', { CampaignName: 'Spring', OwnerID: 'nobody' }))
  simulator.faults.add('drop-after=1x:PUT /crm/lists/2026-03')
  const [LeadID, CampaignID] = [lead.LeadID as string, campaign.CampaignID as string]
  const draft = { MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID }
  expect(await write((writer) => writer.create('Membership', draft))).toMatchObject(draft)
})

test('a change whose end was lost is found', async () => {
  const { simulator, write } = await open()
  const { LeadID } = await write((writer) => writer.create('Lead', { ...ADA, OwnerID: 'nobody' }))
  simulator.faults.add('drop-after=1x:PATCH')
  expect(await write((writer) => writer.update('Lead', LeadID as string, { Phone: null, Status: 'Connected' }))).toMatchObject({
    Phone: null,
    Status: 'Connected',
  })
  simulator.faults.add('drop-after=1x:DELETE')
  expect(await write((writer) => writer.delete('Lead', LeadID as string))).toBe(true)
})

test.for([
  ['drop-after', 'Lead', { FirstName: 'Ada', LastName: 'Lovelace' }, 'contacts', 'contact'],
  ['drop-before', 'Lead', { FirstName: 'Ada', LastName: 'Lovelace' }, 'contacts', 'contact'],
  ['drop-after', 'Lead', ADA, 'leads', 'lead'],
  ['drop-after', 'Opportunity', DEAL, 'deals', 'contact'],
  ['drop-before', 'Case', TICKET, 'tickets', 'contact'],
] as const)('after %s of a %s there is one record, however long searches lag behind', async ([fault, type, draft, object, leads]) => {
  const { simulator, records, write } = await open({ leads, lag: '10' }, 100)
  simulator.faults.add('index-lag=1000s')
  simulator.faults.add(`${fault}=1x:POST /crm/objects/2026-03/${object}`)
  const create = (how?: WriteOptions) => write((writer) => writer.create(type, { ...draft, OwnerID: 'nobody' }), how)
  const since = Date.now()
  await expect(create()).rejects.toMatchObject({ code: 'outcome_unknown' })
  const made = await create({ earlier: { agoMs: Date.now() - since, waitMs: 0, changesByOthers: async () => [] } })
  expect(made).toMatchObject(draft)
  expect(records()[object]).toBe(1)
})

test('among too many records to list, a lost create is sent again only once searches have caught up', async () => {
  const { simulator, records, write } = await open({ lag: '10' }, 100)
  const batch = (count: number) =>
    fetch(`${simulator.url}/crm/objects/2026-03/deals/batch/create`, {
      method: 'POST',
      headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
      body: JSON.stringify({
        inputs: Array.from({ length: count }, () => ({ properties: { dealname: 'Other', dealstage: 'contractsent', pipeline: 'default' }, associations: [] })),
      }),
    })
  for (let i = 0; i < 101; i++) await batch(100)
  simulator.advance(1_000)
  simulator.faults.add('drop-before=1x:POST /crm/objects/2026-03/deals')
  const create = (how?: WriteOptions) => write((writer) => writer.create('Opportunity', DEAL), how)
  await expect(create()).rejects.toMatchObject({ code: 'outcome_unknown' })
  const again = (agoMs = 0) => create({ earlier: { agoMs, waitMs: 0, changesByOthers: async () => [] } })
  await expect(again()).rejects.toMatchObject({ code: 'outcome_unknown', hint: expect.stringContaining('another key') })
  expect(records().deals).toBe(10_100)
  simulator.advance(700_000)
  await batch(1)
  simulator.advance(1_000)
  expect(await again(701_000)).toMatchObject(DEAL)
  expect(records().deals).toBe(10_102)
})

test.for(['POST', 'PATCH'])('a lead whose contact was written with a garbled answer (%s) is written, too', async (method) => {
  const { simulator, records, write } = await open({ leads: 'lead' }, 200)
  const draft = { ...ADA, OwnerID: 'nobody' }
  const garbled = `malformed=1x:${method} /crm/objects/2026-03/contacts`
  const lead = method === 'PATCH' ? await write((writer) => writer.create('Lead', draft)) : undefined
  simulator.faults.add(garbled)
  const since = Date.now()
  const call = (writer: Writer) =>
    lead ? writer.update('Lead', lead.LeadID as string, { LastName: 'King', Status: 'Connected' }) : writer.create('Lead', { ...draft, Status: 'Connected' })
  const made = await write(call).catch((error: DriverError) => {
    expect(error).toMatchObject({ code: 'outcome_unknown', unknown: 'ended' })
    return write(call, { earlier: { agoMs: Date.now() - since, waitMs: 0, changesByOthers: async () => [] } })
  })
  expect(made).toMatchObject({ FirstName: 'Ada', Status: 'Connected' })
  expect(records()).toMatchObject({ contacts: 1, leads: 1 })
  expect(simulator.faults.list()).toContain(garbled.replace('1x', '0x'))
})

test('a change with a garbled answer also sets the references', async () => {
  const { simulator, write } = await open()
  const company = await write((writer) => writer.create('Company', { CompanyName: 'Engines', OwnerID: 'nobody' }))
  const { OpportunityID } = await write((writer) => writer.create('Opportunity', DEAL))
  simulator.faults.add('malformed=1x:PATCH /crm/objects/2026-03/deals')
  const changes = { OpportunityName: 'Loom', CompanyID: company.CompanyID as string }
  expect(await write((writer) => writer.update('Opportunity', OpportunityID as string, changes))).toMatchObject(changes)
})
