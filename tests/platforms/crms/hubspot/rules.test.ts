import { expect, test } from 'vitest'
import { good, openAccount } from './open-account.ts'

const DEAL = { OpportunityName: 'Engine', Stage: 'Closed Won', CloseDate: '2026-12-31' }

/** An account in which deals that are won need an amount. */
async function open(apiVersion: string) {
  const account = await openAccount({ options: { apiVersion } })
  await fetch(`${account.simulator.url}/crm/v3/property-rules/deals`, {
    method: 'POST',
    headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
    body: JSON.stringify({ property: 'dealstage', value: 'closedwon', required: ['amount'] }),
  })
  return account
}

test('what a rule of the account requires is told with its field', async () => {
  const { driver } = await open('2026-09')
  const refusal = { code: 'invalid_input', errors: [{ field: 'Amount', code: 'missing' }] }
  expect(await driver.create('Opportunity', [DEAL])).toMatchObject([refusal])
  const [won, made] = await driver.create('Opportunity', [DEAL, { ...DEAL, Stage: 'Prospecting' }])
  expect(won).toMatchObject(refusal)
  const { OpportunityID: id } = made as { OpportunityID: string }
  expect(await driver.update('Opportunity', [{ id, changes: { Stage: 'Closed Won' }, before: {} }])).toMatchObject([refusal])
  good(await driver.update('Opportunity', [{ id, changes: { Stage: 'Closed Won', Amount: 5 }, before: {} }]))
})

test.for(['2026-03', 'v3'])('it binds no earlier version: %s', async (apiVersion) => {
  const { driver } = await open(apiVersion)
  good(await driver.create('Opportunity', [DEAL]))
})
