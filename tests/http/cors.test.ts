import { describe, expect, test } from 'vitest'
import { serverForTest, type TestServer } from '../support/server.ts'

const PAGE = 'https://app.example.com'
const OTHER = 'https://evil.example.com'

const preflight = ({ url }: TestServer, origin: string) =>
  fetch(`${url}/v1/operations/create_a_lead`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, content-type' },
  })

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
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization, content-type')
    expect(answer.headers.get('vary')).toBe('Origin')

    for (const operation of ['get_current_user', 'no_such_thing', '%']) {
      const { headers } = await server.post(operation, {}, { origin: PAGE })
      expect(headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(headers.get('access-control-expose-headers')).toBe('X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
    const bad = await fetch(`${server.url}/v1/operations/%`, { headers: { origin: PAGE } })
    expect(bad.status).toBe(400)
    expect(bad.headers.get('access-control-allow-origin')).toBe(PAGE)
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
