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
/** Those of one address: three changes of six record types each. */
const WEBHOOKS = 18

/** A service that is connected to a simulated EspoCRM. */
async function connected() {
  const server = await startServer({ wrap: (service) => ({ ...service, watch: WATCH }) })
  onTestFinished(() => server.close())
  const simulator = await simulate(simulateEspoCrm)
  await server.call('create_connection', { Platform: 'espocrm', Address: simulator.url, Secrets: { apiKey: 'simulator' } })
  const watchAt = (publicUrl: string) => {
    const watch = startWatch({ ...server.service, publicUrl }, WATCH, (error) => console.error(error))
    onTestFinished(() => watch.stop())
    return watch
  }
  const ask = async (method: string, query: string, body?: object) => {
    const headers = { 'x-api-key': 'simulator', 'content-type': 'application/json' }
    const answer = await fetch(`${simulator.url}/api/v1/Webhook${query}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return answer.json()
  }
  const webhooks = async () => ((await ask('GET', '?maxSize=100')) as { list: { url: string; event: string }[] }).list
  return { server, simulator, watchAt, webhooks, addWebhook: (url: string) => ask('POST', '', { event: 'Lead.create', url }) }
}

test('EspoCRM pushes what others change, and a path that is not followed any more is given up', async () => {
  const { server, simulator, watchAt, webhooks } = await connected()
  const other = await otherClient(ESPOCRM, simulator.url)
  onTestFinished(() => other.close())
  watchAt(server.url)
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

test('EspoCRM forgets the address before when the service has another one, and keeps what others have asked for', async () => {
  const { server, watchAt, webhooks, addWebhook } = await connected()
  const urls = async () => [...new Set((await webhooks()).map(({ url }) => url))].sort()
  const first = watchAt('http://127.0.0.1:1/crm')
  await vi.waitFor(async () => expect(await webhooks()).toHaveLength(WEBHOOKS), SOON)
  const [before = ''] = await urls()
  expect(before).toMatch(/^http:\/\/127\.0\.0\.1:1\/crm\/push\/1\//)
  await first.stop()

  const path = before.slice('http://127.0.0.1:1/crm'.length)
  const others = [
    'http://127.0.0.1:1/crm',
    `http://127.0.0.1:1${pushPath({ ...server.service.store, secret: 'of another store' }, 1, 'account')}`,
    `http://127.0.0.1:1${path}/of-another`,
    `http://127.0.0.1:1${path.slice(0, -1)}.`,
  ]
  for (const url of others) await addWebhook(url)
  watchAt('http://127.0.0.1:2')
  await vi.waitFor(async () => {
    expect(await urls()).toEqual([...others, `http://127.0.0.1:2${path}`].sort())
    expect(await webhooks()).toHaveLength(WEBHOOKS + others.length)
  }, SOON)
})
