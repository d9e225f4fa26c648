import { startSimulator } from 'crm-simulators'
import { simulateHubSpotWith } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { retryFor } from '../../../../src/core/call/retry.ts'
import type { OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { HUBSPOT } from '../../../support/crms/hubspot.ts'
import { overCrm } from '../../../support/crms.ts'

/** Requests that were sent to a simulator, and those of them that it refused because there were too many. */
function counting(limits: Parameters<typeof simulateHubSpotWith>[0]) {
  const counted = { sent: 0, refused: 0 }
  const simulate: typeof HUBSPOT.simulate = (world) => {
    const simulated = simulateHubSpotWith(limits)(world)
    return {
      ...simulated,
      async answer(request) {
        const answer = await simulated.answer(request)
        counted.sent++
        if (answer.status === 429) counted.refused++
        return answer
      },
    }
  }
  return { counted, simulate }
}

test('a hundred leads are read at once, with hardly a request more than one after the other', async () => {
  const { counted, simulate } = counting({ requests: 100, intervalMs: 1_000, searches: 1_000 })
  const { adminKey, signIn, close } = await overCrm({ ...HUBSPOT, simulate })
  onTestFinished(close)
  const crm = signIn(adminKey)
  const made = await crm.batch({
    Operations: Array.from({ length: 100 }, (_, i) => ({ Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName: `${i}` } })),
  })
  const ids = made.Results.map(({ Result }) => (Result as { LeadID: string }).LeadID)
  counted.sent = 0
  for (const LeadID of ids.slice(0, 10)) await crm.leads.get({ LeadID })
  const one = counted.sent / 10
  expect(one).toBeLessThan(3)
  Object.assign(counted, { sent: 0, refused: 0 })
  const read = await Promise.all(ids.map((LeadID) => crm.leads.get({ LeadID })))
  expect(read.map(({ LeadID }) => LeadID)).toEqual(ids)
  expect(counted.sent).toBeLessThanOrEqual(1.2 * one * 100)
})

test('the processes of a store keep the limits together', async () => {
  const { counted, simulate } = counting({ requests: 50, intervalMs: 1_000, searches: 20 })
  const simulator = await startSimulator(simulate)
  const store = await openSqlite(':memory:')
  const opening: OpenOptions = {
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options: { searches: '20' } },
    secrets: { token: 'simulator' },
    tables: hubspot.tables({}),
    retry: retryFor(10_000),
    takeFromRateLimit: store.takeFromRateLimit,
  }
  const drivers = [await hubspot.open(opening), await hubspot.open(opening), await hubspot.open(opening)]
  onTestFinished(async () => {
    await Promise.all([...drivers.map((driver) => driver.close()), store.close()])
    await simulator.close()
  })
  Object.assign(counted, { sent: 0, refused: 0 })
  const where = [{ field: 'LastName', family: 'text', operator: 'eq', value: 'King' } as const]
  const calls = drivers.flatMap((driver) => [
    ...Array.from({ length: 30 }, () => driver.get('Lead', ['1'])),
    ...Array.from({ length: 10 }, () => driver.find('Lead', { where, size: 10 })),
  ])
  await Promise.all(calls)
  expect(counted.sent - counted.refused).toBe(120)
  expect(counted.sent).toBeLessThanOrEqual(1.2 * 120)
})
