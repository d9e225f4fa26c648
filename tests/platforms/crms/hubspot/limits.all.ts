import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpotWith } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../../../src/app/open.ts'
import { readConfig } from '../../../../src/config/settings.ts'
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

test('a service hands its store to the limits', async () => {
  const { counted, simulate } = counting({ requests: 50, intervalMs: 1_000, searches: 20 })
  const simulator = await startSimulator(simulate)
  const path = join(mkdtempSync(join(tmpdir(), 'limits-')), 'crm.db')
  const config = readConfig({ platform: `hubspot:${simulator.url}` }, { CRM_HUBSPOT_TOKEN: 'simulator', CRM_STORE: `sqlite:${path}` })
  const services = [await openService(config), await openService(config)]
  onTestFinished(async () => {
    for (const { close } of services) await close()
    await simulator.close()
  })
  Object.assign(counted, { sent: 0, refused: 0 })
  await Promise.all(services.flatMap(({ service }) => Array.from({ length: 60 }, () => service.platform.reader(1).get('Lead', '1'))))
  expect(counted.sent).toBeLessThanOrEqual(1.2 * 120)
})

test('what would wait too long is refused, and never sent', async () => {
  const { counted, simulate } = counting({ requests: 10, intervalMs: 10_000, searches: 20 })
  const simulator = await startSimulator(simulate)
  onTestFinished(() => simulator.close())
  const driver = await hubspot.open({
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 10_000, options: {} },
    secrets: { token: 'simulator' },
    tables: hubspot.tables({}),
    retry: (attempt) => attempt(),
    reconcileMs: 100,
  })
  onTestFinished(() => driver.close())
  counted.sent = 0
  const made = await Promise.all([1, 2, 3, 4].map((i) => driver.create('Lead', [{ FirstName: 'Ada', LastName: `${i}` }])))
  const refused = made.flat().filter((answer) => answer instanceof Error)
  expect(refused).toHaveLength(4 - counted.sent)
  expect(refused).toMatchObject(refused.map(() => ({ code: 'rate_limited', unknown: undefined })))
  expect(simulator.simulated.state().records).toMatchObject({ contacts: counted.sent })
})
