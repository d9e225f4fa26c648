import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { Condition, Where } from '../../../../src/platforms/platform.ts'
import { ADA, all, bodyOf, deals, good, openAccount, startAccount } from './open-account.ts'

const TYPES = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact']

test('records of several types are found by their words, leads and contacts apart', async () => {
  const { driver, sent } = await openAccount()
  good(await driver.create('Lead', [ADA, { FirstName: 'Grace', LastName: 'Hopper' }]))
  good(await driver.create('Contact', [{ FirstName: 'Byron', LastName: 'Lovelace' }]))
  good(await driver.create('Company', [{ CompanyName: 'Lovelace & Co' }]))
  good(await driver.create('Opportunity', [{ ...deals(1, () => 1)[0], OpportunityName: 'For lovelace' }]))
  sent.length = 0
  const found = (await driver.search?.('lovelace', TYPES, 20)) ?? []
  expect(found.map(({ type }) => type).sort()).toEqual(['Company', 'Contact', 'Lead', 'Opportunity'])
  expect(sent.filter(({ path }) => path.endsWith('/search')).map((request) => bodyOf(request).query)).toEqual(TYPES.map(() => 'lovelace'))
  expect((await driver.search?.('ada lovelace', TYPES, 20))?.map(({ type }) => type)).toEqual(['Lead'])
  expect(await driver.search?.('nothing of it', TYPES, 20)).toEqual([])
  expect(await driver.search?.('o', ['Lead'], 1)).toHaveLength(1)
})

test.for(['+44 20 7946 0958', '+442079460958', '(020) 7946-0958', '020 79460958'])('a telephone number is found in any spelling: %s', async (text) => {
  const { driver } = await openAccount()
  good(await driver.create('Lead', [ADA, { FirstName: 'Grace', LastName: 'Hopper', Phone: '+1 555 946 0958' }]))
  good(await driver.create('Company', [{ CompanyName: 'Engines', Phone: '0044 2079460958' }]))
  expect((await driver.search?.(text, TYPES, 20))?.map(({ type, record }) => record.LastName ?? type).sort()).toEqual(['Company', 'Lovelace'])
})

test('what the app may not see is not found, and hides nothing else', async () => {
  const simulator = await startSimulator((world) => {
    const simulated = simulateHubSpot(world)
    const refusal = { status: 403, body: { status: 'error', message: 'not granted', category: 'MISSING_SCOPES', correlationId: 'x' } }
    return { ...simulated, answer: (request) => (request.path.endsWith('/deals/search') ? refusal : simulated.answer(request)) }
  })
  onTestFinished(() => simulator.close())
  const driver = await hubspot.open({ ...(await startAccount()).opening, address: simulator.url })
  onTestFinished(() => driver.close())
  good(await driver.create('Lead', [ADA]))
  expect((await driver.search?.('ada', TYPES, 20))?.map(({ type }) => type)).toEqual(['Lead'])
})

const eq = (field: string, value: string): Condition => ({ field, family: 'text', operator: 'eq', value })
const gt = (value: number): Condition => ({ field: 'Amount', family: 'number', operator: 'gt', value })
const part: Condition = { field: 'OpportunityName', family: 'text', operator: 'contains', value: 'D' }

test('alternatives are groups of filters', async () => {
  const { driver, sent } = await openAccount()
  good(await driver.create('Opportunity', [...deals(4, (i) => i), { ...deals(1, () => 9)[0], Stage: 'Closed Won' }]))
  const any: Where = { any: [[eq('Stage', 'Closed Won')], [eq('OpportunityName', 'D1'), part], [gt(2), eq('Stage', 'Prospecting')]] }
  expect(driver.narrowsTree?.('Opportunity', any)).toBe('roughly')
  sent.length = 0
  const found = await all(driver, 'Opportunity', { trees: [any], fields: ['OpportunityName', 'Amount', 'Stage'] })
  expect(found.map(({ Amount }) => Amount)).toEqual([1, 3, 9])
  expect(bodyOf(sent[0] as never).filterGroups).toHaveLength(3)
})

test.for<[string, Where]>([
  ['what is not', { not: [eq('Stage', 'Closed Won')] }],
  ['an alternative that cannot be asked for', { any: [[part], [gt(2)]] }],
  ['more alternatives than a search takes', { any: [1, 2, 3, 4, 5, 6].map((value) => [gt(value)]) }],
  ['what follows a reference', { ...eq('Industry', 'Retail'), through: { field: 'CompanyID', type: 'Company' } }],
])('%s is left to the engine', async ([, where]) => {
  const { driver } = await openAccount()
  expect(driver.narrowsTree?.('Opportunity', where)).toBe('not')
  expect(driver.narrowsTree?.('Note', { any: [[eq('RecordID', '1')]] })).toBe('not')
})
