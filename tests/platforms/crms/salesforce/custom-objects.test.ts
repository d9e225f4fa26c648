import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CrmDriver, Definition } from '../../../../src/platforms/crms/engine/driver.ts'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import { apiName, ownName } from '../../../../src/platforms/crms/salesforce/custom-names.ts'
import { createObjectXml, soapError } from '../../../../src/platforms/crms/salesforce/metadata.ts'
import type { Condition, StoredRecord } from '../../../../src/platforms/platform.ts'
import { account, all, create, one } from './account.ts'

const { open, send, requests, simulator } = account()

const field = (FieldName: string, Type: Definition['Type'], Label = FieldName): Definition => ({ ObjectName: 'Boat', FieldName, Type, Label })

const FIELDS = [
  field('Harbour', 'String', 'Home harbour'),
  field('Hull', 'Number'),
  field('Sails', 'Boolean'),
  field('Built', 'Date'),
  field('Seen', 'DateTime'),
]

const VALUES = { Harbour: "Kiel's \\ 港\nOst", Hull: 7.25, Sails: true, Built: '1999-12-31', Seen: '2026-05-01T07:25:37.000Z' }

describe('names', () => {
  test('the usual ones look natural', () => {
    expect(['Boat', 'Hull_length', 'X1'].map(apiName)).toEqual(['Boat__c', 'Hull_length__c', 'X1__c'])
    expect(['Boat__c', 'ns__Boat__c', 'Boat', 'Boat__x'].map(ownName)).toEqual(['Boat', 'ns__Boat', undefined, undefined])
  })

  test('every name that is not too long comes back, and is one that Salesforce takes', () => {
    const name = fc
      .tuple(fc.constantFrom('a', 'Z', 'b'), fc.string({ unit: fc.constantFrom('_', 'Z', '5', 'a', 'f', 'e', 's', 'c', 'B'), maxLength: 12 }))
      .map(([first, rest]) => first + rest)
    const names = fc.oneof(
      name,
      name.map((one) => `${one}_esc`),
      fc.constantFrom('a__', 'aZ5fZ5f_esc', 'Foo_esc', 'aZ5a5fZ5a5fZ5fesc_esc', '_esc'.replace('_', 'a')),
    )
    fc.assert(
      fc.property(names, (one) => {
        if (one.length > 12) return
        const api = apiName(one)
        expect(api).toMatch(/^[A-Za-z](?:_?[A-Za-z0-9])*__c$/)
        expect(ownName(api)).toBe(one)
      }),
      { numRuns: 400 },
    )
  })

  test('a name that is too long is refused', () => {
    expect(() => apiName('a'.repeat(41))).toThrow(DriverError)
    expect(apiName('a'.repeat(40))).toBe(`${'a'.repeat(40)}__c`)
  })
})

test('fields that are called like members of every object are added to an object that is there', async () => {
  const driver = await open()
  await driver.define('Boat', [])
  await driver.define('Boat', [field('valueOf', 'String'), field('constructor', 'Number')])
  const names = (await driver.definitions()).map(({ FieldName }) => FieldName)
  expect(names).toEqual(expect.arrayContaining(['valueOf', 'constructor']))
})

async function boats(driver: CrmDriver, ...values: StoredRecord[]): Promise<string[]> {
  await driver.define('Boat', FIELDS)
  return Promise.all(values.map((Values) => create(driver, 'CustomObject', { ObjectName: 'Boat', Values: Values as never })))
}

describe('objects', () => {
  test('an object and its fields are made once, and told as they were defined', async () => {
    const driver = await open()
    expect(await driver.definitions()).toEqual([])
    await driver.define('Boat', FIELDS.slice(0, 2))
    await driver.define('Boat', FIELDS)
    expect((await driver.definitions()).filter(({ FieldName }) => FieldName !== 'Name')).toEqual(expect.arrayContaining(FIELDS))
    expect(await driver.objects()).toEqual(['Boat'])
    expect(requests.filter(({ path }) => path.startsWith('/services/Soap/m/'))).toHaveLength(1)
    expect(requests.filter(({ path }) => path.endsWith('/tooling/sobjects/CustomField'))).toHaveLength(FIELDS.length)
    const other = await open()
    expect(await other.objects()).toEqual(['Boat'])
  })

  test.each(['error', 'error-after', 'drop-before', 'drop-after', 'malformed', 'expired-session'])(
    'an object is made once although its answer is lost to %s',
    async (fault) => {
      const driver = await open()
      simulator().faults.add(`${fault}=1x:POST /services/Soap/m/`)
      await driver.define('Boat', FIELDS)
      expect(simulator().faults.list()).toEqual([`${fault}=0x:POST /services/Soap/m/`])
      expect((await driver.definitions()).filter(({ FieldName }) => FieldName !== 'Name')).toEqual(expect.arrayContaining(FIELDS))
      expect(await driver.objects()).toEqual(['Boat'])
    },
  )

  test('a record keeps every value, and knows its object by its id', async () => {
    const driver = await open()
    const [id] = await boats(driver, VALUES)
    const found = await one(driver, 'CustomObject', id as string)
    expect(found).toMatchObject({ ObjectID: id, ObjectName: 'Boat', Values: VALUES })
    expect(Object.keys(found as object).sort()).toEqual(['CreatedDate', 'ObjectID', 'ObjectName', 'OwnerID', 'UpdatedDate', 'Values'])
    const other = await open()
    expect(await one(other, 'CustomObject', id as string)).toEqual(found)
    expect(await other.get('CustomObject', ['a0x5e0000000001AAA', 'x', ''])).toEqual([])
  })

  test('an update sends what differs, and clears what is no longer there', async () => {
    const driver = await open()
    const [id = ''] = await boats(driver, VALUES)
    const before = (await one(driver, 'CustomObject', id)) as StoredRecord
    const { Harbour: _, Sails: __, ...rest } = VALUES
    requests.length = 0
    expect(await driver.update('CustomObject', [{ id, changes: { Values: { ...rest, Hull: 8 } }, before }])).toEqual([true])
    expect(JSON.parse(requests.find(({ method }) => method === 'PATCH')?.body ?? '')).toEqual({ Harbour__c: null, Hull__c: 8, Sails__c: false })
    expect(await one(driver, 'CustomObject', id)).toMatchObject({ Values: { ...rest, Hull: 8, Sails: false } })
    requests.length = 0
    const now = (await one(driver, 'CustomObject', id)) as StoredRecord
    expect(await driver.update('CustomObject', [{ id, changes: { Values: now.Values as never }, before: now }])).toEqual([true])
    expect(requests.some(({ method }) => method === 'PATCH')).toBe(false)
    expect(await driver.delete('CustomObject', [id, 'x'])).toEqual([true, false])
    expect(await driver.delete('CustomObject', [id])).toEqual([false])
  })

  test('values that Salesforce would alter are refused before they are sent, each by its name', async () => {
    const driver = await open()
    await boats(driver)
    await driver.definitions()
    requests.length = 0
    const wrong = [{ Hull: 0.1234567 }, { Hull: 1e12 }, { Seen: '2026-05-01T07:25:37.500Z' }, { Harbour: 'x'.repeat(32_769) }, { Keel: 1 }]
    const made = await driver.create(
      'CustomObject',
      wrong.map((Values) => ({ ObjectName: 'Boat', Values }) as unknown as StoredRecord),
    )
    expect(made.map((each) => (each as DriverError).code)).toEqual(wrong.map(() => 'platform_rejected'))
    expect(made.map((each) => (each as DriverError).errors?.[0]?.field)).toEqual(['Hull', 'Hull', 'Seen', 'Harbour', 'Keel'])
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('user-defined values narrow and sort as far as Salesforce can', async () => {
    const driver = await open()
    await boats(driver, { Hull: 5, Harbour: 'Kiel' }, { Hull: 7.5 }, { Harbour: 'kiel' }, { Hull: -1, Sails: true })
    await driver.definitions()
    const where = (name: string, family: Condition['family'], operator: Condition['operator'], value: Condition['value']): Condition => ({
      field: 'Values',
      name,
      family,
      operator,
      value,
    })
    const hull = where('Hull', 'number', 'gte', 5)
    expect(driver.narrows('CustomObject', hull)).toBe('exactly')
    expect(driver.narrows('CustomObject', where('Harbour', 'text', 'eq', 'Kiel'))).toBe('not')
    expect(driver.narrows('CustomObject', where('Keel', 'text', 'eq', 'x'))).toBe('not')
    expect(driver.narrows('CustomObject', { field: 'ObjectName', family: 'text', operator: 'eq', value: 'Boat' })).toBe('not')
    expect(await driver.count('CustomObject', { object: 'Boat', where: [hull] })).toBe(2)
    const order = { field: 'Values', name: 'Hull', descending: true }
    expect(driver.orders('CustomObject', order)).toBe(true)
    for (const size of [1, 3, 2000]) {
      const { records } = await all(driver, 'CustomObject', { object: 'Boat', where: [], order, size })
      expect(records.map(({ Values }) => (Values as { Hull?: number }).Hull)).toEqual([7.5, 5, -1, undefined])
    }
    expect(await driver.find('CustomObject', { object: 'Plane', where: [], size: 10 })).toEqual({ records: [] })
    // What one object has and another has not is null there.
    await driver.define('Car', [{ ObjectName: 'Car', FieldName: 'Doors', Type: 'Number', Label: 'Doors' }])
    await driver.definitions()
    const doors = (operator: Condition['operator'], value: Condition['value']) => where('Doors', 'number', operator, value)
    expect(await driver.count('CustomObject', { object: 'Boat', where: [doors('eq', 4)] })).toBe(0)
    expect(await driver.count('CustomObject', { object: 'Boat', where: [doors('eq', null)] })).toBe(4)
  })

  test('names that Salesforce cannot tell apart, and labels it cannot keep, are refused before anything is made', async () => {
    const driver = await open()
    await driver.define('Boat', [field('Hull', 'Number')])
    requests.length = 0
    await expect(driver.define('boat', [])).rejects.toMatchObject({ code: 'unsupported' })
    await expect(driver.define('Boat', [field('hull', 'Number')])).rejects.toMatchObject({ code: 'unsupported' })
    await expect(driver.define('Boat', [field('Keel', 'Number', 'x'.repeat(41))])).rejects.toMatchObject({ code: 'unsupported' })
    await expect(driver.define('B'.repeat(41), [])).rejects.toMatchObject({ code: 'unsupported' })
    expect(requests.some(({ path }) => path.includes('Soap') || path.includes('tooling'))).toBe(false)
  })

  test('what people have made by hand appears under its own name', async () => {
    const driver = await open()
    await driver.define('Boat', [])
    const made = (name: string, Metadata: object) => send('POST', '/tooling/sobjects/CustomField', { FullName: `Boat__c.${name}`, Metadata })
    await made('Nick__c', { label: 'Nickname', type: 'Text', length: 20 })
    await made('Mail__c', { label: 'Mail', type: 'Email' })
    simulator().advance(0)
    const other = await open()
    const definitions = await other.definitions()
    expect(definitions).toEqual(expect.arrayContaining([{ ObjectName: 'Boat', FieldName: 'Nick', Type: 'String', Label: 'Nickname' }]))
    const nick: Condition = { field: 'Values', name: 'Nick', family: 'text', operator: 'eq', value: "O'Brien" }
    expect(other.narrows('CustomObject', nick)).toBe('roughly')
    await create(other, 'CustomObject', { ObjectName: 'Boat', Values: { Nick: "O'Brien" } })
    expect((await other.find('CustomObject', { object: 'Boat', where: [nick], size: 10 })).records).toHaveLength(1)
    const [long] = await other.create('CustomObject', [{ ObjectName: 'Boat', Values: { Nick: 'x'.repeat(21) } }])
    expect(long).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Nick' }] })
  })

  test('picklists are choices, closed where they are restricted, and lookups tell what they point to', async () => {
    const driver = await open()
    const gear = { ...field('Gear', 'Choices'), Values: ['Anchor', 'Radar'] }
    const builder = { ...field('Builder', 'Reference'), RefersTo: 'Company' }
    await driver.define('Boat', [gear, builder])
    const valueSet = { valueSetDefinition: { value: ['Sloop', 'Ketch'].map((valueName) => ({ valueName })) } }
    await send('POST', '/tooling/sobjects/CustomField', { FullName: 'Boat__c.Rig__c', Metadata: { label: 'Rig', type: 'Picklist', valueSet } })
    await send('POST', '/tooling/sobjects/CustomField', {
      FullName: 'Boat__c.Mother__c',
      Metadata: { label: 'Mother', type: 'Lookup', referenceTo: 'Boat__c', relationshipName: 'Children' },
    })
    const other = await open()
    const mother = { ...field('Mother', 'Reference'), RefersTo: 'CustomObject' }
    expect(await other.definitions()).toEqual(expect.arrayContaining([gear, builder, field('Rig', 'Choice'), mother]))
    const Builder = await create(other, 'Company', { CompanyName: 'Engines' })
    const Mother = await create(other, 'CustomObject', { ObjectName: 'Boat', Values: {} })
    const Values = { Gear: ['Anchor', 'Radar'], Rig: 'Raft', Builder, Mother } as never
    const id = await create(other, 'CustomObject', { ObjectName: 'Boat', Values })
    expect(await one(other, 'CustomObject', id)).toMatchObject({ Values })
    const sent = requests.filter(({ body }) => body.includes('Gear__c') && body.includes(';'))
    expect(sent.map(({ body }) => JSON.parse(body))).toMatchObject([{ Gear__c: 'Anchor;Radar' }])
    const contains: Condition = { field: 'Values', name: 'Gear', family: 'list', operator: 'contains', value: 'Radar' }
    expect(other.narrows('CustomObject', contains)).toBe('roughly')
    expect((await other.find('CustomObject', { object: 'Boat', where: [contains], size: 10 })).records).toMatchObject([{ ObjectID: id }])
    await expect(other.define('Boat', [{ ...builder, FieldName: 'Skipper', RefersTo: 'User' }])).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('texts are short where the configuration says so, and can then be searched', async () => {
    const driver = await open({}, { customTexts: 'short' })
    await driver.define('Boat', [field('Harbour', 'String')])
    await driver.definitions()
    expect(driver.narrows('CustomObject', { field: 'Values', name: 'Harbour', family: 'text', operator: 'eq', value: 'Kiel' })).toBe('roughly')
  })

  test('what is not visible once it is made is granted to us', async () => {
    const driver = await open()
    await driver.define('Boat', [])
    simulator().faults.add('field-security=Boat__c.Hull__c')
    requests.length = 0
    await driver.define('Boat', [field('Hull', 'Number')])
    const granted = requests.filter(({ path }) => /\/sobjects\/\w+Permissions$/.test(path)).map(({ path, body }) => [path.split('/').at(-1), JSON.parse(body)])
    const ParentId = expect.stringMatching(/^0PS/)
    expect(granted).toEqual([
      ['ObjectPermissions', expect.objectContaining({ ParentId, SobjectType: 'Boat__c', PermissionsCreate: true })],
      ['FieldPermissions', { ParentId, SobjectType: 'Boat__c', Field: 'Boat__c.Hull__c', PermissionsRead: true, PermissionsEdit: true }],
    ])
    const named = await open({}, { permissionSet: "Nobody's" })
    await expect(named.define('Boat', [field('Keel', 'Number')])).resolves.toBeUndefined()
    simulator().faults.add('field-security=Boat__c.Mast__c')
    await expect(named.define('Boat', [field('Mast', 'Number')])).rejects.toMatchObject({ code: 'forbidden', hint: expect.stringContaining('permissionSet') })
  })

  test('a session that ends while an object is made is renewed once', async () => {
    const driver = await open()
    simulator().faults.add('expired-session=1x:/services/Soap')
    await driver.define('Boat', [field('Hull', 'Number')])
    expect(await driver.objects()).toEqual(['Boat'])
    expect(requests.filter(({ path }) => path === '/services/oauth2/token')).toHaveLength(2)
  })
})

test('what an object is made by is well formed, whatever it is called', () => {
  const xml = createObjectXml('00D!<&>"', 'Boat__c', `A & B <c> "d" 'e' {0}`)
  expect(xml).toContain('<sessionId>00D!&lt;&amp;&gt;&quot;</sessionId>')
  expect(xml).toContain('<label>A &amp; B &lt;c&gt; &quot;d&quot; &apos;e&apos; {0}</label>')
  expect(soapError('<result><fullName>Boat__c</fullName><success>true</success></result>')).toBeUndefined()
  expect(soapError('<errors><message>no</message><statusCode>DUPLICATE_DEVELOPER_NAME</statusCode></errors><success>false</success>')).toEqual({
    code: 'DUPLICATE_DEVELOPER_NAME',
    message: 'no',
  })
  expect(soapError('<soapenv:Fault><faultcode>sf:INVALID_SESSION_ID</faultcode><faultstring>gone</faultstring></soapenv:Fault>')).toEqual({
    code: 'INVALID_SESSION_ID',
    message: 'gone',
  })
  for (const cut of [
    '',
    '<result><fullName>Boat__c</fullName><succ',
    '<errors><message>no</message><statusCode>DUPLICATE_DEVELOPER_NAME</statusCode></errors><succ',
  ])
    expect(() => soapError(cut)).toThrow(DriverError)
})
