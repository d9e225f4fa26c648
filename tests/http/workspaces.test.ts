import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DEFAULT_WEBHOOK_SETTINGS } from '../../src/core/service.ts'
import { startCourier } from '../../src/core/webhooks/courier.ts'
import { serverForTest } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const by = (key: unknown) => ({ authorization: `Bearer ${key}` })

test('a paused workspace is refused on every route, its stream ends, and its webhooks wait', async () => {
  const received: string[] = []
  const target = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => received.push(text))
    request.on('end', () => response.end())
  })
  await once(target.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void target.close())
  const server = await serverForTest({ wrap: (service) => ({ ...service, webhooks: { ...DEFAULT_WEBHOOK_SETTINGS, allowPrivate: true, backoffMs: 20 } }) })
  const courier = startCourier(
    server.service,
    () => {},
    (error) => {
      throw error
    },
  )
  onTestFinished(() => courier.stop())
  const { WorkspaceID, Key } = await server.call('create_workspace', { Name: 'acme' })
  await server.call('create_webhook', { URL: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`, EventTypes: ['lead.created'] }, by(Key))
  const { LeadID } = await server.call('create_a_lead', ADA, by(Key))
  await vi.waitFor(() => expect(received.join()).toContain(LeadID), 60_000)
  const stream = await fetch(`${server.url}/v1/events`, { headers: { ...by(Key), accept: 'text/event-stream' } })
  const streamed = stream.text()

  await server.call('pause_workspace', { WorkspaceID })
  expect(await streamed).toContain('The workspace acme is paused.')
  const headers = { ...by(Key), 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  for (const [path, method, body] of [
    ['/v1/operations/get_leads', 'POST', { LeadID }],
    ['/v1/batch', 'POST', { Operations: [] }],
    ['/v1/events', 'GET', undefined],
    ['/mcp', 'POST', initialize],
  ] as const) {
    const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    expect([path, answer.status]).toEqual([path, 403])
    expect(await answer.text()).toContain('The workspace acme is paused.')
  }
  const { number } = (await server.service.store.workspace('acme')) as { number: number }
  expect((await server.service.store.journal(number).verify()).faults).toEqual([])

  await server.call('resume_workspace', { WorkspaceID })
  const second = await server.call('create_a_lead', ADA, by(Key))
  await vi.waitFor(() => expect(received.join()).toContain(second.LeadID), 60_000)
})

test('the keys of a workspace share its calls a minute', async () => {
  const server = await serverForTest()
  const { Key } = await server.call('create_workspace', { Name: 'acme', CallsPerMinute: 4 })
  const { Key: other } = await server.call('create_key', {}, by(Key))
  for (const key of [Key, other, Key]) expect((await server.post('get_many_leads', {}, by(key))).status).toBe(200)
  const refused = await server.post('get_many_leads', {}, by(other))
  expect(refused.status).toBe(429)
  expect(refused.headers.get('ratelimit-limit')).toBe('4')
  expect(await refused.json()).toMatchObject({ detail: 'This workspace allows 4 calls a minute.' })
  expect((await server.post('get_many_leads', {})).status).toBe(200)
})
