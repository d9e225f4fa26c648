import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { account, create, one } from './account.ts'

const { open, requests, send, simulator } = account()

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const OBJECTS = 200
/** The beginning of a day, so that the quota of the simulator starts with it. */
const MIDNIGHT = Math.ceil(Date.now() / DAY_MS) * DAY_MS

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: MIDNIGHT }))
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

/** Makes objects as people do, in Setup. */
async function makeObjects(count: number): Promise<void> {
  const objects = Array.from(
    { length: count },
    (_, at) =>
      `<metadata xsi:type="CustomObject"><fullName>Boat${at}__c</fullName><label>Boat ${at}</label><pluralLabel>Boats</pluralLabel><deploymentStatus>Deployed</deploymentStatus><sharingModel>ReadWrite</sharingModel><nameField><type>Text</type><label>Name</label></nameField></metadata>`,
  )
  const envelope = `<Envelope><Header><SessionHeader><sessionId>simulator</sessionId></SessionHeader></Header><Body><createMetadata>${objects.join('')}</createMetadata></Body></Envelope>`
  const answer = await fetch(`${simulator().url}/services/Soap/m/62.0`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: envelope })
  expect((await answer.text()).split('<success>true').length - 1).toBe(count)
}

const makeField = (object: string, name: string) =>
  send('POST', '/tooling/sobjects/CustomField', { FullName: `${object}.${name}`, Metadata: { label: name, type: 'Text', length: 20 } })

describe('an account with 200 custom objects', () => {
  test('costs less than 300 requests a day, although they are used every minute', async () => {
    await makeObjects(OBJECTS)
    const before = await used()
    const driver = await open()
    for (let minute = 0; minute < DAY_MS / MINUTE_MS - 1; minute++) {
      expect(await driver.objects()).toHaveLength(OBJECTS)
      expect((await driver.definitions()).length).toBeGreaterThanOrEqual(OBJECTS)
      pass(MINUTE_MS)
    }
    expect((await used()) - before).toBeLessThan(300)
  })

  test('is read in few requests, and what is defined here in one', async () => {
    await makeObjects(OBJECTS)
    const driver = await open()
    pass(MINUTE_MS)
    requests.length = 0
    await driver.objects()
    // The list, and 25 objects in each of the others.
    expect(requests.map(({ path }) => path.split('/').at(-1))).toEqual(['sobjects', ...Array.from({ length: OBJECTS / 25 }, () => 'composite')])
    requests.length = 0
    await driver.define('Car', [{ ObjectName: 'Car', FieldName: 'Doors', Type: 'Number', Label: 'Doors' }])
    expect(await driver.objects()).toContain('Car')
    expect(requests.length).toBeLessThanOrEqual(6)
  })
})

/** How many requests the account has counted today, without the one that asks. */
async function used(): Promise<number> {
  const { DailyApiRequests } = await send<{ DailyApiRequests: { Max: number; Remaining: number } }>('GET', '/limits')
  return DailyApiRequests.Max - DailyApiRequests.Remaining - 1
}

test('to be asked whether it is ready costs nothing, and does not send the session', async () => {
  const driver = await open()
  const before = await used()
  requests.length = 0
  for (let probe = 0; probe < 10; probe++) await driver.ping()
  expect(requests.map(({ path, headers }) => [path, headers.authorization])).toEqual(Array.from({ length: 10 }, () => ['/services/data', undefined]))
  // The request that asks counts.
  expect((await used()) - before).toBe(1)
  simulator().faults.add('drop-before=1')
  await expect(driver.ping()).rejects.toMatchObject({ code: 'platform_unavailable' })
})

describe('what people change in Salesforce', () => {
  test('is seen within ten minutes: objects and fields, new and deleted', async () => {
    await makeObjects(3)
    const driver = await open()
    const fields = async () => (await driver.definitions()).map(({ ObjectName, FieldName }) => `${ObjectName}.${FieldName}`)
    expect(await fields()).toEqual(['Boat0.Name', 'Boat1.Name', 'Boat2.Name'])
    pass(MINUTE_MS)
    await makeField('Boat1__c', 'Hull__c')
    expect(await fields()).not.toContain('Boat1.Hull')
    pass(10 * MINUTE_MS)
    requests.length = 0
    expect(await fields()).toContain('Boat1.Hull')
    const parts = JSON.parse(requests.find(({ path }) => path.endsWith('/composite'))?.body ?? '{}').compositeRequest
    expect(parts).toHaveLength(3)
    expect(parts[0].httpHeaders).toEqual({ 'If-Modified-Since': expect.stringMatching(/GMT$/) })
    pass(10 * MINUTE_MS)
    requests.length = 0
    await fields()
    expect(requests.map(({ path }) => path.split('/').at(-1))).toEqual(['sobjects'])
  })

  test('an object that is not in the cache is asked for at once, and a permission is seen within two hours', async () => {
    const driver = await open()
    expect(await driver.objects()).toEqual([])
    pass(MINUTE_MS)
    await makeObjects(1)
    const id = await create(driver, 'CustomObject', { ObjectName: 'Boat0', Values: { Name: 'Ariel' } })
    expect(await one(driver, 'CustomObject', id)).toMatchObject({ Values: { Name: 'Ariel' } })
    await makeField('Boat0__c', 'Hull__c')
    pass(11 * MINUTE_MS)
    expect(await driver.definitions()).toHaveLength(2)
    simulator().faults.add('field-security=Boat0__c.Hull__c')
    pass(120 * MINUTE_MS)
    expect(await driver.definitions()).toHaveLength(1)
  })
})

test('objects with long names are made, since their numbers do not carry the name', async () => {
  const driver = await open()
  await driver.define('Everything_that_was_ever_shipped_abroad', [])
  const id = await create(driver, 'CustomObject', { ObjectName: 'Everything_that_was_ever_shipped_abroad', Values: {} })
  const { Name } = await send<{ Name: string }>('GET', `/sobjects/Everything_that_was_ever_shipped_abroad__c/${id}`)
  expect(Name).toBe('R-00000001')
})
