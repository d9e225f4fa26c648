import { describe, expect, test } from 'vitest'
import { serverForTest, type TestServer } from '../support/server.ts'

const PAGE = 'https://app.example.com'
const OTHER = 'https://evil.example.com'

const preflight = ({ url }: TestServer, origin: string, path = '/v1/operations/create_a_lead', method = 'POST') =>
  fetch(`${url}${path}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization, content-type' },
  })

/** The items of a header that is a list. */
const listed = (value: string | null) => value?.toLowerCase().split(', ')

/** What a page may send, and what it may read of an answer. */
const SENT = [
  'authorization',
  'content-type',
  'accept',
  'x-request-id',
  'idempotency-key',
  'dry-run',
  'confirm',
  'confirmation-token',
  'if-match',
  'request-timeout',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
]
const READ = [
  'x-request-id',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'change-id',
  'idempotency-replayed',
  'etag',
  'www-authenticate',
  'mcp-session-id',
]

describe('a page elsewhere', () => {
  test('may not call by default', async () => {
    const server = await serverForTest()
    expect((await preflight(server, PAGE)).headers.get('access-control-allow-origin')).toBeNull()
    expect((await server.post('get_current_user', {}, { origin: PAGE })).headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each([PAGE, `http://localhost:5173, ${PAGE}/`])('may when its origin is listed: %s', async (corsOrigin) => {
    const server = await serverForTest({ corsOrigin })
    const answer = await preflight(server, PAGE)
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(listed(answer.headers.get('access-control-allow-headers'))).toEqual(SENT)
    expect(answer.headers.get('vary')).toBe('Origin')

    for (const operation of ['get_current_user', 'no_such_thing', '%']) {
      const { headers } = await server.post(operation, {}, { origin: PAGE })
      expect(headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(listed(headers.get('access-control-expose-headers'))).toEqual(READ)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
    const bad = await fetch(`${server.url}/v1/operations/%`, { headers: { origin: PAGE } })
    expect(bad.status).toBe(400)
    expect(bad.headers.get('access-control-allow-origin')).toBe(PAGE)
  })

  test('may send batches and follow events, too', async () => {
    const server = await serverForTest({ corsOrigin: PAGE })
    for (const [path, method] of [
      ['/v1/batch', 'POST'],
      ['/v1/events', 'GET'],
    ] as const) {
      const answer = await preflight(server, PAGE, path, method)
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, PAGE])
      expect(listed(answer.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase())
      expect(listed(answer.headers.get('access-control-allow-headers'))).toEqual(SENT)
      for (const authorization of ['', `Bearer ${server.key}`]) {
        const { headers } = await fetch(`${server.url}${path}`, { method, headers: { origin: PAGE, authorization } })
        expect(headers.get('access-control-allow-origin')).toBe(PAGE)
        expect(listed(headers.get('access-control-expose-headers'))).toEqual(READ)
      }
    }
  })

  test('may not when another one is listed', async () => {
    const server = await serverForTest({ corsOrigin: PAGE })
    const answer = await preflight(server, OTHER)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toBe('Origin')
    expect((await server.post('get_current_user', {}, { origin: OTHER })).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('may wherever it is, with *', async () => {
    const server = await serverForTest({ corsOrigin: '*' })
    expect((await preflight(server, OTHER)).headers.get('access-control-allow-origin')).toBe('*')
    expect((await server.post('get_current_user', {}, { origin: OTHER })).headers.get('access-control-allow-origin')).toBe('*')
  })
})
