import { describe, expect, test } from 'vitest'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { ADA, all, good, openAccount } from './open-account.ts'

const LEAD = { ...ADA, Company: 'Engines', Website: 'https://engines.example', Industry: 'Retail', City: 'London' }
const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }

async function open(leads: string) {
  const account = await openAccount({ options: { leads } })
  const [lead] = good(await account.driver.create('Lead', [LEAD])) as StoredRecord[]
  const convert = account.driver.convertLead as NonNullable<typeof account.driver.convertLead>
  return { ...account, leadId: String(lead?.LeadID), convert }
}

describe('a lead that is a contact', () => {
  test('becomes that contact, of a company that is made of it, with an opportunity where there is to be one', async () => {
    const { driver, leadId, convert } = await open('contact')
    const { companyId, contactId, opportunityId } = await convert({ leadId, opportunity: DEAL })
    expect(contactId).toBe(leadId)
    expect(await driver.get('Lead', [leadId])).toEqual([])
    expect(await driver.get('Contact', [contactId])).toMatchObject([{ FirstName: 'Ada', Email: ADA.Email, City: 'London', CompanyID: companyId }])
    expect(await driver.get('Company', [companyId])).toMatchObject([{ CompanyName: 'Engines', Website: 'https://engines.example', Industry: 'Retail' }])
    expect(await driver.get('Opportunity', [String(opportunityId)])).toMatchObject([{ ...DEAL, CompanyID: companyId, ContactID: contactId }])
  })

  test('is of the company that is given, or of the one that it has', async () => {
    const { driver, leadId, convert, simulator } = await open('contact')
    const [company] = good(await driver.create('Company', [{ CompanyName: 'There' }])) as StoredRecord[]
    const companyId = String(company?.CompanyID)
    expect(await convert({ leadId, companyId })).toEqual({ companyId, contactId: leadId })
    expect(await driver.get('Contact', [leadId])).toMatchObject([{ CompanyID: companyId }])
    const [second] = good(await driver.create('Lead', [{ FirstName: 'Grace', LastName: 'Hopper' }])) as StoredRecord[]
    const headers = { authorization: 'Bearer simulator' }
    await fetch(`${simulator.url}/crm/objects/2026-03/contacts/${second?.LeadID}/associations/default/companies/${companyId}`, { method: 'PUT', headers })
    expect(await convert({ leadId: String(second?.LeadID) })).toMatchObject({ companyId })
    expect(await all(driver, 'Company')).toHaveLength(1)
  })

  test('is merged into the contact that is given', async () => {
    const { driver, leadId, convert } = await open('contact')
    const [contact] = good(await driver.create('Contact', [{ LastName: 'Lovelace', Title: 'Countess' }])) as StoredRecord[]
    const converted = await convert({ leadId, contactId: String(contact?.ContactID) })
    expect(await all(driver, 'Lead')).toEqual([])
    expect(await all(driver, 'Contact')).toMatchObject([{ ContactID: converted.contactId, Title: 'Countess', CompanyID: converted.companyId }])
  })

  test('is converted once, where the answer to the last step is lost', async () => {
    const { driver, leadId, convert, simulator } = await open('contact')
    simulator.faults.add('drop-after=1x:PATCH /crm/objects/2026-03/contacts')
    const { companyId } = await convert({ leadId })
    expect(simulator.faults.happened).toBe(1)
    expect(await driver.get('Contact', [leadId])).toMatchObject([{ CompanyID: companyId }])
    expect(await all(driver, 'Company')).toHaveLength(1)
  })

  test('is merged once, where the answer to that is lost', async () => {
    const { driver, leadId, convert, simulator } = await open('contact')
    const [contact] = good(await driver.create('Contact', [{ LastName: 'Lovelace', Title: 'Countess' }])) as StoredRecord[]
    simulator.faults.add('drop-after=1x:POST /crm/objects/2026-03/contacts/merge')
    expect((await convert({ leadId, contactId: String(contact?.ContactID) })).contactId).toBe(contact?.ContactID)
    expect(simulator.faults.happened).toBe(1)
    expect(await all(driver, 'Lead')).toEqual([])
  })

  test('stays a lead, and leaves nothing behind, where something is refused', async () => {
    const { driver, leadId, convert, simulator } = await open('contact')
    await expect(convert({ leadId, opportunity: { ...DEAL, OwnerID: '123' } })).rejects.toMatchObject({ code: 'platform_rejected' })
    expect(await driver.get('Lead', [leadId])).toHaveLength(1)
    expect(simulator.simulated.state().records).toMatchObject({ companies: 0, deals: 0 })
    await expect(convert({ leadId: '999' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('a lead that is an object of its own is qualified, and its contact is the contact', async () => {
  const { driver, leadId, convert } = await open('lead')
  const { companyId, contactId, opportunityId } = await convert({ leadId, opportunity: DEAL })
  expect(await driver.get('Lead', [leadId])).toMatchObject([{ Status: 'Qualified' }])
  expect(await all(driver, 'Contact')).toMatchObject([{ ContactID: contactId, LastName: 'Lovelace', CompanyID: companyId }])
  expect(await driver.get('Opportunity', [String(opportunityId)])).toMatchObject([{ CompanyID: companyId, ContactID: contactId }])
})
