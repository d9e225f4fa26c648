import { expect, onTestFinished, test } from 'vitest'
import { overridden } from '../../../../src/platforms/crms/engine/overrides.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { ADA, all, good, startAccount } from './open-account.ts'

const GROUPS: { readonly [object: string]: string } = { contacts: 'contactinformation', companies: 'companyinformation', deals: 'dealinformation' }

const OPTIONS = ['north', 'south'].map((value) => ({ label: `The ${value}`, value }))

/** An account with properties of its own, and a driver to it. */
async function open(object: string, properties: readonly object[], fields?: { readonly [type: string]: object }) {
  const { opening, simulator, sent } = await startAccount()
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: 'Bearer simulator', 'content-type': 'application/json' }
    const answer = await fetch(`${simulator.url}/crm/${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  for (const property of properties) await ask('POST', `properties/2026-03/${object}`, { groupName: GROUPS[object], ...property })
  const faults: never[] = []
  const tables = overridden(
    opening.tables,
    fields && Object.fromEntries(Object.entries(fields).map(([type, one]) => [type, { fields: one }])),
    faults,
    'tables',
  )
  expect(faults).toEqual([])
  const driver = await hubspot.open({ ...opening, tables })
  onTestFinished(() => driver.close())
  return { driver, ask, sent }
}

const EVERY_KIND = [
  { name: 'nick_name', label: 'Nickname', type: 'string', fieldType: 'text' },
  { name: 'story', label: 'Story', type: 'string', fieldType: 'textarea' },
  { name: 'fax_line', label: 'Fax line', type: 'string', fieldType: 'phonenumber' },
  { name: 'score', label: 'Score', type: 'number', fieldType: 'number' },
  { name: 'born', label: 'Born', type: 'date', fieldType: 'date' },
  { name: 'seen', label: 'Seen', type: 'datetime', fieldType: 'date' },
  { name: 'loyal', label: 'Loyal', type: 'bool', fieldType: 'booleancheckbox' },
  { name: 'region', label: 'Region', type: 'enumeration', fieldType: 'select', options: OPTIONS },
  { name: 'markets', label: 'Markets', type: 'enumeration', fieldType: 'checkbox', options: OPTIONS },
]

const VALUES = {
  NickName: 'Countess',
  Story: 'Long\nago',
  FaxLine: '+44 3',
  Score: 7.5,
  Born: '1815-12-10',
  Seen: '2026-11-16T09:30:00.000Z',
  Loyal: true,
  Region: 'The north',
  Markets: ['The north', 'The south'],
}

test('every property that an account has made is there, as what it is', async () => {
  const { driver } = await open('contacts', EVERY_KIND)
  const kinds = { NickName: 'text', Story: 'longText', FaxLine: 'phone', Score: 'number', Born: 'date', Seen: 'timestamp', Loyal: 'boolean' }
  for (const type of ['Lead', 'Contact']) {
    const extras = driver.supports.extras[type] ?? {}
    expect(Object.fromEntries(Object.entries(extras).map(([name, { kind }]) => [name, kind]))).toEqual({ ...kinds, Region: 'choice', Markets: 'choices' })
    expect(extras.NickName?.label).toBe('Nickname')
    expect(driver.supports.fields[type]?.Region?.closed).toEqual(['The north', 'The south'])
  }
  const [lead] = good(await driver.create('Lead', [{ ...ADA, ...VALUES }])) as StoredRecord[]
  expect(lead).toMatchObject({ ...ADA, ...VALUES })
  const id = String(lead?.LeadID)
  expect(await driver.get('Lead', [id])).toEqual([lead])
  expect(await all(driver, 'Lead', { where: [{ field: 'Region', family: 'text', operator: 'eq', value: 'The north' }] })).toEqual([lead])
  expect(await all(driver, 'Lead', { where: [{ field: 'Score', family: 'number', operator: 'gt', value: 7 }] })).toEqual([lead])
  expect(await all(driver, 'Lead', { where: [{ field: 'Markets', family: 'list', operator: 'eq', value: null }] })).toEqual([])
  await driver.update('Lead', [{ id, changes: { Markets: ['The south'], Region: null, Loyal: false }, before: {} }])
  expect(await driver.get('Lead', [id])).toMatchObject([{ Markets: ['The south'], Region: null, Loyal: false }])
})

test("HubSpot's own properties are there where the configuration names them, and others can be renamed and hidden", async () => {
  const { driver } = await open('contacts', [...EVERY_KIND, { name: 'email_two', label: 'Other', type: 'string', fieldType: 'text' }], {
    Lead: { FaxNumber: 'fax', Points: 'score', Story: null, OptedOut: 'hs_email_optout' },
  })
  const { Lead = {}, Contact = {} } = driver.supports.extras
  expect(Lead).toMatchObject({ FaxNumber: { kind: 'text' }, Points: { kind: 'number', label: 'Score' }, OptedOut: { kind: 'boolean', readOnly: true } })
  expect(Object.keys(Lead)).not.toEqual(expect.arrayContaining(['Story']))
  expect(Object.keys(Lead)).not.toEqual(expect.arrayContaining(['Score']))
  expect(Contact).toMatchObject({ Score: {}, Story: {} })
  const [lead] = good(await driver.create('Lead', [{ ...ADA, FaxNumber: '555', Points: 3 }]))
  expect(lead).toMatchObject({ FaxNumber: '555', Points: 3 })
})

test('a property that is named and not there is refused', async () => {
  await expect(open('contacts', [], { Lead: { Points: 'no_such_score' } })).rejects.toMatchObject({ errors: [{ field: 'Lead.Points' }] })
})

test('a property that is called like a field without a place takes its place, an external id only where it is unique', async () => {
  const property = { name: 'external_id', label: 'External id', type: 'string', fieldType: 'text' }
  const unique = await open('companies', [
    { ...property, hasUniqueValue: true },
    { name: 'email', label: 'E-mail', type: 'string', fieldType: 'text' },
  ])
  expect(unique.driver.supports.fields.Company?.ExternalID).toBeUndefined()
  expect(unique.driver.supports.fields.Lead?.ExternalID).toEqual({ absent: true, remedy: expect.stringContaining('make a property external_id') })
  const company = { CompanyName: 'Engines', Email: 'engines@example.com', ExternalID: 'E-1' }
  expect(good(await unique.driver.create('Company', [company]))).toMatchObject([company])
  expect(await unique.driver.create('Company', [company])).toMatchObject([{ code: 'platform_rejected', errors: [{ field: 'ExternalID', code: 'conflict' }] }])
  const { driver } = await open('companies', [property])
  expect(driver.supports.fields.Company?.ExternalID).toEqual({ absent: true, remedy: expect.stringContaining('Require unique values') })
  expect(driver.supports.extras.Company).toHaveProperty('external_id')
})

test('a property that HubSpot keeps unique is known as such', async () => {
  const property = { label: 'Number', type: 'string', fieldType: 'text' }
  const { driver } = await open('companies', [
    { ...property, name: 'customer_number', hasUniqueValue: true },
    { ...property, name: 'order_number' },
  ])
  const { CustomerNumber: unique, OrderNumber: plain } = driver.supports.fields.Company ?? {}
  expect([unique?.unique, plain?.unique]).toEqual([true, undefined])
  expect(Object.keys(driver.supports.extras.Company ?? {})).toEqual(expect.arrayContaining(['CustomerNumber', 'OrderNumber']))
})

test('many properties of an account do not make a page long: they are read in batches, and only where they are wanted', async () => {
  const many = Array.from({ length: 90 }, (_, i) => ({ name: `a_property_of_the_account_${i}`, label: `P${i}`, type: 'string', fieldType: 'text' }))
  const { driver, sent } = await open('contacts', many)
  good(
    await driver.create('Lead', [
      { ...ADA, APropertyOfTheAccount_7: 'seven' },
      { FirstName: 'Grace', LastName: 'Hopper' },
    ]),
  )
  const order = { field: 'CreatedDate', descending: true }
  sent.length = 0
  expect((await driver.find('Lead', { where: [], order, size: 200 })).records.filter((one) => one.APropertyOfTheAccount_7 === 'seven')).toHaveLength(1)
  expect(sent).toHaveLength(2)
  sent.length = 0
  await driver.find('Lead', { where: [], order, size: 200, fields: ['LastName', 'APropertyOfTheAccount_7'] })
  expect(sent).toHaveLength(1)
})
