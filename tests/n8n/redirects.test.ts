import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Arrived, faultyProxy } from '../support/faulty-proxy.ts'
import { serverForTest } from '../support/server.ts'
import { execute } from './host.ts'
import { loadNodes } from './nodes.ts'

const { CrmConnector, CrmConnectorApi } = await loadNodes()
const node = new CrmConnector()
const lead = { resource: 'lead', operation: 'create', FirstName: 'Ada', LastName: 'Redirected' }

/** An address that leads to another one. */
async function leadingTo(url: string, status: number): Promise<string> {
  const server = createServer((request, response) => void response.writeHead(status, { location: url + request.url }).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each([301, 302, 303, 307, 308])('a Base URL that leads elsewhere (%i)', (status) => {
  test('fails with the address, and nothing is sent there', async () => {
    const server = await serverForTest()
    const edge = await faultyProxy(server.url)
    const url = await leadingTo(edge.url, status)
    const [item] = await execute(node, { ...server, url }, { parameters: lead, continueOnFail: true })
    expect(item?.json).toMatchObject({
      error: expect.stringContaining(`${edge.url}/v1/operations/create_a_lead`),
      details: { code: 'no_answer', status, retryable: false, hint: expect.stringContaining('https') },
    })
    await expect(execute(node, { ...server, url }, { parameters: lead })).rejects.toMatchObject({ httpCode: String(status) })
    expect(edge.arrived).toEqual([] satisfies Arrived[])
    expect((await server.call('get_many_leads')).Records).toEqual([])
  })
})

describe('the test of the credentials', () => {
  const { test: tested } = new CrmConnectorApi()

  test('follows no redirect', () => expect(tested.request.disableFollowRedirect).toBe(true))

  test('passes where a user is answered, and nowhere else', async () => {
    const [rule] = tested.rules ?? []
    const { key = '', value, message } = rule?.properties ?? {}
    // n8n fails the test where the member has the value.
    const fails = (body: unknown) => (body as { [name: string]: unknown })[key] === value
    const server = await serverForTest()
    expect(fails(await server.call('get_current_user'))).toBe(false)
    const described = await fetch(`${server.url}/v1/operations/get_current_user`, { headers: { authorization: `Bearer ${server.key}` } })
    expect([described.status, fails(await described.json())]).toEqual([200, true])
    for (const body of ['<h1>It works!</h1>', {}, { data: [] }]) expect(fails(body)).toBe(true)
    expect(message).toContain('not the CRM Connector')
  })

  test('takes an address as the node does', () => {
    const [, expression = ''] = /^=\{\{(.*)\}\}$/.exec(tested.request.baseURL ?? '') ?? []
    const read = new Function('$credentials', `return ${expression}`) as (credentials: object) => string
    expect(read({ baseUrl: '  http://127.0.0.1:8484//  ' })).toBe('http://127.0.0.1:8484')
  })
})
