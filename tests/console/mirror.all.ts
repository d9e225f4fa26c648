import { simulateHubSpot } from 'crm-simulators/hubspot'
import type { Locator } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { readPosition, writePosition } from '../../src/core/watch/positions.ts'
import { reportStatus } from '../../src/core/watch/status.ts'
import { watchWorkspace } from '../../src/core/watch/watch.ts'
import { connectingConsole, simulatorForFile } from '../support/connecting-console.ts'

const WATCH = { intervalMs: 60_000, requestsPerDay: 20_000 }
const crm = connectingConsole({ watch: WATCH })
const hubspot = simulatorForFile(simulateHubSpot)

test('the page of a connection shows how far its mirror has come, what it costs, and why a poll has failed', async () => {
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
  await line.getByText('The mirror is about to be backfilled').waitFor()
  await line.getByRole('link', { name: 'HubSpot of Acme' }).click()

  await watchWorkspace(service, 1, new AbortController().signal)
  await reportStatus(service.store, 1, WATCH, { requests: 214, failure: null })
  const card = page.locator('.mirror')
  await card.getByText('Mirror complete · 1 record').waitFor()
  await card.getByText('214 of 20,000 requests today · a poll every 60 s').waitFor()
  expect(await card.getByRole('progressbar').count()).toBe(0)

  const position = await readPosition(service.store.journal(1))
  const ahead = Object.fromEntries(
    Object.entries(position?.types ?? {}).map(([name, known]) => [name, { ...known, since: Date.now() + 600_000, isComplete: true }]),
  )
  await service.store.write(1, (writer) => writePosition(writer, { account: String(position?.account), types: ahead }))
  await reportStatus(service.store, 1, WATCH, { failure: null, exhausted: new Date().toISOString() })
  await page.reload()
  await card.getByText('as of now').waitFor()
  await card.getByRole('alert').getByText('The 20,000 requests a day for watching are used up for now').waitFor()

  const types = { ...position?.types, Lead: { since: Date.now(), isComplete: false, total: 4 } }
  await service.store.write(1, (writer) => writePosition(writer, { account: String(position?.account), types }))
  const failure = { code: 'platform_unavailable', message: 'HubSpot does not answer.', hint: 'Wait.', at: new Date().toISOString() } as const
  await reportStatus(service.store, 1, WATCH, { failure })
  await page.reload()
  await card.getByText('Backfilling the mirror: 1 of 4 records').waitFor()
  expect(await card.getByRole('progressbar').getAttribute('value')).toBe('1')
  await card.getByRole('alert').getByText('HubSpot does not answer. Wait.').waitFor()

  const stored = async () => ((await call('get_many_connections', { Filters: { ConnectionID } })).Records as { Watch: boolean; Reads: string }[])[0]
  const [watch, reads] = ['Watch the account', 'Read from the mirror'].map((name) => card.getByRole('switch', { name })) as [Locator, Locator]
  expect([await watch.isChecked(), await reads.isChecked()]).toEqual([true, true])
  await reads.click()
  await expect.poll(stored, { timeout: 60_000 }).toMatchObject({ Watch: true, Reads: 'crm' })
  await watch.click()
  await expect.poll(stored, { timeout: 60_000 }).toMatchObject({ Watch: false, Reads: 'crm' })
  await card.getByText('Changes that others make in this account are not watched.').waitFor()
  expect(await reads.isDisabled()).toBe(true)
  await card.getByText('An account that is not watched has no mirror to read from.').waitFor()

  await call('update_connection', { ConnectionID, FieldsToUpdate: { InUse: false } })
  await page.reload()
  await card.getByText('This connection is not in use').waitFor()
})

test('a record of a CRM that hangs is shown as the mirror has it, and the overview says of when its figures are', async () => {
  const { service, call } = crm.server
  const [connection] = (await call('get_many_connections')).Records as { ConnectionID: string }[]
  await call('update_connection', { ConnectionID: connection?.ConnectionID, FieldsToUpdate: { InUse: true, Watch: true, Reads: 'mirror' } })
  await watchWorkspace(service, 1, new AbortController().signal)
  await reportStatus(service.store, 1, WATCH, { failure: null, isPolled: true })
  const [lead] = (await call('get_many_leads')).Records as { LeadID: string }[]

  hubspot.faults.add('slow=600s')
  onTestFinished(() => hubspot.faults.clear())
  const page = await crm.open(`#/leads/${lead?.LeadID}`)
  onTestFinished(() => page.close())
  crm.refusals(page)
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
  await page.getByRole('status').getByText('as of').waitFor()
  await page.getByRole('alert').getByText('HubSpot did not answer within 10 s.').waitFor()

  await page.goto(`${crm.server.url}/#/`)
  await page.getByText('Open, due and recent · as of').waitFor()
})
