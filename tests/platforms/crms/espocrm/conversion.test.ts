import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Condition, Conversion, StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, openAccount } from './account.ts'

const ADA: StoredRecord = {
  FirstName: 'Ada',
  LastName: 'Lovelace',
  Company: 'Analytical Engines',
  Email: 'ada@engines.example',
  Title: 'Analyst',
  City: 'London',
  LeadSource: 'Web',
  OpportunityAmount: 500,
}
const DEAL: StoredRecord = { OpportunityName: 'Mill', Stage: 'Qualification', CloseDate: '2026-12-31' }

describe('conversion of leads by EspoCRM', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
  })
  afterAll(() => account.close())

  const create = async (type: string, record: StoredRecord) => {
    const [made] = await account.driver.create(type, [record])
    if (made instanceof Error) throw made
    return made as StoredRecord
  }
  const one = async (type: string, id: string | undefined) => (await account.driver.get(type, [id ?? '']))[0]
  const convert = async (conversion: Conversion) => {
    if (!account.driver.convertLead) throw new Error('There is no conversion.')
    return account.driver.convertLead(conversion)
  }

  test('makes a company and a contact, and the lead knows them', async () => {
    const { LeadID } = await create('Lead', ADA)
    const made = await convert({ leadId: LeadID as string })
    expect(made.opportunityId).toBeUndefined()
    expect(await one('Company', made.companyId)).toMatchObject({ CompanyName: 'Analytical Engines', City: 'London' })
    expect(await one('Contact', made.contactId)).toMatchObject({
      LastName: 'Lovelace',
      Email: 'ada@engines.example',
      Title: 'Analyst',
      CompanyID: made.companyId,
    })
    expect(await one('Lead', LeadID as string)).toMatchObject({
      Status: 'Converted',
      CreatedAccountID: made.companyId,
      CreatedContactID: made.contactId,
      ConvertedAt: expect.any(String),
    })
  })

  test('makes an opportunity where one is asked for, worth what the lead was unless another amount is given', async () => {
    for (const [given, Amount] of [[{}, 500] as const, [{ Amount: 20 }, 20] as const, [{ Amount: 0 }, 0] as const]) {
      const { LeadID } = await create('Lead', ADA)
      const made = await convert({ leadId: LeadID as string, opportunity: { ...DEAL, ...given } })
      const { companyId: CompanyID, contactId: ContactID } = made
      expect(await one('Opportunity', made.opportunityId)).toMatchObject({ ...DEAL, Amount, CompanyID, ContactID, LeadSource: 'Web' })
    }
  })

  test('takes records that are there already', async () => {
    const { CompanyID } = await create('Company', { CompanyName: 'Engines' })
    const { ContactID } = await create('Contact', { LastName: 'Babbage', CompanyID } as StoredRecord)
    const [first, second, third] = [await create('Lead', ADA), await create('Lead', ADA), await create('Lead', ADA)]
    const [companyId, contactId] = [CompanyID as string, ContactID as string]
    const joined = await convert({ leadId: first.LeadID as string, companyId, opportunity: DEAL })
    expect(await one('Contact', joined.contactId)).toMatchObject({ LastName: 'Lovelace', CompanyID })
    expect(await one('Opportunity', joined.opportunityId)).toMatchObject({ CompanyID, ContactID: joined.contactId })
    // The company of a contact is the company.
    expect(await convert({ leadId: second.LeadID as string, contactId })).toMatchObject({ companyId, contactId })
    const both = await convert({ leadId: third.LeadID as string, companyId, contactId, opportunity: DEAL })
    expect(await one('Opportunity', both.opportunityId)).toMatchObject({ CompanyID, ContactID })
  })

  test('is not done again where the answer to an earlier attempt was lost', async () => {
    const { LeadID } = await create('Lead', ADA)
    const conversion = { leadId: LeadID as string, opportunity: DEAL }
    account.simulator.faults.add('drop-after=1x:POST /api/v1/Lead/action/convert')
    await expect(convert(conversion)).rejects.toMatchObject({ code: 'outcome_unknown' })
    const made = await convert({ ...conversion, isRetried: true })
    expect(await one('Lead', LeadID as string)).toMatchObject({ CreatedAccountID: made.companyId, CreatedOpportunityID: made.opportunityId })
    const where: Condition[] = [{ field: 'CompanyID', family: 'text', operator: 'eq', value: made.companyId }]
    expect((await account.driver.find('Opportunity', { where, size: 5 })).records).toHaveLength(1)
  })

  test('a lead without a company is one of its own', async () => {
    const { LeadID } = await create('Lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const { companyId } = await convert({ leadId: LeadID as string })
    expect(await one('Company', companyId)).toMatchObject({ CompanyName: 'Ada Lovelace' })
  })

  test('a lead that is not there is not found', async () => {
    for (const leadId of ['6af90711abbf5577c', 'a b']) await expect(convert({ leadId })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('where records live in other objects, the engine converts', async () => {
    const other = await openAccount({ tables: { Contact: { object: 'Lead', fields: { Title: null, CompanyID: null } } } })
    expect(other.driver.convertLead).toBeUndefined()
    await other.close()
  })
})
