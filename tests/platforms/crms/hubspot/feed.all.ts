import { expect, test } from 'vitest'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import { changes, idsOf } from '../feed.ts'
import { bodyOf, good, openAccount } from './open-account.ts'

const MANY = 10_400
const open = () => openAccount({ options: { searches: '1000' } })

test.for([
  ['changed one after the other', 1],
  ['changed in one moment', 86_400_000],
] as const)('changes go on beyond the 10,000 results that HubSpot counts to: %s', async ([, stamp]) => {
  const { driver, simulator, sent } = await open()
  simulator.faults.add(`same-stamp=${stamp}`)
  good(
    await driver.create(
      'Company',
      Array.from({ length: MANY }, (_, at) => ({ CompanyName: `C${at}` })),
    ),
  )
  sent.length = 0
  const found = await changes(driver, 'Company', { size: 200, since: 0 })
  expect(new Set(idsOf('Company', found)).size).toBe(MANY)
  expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).sort((one, other) => one - other))
  const searches = sent.filter(({ path }) => path.endsWith('/companies/search')).map(bodyOf)
  for (const { after, limit } of searches) expect(Number(after) + Number(limit)).toBeLessThanOrEqual(10_000)
})

test('notes go on beyond 10,000, too', async () => {
  const { driver } = await open()
  const [company] = good(await driver.create('Company', [{ CompanyName: 'Navy' }])) as StoredRecord[]
  const RecordID = company?.CompanyID as string
  good(
    await driver.create(
      'Note',
      Array.from({ length: MANY }, (_, at) => ({ RecordID, Note: `N${at}` })),
      'Company',
    ),
  )
  const found = await changes(driver, 'Note', { size: 200 })
  expect(new Set(found.map(({ record }) => record.Note)).size).toBe(MANY)
  expect(new Set(found.map(({ record, on }) => `${on} ${record.RecordID}`))).toEqual(new Set([`Company ${RecordID}`]))
})
