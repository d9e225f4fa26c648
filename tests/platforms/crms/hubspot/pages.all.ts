import { expect, test } from 'vitest'
import { all, bodyOf, deals, good, openAccount } from './open-account.ts'

test('a search goes on beyond the 10,000 results that HubSpot counts to', async () => {
  const { driver, sent } = await openAccount()
  for (let i = 0; i < 103; i++)
    good(
      await driver.create(
        'Opportunity',
        deals(100, (n) => n),
      ),
    )
  const before = sent.length
  const found = await all(driver, 'Opportunity', { order: { field: 'CreatedDate', descending: true } })
  expect(new Set(found.map(({ OpportunityID }) => OpportunityID)).size).toBe(10_300)
  expect(found).toHaveLength(10_300)
  const searches = sent.slice(before).filter(({ path }) => path.endsWith('/search'))
  const ends = searches.map((request) => Number(bodyOf(request).after) + Number(bodyOf(request).limit))
  expect(Math.max(...ends)).toBeLessThanOrEqual(10_000)
  expect(ends.length).toBeLessThanOrEqual(55)
})

test('more than 10,000 records are found, though a search ends there', async () => {
  const { driver } = await openAccount()
  good(
    await driver.create(
      'Opportunity',
      deals(10_400, () => 1),
    ),
  )
  const where = [{ field: 'Amount', family: 'number', operator: 'eq', value: 1 }] as const
  expect(await driver.count('Opportunity', { where: [] })).toBe(10_400)
  expect(new Set((await all(driver, 'Opportunity', { where })).map(({ OpportunityID }) => OpportunityID)).size).toBe(10_400)
})
