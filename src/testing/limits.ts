import assert from 'node:assert/strict'
import { LIMITS } from '../contract/limits.ts'
import { behaviour, theme } from './behaviour.ts'
import { ADA, BOAT, engine, JAM } from './records.ts'

const SHORT = 'x'.repeat(LIMITS.text)
const LONG = 'y'.repeat(LIMITS.longText)

export const limits = theme('limits', [
  behaviour('a text of 255 characters is kept, one more is refused', async (context) => {
    const { crm, refused } = context
    for (const field of ['FirstName', 'LastName', 'Phone']) {
      assert.equal(((await crm.call('create_a_lead', { ...ADA, [field]: SHORT })) as Record<string, unknown>)[field], SHORT)
      await refused(crm.call('create_a_lead', { ...ADA, [field]: `${SHORT}x` }), 'invalid_input', { field, code: 'length' })
    }
    await refused(crm.leads.create({ ...ADA, Email: `${SHORT}@example.com` }), 'invalid_input', { field: 'Email', code: 'length' })
    await refused(crm.opportunities.create({ ...engine(context), OpportunityName: `${SHORT}x` }), 'invalid_input', { field: 'OpportunityName', code: 'length' })
    await refused(crm.cases.create({ ...JAM, Subject: `${SHORT}x` }), 'invalid_input', { field: 'Subject', code: 'length' })
    await refused(crm.campaigns.create({ CampaignName: `${SHORT}x` }), 'invalid_input', { field: 'CampaignName', code: 'length' })
    await refused(crm.users.create({ Name: `${SHORT}x` }), 'invalid_input', { field: 'Name', code: 'length' })
  }),

  behaviour('a character outside the basic plane counts once', async ({ crm, refused }) => {
    const FirstName = '😀'.repeat(LIMITS.text)
    assert.equal((await crm.leads.create({ ...ADA, FirstName })).FirstName, FirstName)
    await refused(crm.leads.create({ ...ADA, FirstName: `${FirstName}x` }), 'invalid_input', { field: 'FirstName', code: 'length' })
  }),

  behaviour('descriptions, notes and comments hold 32,000 characters, and no more', async (context) => {
    const { crm, refused } = context
    const { CaseID, Description } = await crm.cases.create({ ...JAM, Description: LONG })
    assert.equal(Description, LONG)
    assert.equal((await crm.cases.addComment({ CaseID, Comment: LONG })).Comment, LONG)
    const { LeadID } = await crm.leads.create(ADA)
    assert.equal((await crm.leads.addNote({ LeadID, Note: LONG })).Note, LONG)
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    assert.equal((await crm.opportunities.addNote({ OpportunityID, Note: LONG })).Note, LONG)
    await refused(crm.cases.create({ ...JAM, Description: `${LONG}y` }), 'invalid_input', { field: 'Description', code: 'length' })
    await refused(crm.cases.addComment({ CaseID, Comment: `${LONG}y` }), 'invalid_input', { field: 'Comment', code: 'length' })
    await refused(crm.leads.addNote({ LeadID, Note: `${LONG}y` }), 'invalid_input', { field: 'Note', code: 'length' })
    await refused(crm.opportunities.addNote({ OpportunityID, Note: `${LONG}y` }), 'invalid_input', { field: 'Note', code: 'length' })
    await refused(crm.cases.update({ CaseID, FieldsToUpdate: { Description: `${LONG}y` } }), 'invalid_input', {
      field: 'FieldsToUpdate.Description',
      code: 'length',
    })
  }),

  behaviour('a user-defined text holds 32,000 characters, and no more', async ({ crm, unique, refused }) => {
    const ObjectName = unique('Boat')
    const { ObjectID } = await crm.customObjects.create({ ObjectName, Fields: BOAT })
    assert.equal((await crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: LONG } })).Values.Harbour, LONG)
    await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: `${LONG}y` } }), 'invalid_input', { field: 'FieldsToUpdate.Harbour' })
    await refused(crm.customObjects.create({ ObjectName, Fields: { Harbour: { Value: `${LONG}y` } } }), 'invalid_input', { field: 'Fields.Harbour' })
    await refused(crm.customObjects.create({ ObjectName, Fields: { Masts: { Type: 'Number', Label: `${SHORT}x` } } }), 'invalid_input', {
      field: 'Fields.Masts.Label',
    })
  }),

  behaviour('a text with a NUL or half a character is refused in every place', async ({ crm, unique, refused }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const { ObjectID } = await crm.customObjects.create({ ObjectName: unique('Boat'), Fields: BOAT })
    for (const text of ['a\u0000b', '\u0000', 'a\ud800b', '\udc00']) {
      await refused(crm.leads.create({ ...ADA, FirstName: text }), 'invalid_input', { field: 'FirstName' })
      await refused(crm.leads.create({ ...ADA, Email: `${text}@example.com` }), 'invalid_input', { field: 'Email' })
      await refused(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: text } }), 'invalid_input', { field: 'FieldsToUpdate.Phone' })
      await refused(crm.leads.addNote({ LeadID, Note: text }), 'invalid_input', { field: 'Note' })
      await refused(crm.leads.getMany({ Filters: { FirstName: text } }), 'invalid_input', { field: 'Filters.FirstName' })
      await refused(crm.leads.getMany({ Filters: { FirstName: { contains: text } } }), 'invalid_input', { field: 'Filters.FirstName' })
      await refused(crm.customObjects.update({ ObjectID, FieldsToUpdate: { Harbour: text } }), 'invalid_input', { field: 'FieldsToUpdate.Harbour' })
      await refused(crm.leads.get({ LeadID: text }), 'invalid_input', { field: 'LeadID' })
    }
  }),

  behaviour('ids are at most 255 long, filters on text at most 32,000', async ({ crm, refused }) => {
    await refused(crm.leads.get({ LeadID: SHORT }), 'not_found')
    await refused(crm.leads.get({ LeadID: `${SHORT}x` }), 'invalid_input', { field: 'LeadID', code: 'length' })
    assert.deepEqual((await crm.leads.getMany({ Filters: { FirstName: LONG } })).Records, [])
    assert.deepEqual((await crm.leads.getMany({ Filters: { FirstName: { contains: LONG } } })).Records, [])
    await refused(crm.leads.getMany({ Filters: { FirstName: `${LONG}y` } }), 'invalid_input', { field: 'Filters.FirstName' })
  }),
])
