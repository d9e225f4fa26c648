import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { closeWithin } from '../../src/transports/http/graceful-close.ts'
import { temporaryFolder } from '../support/folder.ts'
import { REVISIONS, talkTo } from '../support/mcp.ts'
import { problemIn, serverForTest, startServer, type TestServer } from '../support/server.ts'

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Posts a body as it is, with the key unless told otherwise. */
const post = ({ url, key }: TestServer, body: string, headers: Record<string, string> = {}, path = '/mcp') =>
  fetch(`${url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...HEADERS, ...headers }, body })

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** A call of the current revision, with what that wants in headers and envelope. */
const callNow = (server: TestServer, name: string, input: object, headers: Record<string, string> = {}) =>
  post(server, message('tools/call', { name, arguments: input, _meta: META }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...headers,
  })

const callWith = (server: TestServer, params: object) =>
  post(server, message('tools/call', { ...params, _meta: META }), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' })

describe('whoever calls', () => {
  test('needs a key, and is told so as the standard wants it', async () => {
    const server = await serverForTest()
    for (const authorization of ['', 'Bearer nonsense', 'Basic eDp5']) {
      const answer = await post(server, message('tools/list'), { authorization })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining(`resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`),
      ])
      expect((await problemIn(answer)).code).toBe('unauthenticated')
    }
    await expect(talkTo(server.url, 'nonsense')).rejects.toThrow()
  })

  test('is no longer asked for a key once too many were wrong, whichever route they tried', async () => {
    const server = await serverForTest()
    for (let i = 0; i < 5; i++) {
      await post(server, message('tools/list'), { authorization: `Bearer wrong-${i}` })
      await server.post('get_current_user', {}, { authorization: `Bearer wrong-too-${i}` })
    }
    const answer = await post(server, message('tools/list'), { authorization: 'Bearer another' })
    expect([answer.status, (await problemIn(answer)).code]).toEqual([429, 'rate_limited'])
  })

  test('is limited like everybody, each message of a batch being a call', async () => {
    const server = await serverForTest({ rateLimit: 6 })
    const first = await callNow(server, 'get_current_user', {})
    expect([first.status, first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual([200, '6', '5'])
    const three = `[${[1, 2, 3].map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })).join()}]`
    expect((await post(server, three)).headers.get('ratelimit-remaining')).toBe('2')
    const refused = await post(server, three)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
  })

  test.each(REVISIONS)('is told of the limit by the tool that was called, when it speaks %s', async (revision) => {
    const server = await serverForTest({ rateLimit: 20 })
    const limits: (string | null)[] = []
    const watching: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init)
      limits.push(answer.headers.get('ratelimit-remaining'))
      return answer
    }
    const { client, call } = await talkTo(server.url, server.key, { revision, fetch: watching })
    while (limits.at(-1) !== '0') await call('get_current_user')
    const { isError, text, says } = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    expect([isError, says]).toEqual([true, expect.objectContaining({ code: 'rate_limited', retryable: true, retryAfter: expect.any(Number) })])
    expect([text, limits.at(-1)]).toEqual([expect.stringMatching(/20 calls a minute.*Wait/s), '0'])
    await expect(client.listTools()).rejects.toThrow()
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toContain('crm_calls_total{operation="create_a_lead",code="rate_limited"} 1')
  })

  test('is refused as a page of another origin, unless that was allowed', async () => {
    const server = await serverForTest({ corsOrigin: 'https://app.example.com' })
    const from = async (origin: string, host = `127.0.0.1:${server.port}`) => {
      const { request } = await import('node:http')
      return new Promise<number | undefined>((resolve, reject) => {
        const headers = { ...HEADERS, authorization: `Bearer ${server.key}`, origin, host }
        const asked = request({ port: server.port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers }, (answer) => resolve(answer.resume().statusCode))
        asked.on('error', reject).end(message('ping'))
      })
    }
    expect(await from(`http://127.0.0.1:${server.port}`)).toBe(200)
    expect(await from(`http://localhost:${server.port}`, `localhost:${server.port}`)).toBe(200)
    expect(await from('https://app.example.com')).toBe(200)
    expect(await from('https://evil.example.com')).toBe(403)
    expect(await from('null')).toBe(403)
    expect(await from(`http://127.0.0.1:${server.port + 1}`)).toBe(403)
    // A name that was made to lead here is the origin and the host at once.
    expect(await from(`http://evil.example.com:${server.port}`, `evil.example.com:${server.port}`)).toBe(403)
  })

  test('may be a page elsewhere that was allowed, with the headers of the protocol', async () => {
    const server = await serverForTest({ corsOrigin: 'https://app.example.com' })
    const answer = await fetch(`${server.url}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example.com'])
    for (const name of ['Authorization', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'])
      expect(answer.headers.get('access-control-allow-headers')).toContain(name)
  })
})

describe('a request', () => {
  test('has an id, which the log, the audit and a refusal have too', async () => {
    const server = await serverForTest()
    const answer = await callNow(server, 'create_a_lead', { FirstName: 'Ada' }, { 'x-request-id': 'my-own-id' })
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'my-own-id'])
    expect(await answer.json()).toMatchObject({ result: { isError: true, structuredContent: { requestId: 'my-own-id' } } })
    const [line] = (await server.call('get_many_changes')).Records as object[]
    expect(line).toMatchObject({ RequestID: 'my-own-id', Transport: 'mcp', Outcome: 'invalid_input' })
    const logged = server
      .log()
      .split('\n')
      .filter((one) => one.includes('my-own-id'))
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({ operation: 'create_a_lead', code: 'invalid_input', userId: expect.any(String) })
  })

  test('is counted as the operation it calls, or by itself', async () => {
    const server = await serverForTest()
    await callNow(server, 'get_current_user', {})
    await callNow(server, 'get_leads', { LeadID: 'nothing' })
    await post(server, message('ping'))
    await post(server, message('ping'), { authorization: '' })
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    for (const line of [
      'crm_calls_total{operation="get_current_user",code="ok"} 1',
      'crm_calls_total{operation="get_leads",code="not_found"} 1',
      'crm_calls_total{operation="mcp",code="ok"} 1',
      'crm_calls_total{operation="mcp",code="unauthenticated"} 1',
    ])
      expect(metrics).toContain(line)
  })

  test('carries the same headers as any other answer', async () => {
    const server = await serverForTest()
    for (const answer of [await callNow(server, 'get_current_user', {}), await post(server, message('ping')), await post(server, 'x')]) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('that is too large, no JSON, no message or no POST is answered as the protocol wants it', async () => {
    const server = await serverForTest()
    const large = await post(server, message('tools/call', { name: 'create_a_lead', arguments: { LastName: 'x'.repeat(LIMITS.bodyBytes) } }))
    expect([large.status, (await problemIn(large)).code]).toEqual([413, 'too_large'])
    const members = await post(server, `{"jsonrpc":"2.0","params":[${'{},'.repeat(LIMITS.values)}`)
    expect([members.status, (await problemIn(members)).detail]).toEqual([413, 'The body holds more than 100,000 values.'])
    const messages = await post(server, `[${'{},'.repeat(LIMITS.batch)}{}]`)
    expect([messages.status, (await problemIn(messages)).code]).toEqual([413, 'too_large'])
    const garbage = await post(server, '{"jsonrpc":"2.0",')
    expect([garbage.status, await garbage.json()]).toMatchObject([400, { jsonrpc: '2.0', error: { code: -32700 } }])
    for (const body of [
      '{}',
      '[]',
      '7',
      'null',
      '""',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
    ])
      expect([body, (await post(server, body)).status]).toEqual([body, 400])
    for (const method of ['GET', 'DELETE', 'PUT']) {
      for (const typed of [undefined, 'application/json', 'nonsense']) {
        const headers = { authorization: `Bearer ${server.key}`, accept: 'text/event-stream', ...(typed && { 'content-type': typed }) }
        const answer = await fetch(`${server.url}/mcp`, { method, headers, ...(method !== 'GET' && typed && { body: '{}' }) })
        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST'])
      }
    }
    expect((await post(server, message('ping'))).status).toBe(200)
  })

  test('says in plain words what is wrong with its params', async () => {
    const server = await serverForTest()
    for (const [params, words] of [
      [{ name: 'get_current_user', arguments: [1] }, 'Invalid params of tools/call: params.arguments must be an object, not a list.'],
      [{ arguments: {} }, 'Invalid params of tools/call: params.name is required.'],
    ] as const)
      for (const answer of [await post(server, message('tools/call', params)), await callWith(server, params)])
        expect([answer.status, await answer.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, error: { code: -32602, message: words } }])
  })

  test('is refused with an argument called __proto__ as with any other that is not known', async () => {
    const server = await serverForTest()
    const body = message('tools/call', { name: 'create_a_lead', arguments: { FirstName: 'Ada', LastName: 'Lovelace' }, _meta: META })
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'create_a_lead' }
    const answer = await post(server, body.replace('"FirstName"', '"__proto__":{},"FirstName"'), headers)
    expect(await answer.json()).toMatchObject({ result: { isError: true, structuredContent: { errors: [{ field: '__proto__', code: 'unknown' }] } } })
    expect((await server.call('get_many_leads')).Records).toEqual([])
    expect((await server.call('get_many_changes')).Records).toMatchObject([{ Operation: 'create_a_lead', Outcome: 'invalid_input' }])
  })

  test('however hostile, leaves the service answering', async () => {
    const server = await serverForTest()
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, i])))
    const inputs = [
      deep,
      wide,
      '{"__proto__":{"x":1},"constructor":{"prototype":{}}}',
      '"text"',
      '[1,2]',
      'null',
      '{"LeadID":{"$gt":""}}',
      `{"LeadID":${deep}}`,
    ]
    for (const input of inputs) {
      for (const name of ['get_leads', 'update_custom_object', '__proto__', '']) {
        const now = message('tools/call', { name, arguments: 0, _meta: META }).replace('"arguments":0', `"arguments":${input}`)
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
        expect((await post(server, now, headers)).status).toBeLessThan(500)
        expect((await post(server, message('tools/call', { name, arguments: 0 }).replace('"arguments":0', `"arguments":${input}`))).status).toBeLessThan(500)
      }
    }
    for (const method of ['resources/read', 'prompts/get', 'completion/complete', 'no/such', 'initialize', 'subscriptions/listen', 'logging/setLevel'])
      for (const params of [
        '{}',
        'null',
        '7',
        `{"uri":${deep}}`,
        '{"name":"__proto__","uri":"crm://records/__proto__","ref":{"type":"ref/resource","uri":"x"},"argument":{}}',
      ])
        expect((await post(server, `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)).status).toBeLessThan(500)
    expect((await callNow(server, 'get_current_user', {})).status).toBe(200)
  })
})

describe('no request depends on another', () => {
  test.each(REVISIONS)('so that a client that speaks %s goes on after the service was started anew, or through another process', async (revision) => {
    const folder = await temporaryFolder()
    const open = () => openSqlite(`${folder}/crm.db`)
    const first = await startServer({ open })
    let url = first.url
    const balanced: typeof fetch = (address, init) => fetch(String(address).replace(first.url, url), init)
    const { call } = await talkTo(first.url, first.key, { revision, fetch: balanced })
    const { LeadID } = (await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).says
    await first.close()
    const second = await serverForTest({ open, key: first.key })
    url = second.url
    expect((await call('get_leads', { LeadID })).says).toMatchObject({ LeadID, FirstName: 'Ada' })
  })

  test('and who only listens does not hold up the closing', async () => {
    const server = await startServer()
    const answer = await post(server, message('subscriptions/listen', { _meta: META, notifications: { toolsListChanged: true } }), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const read = answer.text().catch(() => '')
    await closeWithin(server.app, 600_000)
    await read
    await server.close()
  })
})
