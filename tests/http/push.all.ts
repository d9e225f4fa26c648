import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { pushPath } from '../../src/core/watch/push.ts'
import { accountOf } from '../../src/core/watch/source.ts'
import { startWatch } from '../../src/core/watch/watch.ts'
import { simulate } from '../support/connected.ts'
import { ESPOCRM } from '../support/crms/espocrm.ts'
import { otherClient } from '../support/other-client.ts'
import { startServer } from '../support/server.ts'

const SOON = { timeout: 60_000, interval: 100 }
/** Longer than the test takes: what is announced was pushed. */
const WATCH = { intervalMs: 3_600_000, requestsPerDay: 1_000_000 }

test('EspoCRM pushes what others change, and a path that is not followed any more is given up', async () => {
  const server = await startServer({ wrap: (service) => ({ ...service, watch: WATCH }) })
  onTestFinished(() => server.close())
  const simulator = await simulate(simulateEspoCrm)
  const other = await otherClient(ESPOCRM, simulator.url)
  onTestFinished(() => other.close())
  await server.call('create_connection', { Platform: 'espocrm', Address: simulator.url, Secrets: { apiKey: 'simulator' } })
  const watch = startWatch({ ...server.service, publicUrl: server.url }, WATCH, (error) => console.error(error))
  onTestFinished(() => watch.stop())
  const webhooks = async () => {
    const answer = await fetch(`${simulator.url}/api/v1/Webhook?maxSize=100`, { headers: { 'x-api-key': 'simulator' } })
    return ((await answer.json()) as { list: { url: string; event: string }[] }).list
  }
  await vi.waitFor(async () => expect((await webhooks()).map(({ event }) => event)).toContain('Lead.delete'), SOON)
  const [{ url = '' } = {}] = await webhooks()
  expect(url).toMatch(`${server.url}/push/1/`)

  const { LeadID } = await other.write(1, (writer) => writer.create('Lead', { LastName: 'Lovelace', Status: 'New' }))
  await vi.waitFor(async () => {
    await simulator.advance(1000)
    const { Events } = (await server.call('get_many_events', { Limit: 1000 })) as { Events: { Type: string; RecordID: string; Source: string }[] }
    expect(Events.filter(({ RecordID }) => RecordID === LeadID)).toMatchObject([{ Type: 'lead.created', Source: 'crm' }])
  }, SOON)

  const push = async (to: string, body = '[]') => (await fetch(to, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
  expect(await push(url)).toBe(200)
  expect(await push(url, 'x'.repeat(100_000))).toBe(200)
  expect(await push(`${url}x`)).toBe(404)
  expect(await push(url.replace('/push/1/', '/push/2/'))).toBe(404)
  expect(await push(url.replace('/push/1/', '/push/one/'))).toBe(404)
  expect(await push(`${server.url}${pushPath(server.service.store, 1, accountOf({ name: 'another' } as never))}`)).toBe(410)
  expect(await push(`${server.url}${pushPath(server.service.store, 9, 'none')}`)).toBe(410)
  expect(server.log()).not.toContain(url.split('/').at(-1))
})
