import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe.each(['/openapi.json', '/v1/operations', '/v1/operations/get_many_leads', '/docs/errors', '/docs/site.css'])('%s', (path) => {
  /** Not by fetch, which decodes what it receives. */
  const ask = async (headers: OutgoingHttpHeaders, method = 'GET') => {
    const [answer] = (await once(request(`${server.url}${path}`, { method, headers }).end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) }
  }

  test.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip', 'br;q=0, GZIP;q=0.5', gunzipSync],
    [undefined, 'identity', Buffer.from],
    [undefined, 'gzip;q=0, xbr', Buffer.from],
  ] as const)('is sent as %s to a caller who accepts %s', async (encoding, accepted, decode) => {
    const plain = await ask({})
    const answer = await ask({ 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect([answer.headers.vary, answer.headers['content-length']]).toEqual(['Accept-Encoding', String(answer.bytes.length)])
    expect(String(decode(answer.bytes))).toBe(String(plain.bytes))
    if (encoding) expect(answer.bytes.length).toBeLessThan(plain.bytes.length)
    expect(answer.headers.etag === plain.headers.etag).toBe(encoding === undefined)
  })

  test('is answered with 304 to a caller who has it in any encoding', async () => {
    const { etag = '' } = (await ask({ 'accept-encoding': 'br' })).headers
    for (const headers of [{ 'if-none-match': etag, 'accept-encoding': 'br' }, { 'if-none-match': `"other", W/${etag}` }, { 'if-none-match': '*' }]) {
      const again = await ask(headers)
      expect([again.status, again.bytes.length, again.headers['content-length'], again.headers.vary]).toEqual([304, 0, undefined, 'Accept-Encoding'])
      expect(again.headers['cache-control']).toBe('no-cache')
    }
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('has the same headers for HEAD, and no body', async () => {
    const [whole, head] = [await ask({ 'accept-encoding': 'gzip' }), await ask({ 'accept-encoding': 'gzip' }, 'HEAD')]
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'vary', 'cache-control'])
      expect(head.headers[name]).toBe(whole.headers[name])
    expect([head.status, head.bytes.length]).toEqual([200, 0])
  })
})

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
