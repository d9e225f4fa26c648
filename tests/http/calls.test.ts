import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe('an operation', () => {
  test.each(['create_a_lead', 'Create A Lead', 'create-a-lead', 'CREATE_A_LEAD'])('answers to %s', async (name) => {
    const response = await server.post(name, ADA)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toMatchObject({ ...ADA, Status: 'Open', Revision: 1 })
  })

  test('that does not exist is answered with the three nearest, key or no key', async () => {
    for (const authorization of [`Bearer ${server.key}`, '']) {
      const problem = await problemIn(await server.post('Create A Leed', ADA, { authorization }))
      expect(problem).toMatchObject({ code: 'not_found', status: 404 })
      expect(problem.hint).toMatch(/Nearest: create_a_lead, \w+, \w+\./)
    }
  })

  test('without a body has an empty input', async () => {
    const response = await fetch(`${server.url}/v1/operations/get_current_user`, { method: 'POST', headers: { authorization: `Bearer ${server.key}` } })
    expect(await response.json()).toMatchObject({ Role: 'admin' })
  })

  test('takes a body without a content type as JSON', async () => {
    const body = new Blob([JSON.stringify(ADA)])
    const response = await fetch(`${server.url}/v1/operations/create_a_lead`, { method: 'POST', headers: { authorization: `Bearer ${server.key}` }, body })
    expect(response.status).toBe(200)
  })

  test('refused by the core lists every fault at once', async () => {
    const problem = await problemIn(await server.post('create_a_lead', { FirstNam: 'Ada', Email: 'x' }))
    expect(problem.code).toBe('invalid_input')
    expect(problem.errors?.map(({ field }) => field).sort()).toEqual(['Email', 'FirstNam', 'FirstName', 'LastName'])
  })
})

describe('a request id', () => {
  test('of visible characters is echoed', async () => {
    for (const id of ['a', 'order-17/retry:2', '~'.repeat(128)]) {
      expect((await server.post('get_current_user', {}, { 'x-request-id': id })).headers.get('x-request-id')).toBe(id)
    }
  })

  test('of anything else is replaced, and never twice by the same', async () => {
    const ids = new Set<string | null>()
    for (const id of ['', 'two words', 'ü', 'x'.repeat(129)]) {
      const response = await server.post('get_current_user', {}, { 'x-request-id': id })
      expect(response.headers.get('x-request-id')).not.toBe(id)
      ids.add(response.headers.get('x-request-id'))
    }
    expect(ids.size).toBe(4)
  })
})

describe('every answer', () => {
  test.each(['/', '/docs', '/docs/errors', '/openapi.json', '/v1/operations', '/healthz', '/metrics', '/nowhere'])(
    'carries the headers of safety: %s',
    async (path) => {
      const { headers } = await fetch(`${server.url}${path}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toMatch(/^no-(store|cache)$/)
      expect(headers.get('x-request-id')).toBeTruthy()
    },
  )
})
