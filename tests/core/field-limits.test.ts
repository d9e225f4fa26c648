import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/service.ts'
import { extendedService, refusalOf } from '../support/extended-service.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const ENGINE = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }

describe('what a platform says of fields', () => {
  test('closes a set of values, for creates and updates, with the nearest that is meant', async () => {
    const { crm } = await extendedService({
      fields: { Opportunity: { Stage: { closed: ['Prospecting', 'Closed Won'] } }, Campaign: { Status: { closed: ['Planned'] } } },
    })
    expect(await refusalOf(crm.opportunities.create({ ...ENGINE, Stage: 'Prospectin' }))).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'Stage', code: 'value', expected: 'Prospecting, Closed Won', didYouMean: 'Prospecting' }],
    })
    const { OpportunityID } = await crm.opportunities.create(ENGINE)
    expect(await refusalOf(crm.opportunities.update({ OpportunityID, FieldsToUpdate: { Stage: 'Lost' } }))).toMatchObject({
      errors: [{ field: 'FieldsToUpdate.Stage', code: 'value' }],
    })
    expect(await refusalOf(crm.campaigns.create({ CampaignName: 'Fair', Status: 'Active' }))).toMatchObject({ errors: [{ field: 'Status', code: 'value' }] })
    expect(await crm.campaigns.create({ CampaignName: 'Fair' })).toMatchObject({ Status: 'Planned' })
  })

  test('gives way to what the configuration closes', async () => {
    const settings = { ...DEFAULT_SETTINGS, allowedValues: { Opportunity: { Stage: ['Talk'] } } }
    const { crm } = await extendedService({ fields: { Opportunity: { Stage: { closed: ['Prospecting'] } } } }, settings)
    expect(await crm.opportunities.create({ ...ENGINE, Stage: 'Talk' })).toMatchObject({ Stage: 'Talk' })
    expect(await refusalOf(crm.opportunities.create(ENGINE))).toMatchObject({ errors: [{ field: 'Stage', code: 'value', expected: 'Talk' }] })
  })

  test('fills in the defaults of the platform, and nothing that it does not take', async () => {
    const { crm } = await extendedService({
      fields: { Lead: { Status: { closed: ['New', 'Working'], defaultValue: 'New' } }, Campaign: { Status: { closed: ['In Progress'] } } },
    })
    expect(await crm.leads.create(ADA)).toMatchObject({ Status: 'New' })
    expect(await crm.campaigns.create({ CampaignName: 'Fair' })).toMatchObject({ Status: null })
  })

  test('wants a value where the contract does not', async () => {
    const { crm } = await extendedService({ fields: { Lead: { Email: { required: true }, Phone: { required: true, defaultValue: '0' } } } })
    expect(await refusalOf(crm.leads.create(ADA))).toMatchObject({ code: 'invalid_input', errors: [{ field: 'Email', code: 'missing' }] })
    expect(await refusalOf(crm.leads.create({ ...ADA, Email: null }))).toMatchObject({ errors: [{ field: 'Email', code: 'required' }] })
    expect(await refusalOf(crm.leads.create({ ...ADA, Email: 'a@b', Phone: ' ' }))).toMatchObject({ errors: [{ field: 'Phone', code: 'form' }] })
    const { LeadID, Phone } = await crm.leads.create({ ...ADA, Email: 'ada@example.com' })
    expect(Phone).toBe('0')
    expect(await refusalOf(crm.leads.update({ LeadID, FieldsToUpdate: { Email: null, Phone: null } }))).toMatchObject({
      errors: [
        { field: 'FieldsToUpdate.Email', code: 'required' },
        { field: 'FieldsToUpdate.Phone', code: 'required' },
      ],
    })
    expect(await crm.leads.update({ LeadID, FieldsToUpdate: { Email: 'b@example.com' } })).toMatchObject({ Email: 'b@example.com' })
  })

  test('bounds texts in characters and bytes, and numbers in decimals, and tells all that is wrong at once', async () => {
    const { crm } = await extendedService({
      fields: {
        Lead: { FirstName: { max: 3 }, LastName: { maxBytes: 8 } },
        Opportunity: { Amount: { decimals: 2 } },
        Note: { Note: { max: 5 } },
        Comment: { Comment: { maxBytes: 5 } },
        CustomObject: { ObjectName: { max: 4 } },
      },
    })
    expect(await refusalOf(crm.leads.create({ FirstName: 'Adam', LastName: 'Lovelace!', Email: 'x' }))).toMatchObject({
      code: 'invalid_input',
      errors: [
        { field: 'Email', code: 'form' },
        { field: 'FirstName', code: 'length', message: 'FirstName is longer than the 3 characters that elsewhere keeps.', expected: 'at most 3 characters' },
        { field: 'LastName', code: 'length', message: 'LastName is longer than the 8 bytes that elsewhere keeps.' },
      ],
    })
    // A character outside the first plane is two halves long in JavaScript, and one character for everyone else.
    const { LeadID } = await crm.leads.create({ FirstName: '😀😀😀', LastName: 'Müller' })
    expect(await refusalOf(crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'Müllerin' } }))).toMatchObject({
      errors: [{ field: 'FieldsToUpdate.LastName', code: 'length' }],
    })
    expect(await refusalOf(crm.leads.create({ FirstName: 'A'.repeat(300), LastName: 'B' }))).toMatchObject({ errors: [{ field: 'FirstName' }] })

    expect(await refusalOf(crm.opportunities.create({ ...ENGINE, Amount: 1.005 }))).toMatchObject({
      errors: [{ field: 'Amount', code: 'value', message: 'Amount has more than the 2 decimals that elsewhere keeps.' }],
    })
    expect(await crm.opportunities.create({ ...ENGINE, Amount: 0.1 + 0.2 })).toMatchObject({ Amount: 0.3 })
    expect(await crm.opportunities.create({ ...ENGINE, Amount: 1_234_567.89 })).toMatchObject({ Amount: 1_234_567.89 })

    expect(await refusalOf(crm.leads.addNote({ LeadID, Note: 'Called' }))).toMatchObject({ errors: [{ field: 'Note', code: 'length' }] })
    expect(await crm.leads.addNote({ LeadID, Note: 'Calls' })).toMatchObject({ Note: 'Calls' })
    const { CaseID } = await crm.cases.create({ Subject: 'a', Description: 'b' })
    expect(await refusalOf(crm.cases.addComment({ CaseID, Comment: 'Größe' }))).toMatchObject({ errors: [{ field: 'Comment', code: 'length' }] })
    expect(await refusalOf(crm.customObjects.create({ ObjectName: 'Boats', Fields: {} }))).toMatchObject({ errors: [{ field: 'ObjectName', code: 'length' }] })
  })

  test('refuses what it has no place for, to be set, searched or sorted by, and shows null', async () => {
    const { crm } = await extendedService({
      fields: { Campaign: { Status: { absent: true } }, Lead: { Phone: { absent: true } }, Comment: { Publish: { absent: true } } },
    })
    expect(await refusalOf(crm.campaigns.create({ CampaignName: 'Fair', Status: 'Planned' }))).toMatchObject({
      code: 'unsupported',
      message: 'Create Campaign: elsewhere has no place for Status.',
      errors: [{ field: 'Status', code: 'unsupported' }],
    })
    expect(await crm.campaigns.create({ CampaignName: 'Fair' })).toMatchObject({ Status: null })
    expect(await crm.campaigns.create({ CampaignName: 'Fair', Status: null as never })).toMatchObject({ Status: null })
    expect(await refusalOf(crm.campaigns.getMany({ Filters: { Status: 'Planned' } }))).toMatchObject({
      code: 'unsupported',
      errors: [{ field: 'Filters.Status' }],
    })
    expect(await refusalOf(crm.campaigns.getMany({ OrderBy: 'Status desc' }))).toMatchObject({ code: 'unsupported', errors: [{ field: 'OrderBy' }] })
    const { Records } = await crm.campaigns.getMany({ Select: ['Status'], Limit: 1 })
    expect(Records).toMatchObject([{ Status: null }])

    expect(await refusalOf(crm.leads.create({ ...ADA, Phone: '1', Email: 'x' }))).toMatchObject({
      code: 'invalid_input',
      errors: [
        { field: 'Email', code: 'form' },
        { field: 'Phone', code: 'unsupported' },
      ],
    })
    const { LeadID } = await crm.leads.create(ADA)
    expect(await refusalOf(crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '1' } }))).toMatchObject({ code: 'unsupported' })
    expect(await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: null, Email: 'a@b' } })).toMatchObject({ Phone: null, Email: 'a@b' })
    expect(await refusalOf(crm.leads.getSummary({ Filters: { Phone: '1' } }))).toMatchObject({ code: 'unsupported' })
  })

  test('says how a field gets a place, where an admin can make one', async () => {
    const remedy = 'Make a field called external_id.'
    const { crm } = await extendedService({ fields: { Lead: { ExternalID: { absent: true, remedy }, Phone: { absent: true } } } })
    const { LeadID } = await crm.leads.create(ADA)
    const refused = { code: 'unsupported', hint: remedy }
    expect(await refusalOf(crm.leads.create({ ...ADA, ExternalID: 'x' }))).toMatchObject({
      ...refused,
      message: 'Create A Lead: elsewhere has no place for ExternalID.',
    })
    expect(await refusalOf(crm.leads.update({ LeadID, FieldsToUpdate: { ExternalID: 'x', Phone: '1' } }))).toMatchObject(refused)
    expect(await refusalOf(crm.leads.upsert({ ...ADA, ExternalID: 'x' }))).toMatchObject(refused)
    expect(await refusalOf(crm.leads.getMany({ Filters: { ExternalID: 'x' } }))).toMatchObject(refused)
    expect((await refusalOf(crm.leads.create({ ...ADA, Phone: '1' }))).hint).toMatch(/^GET /)
    expect((await refusalOf(crm.leads.create({ ...ADA, ExternalID: 'x', Email: 'y' }))).hint).toMatch(/^GET /)
  })

  test('takes what would be so anyway for what always has a value', async () => {
    const { crm } = await extendedService({ fields: { Comment: { Publish: { absent: true } } } })
    const { CaseID } = await crm.cases.create({ Subject: 'a', Description: 'b' })
    expect(await crm.cases.addComment({ CaseID, Comment: 'Done', Publish: false })).toMatchObject({ Publish: false })
    expect(await crm.cases.addComment({ CaseID, Comment: 'Done' })).toMatchObject({ Publish: false })
    expect(await refusalOf(crm.cases.addComment({ CaseID, Comment: 'Done', Publish: true }))).toMatchObject({
      code: 'unsupported',
      errors: [{ field: 'Publish' }],
    })
    expect((await crm.comments.getMany({ CaseID })).Records.map(({ Publish }) => Publish)).toEqual([false, false])
    expect((await crm.cases.get({ CaseID })).Comments.map(({ Publish }) => Publish)).toEqual([false, false])
  })

  test('is described', async () => {
    const { crm } = await extendedService({
      fields: {
        Lead: {
          LastName: { max: 80, maxBytes: 60 },
          Email: { required: true, max: 1000 },
          Phone: { absent: true },
          Status: { closed: ['New'] },
          Website: { unique: true },
        },
      },
    })
    const { RecordTypes } = await crm.describe({ RecordType: 'Lead' })
    const field = (name: string) => RecordTypes[0]?.Fields.find(({ Name }) => Name === name)
    expect(field('LastName')).toMatchObject({ MaxLength: 60, Required: true })
    expect(field('Email')).toMatchObject({ MaxLength: 255, Required: true })
    expect(field('Phone')).toMatchObject({ Writable: false, Operators: [], Description: 'elsewhere has no place for it.' })
    expect(field('Status')).toMatchObject({ AllowedValues: ['New'], Required: false })
    expect(field('FirstName')).toMatchObject({ MaxLength: 255, Writable: true, Unique: false })
    expect(field('Website')).toMatchObject({ Unique: true })
    expect(field('ExternalID')).toMatchObject({ Unique: true })
  })
})
