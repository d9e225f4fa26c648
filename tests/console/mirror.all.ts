import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readPosition, writePosition } from '../../src/core/watch/positions.ts'
import { reportStatus } from '../../src/core/watch/status.ts'
import { watchWorkspace } from '../../src/core/watch/watch.ts'
import { accountsOn } from '../support/accounts.ts'
import { consoleForFile } from '../support/console.ts'

const WATCH = { intervalMs: 60_000, requestsPerDay: 20_000 }
const crm = consoleForFile({ wrap: (service) => ({ ...service, accounts: accountsOn(service.store), watch: WATCH }) })

let hubspot: Awaited<ReturnType<typeof startSimulator>>
beforeAll(async () => {
  hubspot = await startSimulator(simulateHubSpot)
})
afterAll(async () => {
  await crm.server.service.connections.close()
  await hubspot.close()
})

test('the page of a connection shows how far its mirror has come, what it costs, and why a look has failed', async () => {
  const { service, call } = crm.server
  const { ConnectionID } = await call('create_connection', {
    Platform: 'hubspot',
    Address: hubspot.url,
    Secrets: { token: 'simulator' },
    Label: 'HubSpot of Acme',
  })
  await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const page = await crm.open('#/connections')
  onTestFinished(() => page.close())
  const line = page.locator('.connection-line')
  await line.getByText('The mirror is about to be filled').waitFor()
  await line.getByRole('link', { name: 'HubSpot of Acme' }).click()

  await watchWorkspace(service, 1, new AbortController().signal)
  await reportStatus(service.store, 1, WATCH, 214, null)
  const card = page.locator('.mirror')
  await card.getByText('Mirror complete · 1 record').waitFor()
  await card.getByText('214 of 20,000 requests today · a look every 60 s').waitFor()
  expect(await card.getByRole('progressbar').count()).toBe(0)

  const position = await readPosition(service.store.journal(1))
  const types = { ...position?.types, Lead: { since: Date.now(), isComplete: false, total: 4 } }
  await service.store.write(1, (writer) => writePosition(writer, { account: String(position?.account), types }))
  const failure = { code: 'platform_unavailable', message: 'HubSpot does not answer.', hint: 'Wait.', at: new Date().toISOString() } as const
  await reportStatus(service.store, 1, WATCH, 0, failure)
  await page.reload()
  await card.getByText('Filling the mirror: 1 of 4 records').waitFor()
  expect(await card.getByRole('progressbar').getAttribute('value')).toBe('1')
  await card.getByRole('alert').getByText('HubSpot does not answer. Wait.').waitFor()

  const stored = async () => ((await call('get_many_connections', { Filters: { ConnectionID } })).Records as { Watch: boolean; Reads: string }[])[0]
  const [watch, reads] = ['Watch the account', 'Read from the mirror'].map((name) => card.getByRole('switch', { name })) as [Locator, Locator]
  expect([await watch.isChecked(), await reads.isChecked()]).toEqual([true, true])
  await reads.click()
  await expect.poll(stored, { timeout: 60_000 }).toMatchObject({ Watch: true, Reads: 'crm' })
  await watch.click()
  await expect.poll(stored, { timeout: 60_000 }).toMatchObject({ Watch: false, Reads: 'crm' })
  await card.getByText('What others change in this account is not looked for.').waitFor()
  expect(await reads.isDisabled()).toBe(true)
})
