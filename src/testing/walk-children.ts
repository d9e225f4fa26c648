import assert from 'node:assert/strict'
import type { Context } from './behaviour.ts'
import { ADA, engine, JAM, type Row } from './records.ts'
import { answered, idsOf, type Proof, type Proofs } from './walk-samples.ts'

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
    assert.deepEqual(idsOf(await answered(context, operation, { [id]: there }), text), [])
  }
  return { [id]: proof, Limit: proof, Cursor: proof }
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
  add_leads_to_campaign: { LeadID: membership, CampaignID: membership },
  remove_leads_from_campaign: { LeadID: membership, CampaignID: membership },
}
