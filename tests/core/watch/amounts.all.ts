import { expect, onTestFinished, test } from 'vitest'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { watchedAccount } from './account.ts'

/** Salesforce has no such amounts: its fields keep sixteen digits. */
const CRMS = [
  ['espocrm', ESPOCRM],
  ['hubspot', HUBSPOT],
] as const

const DEAL = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-01' }

test.each(CRMS)('an amount in %s that is larger than money may be is followed as it is, and is in no sum', async (name, crm) => {
  const { other, poll, verify, rows, readers } = await watchedAccount(name, crm, onTestFinished)
  const create = (Amount: number) => other.write(1, (writer) => writer.create('Opportunity', { ...DEAL, Amount }))
  await create(1e22)
  await create(12.5)
  await poll()
  await create(1e19)
  await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'Open' }))
  await poll()
  expect((await rows('Opportunity')).map(({ Amount }) => Amount)).toEqual(expect.arrayContaining([1e22, 12.5, 1e19]))
  expect(await rows('Lead')).toHaveLength(1)
  expect(await verify()).toContainEqual({ type: 'Opportunity', compared: 3, repaired: 0 })
  const [, mirror] = await readers()
  const { states } = (await mirror?.tally('Opportunity', { where: [], today: '2026-11-17', soon: '2026-12-17' })) ?? {}
  expect(states).toMatchObject([{ count: 3, amounts: 1, amount: 125_000n }])
})
