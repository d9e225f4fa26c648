import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe('GET /v1/operations', () => {
  test('lists the contract, without a key', async () => {
    const { Operations } = (await (await fetch(`${server.url}/v1/operations`)).json()) as { Operations: Record<string, unknown>[] }
    expect(Operations.map(({ id }) => id)).toEqual(OPERATIONS.map(({ id }) => id))
    expect(Operations[0]).toEqual({
      id: 'create_a_lead',
      name: 'Create A Lead',
      method: 'leads.create',
      recordType: 'Lead',
      effect: 'create',
      tier: 'write',
      summary: 'Stores a new lead and answers with the whole record.',
      extension: false,
      streams: false,
      path: '/v1/operations/create_a_lead',
      example: OPERATIONS[0].example,
    })
  })

  test('gives one of them with its schemas, in any spelling', async () => {
    for (const name of ['get_many_leads', 'Get%20Many%20Leads', 'get-many-leads']) {
      const one = await (await fetch(`${server.url}/v1/operations/${name}`)).json()
      expect(one).toMatchObject({
        id: 'get_many_leads',
        streams: true,
        input: { type: 'object', properties: { Filters: { title: 'LeadFilters' } } },
        output: { type: 'object' },
        errors: expect.arrayContaining(['forbidden']),
      })
    }
    expect((await problemIn(await fetch(`${server.url}/v1/operations/get_many_leeds`))).hint).toContain('get_many_leads')
  })

  test.each(['/v1/operations', '/openapi.json', '/docs'])('is not sent twice to whoever has it: %s', async (path) => {
    const first = await fetch(`${server.url}${path}`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^".+"$/)
    const again = await fetch(`${server.url}${path}`, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })
})
