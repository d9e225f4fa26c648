import { expect, onTestFinished, test } from 'vitest'
import { createService } from '../../../src/core/service.ts'
import { startWatch } from '../../../src/core/watch/watch.ts'
import { watchMetrics } from '../../../src/transports/http/metrics/watch.ts'
import { processOn, simulate } from '../../support/connected.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'

test.for([
  ['salesforce', SALESFORCE, 1_000_000, true, 1500],
  ['hubspot', HUBSPOT, 1_000_000, true, 1500],
  ['hubspot', HUBSPOT, 1000, true, 1000],
  ['salesforce', SALESFORCE, 1_000_000, undefined, 1_000_000],
] as const)('an account of %s that allows 3,000 requests a day', async ([Platform, { simulate: crm, secrets }, requestsPerDay, sparesQuota, most]) => {
  const shared = await (SHARED_STORES.sqlite as () => Promise<SharedStore>)()
  const { service, crm: connector } = await processOn(shared)
  const { crm: elsewhere } = await processOn(shared)
  const simulator = await simulate(crm, { faults: ['daily-quota=3000'] })
  const Secrets = Object.fromEntries(secrets.map((secret) => [secret, 'simulator']))
  await connector.connections.create({ Platform, Address: simulator.url, Secrets })
  const settings = { intervalMs: 100, requestsPerDay, sparesQuota }
  const watch = startWatch(createService({ ...service, watch: settings }), settings, () => {})
  onTestFinished(() => watch.stop())
  await expect.poll(async () => (await elsewhere.connections.getMirror({})).RequestsPerDay).toBe(most)
  expect(await watchMetrics(watch)).toContain(`crm_watch_requests_per_day{workspace="default"} ${most}\n`)
})
