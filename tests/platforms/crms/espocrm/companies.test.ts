import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, openAccount } from './account.ts'

describe('companies and contacts of EspoCRM', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
  })
  afterAll(() => account.close())

  const create = async (type: string, record: StoredRecord, on?: string) => {
    const [made] = await account.driver.create(type, [record], on)
    if (made instanceof Error) throw made
    return made as StoredRecord
  }
  const update = async (type: string, id: unknown, before: StoredRecord, changes: StoredRecord) => {
    const [changed] = await account.driver.update(type, [{ id: id as string, changes, before }])
    return changed
  }

  const ENGINES = {
    CompanyName: 'Analytical Engines',
    Website: 'https://engines.example',
    Phone: '+442079460958',
    Email: 'office@engines.example',
    Industry: 'Manufacturing',
    Street: '1 Dorset Street',
    City: 'London',
    State: 'Greater London',
    PostalCode: 'W1U 4EA',
    Country: 'United Kingdom',
    Description: 'Gears',
  }

  test('a company is an account, with its billing address', async () => {
    const company = await create('Company', ENGINES)
    expect(company).toMatchObject({ ...ENGINES, AnnualRevenue: null, OwnerID: 'nobody' })
    expect(await account.driver.get('Company', [company.CompanyID as string])).toEqual([company])
    expect(await account.ask('GET', `Account/${company.CompanyID}`)).toMatchObject({ name: 'Analytical Engines', billingAddressCity: 'London' })
    const where: Condition[] = [{ field: 'Industry', family: 'text', operator: 'eq', value: 'Manufacturing' }]
    expect((await account.driver.find('Company', { where, size: 5 })).records).toEqual([company])
    expect(await update('Company', company.CompanyID, company, { City: null })).toMatchObject({ City: null, Street: '1 Dorset Street' })
    expect(await account.driver.delete('Company', [company.CompanyID as string])).toEqual([true])
    expect(await account.driver.get('Company', [company.CompanyID as string])).toEqual([])
  })

  test('a contact belongs to a company, and its title is the role in it', async () => {
    const { CompanyID } = await create('Company', ENGINES)
    const contact = await create('Contact', { FirstName: 'Charles', LastName: 'Babbage', CompanyID, Title: 'Director', City: 'London' } as StoredRecord)
    expect(contact).toMatchObject({ CompanyID, Title: 'Director', City: 'London', MobilePhone: null })
    expect(await account.driver.get('Contact', [contact.ContactID as string])).toEqual([contact])
    const row = await account.ask<{ accountsColumns: object }>('GET', `Contact/${contact.ContactID}`)
    expect(row.accountsColumns).toMatchObject({ [CompanyID as string]: { role: 'Director' } })
    const where: Condition[] = [{ field: 'CompanyID', family: 'text', operator: 'eq', value: CompanyID as string }]
    expect((await account.driver.find('Contact', { where, size: 5 })).records).toEqual([contact])
    expect(account.driver.narrows('Contact', { field: 'Title', family: 'text', operator: 'eq', value: 'Director' })).toBe('not')
    expect(await update('Contact', contact.ContactID, contact, { Title: 'Chairman' })).toMatchObject({ Title: 'Chairman' })
  })

  test('a title without a company would be lost, and is refused', async () => {
    const [refused] = await account.driver.create('Contact', [{ LastName: 'Babbage', Title: 'Director' }])
    expect(refused).toMatchObject({ code: 'unsupported', errors: [{ field: 'Title' }] })
    const contact = await create('Contact', { LastName: 'Babbage' })
    expect(await update('Contact', contact.ContactID, contact, { Title: 'Director' })).toMatchObject({ code: 'unsupported', errors: [{ field: 'Title' }] })
  })

  test('both have notes', async () => {
    const { CompanyID } = await create('Company', ENGINES)
    const { ContactID } = await create('Contact', { LastName: 'Babbage', CompanyID } as StoredRecord)
    for (const [type, id] of [['Company', CompanyID] as const, ['Contact', ContactID] as const]) {
      const note = await create('Note', { RecordID: id, Note: `on a ${type}` } as StoredRecord, type)
      const where: Condition[] = [{ field: 'RecordID', family: 'text', operator: 'eq', value: id as string }]
      expect((await account.driver.find('Note', { where, on: type, size: 5 })).records).toEqual([note])
    }
  })

  test('opportunities and cases refer to them, and a reference to what is not there names its field', async () => {
    const { CompanyID } = await create('Company', ENGINES)
    const { ContactID } = await create('Contact', { LastName: 'Babbage', CompanyID } as StoredRecord)
    const { CampaignID } = await create('Campaign', { CampaignName: 'Fair' })
    const deal = { OpportunityName: 'Mill', Stage: 'Prospecting', CloseDate: '2026-12-31', CompanyID, ContactID, CampaignID, LeadSource: 'Web' } as StoredRecord
    const made = await create('Opportunity', deal)
    expect(made).toMatchObject({ ...deal, Probability: 10, NextStep: null })
    expect(await account.ask('GET', `Opportunity/${made.OpportunityID}`)).toMatchObject({ leadSource: 'Web Site', contactsIds: [ContactID] })
    const [refused] = await account.driver.create('Opportunity', [{ ...deal, CompanyID: '6af90711abbf5577c' }])
    expect(refused).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'CompanyID', code: 'value' }] })
  })

  test('an opt-out is one of an address', async () => {
    const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
    const lead = await create('Lead', { ...ADA, Email: 'ada@engines.example', EmailOptOut: true })
    const bare = await create('Lead', { ...ADA, EmailOptOut: false })
    expect([lead.EmailOptOut, bare.EmailOptOut]).toEqual([true, false])
    expect(await account.driver.get('Lead', [bare.LeadID as string])).toEqual([bare])
    const found = async (operator: 'eq' | 'ne', value: boolean) => {
      const where: Condition[] = [{ field: 'EmailOptOut', family: 'boolean', operator, value }]
      return (await account.driver.find('Lead', { where, size: 50 })).records.map(({ LeadID }) => LeadID)
    }
    expect([await found('eq', true), await found('ne', false)]).toEqual([[lead.LeadID], [lead.LeadID]])
    expect([await found('eq', false), await found('ne', true)]).toEqual([[bare.LeadID], [bare.LeadID]])
    // Another address is still that person's.
    expect(await update('Lead', lead.LeadID, lead, { Email: 'ada@other.example' })).toMatchObject({ EmailOptOut: true })
    expect(await update('Lead', lead.LeadID, lead, { EmailOptOut: false })).toMatchObject({ EmailOptOut: false })
    const [refused] = await account.driver.create('Lead', [{ ...ADA, EmailOptOut: true }])
    expect(refused).toMatchObject({ code: 'unsupported', errors: [{ field: 'EmailOptOut' }] })
  })

  test('the status of a membership has no place', () => {
    expect(account.driver.supports.fields.Membership).toEqual({ Status: { absent: true }, ExternalID: { absent: true } })
  })
})
