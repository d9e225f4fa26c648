import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { overridden } from '../../../../src/platforms/crms/engine/overrides.ts'
import type { Table, Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { TABLES } from '../../../../src/platforms/crms/salesforce/tables.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { account, create, good, one } from './account.ts'

const { open, requests, send, simulator } = account()

const ADA: StoredRecord = { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' }
const ENGINE: StoredRecord = { OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }

const text = (field: string, operator: Condition['operator'], value: Condition['value']): Condition => ({ field, family: 'text', operator, value })

async function find(driver: Awaited<ReturnType<typeof open>>, type: string, ...where: Condition[]): Promise<readonly StoredRecord[]> {
  for (const one of where) expect(driver.narrows(type, one)).not.toBe('not')
  return (await driver.find(type, { where, size: 100 })).records
}

/** Adds a field to the account, as an admin would. */
const define = (object: string, name: string, metadata: object) =>
  send('POST', '/tooling/sobjects/CustomField', { FullName: `${object}.${name}`, Metadata: { label: name.replace('__c', ''), ...metadata } })

const PICKLIST = (...values: string[]) => ({ valueSet: { restricted: true, valueSetDefinition: { value: values.map((fullName) => ({ fullName })) } } })

describe('standard fields', () => {
  const ADDRESS = { Street: '12 St James Square\nLondon', City: 'London', State: 'Greater London', PostalCode: 'SW1Y', Country: 'United Kingdom' }

  test.each([
    [
      'Lead',
      {
        ...ADA,
        ...ADDRESS,
        Company: 'Engines Ltd',
        Title: 'Countess',
        Salutation: 'Ms.',
        MobilePhone: '2',
        Website: 'https://engines.example',
        Industry: 'Technology',
        AnnualRevenue: 1_000_000,
        Employees: 12,
        LeadSource: 'Phone',
        Rating: 'Hot',
        Description: 'First line\nsecond',
        EmailOptOut: true,
      },
    ],
    ['Opportunity', { ...ENGINE, Type: 'New Business', LeadSource: 'Web', NextStep: 'Call', Probability: 35, Description: 'Long' }],
    [
      'Case',
      {
        Subject: 'Jam',
        Description: 'Sticks',
        Status: 'New',
        Priority: 'High',
        Origin: 'Web',
        Type: 'Mechanical',
        Reason: 'Breakdown',
        ContactName: 'Grace',
        ContactEmail: 'grace@example.com',
        ContactPhone: '3',
      },
    ],
    [
      'Company',
      {
        ...ADDRESS,
        CompanyName: 'Engines Ltd',
        Website: 'https://engines.example',
        Phone: '1',
        Industry: 'Technology',
        AnnualRevenue: 5,
        Employees: 3,
        Description: 'Cards',
      },
    ],
    [
      'Contact',
      {
        ...ADDRESS,
        FirstName: 'Charles',
        LastName: 'Babbage',
        Email: 'charles@example.com',
        Phone: '1',
        MobilePhone: '2',
        Title: 'Director',
        Description: 'Engines',
      },
    ],
  ] as const)('%s: each is kept, found and emptied', async (type, fields) => {
    const driver = await open()
    const id = await create(driver, type, fields)
    const before = (await one(driver, type, id)) as StoredRecord
    expect(before).toMatchObject(fields)
    const optional = Object.keys(fields).filter(
      (name) =>
        !['FirstName', 'LastName', 'Status', 'OpportunityName', 'Stage', 'CloseDate', 'Subject', 'Description', 'CompanyName', 'EmailOptOut'].includes(name),
    )
    for (const name of optional) {
      const value = (fields as StoredRecord)[name] as string | number
      const family = typeof value === 'number' ? 'number' : 'text'
      expect(await find(driver, type, { field: name, family, operator: 'eq', value }), name).toHaveLength(1)
      expect(await find(driver, type, { field: name, family, operator: 'eq', value: null }), name).toHaveLength(0)
    }
    const none = Object.fromEntries(optional.map((name) => [name, null]))
    expect(await driver.update(type, [{ id, changes: none, before }])).toEqual([true])
    expect(await one(driver, type, id)).toMatchObject(none)
  })

  test('no company is a placeholder in Salesforce, and null everywhere else', async () => {
    const driver = await open()
    const [without, with_] = [await create(driver, 'Lead', ADA), await create(driver, 'Lead', { ...ADA, Company: 'Engines Ltd' })]
    expect(await send('GET', `/sobjects/Lead/${without}`)).toMatchObject({ Company: '[not provided]' })
    expect(await one(driver, 'Lead', without)).toMatchObject({ Company: null })
    const ids = async (condition: Condition) => (await find(driver, 'Lead', condition)).map(({ LeadID }) => LeadID)
    expect(await ids(text('Company', 'eq', null))).toEqual([without])
    expect(await ids(text('Company', 'ne', null))).toEqual([with_])
    expect(await ids(text('Company', 'in', [null, 'Engines Ltd']))).toEqual([without, with_])
    expect(driver.narrows('Lead', text('Company', 'eq', null))).toBe('exactly')
    const before = (await one(driver, 'Lead', with_)) as StoredRecord
    expect(await driver.update('Lead', [{ id: with_, changes: { Company: null }, before }])).toEqual([true])
    expect(await one(driver, 'Lead', with_)).toMatchObject({ Company: null })
    expect(await driver.count('Lead', { where: [text('Company', 'eq', null)] })).toBe(2)
  })

  test('another placeholder can be configured', async () => {
    const tables: Tables = { ...TABLES, Lead: { ...(TABLES.Lead as Table), defaults: { Company: 'Private' } } }
    const driver = await open({ tables })
    const id = await create(driver, 'Lead', ADA)
    expect(await send('GET', `/sobjects/Lead/${id}`)).toMatchObject({ Company: 'Private' })
    expect(await one(driver, 'Lead', id)).toMatchObject({ Company: null })
  })

  test('an account that hides one of them works without it', async () => {
    simulator().faults.add('field-security=Lead.HasOptedOutOfEmail')
    simulator().faults.add('field-security=Account.Industry')
    const driver = await open()
    expect(driver.supports.fields.Lead?.EmailOptOut).toEqual({ absent: true })
    expect(driver.supports.fields.Company?.Industry).toEqual({ absent: true })
    expect(await one(driver, 'Lead', await create(driver, 'Lead', ADA))).toMatchObject({ EmailOptOut: null })
    expect(driver.supports.fields.Company?.Email).toEqual({ absent: true })
  })
})

describe('references', () => {
  test('are kept, found by and emptied', async () => {
    const driver = await open()
    const CompanyID = await create(driver, 'Company', { CompanyName: 'Engines Ltd' })
    const ContactID = await create(driver, 'Contact', { LastName: 'Babbage', CompanyID })
    const CampaignID = await create(driver, 'Campaign', { CampaignName: 'Fair', Status: 'Active' })
    const ParentID = await create(driver, 'Case', { Subject: 'Jam', Description: 'Sticks', Status: 'New' })
    const records = {
      Contact: { id: ContactID, refers: { CompanyID } },
      Opportunity: {
        id: await create(driver, 'Opportunity', { ...ENGINE, CompanyID, ContactID, CampaignID }),
        refers: { CompanyID, ContactID, CampaignID },
      },
      Case: {
        id: await create(driver, 'Case', { Subject: 'Jam', Description: 'x', Status: 'New', CompanyID, ContactID, ParentID }),
        refers: { CompanyID, ContactID, ParentID },
      },
    }
    for (const [type, { id, refers }] of Object.entries(records)) {
      const before = (await one(driver, type, id)) as StoredRecord
      expect(before).toMatchObject(refers)
      for (const [field, value] of Object.entries(refers)) {
        expect(driver.narrows(type, text(field, 'eq', value))).toBe('exactly')
        expect(await find(driver, type, text(field, 'eq', value)), `${type}.${field}`).toHaveLength(1)
      }
      const none = Object.fromEntries(Object.keys(refers).map((field) => [field, null]))
      expect(await driver.update(type, [{ id, changes: none, before }])).toEqual([true])
      expect(await one(driver, type, id)).toMatchObject(none)
    }
    expect(await driver.delete('Company', [CompanyID])).toEqual([true])
    expect(await driver.delete('Contact', [ContactID])).toEqual([true])
  })

  test('the contact of an opportunity can be changed later, by its primary role', async () => {
    const driver = await open()
    const [ada, grace] = [await create(driver, 'Contact', { LastName: 'Lovelace' }), await create(driver, 'Contact', { LastName: 'Hopper' })]
    const id = await create(driver, 'Opportunity', { ...ENGINE, ContactID: ada })
    const change = async (ContactID: string | null) => {
      const before = (await one(driver, 'Opportunity', id)) as StoredRecord
      expect(await driver.update('Opportunity', [{ id, changes: { ContactID, NextStep: String(ContactID) }, before }])).toEqual([true])
      expect(await one(driver, 'Opportunity', id)).toMatchObject({ ContactID, NextStep: String(ContactID) })
    }
    for (const contact of [grace, ada, null, grace]) await change(contact)
    const roles = await send<{ records: object[] }>('GET', `/query?q=${encodeURIComponent('SELECT ContactId, IsPrimary FROM OpportunityContactRole')}`)
    expect(roles.records).toHaveLength(2)
    const before = (await one(driver, 'Opportunity', id)) as StoredRecord
    requests.length = 0
    expect(await driver.update('Opportunity', [{ id, changes: { ContactID: grace, NextStep: 'Call' }, before }])).toEqual([true])
    expect(requests).toHaveLength(1)
    const [wrong] = await driver.update('Opportunity', [{ id, changes: { ContactID: 'unknown' }, before }])
    expect(wrong).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'ContactID' }] })
  })
})

test.each(['Note', 'ContentNote'])('%s: companies and contacts have notes', async (notes) => {
  const driver = await open({}, { notes })
  for (const [type, record] of [
    ['Company', { CompanyName: 'Engines Ltd' }],
    ['Contact', { LastName: 'Babbage' }],
  ] as const) {
    const RecordID = await create(driver, type, record)
    const id = await create(driver, 'Note', { RecordID, Note: `On a ${type}` }, type)
    expect(await one(driver, 'Note', id)).toMatchObject({ NoteID: id, RecordID, Note: `On a ${type}` })
    expect(await driver.count('Note', { where: [text('RecordID', 'eq', RecordID)], on: type })).toBe(1)
  }
})

test('a member of a campaign has a status', async () => {
  const driver = await open()
  const [LeadID, CampaignID] = [await create(driver, 'Lead', ADA), await create(driver, 'Campaign', { CampaignName: 'Fair', Status: 'Active' })]
  await driver.create('Membership', [{ LeadID, CampaignID, Status: 'Responded' }])
  expect(await driver.get('Membership', [`${LeadID}:${CampaignID}`])).toMatchObject([{ Status: 'Responded' }])
})

describe('ExternalID', () => {
  test.each(['ExternalID__c', 'External_Id__c'])('lives in %s where the account has it', async (name) => {
    await define('Lead', name, { type: 'Text', length: 40, externalId: true, unique: true })
    const driver = await open()
    expect(driver.supports.fields.Lead?.ExternalID).toEqual({ max: 40 })
    expect(driver.supports.fields.Case?.ExternalID).toEqual({ absent: true, remedy: expect.stringContaining('make a text field External_ID__c') })
    const id = await create(driver, 'Lead', { ...ADA, ExternalID: 'A-1' })
    expect(await find(driver, 'Lead', text('ExternalID', 'eq', 'A-1'))).toMatchObject([{ LeadID: id, ExternalID: 'A-1' }])
    const [twin] = await driver.create('Lead', [{ ...ADA, FirstName: 'Grace', ExternalID: 'A-1' }])
    expect(twin).toMatchObject({ code: 'conflict', errors: [{ field: 'ExternalID' }] })
  })

  test('is not the only field that Salesforce may keep unique', async () => {
    await define('Lead', 'Badge__c', { type: 'Text', length: 40, unique: true })
    await define('Lead', 'Desk__c', { type: 'Text', length: 40 })
    const { extras, fields } = (await open()).supports
    expect(Object.keys(extras.Lead ?? {})).toEqual(expect.arrayContaining(['Badge', 'Desk']))
    expect([fields.Lead?.Badge?.unique, fields.Lead?.Desk?.unique]).toEqual([true, undefined])
  })

  test('of a member of a campaign lives there too', async () => {
    await define('CampaignMember', 'ExternalID__c', { type: 'Text', length: 40, externalId: true, unique: true })
    const driver = await open()
    expect(driver.supports.fields.Membership?.ExternalID).toEqual({ max: 40 })
    const [LeadID, CampaignID] = [await create(driver, 'Lead', ADA), await create(driver, 'Campaign', { CampaignName: 'Fair', Status: 'Active' })]
    await driver.create('Membership', [{ LeadID, CampaignID, Status: 'Sent', ExternalID: 'M-1' }])
    const id = `${LeadID}:${CampaignID}`
    expect(await find(driver, 'Membership', text('ExternalID', 'eq', 'M-1'))).toMatchObject([{ MembershipID: id, ExternalID: 'M-1' }])
    expect(await driver.update('Membership', [{ id, changes: { ExternalID: 'M-2' }, before: { ExternalID: 'M-1' } }])).toEqual([true])
    expect(await driver.get('Membership', [id])).toMatchObject([{ Status: 'Sent', ExternalID: 'M-2' }])
  })

  test('that is not unique there is told so', async () => {
    await define('Lead', 'ExternalID__c', { type: 'Text', length: 40 })
    expect((await open()).supports.fields.Lead?.ExternalID).toMatchObject({ remark: expect.stringContaining('Unique') })
  })
})

describe("an account's own fields", () => {
  const KINDS = {
    Score__c: { type: 'Number', precision: 6, scale: 2 },
    Tier__c: { type: 'Picklist', ...PICKLIST('Gold', 'Silver') },
    Topics__c: { type: 'MultiselectPicklist', visibleLines: 3, ...PICKLIST('Cards', 'Looms', 'Sums') },
    Partner__c: { type: 'Lookup', referenceTo: 'Account' },
    Met__c: { type: 'DateTime' },
    Born__c: { type: 'Date' },
    Vip__c: { type: 'Checkbox', defaultValue: false },
    Memo__c: { type: 'LongTextArea', length: 5000, visibleLines: 3 },
    Rank__c: { type: 'Text', length: 10, formula: 'TEXT(1)' },
  }
  const values = (Partner: string) => ({
    Score: 7.25,
    Tier: 'Gold',
    Topics: ['Looms', 'Sums'],
    Partner,
    Met: '2026-05-01T07:25:37.000Z',
    Born: '1815-12-10',
    Vip: true,
    Memo: 'Long\ntext',
    Fax: '9',
  })

  async function defined() {
    for (const [name, metadata] of Object.entries(KINDS)) await define('Lead', name, metadata)
  }

  test('are there without configuration, each in its kind', async () => {
    await defined()
    const driver = await open()
    const partner = await create(driver, 'Company', { CompanyName: 'Engines Ltd' })
    expect(driver.supports.extras.Lead).toMatchObject({
      Score: { kind: 'number', label: 'Score', readOnly: false },
      Tier: { kind: 'choice' },
      Topics: { kind: 'choices' },
      Partner: { kind: 'id', refers: 'Company' },
      Met: { kind: 'timestamp' },
      Born: { kind: 'date' },
      Vip: { kind: 'boolean' },
      Memo: { kind: 'longText' },
      Rank: { kind: 'text', readOnly: true },
      Fax: { kind: 'phone', label: 'Fax' },
      IsConverted: { kind: 'boolean', readOnly: true },
    })
    expect(driver.supports.fields.Lead).toMatchObject({
      Tier: { closed: ['Gold', 'Silver'] },
      Topics: { closed: ['Cards', 'Looms', 'Sums'] },
      Score: { decimals: 2 },
      Memo: { max: 5000 },
    })
    for (const left of ['Address', 'Name', 'SystemModstamp', 'IsDeleted', 'Street', 'Company', 'OwnerId'])
      expect(driver.supports.extras.Lead).not.toHaveProperty(left)
    expect(driver.supports.extras.Case).toMatchObject({ ContactEmail_2: { kind: 'email', readOnly: true } })
    expect(driver.supports.extras.Case).not.toHaveProperty('Comments')
    const id = await create(driver, 'Lead', { ...ADA, ...values(partner) })
    const before = (await one(driver, 'Lead', id)) as StoredRecord
    expect(before).toMatchObject({ ...values(partner), Rank: null })
    expect(await driver.update('Lead', [{ id, changes: { Topics: ['Cards'], Tier: null, Partner: null }, before }])).toEqual([true])
    expect(await one(driver, 'Lead', id)).toMatchObject({ Topics: ['Cards'], Tier: null, Partner: null, Score: 7.25 })
    expect(await driver.update('Lead', [{ id, changes: { Topics: [] }, before }])).toEqual([true])
    expect(await one(driver, 'Lead', id)).toMatchObject({ Topics: null })
    const [wrong] = await driver.create('Lead', [{ ...ADA, Topics: ['a;b'] }])
    expect(wrong).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Topics' }] })
  })

  test('can be searched and sorted by like any other', async () => {
    await defined()
    const driver = await open()
    const partner = await create(driver, 'Company', { CompanyName: 'Engines Ltd' })
    const [ada, grace] = [await create(driver, 'Lead', { ...ADA, ...values(partner) }), await create(driver, 'Lead', { ...ADA, FirstName: 'Grace', Score: 3 })]
    const ids = async (condition: Condition) => (await find(driver, 'Lead', condition)).map(({ LeadID }) => LeadID)
    const list = (operator: 'contains' | 'eq' | 'ne', value: string | null): Condition => ({ field: 'Topics', family: 'list', operator, value })
    expect(await ids(list('contains', 'Looms'))).toEqual([ada])
    expect(await ids(list('contains', 'Cards'))).toEqual([])
    expect(await ids(list('contains', "O'x\\"))).toEqual([])
    expect(await ids(list('contains', 'Looms;Sums'))).toEqual([])
    expect(await ids(list('eq', null))).toEqual([grace])
    expect(await ids(list('ne', null))).toEqual([ada])
    expect(await ids(text('Partner', 'eq', partner))).toEqual([ada])
    expect(await ids(text('Tier', 'ne', 'Gold'))).toEqual([grace])
    expect(await ids({ field: 'Score', family: 'number', operator: 'lt', value: 5 })).toEqual([grace])
    expect(driver.orders('Lead', { field: 'Topics', descending: false })).toBe(false)
    const { records } = await driver.find('Lead', { where: [], order: { field: 'Score', descending: false }, size: 10 })
    expect(records.map(({ LeadID }) => LeadID)).toEqual([grace, ada])
  })

  test('a field that a record cannot be made without is asked for', async () => {
    await define('Lead', 'Region__c', { type: 'Text', length: 20, required: true })
    expect((await open()).supports.fields.Lead?.Region).toMatchObject({ required: true, max: 20 })
    const tables: Tables = { ...TABLES, Lead: { ...(TABLES.Lead as Table), defaults: { ...TABLES.Lead.defaults, Region__c: 'North' } } }
    const driver = await open({ tables })
    expect(driver.supports.fields.Lead?.Region).not.toHaveProperty('required')
    expect(await one(driver, 'Lead', await create(driver, 'Lead', ADA))).toMatchObject({ Region: 'North' })
  })

  test('the configuration renames and hides them; a name that is not there is refused', async () => {
    await defined()
    const configured = (fields: object): Tables => {
      const faults: never[] = []
      const tables = overridden(TABLES, { Lead: { fields } }, faults, 'tables')
      expect(faults).toEqual([])
      return tables
    }
    const driver = await open({ tables: configured({ Points: 'Score__c', Memo: null, Jigsaw: null }) })
    expect(Object.keys(driver.supports.extras.Lead ?? {})).toEqual(expect.arrayContaining(['Points', 'Tier']))
    for (const left of ['Score', 'Memo', 'Jigsaw']) expect(driver.supports.extras.Lead).not.toHaveProperty(left)
    expect(await one(driver, 'Lead', await create(driver, 'Lead', { ...ADA, Points: 4 }))).toMatchObject({ Points: 4 })
    await expect(open({ tables: configured({ Points: 'Scroe__c' }) })).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'Lead.Points' }] })
  })

  test('one that is deleted meanwhile is no longer asked for, and no value for it is lost unnoticed', async () => {
    await define('Lead', 'Score__c', KINDS.Score__c)
    const driver = await open()
    const id = await create(driver, 'Lead', { ...ADA, Score: 3 })
    await remove('Lead.Score__c')
    const before = (await one(driver, 'Lead', id)) as StoredRecord
    expect(before).not.toHaveProperty('Score')
    expect(driver.supports.extras.Lead).not.toHaveProperty('Score')
    expect(await driver.update('Lead', [{ id, changes: { Score: 4 }, before }])).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'Score' }] }])
    expect(await driver.create('Lead', [{ ...ADA, Score: 4 }])).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'Score' }] }])
    expect((await driver.find('Lead', { where: [], size: 10 })).records).toHaveLength(1)
  })

  test('one that people add is there ten minutes later, for one request', async () => {
    const driver = await open()
    const { supports } = driver
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    vi.setSystemTime(Date.now() + 5000)
    await define('Lead', 'Score__c', KINDS.Score__c)
    requests.length = 0
    await driver.count('Lead', { where: [] })
    expect(requests).toHaveLength(1)
    expect(driver.supports).toBe(supports)
    vi.setSystemTime(Date.now() + 11 * 60_000)
    requests.length = 0
    await driver.count('Lead', { where: [] })
    expect(driver.supports.extras.Lead).toMatchObject({ Score: { kind: 'number' } })
    await driver.count('Lead', { where: [] })
    expect(requests).toHaveLength(3)
    // What was not modified is not described again.
    const parts = (JSON.parse(requests[0]?.body ?? '') as { compositeRequest: { httpHeaders?: object }[] }).compositeRequest
    expect(parts.every(({ httpHeaders }) => httpHeaders !== undefined)).toBe(true)
    const described = driver.supports
    vi.setSystemTime(Date.now() + 11 * 60_000)
    await driver.count('Lead', { where: [] })
    expect(driver.supports).toBe(described)
  })

  test('a write that is refused for one makes us look again', async () => {
    await define('Lead', 'Score__c', KINDS.Score__c)
    const driver = await open()
    await remove('Lead.Score__c')
    expect(await driver.create('Lead', [{ ...ADA, Score: 4 }])).toMatchObject([{ code: 'forbidden' }])
    expect(good((await driver.create('Lead', [ADA]))[0])).toMatchObject({ id: expect.any(String) })
    expect(driver.supports.extras.Lead).not.toHaveProperty('Score')
  })
})

/** Deletes a field, as an admin would. */
async function remove(fullName: string): Promise<void> {
  const body = `<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Header><SessionHeader><sessionId>simulator</sessionId></SessionHeader></env:Header><env:Body><deleteMetadata><type>CustomField</type><fullNames>${fullName}</fullNames></deleteMetadata></env:Body></env:Envelope>`
  const answer = await fetch(`${simulator().url}/services/Soap/m/62.0`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body })
  expect(await answer.text()).toContain('<success>true</success>')
}

test('custom objects keep picklists, several values and lookups', async () => {
  const driver = await open()
  await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Hull', Type: 'Number', Label: 'Hull' }])
  await define('Boat__c', 'Rig__c', { type: 'Picklist', ...PICKLIST('Sloop', 'Ketch') })
  await define('Boat__c', 'Uses__c', { type: 'MultiselectPicklist', visibleLines: 3, ...PICKLIST('Race', 'Cruise') })
  await define('Boat__c', 'Builder__c', { type: 'Lookup', referenceTo: 'Account' })
  const other = await open()
  expect((await other.definitions()).map(({ FieldName }) => FieldName)).toEqual(expect.arrayContaining(['Hull', 'Rig', 'Uses', 'Builder']))
  const Builder = await create(other, 'Company', { CompanyName: 'Yard' })
  const id = await create(other, 'CustomObject', { ObjectName: 'Boat', Values: { Hull: 7, Rig: 'Sloop', Uses: ['Race', 'Cruise'], Builder } })
  expect(await one(other, 'CustomObject', id)).toMatchObject({ Values: { Hull: 7, Rig: 'Sloop', Uses: ['Race', 'Cruise'], Builder } })
  const where = [{ field: 'Values', name: 'Builder', family: 'text', operator: 'eq', value: Builder }] as const
  expect((await other.find('CustomObject', { object: 'Boat', where, size: 10 })).records).toHaveLength(1)
})
