import assert from 'node:assert/strict'
import type { Context } from './behaviour.ts'
import { ADA, email, engine, JAM, type Row } from './records.ts'
import { answered, idsOf, type Proof, type Proofs } from './walk-samples.ts'
import { lastChange } from './writes.ts'

/** A note or comment is attached to its record only, with its text. */
const attached = (
  create: (context: Context) => Promise<string>,
  id: string,
  text: string,
  show: (context: Context, id: string) => Promise<readonly Row[]>,
): Proofs => {
  const proof =
    (more: Row): Proof =>
    async (context, operation) => {
      const [here, there] = [await create(context), await create(context)]
      const input = { [id]: here, [text]: 'Said.', ...more }
      if (more.Publish && context.lacks('published comments')) {
        await context.refused(context.crm.call(operation.id, input), 'unsupported', { field: 'Publish' })
        return assert.deepEqual(await show(context, here), [])
      }
      await answered(context, operation, input)
      const [found] = await show(context, here)
      assert.deepEqual({ ...found }, { ...found, [text]: 'Said.', ...more })
      assert.deepEqual(await show(context, there), [])
    }
  return { [id]: proof({}), [text]: proof({}), Publish: proof({ Publish: true }) }
}

const newLead = async ({ crm }: Context) => (await crm.leads.create(ADA)).LeadID
const newCase = async ({ crm }: Context) => (await crm.cases.create(JAM)).CaseID
const newDeal = async (context: Context) => (await context.crm.opportunities.create(engine(context))).OpportunityID

const newCompany = async ({ crm, unique }: Context) => (await crm.companies.create({ CompanyName: unique('Engines') })).CompanyID
const newContact = async (context: Context) => (await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })).ContactID

/** Pages through the children of one record and not those of another. */
const paged = (
  id: string,
  create: (context: Context) => Promise<string>,
  add: (context: Context, id: string, text: string) => Promise<unknown>,
  text: string,
): Proofs => {
  const proof: Proof = async (context, operation) => {
    const [here, there] = [await create(context), await create(context)]
    for (const note of ['one', 'two']) await add(context, here, note)
    const first = await answered(context, operation, { [id]: here, Limit: 1 })
    const second = await answered(context, operation, { [id]: here, Limit: 1, Cursor: first.NextCursor })
    assert.deepEqual([idsOf(first, text), idsOf(second, text), second.NextCursor], [['two'], ['one'], null])
    for (const Fresh of [true, false]) assert.deepEqual(idsOf(await answered(context, operation, { [id]: here, Fresh }), text), ['two', 'one'])
    assert.deepEqual(idsOf(await answered(context, operation, { [id]: there }), text), [])
  }
  return { [id]: proof, Limit: proof, Cursor: proof, Fresh: proof }
}

/** A lead is in the campaign it was added to, and in no other. */
const membership: Proof = async (context, { verb }) => {
  const { crm, unique } = context
  const [LeadID, other] = [await newLead(context), await newLead(context)]
  const [here, there] = [await crm.campaigns.create({ CampaignName: unique('here') }), await crm.campaigns.create({ CampaignName: unique('there') })]
  const of = async (lead: string) => (await crm.leads.get({ LeadID: lead })).Campaigns.map(({ CampaignID }) => CampaignID)
  await crm.leads.addToCampaign({ LeadID, CampaignID: here.CampaignID })
  assert.deepEqual([await of(LeadID), await of(other)], [[here.CampaignID], []])
  if (verb === 'link') return
  for (const lead of [LeadID, other]) await crm.leads.addToCampaign({ LeadID: lead, CampaignID: there.CampaignID })
  await crm.leads.removeFromCampaign({ LeadID, CampaignID: there.CampaignID })
  assert.deepEqual([await of(LeadID), await of(other)], [[here.CampaignID], [there.CampaignID]])
}

/** The status of a member is stored, and changed by adding the lead again. */
const memberStatus: Proof = async (context) => {
  const { crm, unique, refused, lacks } = context
  const LeadID = await newLead(context)
  const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
  if (lacks('member statuses')) return void (await refused(crm.leads.addToCampaign({ LeadID, CampaignID, Status: 'Sent' }), 'unsupported', { field: 'Status' }))
  const status = async () => (await crm.leads.get({ LeadID })).Campaigns.map(({ Status }) => Status)
  assert.equal((await crm.leads.addToCampaign({ LeadID, CampaignID, Status: 'Sent' })).Status, 'Sent')
  assert.deepEqual(await status(), ['Sent'])
  assert.equal((await crm.leads.addToCampaign({ LeadID, CampaignID, Status: 'Responded' })).Status, 'Responded')
  assert.equal((await crm.leads.addToCampaign({ LeadID, CampaignID })).Status, 'Responded')
  assert.deepEqual(await status(), ['Responded'])
}

/** The external id of a member is stored, and changed by adding the lead again; no two members have the same. */
const memberId: Proof = async (context) => {
  const { crm, unique, refused, lacks } = context
  const [LeadID, other] = [await newLead(context), await newLead(context)]
  const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
  const [one, two] = [unique('M'), unique('M')]
  const add = (id: string, ExternalID?: string) => crm.leads.addToCampaign({ LeadID: id, CampaignID, ...(ExternalID && { ExternalID }) })
  if (lacks('member external ids')) return void (await refused(add(LeadID, one), 'unsupported', { field: 'ExternalID' }))
  assert.equal((await add(LeadID, one)).ExternalID, one)
  await refused(add(other, one), 'conflict', { field: 'ExternalID' })
  assert.deepEqual((await crm.leads.get({ LeadID: other })).Campaigns, [])
  assert.equal((await add(LeadID, two)).ExternalID, two)
  assert.equal((await add(LeadID)).ExternalID, two)
  const ids = async (id: string) => (await crm.leads.get({ LeadID: id })).Campaigns.map(({ ExternalID }) => ExternalID)
  assert.deepEqual(await ids(LeadID), [two])
  // The former one is free; undone, the later change brings it back only as long as it is.
  assert.equal((await add(other, one)).ExternalID, one)
  const change = await lastChange(context, LeadID)
  await refused(crm.changes.undo({ ChangeID: change.ChangeID }), 'conflict')
  await crm.leads.removeFromCampaign({ LeadID: other, CampaignID })
  await crm.changes.undo({ ChangeID: change.ChangeID })
  assert.deepEqual(await ids(LeadID), [one])
  if (lacks('restore')) return
  await crm.leads.delete({ LeadID })
  assert.equal((await add(other, one)).ExternalID, one)
  const deleted = await lastChange(context, LeadID)
  await refused(crm.changes.undo({ ChangeID: deleted.ChangeID }), 'conflict')
  await add(other, two)
  await crm.changes.undo({ ChangeID: deleted.ChangeID })
  assert.deepEqual([await ids(LeadID), await ids(other)], [[one], [two]])
}

/** The proofs of operations on the children of a record. */
export const CHILDREN: { readonly [operation: string]: Proofs } = {
  add_notes_to_leads: attached(newLead, 'LeadID', 'Note', async ({ crm }, LeadID) => (await crm.leads.get({ LeadID })).Notes),
  add_notes_to_opportunity: attached(
    newDeal,
    'OpportunityID',
    'Note',
    async ({ crm }, OpportunityID) => (await crm.opportunities.get({ OpportunityID })).Notes,
  ),
  add_comment: attached(newCase, 'CaseID', 'Comment', async ({ crm }, CaseID) => (await crm.cases.get({ CaseID })).Comments),
  get_many_notes: paged('RecordID', newLead, ({ crm }, LeadID, Note) => crm.leads.addNote({ LeadID, Note }), 'Note'),
  get_many_comments: paged('CaseID', newCase, ({ crm }, CaseID, Comment) => crm.cases.addComment({ CaseID, Comment }), 'Comment'),
  add_notes_to_company: attached(newCompany, 'CompanyID', 'Note', async ({ crm }, CompanyID) => (await crm.companies.get({ CompanyID })).Notes),
  add_notes_to_contact: attached(newContact, 'ContactID', 'Note', async ({ crm }, ContactID) => (await crm.contacts.get({ ContactID })).Notes),
  add_leads_to_campaign: { LeadID: membership, CampaignID: membership, Status: memberStatus, ExternalID: memberId },
  remove_leads_from_campaign: { LeadID: membership, CampaignID: membership },
}
