import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Definition } from '../../../../src/platforms/crms/engine/driver.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { Condition, StoredRecord, Value } from '../../../../src/platforms/platform.ts'
import { type Account, ALL, apiUser, openAccount, openingOf, RIGHTS } from './account.ts'

const field = (ObjectName: string, FieldName: string, Type: Definition['Type'], Label = FieldName): Definition => ({ ObjectName, FieldName, Type, Label })

const BOAT = [
  field('Boat', 'Name', 'String', 'The name'),
  field('Boat', 'HullLength', 'Number', 'Hull length'),
  field('Boat', 'is_afloat', 'Boolean', 'Afloat?'),
  field('Boat', 'Built', 'Date'),
  field('Boat', 'Seen', 'DateTime'),
  field('Boat', 'constructor', 'String'),
]

describe('custom objects of EspoCRM', () => {
  let account: Account
  beforeAll(async () => {
    account = await openAccount()
    await account.driver.define('Boat', BOAT)
  })
  afterAll(() => account.close())

  const create = async (Values: { readonly [name: string]: Value }, ObjectName = 'Boat') => {
    const [made] = await account.driver.create('CustomObject', [{ ObjectName, Values }])
    if (made instanceof Error) throw made
    return made as StoredRecord
  }
  const VALUES = { Name: " O'Brien <3 ", HullLength: 7.5, is_afloat: false, Built: '1999-12-31', Seen: '2026-01-01T00:00:00.000Z', constructor: 'x' }

  test('definitions come back with their types and labels', async () => {
    expect(await account.driver.definitions()).toEqual(BOAT)
    await account.driver.define('Boat', [field('Boat', 'Masts', 'Number')])
    expect((await account.driver.definitions()).map(({ FieldName }) => FieldName)).toContain('Masts')
  })

  test('values of every type are kept as such, in fields of theirs', async () => {
    const boat = await create(VALUES)
    expect(boat).toMatchObject({ ObjectName: 'Boat', ObjectID: expect.stringMatching(/^CBoat\.[0-9a-f]{17}$/), OwnerID: 'nobody' })
    expect(boat.Values).toEqual({ ...VALUES, Masts: null })
    expect(await account.driver.get('CustomObject', [boat.ObjectID as string, 'CBoat.nope', 'Lead.x', 'x', ''])).toEqual([boat])
    const row = await account.ask('GET', `CBoat/${String(boat.ObjectID).slice(6)}`)
    // What EspoCRM shows of a record is made of its values, without what names must not have.
    expect(row).toMatchObject({ name: "O'Brien 3", hullLength: 7.5, built: '1999-12-31', seen: '2026-01-01 00:00:00' })
  })

  test('a truth value may be missing, which is not false', async () => {
    await account.driver.define('Flag', [field('Flag', 'Up', 'Boolean')])
    for (const Up of [true, false, null]) await create({ Up }, 'Flag')
    const found = async (operator: 'eq' | 'ne', value: boolean | null) => {
      const where: Condition[] = [{ field: 'Values', name: 'Up', family: 'boolean', operator, value }]
      const { records } = await account.driver.find('CustomObject', { object: 'Flag', where, size: 10 })
      return records.map(({ Values }) => (Values as { Up: boolean | null }).Up)
    }
    expect([await found('eq', true), await found('eq', false), await found('eq', null)]).toEqual([[true], [false], [null]])
    expect((await found('ne', true)).sort()).toEqual([false, null])
    expect(await found('ne', null)).toHaveLength(2)
  })

  test('an update replaces the values: what is not among them is cleared', async () => {
    const before = await create(VALUES)
    const id = before.ObjectID as string
    const [after] = await account.driver.update('CustomObject', [{ id, changes: { Values: { Name: 'Ariel', HullLength: 0 } }, before }])
    expect((after as StoredRecord).Values).toEqual({ Name: 'Ariel', HullLength: 0, is_afloat: null, Built: null, Seen: null, constructor: null, Masts: null })
    expect(await account.driver.delete('CustomObject', [id])).toEqual([true])
    expect(await account.driver.delete('CustomObject', [id])).toEqual([false])
  })

  test('they are sorted by numbers, dates and moments, whichever has a value', async () => {
    await account.driver.define('Step', [field('Step', 'At', 'Number')])
    for (const At of [2, null, 0, 1]) await create({ At }, 'Step')
    const order = { field: 'Values', name: 'At', descending: true }
    expect(account.driver.orders('CustomObject', order)).toBe(true)
    expect(account.driver.orders('CustomObject', { ...order, name: 'Name' })).toBe(false)
    const { records } = await account.driver.find('CustomObject', { object: 'Step', where: [], order, size: 3 })
    expect(records.map(({ Values }) => (Values as { At: number }).At)).toEqual([2, 1, 0])
  })

  test('a record is found by its id among those of its object', async () => {
    const boat = await create({ Name: 'Found' })
    const where: Condition[] = [{ field: 'ObjectID', family: 'text', operator: 'in', value: [boat.ObjectID as string, 'CShip.6af90711abbf5577c'] }]
    expect(account.driver.narrows('CustomObject', where[0] as Condition)).toBe('exactly')
    expect((await account.driver.find('CustomObject', { object: 'Boat', where, size: 5 })).records).toEqual([boat])
  })

  test('a moment with a fraction of a second is refused, not rounded', async () => {
    const [refused] = await account.driver.create('CustomObject', [{ ObjectName: 'Boat', Values: { Seen: '2026-01-01T00:00:00.500Z' } }])
    expect(refused).toMatchObject({ code: 'unsupported', errors: [{ field: 'Seen', code: 'value' }] })
  })

  test('what people have made by hand is there under its natural name, in as far as we have such types', async () => {
    await account.ask('POST', 'EntityManager/action/createEntity', { name: 'Ship', type: 'Base', labelSingular: 'Ship', labelPlural: 'Ships' })
    await account.ask('POST', 'Admin/fieldManager/CShip', { name: 'colour', type: 'varchar', label: 'Colour' })
    await account.ask('POST', 'Admin/fieldManager/CShip', { name: 'sails', type: 'bool', label: 'Sails' })
    await account.ask('POST', 'Admin/fieldManager/CShip', { name: 'kinds', type: 'multiEnum', options: ['a', 'b'], label: 'Kinds' })
    await account.ask('POST', 'Admin/fieldManager/CShip', { name: 'rig', type: 'enum', options: ['', 'sloop', 'ketch'], label: 'Rig' })
    const link = { linkType: 'manyToOne', entity: 'CShip', link: 'owner', entityForeign: 'Account', linkForeign: 'ships', label: 'Owner' }
    await account.ask('POST', 'EntityManager/action/createLink', link)
    const driver = await espocrm.open(openingOf(account.simulator))
    const ship = (await driver.definitions()).filter(({ ObjectName }) => ObjectName === 'Ship')
    const choices = [
      { ...field('Ship', 'Kinds', 'Choices'), Values: ['a', 'b'] },
      { ...field('Ship', 'Rig', 'Choice'), Values: ['sloop', 'ketch'] },
    ]
    const owner = { ...field('Ship', 'OwnerID', 'Reference', 'Owner'), RefersTo: 'Company' }
    expect(ship).toEqual([field('Ship', 'Colour', 'String'), field('Ship', 'Sails', 'Boolean'), ...choices, owner])
    const [company] = (await driver.create('Company', [{ CompanyName: 'Navy' }])) as StoredRecord[]
    const OwnerID = company?.CompanyID as string
    const Values = { Colour: 'red', Sails: true, Kinds: ['a', 'b'], Rig: 'ketch', OwnerID }
    const [made] = (await driver.create('CustomObject', [{ ObjectName: 'Ship', Values: Values as never }])) as StoredRecord[]
    expect(made?.Values).toEqual(Values)
    const changes = { Values: { ...Values, Kinds: ['b'], OwnerID: null, Rig: null } as never }
    const [changed] = await driver.update('CustomObject', [{ id: made?.ObjectID as string, changes, before: made as StoredRecord }])
    expect(changed).toMatchObject(changes)
    expect(await driver.get('CustomObject', [made?.ObjectID as string])).toEqual([changed])
    const [refused] = await driver.create('CustomObject', [{ ObjectName: 'Ship', Values: { Rig: 'none' } }])
    expect(refused).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Rig' }] })
    await driver.close()
  })

  test('names that EspoCRM has no room for are refused before anything is made', async () => {
    await expect(account.driver.define('Wreck', [field('Wreck', 'x'.repeat(60), 'String')])).rejects.toMatchObject({ code: 'unsupported' })
    await expect(account.ask('GET', 'CWreck')).rejects.toThrow('404')
  })

  test('a field that somebody else has made of another type is a conflict', async () => {
    await account.ask('POST', 'Admin/fieldManager/CBoat', { name: 'draught', type: 'text', label: 'Draught' })
    await expect(account.driver.define('Boat', [field('Boat', 'Draught', 'Number')])).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('who may make custom objects', () => {
  test('an API user may not, and is told who may', async () => {
    const account = await openAccount()
    const { apiKey } = await apiUser(account.simulator, RIGHTS)
    const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey } }))
    await expect(driver.define('Boat', BOAT)).rejects.toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('username and password of an administrator'),
    })
    await driver.close()
    await account.close()
  })

  test('an administrator beside the API user does everything about them, and nothing else', async () => {
    const account = await openAccount()
    const { apiKey, id } = await apiUser(account.simulator, RIGHTS)
    const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey, username: 'admin', password: 'simulator' } }))
    await driver.define('Boat', BOAT)
    const [boat] = (await driver.create('CustomObject', [{ ObjectName: 'Boat', Values: { Name: 'Ariel' } }])) as StoredRecord[]
    expect(boat?.Values).toMatchObject({ Name: 'Ariel' })
    const [lead] = (await driver.create('Lead', [{ FirstName: 'Ada', LastName: 'Lovelace' }])) as StoredRecord[]
    expect(await account.ask('GET', `Lead/${lead?.LeadID}`)).toMatchObject({ createdById: id })
    await driver.close()
    await account.close()
  })

  test('an API user uses what its role grants', async () => {
    const account = await openAccount()
    await account.driver.define('Boat', BOAT)
    const granted = await apiUser(account.simulator, { ...RIGHTS, CBoat: ALL })
    const driver = await espocrm.open(openingOf(account.simulator, { secrets: { apiKey: granted.apiKey } }))
    const [boat] = (await driver.create('CustomObject', [{ ObjectName: 'Boat', Values: { Name: 'Ariel' } }])) as StoredRecord[]
    expect(await driver.get('CustomObject', [boat?.ObjectID as string])).toEqual([boat])
    await driver.close()
    await account.close()
  })
})
