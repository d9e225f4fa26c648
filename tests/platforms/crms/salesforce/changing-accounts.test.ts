import { afterAll, beforeAll, expect, test } from 'vitest'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { overCrm } from '../../../support/crms.ts'

let over: Awaited<ReturnType<typeof overCrm>>
beforeAll(async () => {
  over = await overCrm(SALESFORCE)
})
afterAll(() => over.close())

/** Calls an operation with fields that only this account has. */
const call = (operation: string, input: object) => over.signIn(over.adminKey).call(operation, input as never) as Promise<unknown>

test('what Salesforce derives is no change of a record', async () => {
  const crm = over.signIn(over.adminKey)
  const campaign = await crm.campaigns.create({ CampaignName: 'Fair' })
  const lead = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  await crm.leads.addToCampaign({ LeadID: lead.LeadID, CampaignID: campaign.CampaignID })
  const [after] = (await crm.campaigns.getMany({})).Records
  expect(after).toMatchObject({ CampaignID: campaign.CampaignID, NumberOfLeads: 1, Revision: campaign.Revision })
})

test("an account's own fields work from the calls on, and their values are checked before anything is sent", async () => {
  const lead = (await call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper', Fax: '9' })) as { LeadID: string }
  expect(lead).toMatchObject({ Fax: '9', Company: null })
  await expect(call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper', Fx: '9' })).rejects.toMatchObject({ code: 'invalid_input' })
  await expect(call('update_lead', { LeadID: lead.LeadID, FieldsToUpdate: { IsConverted: true } })).rejects.toMatchObject({ code: 'invalid_input' })
  const { Records } = (await call('get_many_leads', { Filters: { Fax: '9' } })) as { Records: object[] }
  expect(Records).toMatchObject([{ LeadID: lead.LeadID }])
})

test('leads are converted natively, and found by words', async () => {
  const crm = over.signIn(over.adminKey)
  const lead = await crm.leads.create({ FirstName: 'Charles', LastName: 'Babbage', Company: 'Difference Ltd' })
  const found = (await call('search', { Text: 'babb differ' })) as { Records: { RecordType: string; Record: { LeadID?: string } }[] }
  expect(found.Records.map(({ RecordType, Record }) => [RecordType, Record.LeadID])).toEqual([['Lead', lead.LeadID]])
  const opportunity = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2027-01-31' }
  const made = (await call('convert_lead', { LeadID: lead.LeadID, Opportunity: opportunity })) as Record<string, string>
  expect(made).toEqual({
    LeadID: lead.LeadID,
    CompanyID: expect.stringMatching(/^001/),
    ContactID: expect.stringMatching(/^003/),
    OpportunityID: expect.stringMatching(/^006/),
  })
  expect(await call('get_company', { CompanyID: made.CompanyID })).toMatchObject({ CompanyName: 'Difference Ltd' })
  await expect(call('convert_lead', { LeadID: lead.LeadID })).rejects.toMatchObject({ code: 'conflict' })
})

test('a company is deleted without what refers to it, which is emptied', async () => {
  const { CompanyID } = (await call('create_company', { CompanyName: 'Engines Ltd' })) as { CompanyID: string }
  const { ContactID } = (await call('create_contact', { LastName: 'Babbage', CompanyID })) as { ContactID: string }
  const { CaseID } = (await call('create_case', { Subject: 'Jam', Description: 'x', CompanyID, ContactID })) as { CaseID: string }
  const { OpportunityID } = (await call('create_opportunity', {
    OpportunityName: 'Engine',
    Stage: 'Closed Won',
    CloseDate: '2027-01-31',
    CompanyID,
    ContactID,
  })) as { OpportunityID: string }
  expect(await call('delete_company', { CompanyID })).toMatchObject({ Deleted: true, Emptied: { Contact: 1, Case: 1, Opportunity: 1 } })
  expect(await call('delete_contact', { ContactID })).toMatchObject({ Deleted: true, Emptied: { Case: 1, Opportunity: 1 } })
  expect(await call('get_case', { CaseID })).toMatchObject({ CompanyID: null, ContactID: null })
  expect(await call('get_opportunity', { OpportunityID })).toMatchObject({ CompanyID: null, ContactID: null })
})

test('equal upserts at once leave one record', async () => {
  const input = { FirstName: 'Grace', LastName: 'Hopper', Email: 'grace@navy.example', MatchBy: ['Email'] }
  const made = (await Promise.all(Array.from({ length: 12 }, (_, at) => call('upsert_lead', { ...input, Title: `Admiral ${at}` })))) as {
    LeadID: string
    Created: boolean
  }[]
  expect(new Set(made.map(({ LeadID }) => LeadID)).size).toBe(1)
  expect(made.filter(({ Created }) => Created)).toHaveLength(1)
})

test('filters follow references, and answers include what is behind them', async () => {
  const { CompanyID } = (await call('create_company', { CompanyName: 'Looms Ltd', Industry: 'Manufacturing' })) as { CompanyID: string }
  const { OpportunityID } = (await call('create_opportunity', { OpportunityName: 'Loom', Stage: 'Prospecting', CloseDate: '2027-01-31', CompanyID })) as {
    OpportunityID: string
  }
  const Filters = { any: [{ 'Company.Industry': 'Manufacturing' }, { Amount: { gt: 1e9 } }], not: { Stage: 'Closed Won' } }
  const { Records } = (await call('get_many_opportunities', { Filters, Include: ['Company'] })) as { Records: object[] }
  expect(Records).toMatchObject([{ OpportunityID, CompanyID, Company: { CompanyID, CompanyName: 'Looms Ltd' } }])
})
