import { describe, expect, test } from 'vitest'
import type { OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import type { Table, Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { adapted } from '../../../../src/platforms/crms/salesforce/account.ts'
import type { FieldDescribe, ObjectDescribe } from '../../../../src/platforms/crms/salesforce/describes.ts'
import { examine } from '../../../../src/platforms/crms/salesforce/examination.ts'
import { TABLES } from '../../../../src/platforms/crms/salesforce/tables.ts'
import { account, create, one } from './account.ts'

const { open, opening, requests, send, simulator } = account()

const field = (more: Partial<FieldDescribe> & { readonly name: string; readonly type: string }): FieldDescribe => ({
  label: more.name,
  createable: true,
  updateable: true,
  filterable: true,
  sortable: true,
  nillable: true,
  ...more,
})

const picklist = (name: string, restrictedPicklist: boolean, ...values: string[]) =>
  field({
    name,
    type: 'picklist',
    length: 255,
    restrictedPicklist,
    picklistValues: values.map((value, at) => ({ value, active: true, defaultValue: at === 0 })),
  })

function leadsOf(fields: FieldDescribe[], table: Table = TABLES.Lead as Table): Table {
  const describe: ObjectDescribe = { name: 'Lead', keyPrefix: '00Q', fields }
  return adapted({ Lead: table }, new Map([['Lead', describe]])).Lead as Table
}

describe('what the account says of its fields', () => {
  test('a closed set of words is told as such, with ours in the place of theirs', () => {
    const { Status } = leadsOf([picklist('Status', true, 'Open - Not Contacted', 'Working')]).fields
    expect(Status).toMatchObject({ closed: true, values: { Open: 'Open - Not Contacted' }, allowed: ['Working'] })
  })

  test('leads are born with what those of the account are born with', () => {
    expect(leadsOf([picklist('Status', true, 'New', 'Working')]).fields.Status).toMatchObject({ values: { Open: 'New' }, allowed: ['Working'] })
    expect(leadsOf([picklist('Status', false, 'Open', 'Working')]).fields.Status).toMatchObject({ values: {} })
    expect(leadsOf([picklist('Status', false, 'Open', 'Working')]).fields.Status).not.toHaveProperty('closed')
  })

  test('what Salesforce fills in at first cannot be cleared later', async () => {
    const status = { ...picklist('Status', false, 'New'), nillable: false, defaultedOnCreate: true }
    expect(leadsOf([status], { object: 'Lead', fields: { Status: { name: 'Status', kind: 'choice' } } }).fields.Status).toMatchObject({ required: true })
    expect(leadsOf([status], { object: 'Lead', fields: { Phase: { name: 'Status', kind: 'choice' } } }).fields.Phase).not.toHaveProperty('required')
    expect((await open()).supports.fields.Lead?.Status).toMatchObject({ required: true })
  })

  test('what the configuration says wins', () => {
    const table: Table = { ...(TABLES.Lead as Table), fields: { Status: { name: 'Status', kind: 'choice', values: { Fresh: 'New' }, closed: false, max: 10 } } }
    const { Status } = leadsOf([picklist('Status', true, 'Open', 'New')], table).fields
    expect(Status).toMatchObject({ values: { Fresh: 'New' }, closed: false, max: 10 })
  })

  test('fields that were only declared get their limits from the account', () => {
    const table: Table = {
      object: 'Lead',
      fields: {
        Company: { name: 'Company', kind: 'text' },
        Score: { name: 'Score__c', kind: 'number' },
        Memo: { name: 'Memo__c', kind: 'longText' },
        Formula: { name: 'Formula__c', kind: 'text' },
      },
    }
    const { fields } = leadsOf(
      [
        field({ name: 'Company', type: 'string', length: 255, nillable: false }),
        field({ name: 'Score__c', type: 'double', precision: 6, scale: 2 }),
        field({ name: 'Memo__c', type: 'textarea', length: 5000, filterable: false, sortable: false }),
        field({ name: 'Formula__c', type: 'string', length: 1300, createable: false, updateable: false }),
      ],
      table,
    )
    expect(fields.Company).toMatchObject({ max: 255, required: true })
    expect(fields.Score).toMatchObject({ decimals: 2, digits: 4 })
    expect(fields.Memo).toMatchObject({ max: 5000, filters: false, sorts: false })
    expect(fields.Formula).toMatchObject({ readOnly: true })
    expect(
      leadsOf([field({ name: 'Company', type: 'string', length: 255, nillable: false })], { ...table, defaults: { Company: 'x' } }).fields.Company,
    ).not.toHaveProperty('required')
  })

  test('amounts in several currencies are added up here', () => {
    const describe: ObjectDescribe = {
      name: 'Opportunity',
      fields: [field({ name: 'CurrencyIsoCode', type: 'picklist' }), field({ name: 'Amount', type: 'currency', precision: 18, scale: 2 })],
    }
    const table = adapted({ Opportunity: TABLES.Opportunity as Table }, new Map([['Opportunity', describe]])).Opportunity
    expect(table?.fields.Amount).toMatchObject({ filters: false, sorts: false })
  })
})

const EXTRA: Tables = {
  ...TABLES,
  Lead: {
    ...(TABLES.Lead as Table),
    fields: {
      ...TABLES.Lead?.fields,
      Company: { name: 'Company', kind: 'text', label: 'Company' },
      Employees: { name: 'NumberOfEmployees', kind: 'integer', label: 'Employees' },
      Address: { name: 'Street', kind: 'longText', label: 'Street' },
    },
  },
}

describe('declared fields', () => {
  test('work like built-in ones', async () => {
    const driver = await open({ tables: EXTRA })
    expect(driver.supports.extras.Lead).toMatchObject({
      Address: { kind: 'longText', label: 'Street', readOnly: false },
    })
    expect(driver.supports.fields.Lead).toMatchObject({ Company: { max: 255 }, FirstName: { max: 40 }, LastName: { max: 80 } })
    const id = await create(driver, 'Lead', {
      FirstName: 'Ada',
      LastName: 'Lovelace',
      Status: 'Open',
      Company: "O'Brien & Sons",
      Employees: 12,
      Address: 'Line\nLine',
    })
    await create(driver, 'Lead', { FirstName: 'Grace', LastName: 'Hopper', Status: 'Open' })
    expect(await one(driver, 'Lead', id)).toMatchObject({ Company: "O'Brien & Sons", Employees: 12, Address: 'Line\nLine' })
    expect(await driver.update('Lead', [{ id, changes: { Employees: 13, Address: null }, before: {} }])).toEqual([true])
    const where = [
      { field: 'Employees', family: 'number', operator: 'gte', value: 13 },
      { field: 'Company', family: 'text', operator: 'eq', value: "O'Brien & Sons" },
    ] as const
    expect((await driver.find('Lead', { where, order: { field: 'Employees', descending: false }, size: 10 })).records).toMatchObject([
      { LeadID: id, Employees: 13, Address: null },
    ])
  })

  test('other objects and fixed values can stand for ours', async () => {
    const tables: Tables = {
      ...TABLES,
      Lead: {
        object: 'Contact',
        fields: {
          LeadID: { name: 'Id', kind: 'id', readOnly: true },
          FirstName: { name: 'FirstName', kind: 'text' },
          LastName: { name: 'LastName', kind: 'text' },
          Email: { name: 'Email', kind: 'email' },
          Phone: { name: 'Phone', kind: 'phone' },
          Status: { name: 'LeadSource', kind: 'choice' },
          OwnerID: { name: 'OwnerId', kind: 'id' },
          CreatedDate: { name: 'CreatedDate', kind: 'timestamp', readOnly: true },
          UpdatedDate: { name: 'SystemModstamp', kind: 'timestamp', readOnly: true },
        },
        fixed: { Department: "Sales' own" },
      },
    }
    const driver = await open({ tables })
    const id = await create(driver, 'Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Web' })
    expect(await send('GET', `/sobjects/Contact/${id}`)).toMatchObject({ LeadSource: 'Web', Department: "Sales' own" })
    await send('POST', '/sobjects/Contact', { LastName: 'Somebody else' })
    expect(await driver.count('Lead', { where: [] })).toBe(1)
    expect(await one(driver, 'Lead', id)).toMatchObject({ LeadID: id, Status: 'Web' })
  })
})

test.each([
  ['allow', 'sforce-duplicate-rule-header', { duplicates: 'allow' }, 'allowSave=true'],
  ['assignment rules', 'sforce-auto-assign', { assignment: 'rules' }, undefined],
] as const)('%s is asked for by a header', async (_, header, options, value) => {
  const driver = await open({}, options)
  await create(driver, 'Lead', { FirstName: 'Ada', LastName: 'Lovelace', Status: 'Open' })
  expect(requests.find(({ path }) => path.endsWith('/sobjects/Lead'))?.headers[header]).toBe(value)
})

test('a version is a number, and any is asked for', async () => {
  const driver = await open({}, { apiVersion: 'v59' })
  await driver.count('Lead', { where: [] })
  expect(requests.at(-1)?.path).toBe('/services/data/v59.0/query')
  await expect(open({}, { apiVersion: 'latest' })).rejects.toMatchObject({ code: 'invalid_input' })
})

describe('the examination', () => {
  async function examined(more: Partial<OpenOptions> = {}) {
    const findings: { readonly name: string; readonly good: boolean; readonly text: string; readonly todo?: string }[] = []
    for await (const finding of examine(opening(more))) findings.push(finding)
    return findings
  }

  test('says who we are and that nothing is missing', async () => {
    const findings = await examined()
    expect(findings.filter(({ good }) => !good)).toEqual([])
    expect(findings.map(({ name }) => name)).toEqual([
      'sign-in',
      'user',
      'version',
      'Lead',
      'Opportunity',
      'Case',
      'Account',
      'Contact',
      'Campaign',
      'Note',
      'CaseComment',
      'CampaignMember',
      'quota',
    ])
    expect(findings.find(({ name }) => name === 'user')?.text).toMatch(/^We are .+@.+ \(005/)
  })

  test('names what cannot be seen, with what to do', async () => {
    simulator().faults.add('field-security=Lead.Email')
    const findings = await examined({ tables: { ...EXTRA, Case: { ...(TABLES.Case as Table), object: 'Ticket__c' } } })
    const bad = findings.filter(({ good }) => !good)
    expect(bad.map(({ name }) => name)).toEqual(['Lead.Email', 'Ticket__c'])
    expect(bad.every(({ todo }) => todo !== undefined)).toBe(true)
  })

  test('says what to check where nobody is let in', async () => {
    const findings = await examined({ secrets: { clientId: 'simulator', clientSecret: 'wrong' } })
    expect(findings).toMatchObject([{ name: 'sign-in', good: false, todo: expect.any(String) }])
  })
})
