import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/core/service.ts'
import { problemOfRaw, sendRaw } from '../support/raw.ts'
import { problemIn, serverForTest, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const ask = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init)

describe('an address', () => {
  test.each([
    '/nowhere',
    '/v1',
    '/v2/operations/create_a_lead',
    '/docs/../docs/nothing',
    '/docs/package.json',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/..%2f..%2fpackage.json',
  ])('that leads nowhere is not found: %s', async (path) => {
    const problem = await problemIn(await ask(path))
    expect(problem).toMatchObject({ code: 'not_found', status: 404 })
    expect(problem.hint).toContain('/v1/operations')
  })

  test('that is not properly encoded is refused', async () => {
    for (const path of ['/v1/operations/%', '/v1/operations/%E0%A4%A', '/%zz']) {
      const answer = await sendRaw(server.port, `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(problemOfRaw(answer)).toMatchObject({ code: path === '/%zz' ? expect.stringMatching(/invalid_input|not_found/) : 'invalid_input' })
    }
  })

  test('with an endless operation name is not found', async () => {
    expect((await problemIn(await server.post('x'.repeat(1000)))).code).toBe('not_found')
    expect((await problemIn(await server.post('x'.repeat(5000)))).code).toBe('not_found')
  })
})

describe('a method that does not fit', () => {
  test.each([
    ['PUT', '/v1/operations/create_a_lead', 'GET, HEAD, POST'],
    ['DELETE', '/v1/operations/create_a_lead', 'GET, HEAD, POST'],
    ['PATCH', '/v1/operations', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['PROPFIND', '/v1/operations/create_a_lead', 'GET, HEAD, POST'],
  ])('is answered with the ones that do: %s %s', async (method, path, allow) => {
    const response = await ask(path, { method, ...(method !== 'PROPFIND' && { body: '{}' }) })
    expect(response.headers.get('allow')).toBe(allow)
    expect(await problemIn(response)).toMatchObject({ code: 'not_found', hint: `Use ${allow.replaceAll(', ', ' or ')}.` })
  })

  test('is what counts, not the body that came with it', async () => {
    for (const type of ['application/json', 'text/plain', 'nonsense']) {
      const response = await ask('/v1/operations/create_a_lead', { method: 'PUT', body: '{', headers: { 'content-type': type } })
      expect((await problemIn(response)).code).toBe(type === 'nonsense' ? 'invalid_input' : 'not_found')
    }
  })

  test('OPTIONS says which ones fit', async () => {
    const response = await ask('/v1/operations/create_a_lead', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    expect((await ask('/nowhere', { method: 'OPTIONS' })).status).toBe(404)
  })

  test('GET and HEAD on an operation describe it and carry nothing out', async () => {
    expect(await (await ask('/v1/operations/create_a_lead')).json()).toMatchObject({ id: 'create_a_lead' })
    const head = await ask('/v1/operations/create_a_lead', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100)
  })
})

describe('signing in', () => {
  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'crm_x'])('with %j is refused, and says how', async (authorization) => {
    const response = await ask('/v1/operations/get_current_user', { method: 'POST', headers: authorization === undefined ? {} : { authorization } })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer .*resource_metadata="http/)
    expect(await problemIn(response)).toMatchObject({ code: 'unauthenticated', status: 401, hint: expect.stringContaining('Authorization: Bearer') })
  })

  test('takes the scheme in any case', async () => {
    expect((await server.post('get_current_user', {}, { authorization: `bearer  ${server.key}` })).status).toBe(200)
  })

  test('comes before the body is looked at', async () => {
    expect((await problemIn(await server.post('create_a_lead', '{', { authorization: 'Bearer wrong' }))).code).toBe('unauthenticated')
  })
})

describe('what is not HTTP', () => {
  test.each([
    ['nonsense', 'HELLO\r\n\r\n', 'invalid_input'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 'invalid_input'],
    ['a length that is none', 'POST /v1/operations/describe HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n', 'invalid_input'],
    ['two lengths', 'POST /v1/operations/describe HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n', 'invalid_input'],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 'too_large'],
  ])('is answered with a problem, and the connection ends: %s', async (_, bytes, code) => {
    const answer = await sendRaw(server.port, bytes)
    expect(problemOfRaw(answer).code).toBe(code)
    expect(answer.headers.get('connection')).toBe('close')
  })

  test('an unknown expectation is refused', async () => {
    const answer = await sendRaw(server.port, 'POST /v1/operations/describe HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n')
    expect(problemOfRaw(answer).code).toBe('invalid_input')
  })

  test('a request without Host is still answered', async () => {
    expect((await sendRaw(server.port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).body).toBe('{"status":"ok"}')
  })
})

describe('what nobody expected', () => {
  const broken = (service: Service): Service => ({
    ...service,
    get settings(): never {
      throw new Error('the secret inside')
    },
  })

  test('is internal, with the cause in the log and nowhere else', async () => {
    const { post, log } = await serverForTest({ wrap: broken })
    const problem = await problemIn(await post('get_summary_opportunity'))
    expect(problem).toMatchObject({ code: 'internal', status: 500, retryable: false })
    expect(JSON.stringify(problem)).not.toMatch(/secret inside|at .*\.ts/)
    const line = log()
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as Record<string, unknown>)
      .find(({ requestId }) => requestId === problem.requestId)
    expect(line).toMatchObject({
      level: 'error',
      operation: 'get_summary_opportunity',
      status: 500,
      code: 'internal',
      stack: expect.stringContaining('the secret inside'),
    })
  })

  test('in the authenticator is internal too', async () => {
    const { post } = await serverForTest({ authenticate: () => Promise.reject(new Error('no store')) })
    expect((await problemIn(await post('get_current_user'))).code).toBe('internal')
  })
})
