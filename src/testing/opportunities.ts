import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead, engine, filledIn } from './records.ts'

export const opportunities = theme('opportunities', [
  behaviour('a new opportunity answers with the whole record, and is stored as answered', async (context) => {
    const { crm, userId } = await context.as()
    const draft = engine(context)
    const deal = await crm.opportunities.create(draft)

    const { OpportunityID, CreatedDate, UpdatedDate, Revision } = deal
    const filled = await filledIn(context, 'create_opportunity', draft, deal)
    assert.deepEqual({ ...deal }, { ...filled, ...draft, OpportunityID, OwnerID: userId, CreatedDate, UpdatedDate, Revision })
    assert.deepEqual(await crm.opportunities.get({ OpportunityID }), { ...deal, Notes: [], NotesTotal: 0 })
    assert.deepEqual((await crm.opportunities.getMany({})).Records, [deal])
  }),

  behaviour('an amount left out or null is null, which is not zero', async (context) => {
    const { Amount: _, ...draft } = engine(context)
    // A required field has a default.
    const none = context.described('Opportunity', 'Amount').Required ? 0 : null
    assert.equal((await context.crm.opportunities.create(draft)).Amount, none)
    assert.equal((await context.crm.opportunities.create({ ...draft, Amount: null })).Amount, none)
    assert.equal((await context.crm.opportunities.create({ ...draft, Amount: 0 })).Amount, 0)
  }),

  behaviour('name, stage and close date are required, and all that miss are named at once', async ({ crm, refused }) => {
    const error = await refused(crm.call('create_opportunity', { Amount: 5 }), 'invalid_input', { field: 'Stage', code: 'missing' })
    assert.deepEqual(error.errors?.map(({ field }) => field).sort(), ['CloseDate', 'OpportunityName', 'Stage'])
  }),

  behaviour('a close date must exist in the calendar', async (context) => {
    const { crm, refused } = context
    for (const CloseDate of ['2024-02-29', '2000-02-29', '2026-12-31', '1999-01-01'])
      assert.equal((await crm.opportunities.create({ ...engine(context), CloseDate })).CloseDate, CloseDate)
    for (const CloseDate of [
      '2023-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-1-1',
      '31.12.2026',
      '2026-12-31T00:00:00Z',
      'tomorrow',
      '',
      ' 2026-12-31',
    ]) {
      await refused(crm.opportunities.create({ ...engine(context), CloseDate }), 'invalid_input', { field: 'CloseDate' })
    }
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    await refused(crm.opportunities.update({ OpportunityID, FieldsToUpdate: { CloseDate: '2023-02-29' } }), 'invalid_input', {
      field: 'FieldsToUpdate.CloseDate',
    })
  }),

  behaviour('a stage must say something', async (context) => {
    for (const Stage of ['', '  ', null])
      await context.refused(context.crm.call('create_opportunity', { ...engine(context), Stage }), 'invalid_input', { field: 'Stage' })
  }),

  behaviour('an opportunity that does not exist is not found, nor is a lead taken for one', async (context) => {
    const { LeadID } = await context.crm.leads.create(ADA)
    for (const OpportunityID of [LeadID, await absentLead(context), 'nothing'])
      await context.refused(context.crm.opportunities.get({ OpportunityID }), 'not_found')
  }),
])
