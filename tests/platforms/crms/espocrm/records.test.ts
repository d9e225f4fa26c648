import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { examine } from '../../../../src/platforms/crms/espocrm/examination.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { type Account, ALL, apiUser, openAccount, openingOf, RIGHTS } from './account.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }

describe('records of EspoCRM', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
  })
  afterAll(() => account.close())

  const create = async (type: string, record: StoredRecord) => {
    const [made] = await account.driver.create(type, [record])
    if (made instanceof DriverError) throw made
    return made as StoredRecord
  }
  const eq = (field: string, value: string): Condition => ({ field, family: 'text', operator: 'eq', value })
  const found = async (type: string, ...where: Condition[]) => (await account.driver.find(type, { where, size: 200 })).records

  test('a lead comes back complete, in our names and words', async () => {
    const lead = await create('Lead', { ...ADA, Email: 'ada@example.com', Phone: '+442079460958' })
    expect(lead).toMatchObject({
      LeadID: expect.stringMatching(/^[0-9a-f]{17}$/),
      ...ADA,
      Email: 'ada@example.com',
      Phone: '+442079460958',
      EmailOptOut: false,
      OwnerID: 'nobody',
      CreatedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      UpdatedDate: lead.CreatedDate,
    })
    expect(await account.driver.get('Lead', [lead.LeadID as string])).toEqual([lead])
    const row = await account.ask('GET', `Lead/${lead.LeadID}`)
    expect(row).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@example.com', phoneNumber: '+442079460958', status: 'New' })
  })

  test('hostile texts come back to the letter, and are found by them', async () => {
    const texts = fc.oneof(
      fc.constantFrom("O'Brien", '\\', '"', '100%', 'a_b', '% OR 1', "'; --", 'ünï 😀', 'a&b?c#d', '[0]', 'x\ty', 'ﬁ'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (said) => {
        // EspoCRM cuts blanks off, and takes none of these three in names.
        const LastName = `x${said.replace(/[<>=]/g, '')}x`
        const lead = await create('Lead', { ...ADA, LastName })
        expect(lead.LastName).toBe(LastName)
        expect((await found('Lead', eq('LastName', LastName))).map(({ LeadID }) => LeadID)).toContain(lead.LeadID)
        const part = { field: 'LastName', family: 'text', operator: 'contains', value: LastName } as const
        if (account.driver.narrows('Lead', part) !== 'not') expect((await found('Lead', part)).map(({ LeadID }) => LeadID)).toContain(lead.LeadID)
      }),
      { numRuns: 60 },
    )
  })

  test('the words of statuses and stages are ours, and theirs where we have none', async () => {
    const { fields } = account.driver.supports
    expect(fields.Lead?.Status?.closed).toEqual(['Open', 'Assigned', 'In Process', 'Converted', 'Recycled', 'Dead'])
    expect(fields.Case?.Status?.closed?.toSorted()).toEqual(['Closed', 'Duplicate', 'In Progress', 'New', 'Open', 'Rejected'])
    const kase = await create('Case', { Subject: 'Printer', Description: 'It burns', Status: 'In Progress' })
    expect(kase.Status).toBe('In Progress')
    expect(await account.ask('GET', `Case/${kase.CaseID}`)).toMatchObject({ status: 'Pending', name: 'Printer', description: 'It burns' })
    expect((await found('Case', eq('Status', 'In Progress'))).map(({ CaseID }) => CaseID)).toEqual([kase.CaseID])
    const campaign = await create('Campaign', { CampaignName: 'Autumn', Status: 'Completed' })
    expect(campaign.Status).toBe('Completed')
    expect(await account.ask('GET', `Campaign/${campaign.CampaignID}`)).toMatchObject({ status: 'Complete' })
  })

  test('lengths, required fields and defaults are those of the account', () => {
    const { Lead, Opportunity } = account.driver.supports.fields
    expect([Lead?.FirstName?.max, Lead?.LastName?.max, Lead?.Phone?.max]).toEqual([100, 100, 36])
    expect([Opportunity?.Amount?.required, Opportunity?.Amount?.defaultValue, Lead?.Status?.required]).toEqual([true, 0, true])
  })

  test('an opportunity without an amount is worth nothing, as EspoCRM insists', async () => {
    const deal = await create('Opportunity', { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' })
    expect(deal).toMatchObject({ Amount: 0, CloseDate: '2026-12-31', Stage: 'Prospecting' })
    const [changed] = await account.driver.update('Opportunity', [{ id: deal.OpportunityID as string, changes: { Amount: 1200.5 }, before: deal }])
    expect(changed).toMatchObject({ Amount: 1200.5, OpportunityName: 'Engine' })
  })

  test('an update changes what it names, and null clears', async () => {
    const lead = await create('Lead', { ...ADA, Phone: '+442079460958', Email: 'b@example.com' })
    const [changed] = await account.driver.update('Lead', [{ id: lead.LeadID as string, changes: { Phone: null, Status: 'Dead' }, before: lead }])
    expect(changed).toMatchObject({ ...ADA, Phone: null, Email: 'b@example.com', Status: 'Dead' })
  })

  test('what is not there is not there: neither got, nor changed, nor deleted', async () => {
    const { driver } = account
    for (const id of ['doesnotexist12345', 'a/b', '../Lead', '', "' or 1", '..']) {
      expect(await driver.get('Lead', [id])).toEqual([])
      expect(await driver.update('Lead', [{ id, changes: { FirstName: 'x' }, before: {} }])).toEqual([false])
      expect(await driver.delete('Lead', [id])).toEqual([false])
    }
    const lead = await create('Lead', ADA)
    const id = lead.LeadID as string
    expect(await driver.delete('Lead', [id])).toEqual([true])
    expect([await driver.get('Lead', [id]), await driver.delete('Lead', [id])]).toEqual([[], [false]])
  })

  test('what people have left empty is an empty text, and is found as such', async () => {
    const { id } = await account.ask('POST', 'Lead', { lastName: 'Only' })
    expect(await account.driver.get('Lead', [String(id)])).toMatchObject([{ FirstName: '', LastName: 'Only' }])
    expect((await found('Lead', eq('FirstName', ''))).map(({ LeadID }) => LeadID)).toEqual([id])
  })

  test('many are got at once, each once', async () => {
    const made = await Promise.all(Array.from({ length: 130 }, (_, at) => create('Lead', { ...ADA, FirstName: `Twin ${at}` })))
    const ids = made.map(({ LeadID }) => LeadID as string)
    const got = await account.driver.get('Lead', [...ids, ids[0] as string, 'nope'])
    expect(got.map(({ LeadID }) => LeadID).sort()).toEqual(ids.toSorted())
  })

  test('one of several that is refused does not stop the others', async () => {
    const [good, bad] = await account.driver.create('Lead', [ADA, { ...ADA, Email: 'not an address' }])
    expect(good).toMatchObject(ADA)
    expect(bad).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Email', code: 'form' }] })
  })

  test('records are given to users, taken from them, and found by whose they are', async () => {
    const user = await account.ask<{ id: string }>('POST', 'User', { type: 'regular', userName: 'grace', lastName: 'Hopper', isActive: true })
    const lead = await create('Lead', { ...ADA, OwnerID: user.id })
    expect(lead.OwnerID).toBe(user.id)
    expect((await account.driver.find('Lead', { owners: [user.id], where: [], size: 10 })).records).toEqual([lead])
    expect(await account.driver.count('Lead', { owners: [user.id], where: [] })).toBe(1)
    const [freed] = await account.driver.update('Lead', [{ id: lead.LeadID as string, changes: { OwnerID: null }, before: lead }])
    expect(freed).toMatchObject({ OwnerID: 'nobody' })
    expect((await found('Lead', eq('OwnerID', 'nobody'))).map(({ LeadID }) => LeadID)).toContain(lead.LeadID)
    const owners = Array.from({ length: 150 }, (_, at) => `${user.id.slice(0, 14)}${at}`)
    expect((await account.driver.find('Lead', { owners: [...owners, user.id], where: [], size: 200 })).records).toEqual([])
  })

  test('duplicates are made unless they are to be refused', async () => {
    const twin = { ...ADA, Email: 'twin@example.com' }
    const first = await create('Lead', twin)
    expect((await create('Lead', twin)).LeadID).not.toBe(first.LeadID)
    const strict = await espocrm.open(openingOf(account.simulator, { options: { duplicates: 'refuse' } }))
    const [refused] = await strict.create('Lead', [twin])
    expect(refused).toMatchObject({ code: 'conflict', errors: expect.arrayContaining([expect.objectContaining({ field: 'LeadID', code: 'conflict' })]) })
    await strict.close()
  })

  test('a currency that is configured is that of new opportunities', async () => {
    const driver = await espocrm.open(openingOf(account.simulator, { options: { currency: 'USD' } }))
    const [deal] = await driver.create('Opportunity', [{ OpportunityName: 'x', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 5 }])
    expect(await account.ask('GET', `Opportunity/${(deal as StoredRecord).OpportunityID}`)).toMatchObject({ amount: 5, amountCurrency: 'USD' })
    await driver.close()
  })
})

describe('what is wrong is said clearly', () => {
  test('a currency that EspoCRM does not have is refused at the start, with those that it has', async () => {
    const { simulator, close } = await openAccount()
    const opening = openingOf(simulator, { options: { currency: 'XXX' } })
    await expect(espocrm.open(opening)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'EspoCRM has no currency "XXX".',
      hint: expect.stringContaining('one of USD'),
    })
    const found = []
    for await (const one of examine(opening)) found.push(one)
    expect(found.filter(({ good }) => !good)).toMatchObject([{ name: 'Currency', todo: expect.stringContaining('USD') }])
    await close()
  })

  test('so is one that only the defaults name, when it is used', async () => {
    const { driver, close } = await openAccount({ tables: { Opportunity: { defaults: { amountCurrency: 'XXX' } } } })
    const [refused] = await driver.create('Opportunity', [{ OpportunityName: 'x', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 5 }])
    expect(refused).toMatchObject({ code: 'platform_rejected', message: expect.stringContaining('XXX'), errors: [{ field: 'Amount' }] })
    await close()
  })

  test('an owner whose id cannot be one of EspoCRM', async () => {
    const { driver, close } = await openAccount()
    const [refused] = await driver.create('Lead', [{ ...ADA, OwnerID: '<nobody there>' }])
    expect(refused).toMatchObject({ message: expect.stringContaining("not the id of one of EspoCRM's users"), errors: [{ field: 'OwnerID' }] })
    await close()
  })
})

describe('tables that are configured', () => {
  test('a further field works like one of the contract', async () => {
    const tables = { Lead: { fields: { Sector: { name: 'middleName', kind: 'text', label: 'Sector' }, Done: { name: 'doNotCall', kind: 'boolean' } } } }
    const { driver, close } = await openAccount({ tables })
    expect(driver.supports.extras.Lead).toMatchObject({
      Sector: { kind: 'text', label: 'Sector', readOnly: false },
      Done: { kind: 'boolean', label: 'Done', readOnly: false },
    })
    const [lead] = (await driver.create('Lead', [{ ...ADA, Sector: 'Navy', Done: true }])) as StoredRecord[]
    expect(lead).toMatchObject({ Sector: 'Navy', Done: true })
    const where: Condition[] = [
      { field: 'Sector', family: 'text', operator: 'eq', value: 'Navy' },
      { field: 'Done', family: 'boolean', operator: 'ne', value: false },
    ]
    expect((await driver.find('Lead', { where, size: 10 })).records).toEqual([lead])
    await close()
  })

  test('a field that EspoCRM does not have is named when it is opened, because its values would be lost', async () => {
    const tables = { Lead: { fields: { Region: { name: 'cRegion', kind: 'text' } } } }
    await expect(openAccount({ tables })).rejects.toMatchObject({ code: 'unsupported', message: 'EspoCRM does not have Lead.cRegion (for Lead.Region).' })
  })

  test('words that are configured win over what the account is read to have', async () => {
    const tables = { Lead: { fields: { Status: { values: { Open: 'Assigned', Fresh: 'New' } } } } }
    const { driver, close } = await openAccount({ tables })
    expect(driver.supports.fields.Lead?.Status?.closed?.toSorted()).toEqual(['Converted', 'Dead', 'Fresh', 'In Process', 'Open', 'Recycled'])
    const [lead] = (await driver.create('Lead', [ADA])) as StoredRecord[]
    expect(lead?.Status).toBe('Open')
    await close()
  })
})

describe('an API user with few rights', () => {
  test('what the role does not allow is refused with what to grant', async () => {
    const account = await openAccount()
    const { apiKey } = await apiUser(account.simulator, { Lead: { ...ALL, delete: 'no' } })
    const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    const [lead] = (await driver.create('Lead', [ADA])) as StoredRecord[]
    expect(await driver.delete('Lead', [lead?.LeadID as string])).toMatchObject([{ code: 'forbidden', hint: expect.stringContaining('delete of Lead') }])
    await expect(driver.find('Case', { where: [], size: 5 })).rejects.toMatchObject({ code: 'forbidden' })
    await driver.close()
    await account.close()
  })

  test("another's record that is out of reach is not there", async () => {
    const account = await openAccount()
    const [lead] = (await account.driver.create('Lead', [ADA])) as StoredRecord[]
    const { apiKey } = await apiUser(account.simulator, { Lead: { ...ALL, read: 'own' } })
    const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    expect(await driver.get('Lead', [lead?.LeadID as string])).toEqual([])
    await driver.close()
    await account.close()
  })

  test('a field that is hidden while the service runs is not lost without a word', async () => {
    const account = await openAccount()
    const { apiKey } = await apiUser(account.simulator, RIGHTS)
    const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    account.simulator.faults.add('field-security=Lead.emailAddress')
    const [refused] = await driver.create('Lead', [{ ...ADA, Email: 'ada@example.com' }])
    expect(refused).toMatchObject({ code: 'forbidden', errors: [{ field: 'Email' }] })
    expect(await account.ask('GET', 'Lead')).toMatchObject({ total: 0 })
    await driver.close()
    // Whoever opens it now knows before anything is sent.
    const later = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    expect(await later.create('Lead', [{ ...ADA, Email: 'ada@example.com' }])).toMatchObject([{ code: 'forbidden', errors: [{ field: 'Email' }] }])
    expect(await later.create('Lead', [ADA])).toMatchObject([ADA])
    await later.close()
    await account.close()
  })
})
