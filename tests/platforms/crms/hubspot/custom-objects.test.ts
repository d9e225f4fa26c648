import { describe, expect, onTestFinished, test } from 'vitest'
import type { Definition } from '../../../../src/platforms/crms/engine/driver.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { all, good, HOSTILE, openAccount, startAccount } from './open-account.ts'

const define = (FieldName: string, Type: Definition['Type'], Label = FieldName): Definition => ({ ObjectName: 'Boat', FieldName, Type, Label })
const FIELDS = [
  define('HullLength', 'Number', 'Hull length'),
  define('harbour', 'String', 'Home harbour'),
  define('Sold', 'Boolean'),
  define('Built', 'Date'),
  define('Seen_At', 'DateTime'),
]
const VALUES = { HullLength: 7.5, harbour: 'Kiel', Sold: false, Built: '1999-12-31', Seen_At: '2026-05-01T07:25:37.123Z' }

async function boats() {
  const account = await openAccount()
  await account.driver.define('Boat', FIELDS)
  return account
}

const idOf = (record: unknown) => (record as { ObjectID: string }).ObjectID

describe('custom objects', () => {
  test('an object and its fields are made, and come back as they were defined', async () => {
    const { driver } = await boats()
    expect(await driver.definitions()).toEqual(FIELDS)
    await driver.define('Boat', [define('Crew', 'Number'), define('Flag', 'String')])
    await driver.define('Boat', [define('Motor', 'Boolean')])
    expect((await driver.definitions()).map(({ FieldName }) => FieldName)).toEqual([...FIELDS.map(({ FieldName }) => FieldName), 'Crew', 'Flag', 'Motor'])
    await driver.define('boat', [])
    await driver.define('Empty', [])
    expect(await driver.objects()).toEqual(['Boat', 'boat', 'Empty'])
    expect((await driver.definitions()).filter(({ ObjectName }) => ObjectName !== 'Boat')).toEqual([])
    const [empty] = good(await driver.create('CustomObject', [{ ObjectName: 'Empty', Values: {} }]))
    expect(empty).toMatchObject({ ObjectName: 'Empty', Values: {} })
  })

  test('somebody else may define the same at the same time', async () => {
    const { driver } = await openAccount()
    await Promise.all([driver.define('Boat', FIELDS), driver.define('Boat', [define('Crew', 'Number')])])
    expect((await driver.definitions()).map(({ FieldName }) => FieldName).sort()).toEqual([...FIELDS.map(({ FieldName }) => FieldName), 'Crew'].sort())
    await Promise.all([driver.define('Boat', [define('Flag', 'String')]), driver.define('Boat', [define('Flag', 'String')])])
    await expect(driver.define('Boat', [define('Flag', 'Number')])).rejects.toMatchObject({ code: 'platform_rejected' })
  })

  test('a record is created, read, changed and deleted', async () => {
    const { driver } = await boats()
    const [made] = good(await driver.create('CustomObject', [{ ObjectName: 'Boat', Values: VALUES, OwnerID: '71000001' }]))
    const id = idOf(made)
    expect(id).toMatch(/^2-\d+\.\d+$/)
    expect(made).toEqual({
      ObjectID: id,
      ObjectName: 'Boat',
      Values: VALUES,
      OwnerID: '71000001',
      CreatedDate: expect.any(String),
      UpdatedDate: expect.any(String),
    })
    expect(await driver.get('CustomObject', [id, '2-1.5', 'x', `${id}.1`, id.replace('2-', '0-')])).toEqual([made])
    const after = { HullLength: 8, Built: '2000-01-01', Sold: true }
    good(await driver.update('CustomObject', [{ id, changes: { Values: after }, before: made as never }]))
    expect(await driver.get('CustomObject', [id])).toMatchObject([{ Values: after, OwnerID: '71000001' }])
    expect((await driver.get('CustomObject', [id]))[0]?.Values).toEqual(after)
    expect(await driver.delete('CustomObject', [id, 'x', '2-1.5'])).toEqual([true, false, false])
    expect(await driver.get('CustomObject', [id])).toEqual([])
    expect(await driver.update('CustomObject', [{ id: '2-1.5', changes: { Values: {} }, before: {} }])).toEqual([false])
  })

  test('hostile texts come back, and are found', async () => {
    const { driver } = await boats()
    good(
      await driver.create(
        'CustomObject',
        HOSTILE.map((harbour) => ({ ObjectName: 'Boat', Values: { harbour } })),
      ),
    )
    const found = await all(driver, 'CustomObject', { object: 'Boat' })
    expect(found.map(({ Values }) => (Values as { harbour: string }).harbour).sort()).toEqual([...HOSTILE].sort())
    for (const value of HOSTILE) {
      const where = [{ field: 'Values', name: 'harbour', family: 'text', operator: 'eq', value }] as const
      expect(driver.narrows('CustomObject', where[0])).toBe('roughly')
      expect((await all(driver, 'CustomObject', { object: 'Boat', where })).map(({ Values }) => Values)).toContainEqual({ harbour: value })
    }
  })

  test('records of an object are in the order of their creation, and those of none are none', async () => {
    const { driver } = await boats()
    good(
      await driver.create(
        'CustomObject',
        Array.from({ length: 230 }, (_, i) => ({ ObjectName: 'Boat', Values: { HullLength: i } })),
      ),
    )
    const order = { field: 'CreatedDate', descending: true }
    const found = await all(driver, 'CustomObject', { object: 'Boat', order })
    expect(new Set(found.map(idOf)).size).toBe(230)
    const where = [{ field: 'Values', name: 'HullLength', family: 'number', operator: 'gte', value: 220 }] as const
    expect(await all(driver, 'CustomObject', { object: 'Boat', order, where })).toHaveLength(10)
    expect(await all(driver, 'CustomObject', { object: 'Ship', order, where })).toEqual([])
    expect(await driver.count('CustomObject', { object: 'Boat', where: [] })).toBe(230)
    expect(await driver.create('CustomObject', [{ ObjectName: 'Ship', Values: {} }])).toMatchObject([{ code: 'platform_rejected' }])
  })

  test('an object with very many fields is written and searched', async () => {
    const { driver } = await openAccount()
    const fields = Array.from({ length: 150 }, (_, i) => define(`ANumberWithALongName${i}`, 'Number'))
    await driver.define('Boat', fields)
    const values = Object.fromEntries(fields.map(({ FieldName }, i) => [FieldName, i]))
    const [made] = good(await driver.create('CustomObject', [{ ObjectName: 'Boat', Values: values }]))
    expect(await driver.get('CustomObject', [idOf(made)])).toEqual([made])
    expect(await all(driver, 'CustomObject', { object: 'Boat', order: { field: 'CreatedDate', descending: false } })).toEqual([made])
    expect(await all(driver, 'CustomObject', { object: 'Boat' })).toEqual([made])
  })

  test('choices that people have made go by their labels, several of them as a list', async () => {
    const { driver, simulator } = await openAccount()
    await driver.define('Boat', [{ ObjectName: 'Boat', FieldName: 'Harbour', Type: 'String', Label: 'Harbour' }])
    const options = ['sloop', 'yawl'].map((value) => ({ label: `A ${value}`, value }))
    const call = (path: string, body?: object) =>
      fetch(`${simulator.url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }).then((answer) => answer.json())
    const { results } = (await call('/crm-object-schemas/2026-03/schemas')) as { results: { objectTypeId: string }[] }
    const path = `/crm/properties/2026-03/${results[0]?.objectTypeId}`
    const own = { groupName: 'boat_information', type: 'enumeration', options }
    await call(path, { ...own, name: 'rig', label: 'Rig', fieldType: 'select' })
    await call(path, { ...own, name: 'rigs', label: 'Rigs', fieldType: 'checkbox' })
    const another = await hubspot.open({ ...(await startAccount()).opening, address: simulator.url })
    onTestFinished(() => another.close())
    expect(await another.definitions()).toMatchObject([
      { FieldName: 'Harbour' },
      { FieldName: 'Rig', Type: 'Choice', Values: ['A sloop', 'A yawl'] },
      { FieldName: 'Rigs', Type: 'Choices', Values: ['A sloop', 'A yawl'] },
    ])
    const Values = { Harbour: 'Kiel', Rig: 'A yawl', Rigs: ['A sloop', 'A yawl'] } as never
    expect(good(await another.create('CustomObject', [{ ObjectName: 'Boat', Values }]))).toMatchObject([{ Values }])
    expect(
      await all(another, 'CustomObject', { object: 'Boat', where: [{ field: 'Values', name: 'Rig', family: 'text', operator: 'eq', value: 'A yawl' }] }),
    ).toHaveLength(1)
    expect(await another.create('CustomObject', [{ ObjectName: 'Boat', Values: { Rig: 'A raft' } }])).toMatchObject([{ errors: [{ field: 'Rig' }] }])
  })
})
