import { expect, test } from 'vitest'
import { sorting } from '../../../../src/platforms/crms/engine/comparison.ts'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import type { Order } from '../../../../src/platforms/platform.ts'
import { all, bodyOf, deals, good, openAccount } from './open-account.ts'

test('everything is found once, by the list where nothing narrows it', async () => {
  const { driver, sent } = await openAccount()
  good(
    await driver.create(
      'Opportunity',
      deals(350, (i) => i),
    ),
  )
  const before = sent.length
  const found = await all(driver, 'Opportunity')
  expect(new Set(found.map(({ OpportunityID }) => OpportunityID)).size).toBe(350)
  expect(found).toHaveLength(350)
  expect(sent.slice(before).map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET'])
})

test.for<[string, Order]>([
  ['Amount, of which many are the same and many have none', { field: 'Amount', descending: false }],
  ['the same from the other end', { field: 'Amount', descending: true }],
  ['dates', { field: 'CloseDate', descending: true }],
  ['the time of creation', { field: 'CreatedDate', descending: false }],
  ['the time of the last change', { field: 'UpdatedDate', descending: true }],
])('an ordered search finds everything once, in order: by %s', async ([, order]) => {
  const { driver, sent } = await openAccount()
  // More than a page has one value, and more than a page has none.
  good(
    await driver.create(
      'Opportunity',
      deals(700, (i) => (i % 3 === 0 ? null : i % 2 === 0 ? 7 : i)),
    ),
  )
  expect(driver.orders('Opportunity', order)).toBe(true)
  const found = await all(driver, 'Opportunity', { order })
  expect(new Set(found.map(({ OpportunityID }) => OpportunityID)).size).toBe(700)
  expect(found).toHaveLength(700)
  const sorts = sorting({ ...order }, 'none')
  for (const [i, record] of found.slice(1).entries()) expect(sorts(found[i] as never, record)).toBeLessThanOrEqual(0)
  for (const search of sent.filter(({ path }) => path.endsWith('/search')).map(bodyOf))
    expect(search).toMatchObject({ after: expect.stringMatching(/^\d+$/), limit: 200 })

  const middle = found[350]?.[order.field] as never
  const rest = await all(driver, 'Opportunity', { order, from: { value: middle } })
  const expected = found.filter((record) => sorts({ [order.field]: middle }, record) <= 0)
  expect(rest.map(({ OpportunityID }) => OpportunityID).sort()).toEqual(expected.map(({ OpportunityID }) => OpportunityID).sort())
})

test('a cursor of a search that HubSpot no longer knows is told as such', async () => {
  const { driver, simulator } = await openAccount()
  good(
    await driver.create(
      'Opportunity',
      deals(300, (i) => i),
    ),
  )
  const order = { field: 'CreatedDate', descending: true }
  const { cursor } = await driver.find('Opportunity', { where: [], order, size: 200 })
  simulator.faults.add('stale-cursor=1x')
  await expect(driver.find('Opportunity', { where: [], order, size: 200, cursor: cursor as string })).rejects.toMatchObject({ code: 'conflict' })
})

test('what is deleted or comes meanwhile shifts nothing', async () => {
  const { driver } = await openAccount()
  const made = good(
    await driver.create(
      'Opportunity',
      deals(900, (i) => i),
    ),
  )
  const order = { field: 'CreatedDate', descending: true }
  const first = await driver.find('Opportunity', { where: [], order, size: 200 })
  const given = first.records.map(({ OpportunityID }) => OpportunityID as string)
  await driver.delete('Opportunity', given.slice(10, 40))
  good(
    await driver.create(
      'Opportunity',
      deals(7, (i) => i),
    ),
  )
  let { cursor } = first
  while (cursor !== undefined) {
    const page = await driver.find('Opportunity', { where: [], order, size: 200, cursor })
    given.push(...page.records.map(({ OpportunityID }) => OpportunityID as string))
    cursor = page.cursor
  }
  expect(new Set(given).size).toBe(given.length)
  expect(new Set(given).size).toBeGreaterThanOrEqual(made.length)
})

test('what begins at null is what has no value, and everything after it', async () => {
  const { driver } = await openAccount()
  good(
    await driver.create(
      'Opportunity',
      deals(30, (i) => (i % 3 === 0 ? null : i)),
    ),
  )
  const from = { value: null }
  expect(await all(driver, 'Opportunity', { order: { field: 'Amount', descending: false }, from })).toHaveLength(30)
  expect(await all(driver, 'Opportunity', { order: { field: 'Amount', descending: true }, from })).toHaveLength(10)
})

test('texts are not sorted as the contract says', async () => {
  const { driver } = await openAccount()
  for (const field of ['OpportunityName', 'Stage', 'OwnerID', 'OpportunityID']) expect(driver.orders('Opportunity', { field, descending: false })).toBe(false)
})

test('a cursor that HubSpot no longer knows, or that is none, is a conflict', async () => {
  const { driver, simulator } = await openAccount()
  good(
    await driver.create(
      'Opportunity',
      deals(120, (i) => i),
    ),
  )
  const { cursor } = await driver.find('Opportunity', { where: [], size: 100 })
  simulator.faults.add('stale-cursor=1x')
  const stale = await driver.find('Opportunity', { where: [], size: 100, cursor: cursor as string }).catch((error: unknown) => error)
  expect(stale).toBeInstanceOf(DriverError)
  expect(stale).toMatchObject({ code: 'conflict', retryable: false })
  await expect(driver.find('Opportunity', { where: [], size: 100, cursor: 'nonsense' })).rejects.toMatchObject({ code: 'conflict' })
})

test('only what is wanted is read', async () => {
  const { driver, sent } = await openAccount()
  await driver.find('Opportunity', { where: [], size: 10, fields: ['Amount'] })
  const { query } = sent.at(-1) as { query: URLSearchParams }
  expect(query.get('properties')?.split(',').sort()).toEqual(['amount', 'createdate', 'hs_lastmodifieddate', 'hubspot_owner_id', 'pipeline'])
})
