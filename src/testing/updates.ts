import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { behaviour, type Context, theme } from './behaviour.ts'
import { ADA, ALAN, absentLead, BOAT, engine, JAM, phone, type Row } from './records.ts'

/** Proves that a field can be cleared and stays so, or, where the platform insists on a value, that clearing it is refused. */
async function clears({ crm, described, refused }: Context, type: string, id: string, field: string, further: Row): Promise<void> {
  const update = OPERATIONS.find(({ verb, record }) => verb === 'update' && record.name === type) as Operation
  const call = (FieldsToUpdate: Row) => crm.call(update.id, { [update.record.id]: id, FieldsToUpdate }) as Promise<Row>
  if (described(type, field).Required) await refused(call({ [field]: null }), 'invalid_input', { field: `FieldsToUpdate.${field}`, code: 'required' })
  else {
    assert.equal((await call({ [field]: null }))[field], null)
    assert.equal((await call(further))[field], null)
  }
}

export const updates = theme('updates', [
  behaviour('an update changes only the named fields and answers with the whole record', async ({ crm, values }) => {
    const before = await crm.leads.create(ADA)
    const { UpdatedFields, ...after } = await crm.leads.update({ LeadID: before.LeadID, FieldsToUpdate: { Status: values.leadStatuses[1], LastName: 'King' } })

    assert.deepEqual(UpdatedFields.toSorted(), ['LastName', 'Status'])
    assert.ok(after.Revision > before.Revision && after.UpdatedDate >= before.UpdatedDate)
    assert.deepEqual(after, { ...before, Status: values.leadStatuses[1], LastName: 'King', UpdatedDate: after.UpdatedDate, Revision: after.Revision })
    const { Notes, NotesTotal, Campaigns, CampaignsTotal, ...kept } = await crm.leads.get({ LeadID: before.LeadID })
    assert.deepEqual({ ...kept }, after)
  }),

  behaviour('the revision grows with each change', async ({ crm }) => {
    const { LeadID, Revision } = await crm.leads.create(ALAN)
    const revisions = [Revision]
    for (const Phone of [phone(1), phone(2), phone(3)]) revisions.push((await crm.leads.update({ LeadID, FieldsToUpdate: { Phone } })).Revision)
    assert.deepEqual(
      revisions,
      [...new Set(revisions)].sort((a, b) => a - b),
    )
  }),

  behaviour('null clears an optional field, the status included; a default never fills an update', async (context) => {
    const { crm } = context
    const { LeadID } = await crm.leads.create(ADA)
    const { Email, Phone } = await crm.leads.update({ LeadID, FieldsToUpdate: { Email: null, Phone: null } })
    assert.deepEqual([Email, Phone], [null, null])
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    const { CaseID } = await crm.cases.create(JAM)
    await clears(context, 'Lead', LeadID, 'Status', { Phone: phone(1) })
    await clears(context, 'Opportunity', OpportunityID, 'Amount', { OpportunityName: 'x' })
    await clears(context, 'Case', CaseID, 'Status', { Subject: 'x' })
  }),

  behaviour('null or blank on a required field is refused', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { FirstName: null } }), 'invalid_input', {
      field: 'FieldsToUpdate.FirstName',
      code: 'required',
    })
    await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { OwnerID: null } }), 'invalid_input', { field: 'FieldsToUpdate.OwnerID' })
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { LastName: '  ' } }), 'invalid_input', { field: 'FieldsToUpdate.LastName' })
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    for (const field of ['OpportunityName', 'Stage', 'CloseDate']) {
      await refused(crm.call('update_opportunity', { OpportunityID, FieldsToUpdate: { [field]: null } }), 'invalid_input', {
        field: `FieldsToUpdate.${field}`,
        code: 'required',
      })
    }
  }),

  behaviour('an empty update is refused', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const { ObjectID } = await crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: {} }), 'invalid_input', { field: 'FieldsToUpdate' })
    await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: {} }), 'invalid_input', { field: 'FieldsToUpdate' })
    await refused(crm.call('update_lead', { LeadID }), 'invalid_input', { field: 'FieldsToUpdate', code: 'missing' })
    for (const wrong of [null, [], 'Phone', 5])
      await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: wrong }), 'invalid_input', { field: 'FieldsToUpdate' })
  }),

  behaviour('an unknown field is refused with the nearest name, a read-only one as such', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { Stauts: 'x' } }), 'invalid_input', {
      field: 'FieldsToUpdate.Stauts',
      code: 'unknown',
      didYouMean: 'Status',
    })
    for (const field of ['LeadID', 'CreatedDate', 'UpdatedDate', 'Revision']) {
      await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { [field]: 'x' } }), 'invalid_input', {
        field: `FieldsToUpdate.${field}`,
        code: 'read_only',
      })
    }
    for (const field of ['constructor', 'toString', 'hasOwnProperty', 'Notes', 'id']) {
      await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { [field]: 'x' } }), 'invalid_input', {
        field: `FieldsToUpdate.${field}`,
        code: 'unknown',
      })
    }
    await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: JSON.parse('{"__proto__":"x"}') }), 'invalid_input')
  }),

  behaviour('a name at the wrong level is refused with the place where it belongs', async ({ crm, refused }) => {
    const { LeadID, Revision } = await crm.leads.create(ADA)
    for (const [operation, input, field, didYouMean] of [
      ['update_lead', { LeadID, Status: 'Contacted' }, 'Status', 'FieldsToUpdate.Status'],
      ['update_lead', { LeadID, FieldsToUpdate: { Phone: '1' }, email: 'ada@example.com' }, 'email', 'FieldsToUpdate.Email'],
      ['update_lead', { LeadID, FieldsToUpdate: { Phone: '1', IfRevision: 1 } }, 'FieldsToUpdate.IfRevision', 'IfRevision'],
      ['get_many_leads', { Status: 'Open' }, 'Status', 'Filters.Status'],
      ['get_many_leads', { Filters: { Status: 'Open', Limit: 5 } }, 'Filters.Limit', 'Limit'],
      ['get_summary_of_leads', { LastName: 'Lovelace' }, 'LastName', 'Filters.LastName'],
      ['create_custom_object', { ObjectName: 'Boat', Harbour: 'Kiel' }, 'Harbour', 'Fields.Harbour'],
      ['update_custom_object', { ObjectID: 'x', Harbour: 'Kiel' }, 'Harbour', 'FieldsToUpdate.Harbour'],
      ['convert_lead', { LeadID, Stage: 'Prospecting' }, 'Stage', 'Opportunity.Stage'],
    ] as const)
      await refused(crm.call(operation, input), 'invalid_input', { field, code: 'unknown', didYouMean })
    assert.equal((await crm.leads.get({ LeadID })).Revision, Revision)
  }),

  behaviour('a refused update changes nothing, however much of it was right', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const before = await crm.leads.get({ LeadID })
    await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { FirstName: 'Augusta', Nonsense: 1 } }), 'invalid_input')
    await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { FirstName: 'Augusta', Email: 'nowhere' } }), 'invalid_input')
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Augusta', OwnerID: await absentLead(context) } }), 'not_found')
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Augusta' }, IfRevision: before.Revision + 1 }), 'conflict')
    assert.deepEqual(await crm.leads.get({ LeadID }), before)
  }),

  behaviour('every fault of an update is listed at once', async ({ crm, refused }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const error = await refused(
      crm.call('update_lead', { LeadID, FieldsToUpdate: { FirstName: null, Email: 5, Nonsense: 1, Revision: 2 }, Extra: 1 }),
      'invalid_input',
    )
    assert.deepEqual(error.errors?.map(({ field }) => field).sort(), [
      'Extra',
      'FieldsToUpdate.Email',
      'FieldsToUpdate.FirstName',
      'FieldsToUpdate.Nonsense',
      'FieldsToUpdate.Revision',
    ])
  }),

  behaviour('IfRevision lets an update through while the record is unchanged, and refuses it after', async (context) => {
    const { crm, refused } = context
    const lead = await crm.leads.create(ADA)
    const { LeadID } = lead
    const second = await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) }, IfRevision: lead.Revision })
    await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(2) }, IfRevision: lead.Revision }), 'conflict')
    assert.equal((await crm.leads.get({ LeadID })).Phone, phone(1))
    assert.equal((await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(3) }, IfRevision: second.Revision })).Phone, phone(3))
    for (const wrong of [0, -1, 1.5, '1'])
      await refused(crm.call('update_lead', { LeadID, FieldsToUpdate: { Phone: phone(4) }, IfRevision: wrong }), 'invalid_input', { field: 'IfRevision' })
    const boat = await crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    await crm.customObjects.update({ ObjectID: boat.ObjectID, FieldsToUpdate: { Harbour: 'Lübeck' }, IfRevision: boat.Revision })
    await refused(crm.customObjects.update({ ObjectID: boat.ObjectID, FieldsToUpdate: { Harbour: 'Kiel' }, IfRevision: boat.Revision }), 'conflict')
  }),

  behaviour('of several updates made at once on the same revision, one wins', async ({ crm }) => {
    const { LeadID, Revision } = await crm.leads.create(ADA)
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => phone(n)).map((Phone) => crm.leads.update({ LeadID, FieldsToUpdate: { Phone }, IfRevision: Revision })),
    )
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    assert.equal(won.length, 1)
    assert.equal((await crm.leads.get({ LeadID })).Phone, won[0]?.value.Phone)
  }),

  behaviour('a record that does not exist cannot be updated', async (context) => {
    const gone = await absentLead(context)
    await context.refused(context.crm.leads.update({ LeadID: gone, FieldsToUpdate: { Phone: phone(1) } }), 'not_found')
    await context.refused(context.crm.leads.update({ LeadID: gone, FieldsToUpdate: { Phone: phone(1) }, IfRevision: 1 }), 'not_found')
    await context.refused(context.crm.customObjects.update({ ObjectID: gone, FieldsToUpdate: { Phone: phone(1) } }), 'not_found')
  }),
])
