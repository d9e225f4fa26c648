import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CrmDriver, DriverQuery } from '../../../../src/platforms/crms/engine/driver.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import type { Condition, StoredRecord, Value } from '../../../../src/platforms/platform.ts'
import { type Account, openAccount, openingOf } from './account.ts'

/** All pages of a search. */
async function all(driver: CrmDriver, type: string, asked: DriverQuery): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  let cursor: string | undefined
  do {
    const page = await driver.find(type, { ...asked, ...(cursor !== undefined && { cursor }) })
    records.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return records
}

describe('pages of EspoCRM', () => {
  let account: Account
  const tables = { Opportunity: { fields: { Odds: { name: 'probability', kind: 'integer' }, Follow: { name: 'description', kind: 'longText' } } } }
  beforeAll(async () => {
    account = await openAccount({ tables })
    for (let at = 0; at < 25; at++) {
      await account.ask('POST', 'Lead', { lastName: `Lead ${at}`, status: at % 2 === 0 ? 'New' : 'Dead' })
      if (at % 10 === 9) account.simulator.advance(1000)
    }
  })
  afterAll(() => account.close())

  const byDate = (descending: boolean) => ({ field: 'CreatedDate', descending })

  test('following them yields every record exactly once, whatever the order', async () => {
    for (const order of [undefined, byDate(false), byDate(true)]) {
      const records = await all(account.driver, 'Lead', { where: [], ...(order && { order }), size: 4 })
      expect(new Set(records.map(({ LeadID }) => LeadID)).size).toBe(25)
      expect(records).toHaveLength(25)
      const dates = records.map(({ CreatedDate }) => CreatedDate as string)
      if (order) expect(dates).toEqual(order.descending ? dates.toSorted().reverse() : dates.toSorted())
    }
  })

  test('a record that goes meanwhile takes no other with it', async () => {
    const first = await account.driver.find('Lead', { where: [], order: byDate(true), size: 5 })
    await account.driver.delete('Lead', [first.records[0]?.LeadID as string])
    const rest = await all(account.driver, 'Lead', { where: [], order: byDate(true), size: 5, ...(first.cursor !== undefined && { cursor: first.cursor }) })
    expect(rest).toHaveLength(20)
    await account.ask('POST', 'Lead', { lastName: 'Another', status: 'New' })
  })

  test('a search begins at a value, itself included', async () => {
    const records = await all(account.driver, 'Lead', { where: [], order: byDate(false), size: 100 })
    const dates = [...new Set(records.map(({ CreatedDate }) => CreatedDate as string))]
    expect(dates.length).toBeGreaterThan(2)
    const value = dates[1] as string
    const up = await all(account.driver, 'Lead', { where: [], order: byDate(false), from: { value }, size: 3 })
    expect(up).toEqual(records.filter(({ CreatedDate }) => (CreatedDate as string) >= value))
    const down = await all(account.driver, 'Lead', { where: [], order: byDate(true), from: { value }, size: 3 })
    expect(down.map(({ LeadID }) => LeadID).sort()).toEqual(
      records
        .filter(({ CreatedDate }) => (CreatedDate as string) <= value)
        .map(({ LeadID }) => LeadID as string)
        .sort(),
    )
  })

  test('null is lowest, zero is not null, and both directions show all', async () => {
    const odds: Value[] = [50, null, 0, 100, null, 0]
    for (const [at, probability] of odds.entries())
      await account
        .ask('POST', 'Opportunity', { name: `Deal ${at}`, amount: 1, closeDate: '2026-12-31', stage: 'Prospecting' })
        .then(({ id }) => account.ask('PUT', `Opportunity/${id}`, { probability }))
    const order = (descending: boolean) => ({ field: 'Odds', descending })
    expect(account.driver.orders('Opportunity', order(true))).toBe(true)
    for (const size of [1, 2, 10]) {
      expect((await all(account.driver, 'Opportunity', { where: [], order: order(false), size })).map(({ Odds }) => Odds)).toEqual([null, null, 0, 0, 50, 100])
      expect((await all(account.driver, 'Opportunity', { where: [], order: order(true), size })).map(({ Odds }) => Odds)).toEqual([100, 50, 0, 0, null, null])
      const from = async (value: Value, descending: boolean) =>
        (await all(account.driver, 'Opportunity', { where: [], order: order(descending), from: { value }, size })).map(({ Odds }) => Odds)
      expect(await from(0, false)).toEqual([0, 0, 50, 100])
      expect(await from(0, true)).toEqual([0, 0, null, null])
      expect(await from(null, true)).toEqual([null, null])
      expect(await from(null, false)).toHaveLength(6)
    }
    const odd = (operator: Condition['operator'], value: Condition['value']): Condition => ({ field: 'Odds', family: 'number', operator, value })
    const count = (condition: Condition) => account.driver.count('Opportunity', { where: [condition] })
    expect([await count(odd('eq', 0)), await count(odd('ne', 0)), await count(odd('in', [0, null])), await count(odd('gt', 0))]).toEqual([2, 4, 4, 2])
  })

  test('what cannot be sorted there as we sort is said', () => {
    const { driver } = account
    const orders = (type: string, field: string) => driver.orders(type, { field, descending: false })
    expect([orders('Lead', 'CreatedDate'), orders('Lead', 'UpdatedDate'), orders('Opportunity', 'CloseDate')]).toEqual([true, true, true])
    // Amounts are sorted by what they are worth in one currency, texts by the rules of a language.
    expect([orders('Opportunity', 'Amount'), orders('Lead', 'LastName'), orders('Lead', 'Status'), orders('Note', 'CreatedDate')]).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('only the fields that are wanted are asked for', async () => {
    const { records } = await account.driver.find('Lead', { where: [], fields: ['LastName', 'CreatedDate', 'OwnerID'], order: byDate(true), size: 1 })
    expect(records[0]).toMatchObject({ LeadID: expect.any(String), LastName: 'Another', CreatedDate: expect.any(String), OwnerID: 'nobody' })
  })

  test('more conditions than an address holds are asked for as far as it does', async () => {
    const where: Condition[] = Array.from({ length: 30 }, (_, at) => ({
      field: 'LastName',
      family: 'text',
      operator: 'contains',
      value: `${'e'.repeat(400)}${at}`,
    }))
    const { records } = await account.driver.find('Lead', { where, size: 5 })
    expect(records).toEqual([])
  })
})

test('a text that a list cuts off is read in full', async () => {
  const account = await openAccount()
  // Lists of EspoCRM show no more than ten thousand characters of a text.
  const relay = createServer(async (incoming, outgoing) => {
    const answer = await fetch(`${account.simulator.url}${incoming.url}`, { headers: { 'x-api-key': 'simulator' } })
    const body = (await answer.json()) as { list?: { description?: string }[] }
    const list = body.list?.map((row) => ({ ...row, ...(row.description !== undefined && { description: row.description?.slice(0, 10_000) }) }))
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(list ? { ...body, list } : body))
  })
  await new Promise<void>((listening) => relay.listen(0, '127.0.0.1', listening))
  const driver = await espocrm.open(openingOf({ url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}` }))
  const Description = 'x'.repeat(12_345)
  await account.driver.create('Case', [
    { Subject: 'long', Description, Status: 'New' },
    { Subject: 'short', Description: 'short', Status: 'New' },
  ])
  const { records } = await driver.find('Case', { where: [], size: 10 })
  expect(records.map((record) => record.Description).toSorted((a, b) => String(a).length - String(b).length)).toEqual(['short', Description])
  await driver.close()
  relay.close()
  relay.closeAllConnections()
  await account.close()
})
