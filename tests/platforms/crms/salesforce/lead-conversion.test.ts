import { expect, test } from 'vitest'
import type { Converted, StoredRecord } from '../../../../src/platforms/platform.ts'
import { account, create, one, refused } from './account.ts'

const { open, requests, simulator } = account()

const ADA: StoredRecord = {
  FirstName: 'Ada',
  LastName: 'Lovelace',
  Email: 'ada@example.com',
  Phone: '1',
  MobilePhone: '2',
  Title: 'Countess',
  Company: 'Engines & Sons <Ltd>',
  Industry: 'Technology',
  City: 'London',
  Status: 'Open',
}

type Driver = Awaited<ReturnType<typeof open>>
const convert = (driver: Driver, leadId: string, more: object = {}) => driver.convertLead?.({ leadId, ...more }) as Promise<Converted>

test('a lead becomes a company and a contact in one step', async () => {
  const driver = await open()
  const leadId = await create(driver, 'Lead', ADA)
  const { companyId, contactId, opportunityId } = await convert(driver, leadId)
  expect(opportunityId).toBeUndefined()
  expect(await one(driver, 'Company', companyId)).toMatchObject({ CompanyName: 'Engines & Sons <Ltd>', Phone: '1', Industry: 'Technology', City: 'London' })
  expect(await one(driver, 'Contact', contactId)).toMatchObject({
    FirstName: 'Ada',
    LastName: 'Lovelace',
    Email: 'ada@example.com',
    MobilePhone: '2',
    Title: 'Countess',
    City: 'London',
    CompanyID: companyId,
  })
  expect(await one(driver, 'Lead', leadId)).toMatchObject({ IsConverted: true, ConvertedAccountId: companyId, ConvertedContactId: contactId })
  const before = (await one(driver, 'Lead', leadId)) as StoredRecord
  expect(await driver.update('Lead', [{ id: leadId, changes: { Phone: '3' }, before }])).toMatchObject([{ code: 'platform_rejected' }])
  expect(await refused(convert(driver, leadId))).toMatchObject({ code: 'conflict' })
  expect(await refused(convert(driver, '00Q5e0000000999EAA'))).toMatchObject({ code: 'not_found' })
})

test('the opportunity has the fields that are given', async () => {
  const driver = await open()
  const leadId = await create(driver, 'Lead', ADA)
  const opportunity = { OpportunityName: "Ada's engine", Stage: 'Negotiation', CloseDate: '2027-01-31', Amount: 12.5 }
  const { companyId, contactId, opportunityId } = await convert(driver, leadId, { opportunity })
  expect(await one(driver, 'Opportunity', opportunityId as string)).toMatchObject({ ...opportunity, CompanyID: companyId, ContactID: contactId })
})

test('an opportunity that Salesforce would not take keeps the lead from being converted', async () => {
  const driver = await open()
  const leadId = await create(driver, 'Lead', ADA)
  const opportunity = { OpportunityName: 'x'.repeat(121), Stage: 'Prospecting', CloseDate: '2027-01-31' }
  expect(await refused(convert(driver, leadId, { opportunity }))).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'OpportunityName' }] })
  expect(await one(driver, 'Lead', leadId)).toMatchObject({ IsConverted: false })
})

test('companies and contacts that are there already are taken', async () => {
  const driver = await open()
  const companyId = await create(driver, 'Company', { CompanyName: 'Engines Ltd' })
  const contactId = await create(driver, 'Contact', { LastName: 'Lovelace', CompanyID: companyId })
  expect(await convert(driver, await create(driver, 'Lead', ADA), { companyId })).toMatchObject({ companyId })
  // The company of the contact is the one.
  expect(await convert(driver, await create(driver, 'Lead', { ...ADA, FirstName: 'Augusta' }), { contactId })).toEqual({ companyId, contactId })
  const alone = await create(driver, 'Contact', { LastName: 'Hopper' })
  const lead = await create(driver, 'Lead', { ...ADA, FirstName: 'Grace' })
  expect(await refused(convert(driver, lead, { contactId: alone }))).toMatchObject({ code: 'platform_rejected', hint: expect.stringContaining('company') })
})

test('a lead without a company is one of its own', async () => {
  const driver = await open()
  const { companyId } = await convert(driver, await create(driver, 'Lead', { ...ADA, Company: null }))
  expect(await one(driver, 'Company', companyId)).toMatchObject({ CompanyName: 'Ada Lovelace' })
})

test.each(['error', 'error-after', 'drop-after', 'malformed', 'expired-session'])(
  'a lead is converted once although the answer is lost to %s',
  async (fault) => {
    const driver = await open()
    const leadId = await create(driver, 'Lead', ADA)
    simulator().faults.add(`${fault}=1x:POST /services/Soap/u/`)
    const { companyId, contactId } = await convert(driver, leadId)
    expect(simulator().faults.list()).toEqual([`${fault}=0x:POST /services/Soap/u/`])
    expect(await one(driver, 'Lead', leadId)).toMatchObject({ ConvertedAccountId: companyId, ConvertedContactId: contactId })
    expect(await driver.count('Company', { where: [] })).toBe(1)
    expect(await driver.count('Contact', { where: [] })).toBe(1)
  },
)

test('a retry of an attempt with an unknown outcome answers with what that has made', async () => {
  const driver = await open()
  const leadId = await create(driver, 'Lead', ADA)
  const made = await convert(driver, leadId)
  expect(await convert(driver, leadId, { isRetried: true })).toEqual(made)
  expect(await driver.count('Company', { where: [] })).toBe(1)
})

test('it takes few requests', async () => {
  const driver = await open()
  await convert(driver, await create(driver, 'Lead', ADA))
  const leadId = await create(driver, 'Lead', { ...ADA, FirstName: 'Grace' })
  requests.length = 0
  await convert(driver, leadId, { opportunity: { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2027-01-31' } })
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'PATCH'])
})

test('it is not offered where leads live elsewhere', async () => {
  const { salesforce } = await import('../../../../src/platforms/crms/salesforce/salesforce.ts')
  const tables = salesforce.tables({})
  const driver = await open({
    tables: { ...tables, Company: { ...tables.Company, object: 'Contact', fields: { CompanyName: { name: 'LastName', kind: 'text' } } as never } },
  })
  expect(driver.convertLead).toBeUndefined()
})
