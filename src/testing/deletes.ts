import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, BOAT, engine, GRACE, JAM, phone } from './records.ts'

export const deletes = theme('deletes', [
  behaviour('a delete answers with the id, and a second one is not found', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    const { CaseID } = await crm.cases.create(JAM)
    const { ObjectID } = await crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    assert.deepEqual({ ...(await crm.leads.delete({ LeadID })) }, { LeadID, Deleted: true })
    assert.deepEqual({ ...(await crm.opportunities.delete({ OpportunityID })) }, { OpportunityID, Deleted: true })
    assert.deepEqual({ ...(await crm.cases.delete({ CaseID })) }, { CaseID, Deleted: true })
    assert.deepEqual({ ...(await crm.customObjects.delete({ ObjectID })) }, { ObjectID, Deleted: true })
    await refused(crm.leads.delete({ LeadID }), 'not_found')
    await refused(crm.opportunities.delete({ OpportunityID }), 'not_found')
    await refused(crm.cases.delete({ CaseID }), 'not_found')
    await refused(crm.customObjects.delete({ ObjectID }), 'not_found')
  }),

  behaviour('a deleted record is gone from gets, lists, counts and what hung on it', async ({ as, refused }) => {
    const { crm } = await as()
    const { LeadID } = await crm.leads.create(ADA)
    const kept = await crm.leads.create(GRACE)
    await crm.leads.addNote({ LeadID, Note: 'x' })
    const { CaseID } = await crm.cases.create(JAM)
    await crm.cases.addComment({ CaseID, Comment: 'x' })
    await crm.leads.delete({ LeadID })
    await crm.cases.delete({ CaseID })
    await refused(crm.leads.get({ LeadID }), 'not_found')
    await refused(crm.notes.getMany({ RecordID: LeadID }), 'not_found')
    await refused(crm.comments.getMany({ CaseID }), 'not_found')
    await refused(crm.leads.addNote({ LeadID, Note: 'x' }), 'not_found')
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } }), 'not_found')
    assert.deepEqual((await crm.leads.getMany({})).Records, [kept])
    assert.equal((await crm.leads.getSummary({})).Total, 1)
    assert.deepEqual((await crm.leads.getSummary({})).Recent, [kept])
    assert.equal((await crm.cases.getSummary({})).OldestOpen, null)
  }),

  behaviour('IfRevision refuses the delete of a record that has changed', async ({ crm, refused }) => {
    const lead = await crm.leads.create(ADA)
    const { LeadID } = lead
    const { Revision } = await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    await refused(crm.leads.delete({ LeadID, IfRevision: lead.Revision }), 'conflict')
    assert.equal((await crm.leads.get({ LeadID })).Phone, phone(1))
    assert.deepEqual({ ...(await crm.leads.delete({ LeadID, IfRevision: Revision })) }, { LeadID, Deleted: true })
  }),

  behaviour('of several deletes made at once, one succeeds', async ({ crm }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => crm.leads.delete({ LeadID })))
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
  }),

  behaviour('deleting a custom object record leaves its definitions', async ({ crm, unique }) => {
    const ObjectName = unique('Boat')
    const { ObjectID } = await crm.customObjects.create({ ObjectName, Fields: BOAT })
    await crm.customObjects.delete({ ObjectID })
    const next = await crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: 'Lübeck' } } })
    assert.deepEqual(next.Values, { HullLength: null, Harbour: 'Lübeck' })
  }),
])
