import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Problem } from '../../src/contract/errors.ts'
import type { Service } from '../../src/core/service.ts'
import type { Query, Reader } from '../../src/platforms/platform.ts'
import { problemIn, serverForTest, startServer, type TestServer } from '../support/server.ts'

const NDJSON = { accept: 'application/x-ndjson' }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  await makeLeads(server, 25)
})
afterAll(() => server.close())

async function makeLeads({ call }: TestServer, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => call('create_a_lead', { FirstName: `F${i}`, LastName: 'x'.repeat(200) })))
}

/** A service whose platform is asked for pages through `find`. */
const withFind =
  (find: (page: number, ask: () => ReturnType<Reader['find']>) => ReturnType<Reader['find']>) =>
  (service: Service): Service => {
    let page = 0
    const platform = {
      ...service.platform,
      reader: (workspace: number) => {
        const reader = service.platform.reader(workspace)
        return { ...reader, find: (type: string, query: Query) => (type === 'Lead' ? find(++page, () => reader.find(type, query)) : reader.find(type, query)) }
      },
    }
    return { ...service, platform }
  }

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('with Accept: application/x-ndjson', () => {
  test('an operation of pages answers with all matches, one record a line', async () => {
    const response = await server.post('get_many_leads', { Limit: 4 }, NDJSON)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const records = lines(await response.text())
    expect(new Set(records.map(({ LeadID }) => LeadID)).size).toBe(25)
    expect(records).toHaveLength(25)
  })

  test('filters and Select hold, and no match is an empty answer', async () => {
    expect(lines(await (await server.post('get_many_leads', { Filters: { FirstName: 'F7' }, Select: ['FirstName'] }, NDJSON)).text())).toEqual([
      { LeadID: expect.any(String), FirstName: 'F7' },
    ])
    const none = await server.post('get_many_leads', { Filters: { FirstName: 'nobody' } }, NDJSON)
    expect([none.status, await none.text()]).toEqual([200, ''])
  })

  test.each([
    ['application/json, application/x-ndjson;q=0.5', 'application/json; charset=utf-8'],
    ['application/json;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['application/x-ndjson;q=0', 'application/json; charset=utf-8'],
  ])('what Accept likes better is answered: %s', async (accept, type) => {
    expect((await server.post('get_many_leads', {}, { accept })).headers.get('content-type')).toBe(type)
  })

  test('a stream ends with its key, and says so in its last line', async () => {
    const revoking = await serverForTest({
      wrap: withFind(async (page, ask) => {
        if (page === 3) await revoking.call('revoke_key', { KeyID: made.KeyID })
        return ask()
      }),
    })
    await makeLeads(revoking, 10)
    const made = await revoking.call('create_key', { Scopes: ['read'] })
    const response = await revoking.post('get_many_leads', { Limit: 2 }, { ...NDJSON, authorization: `Bearer ${made.Key}` })
    const streamed = lines(await response.text())
    expect(streamed).toHaveLength(7)
    expect(streamed.at(-1)).toMatchObject({ error: { code: 'unauthenticated' } })
  })

  test('what hangs on a record streams too', async () => {
    const lead = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    for (const Note of ['one', 'two', 'three']) await server.call('add_notes_to_leads', { LeadID: lead.LeadID, Note })
    const records = lines(await (await server.post('get_many_notes', { RecordID: lead.LeadID, Limit: 1 }, NDJSON)).text())
    expect(records.map(({ Note }) => Note)).toEqual(['three', 'two', 'one'])
    await server.call('delete_lead', { LeadID: lead.LeadID })
  })

  test('an operation of one answer gives JSON all the same', async () => {
    expect((await server.post('get_current_user', {}, NDJSON)).headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test.each(['application/json', '*/*', 'application/x-ndjson;q=0, application/json', 'application/x-ndjsonish'])(
    '%s does not ask for a stream',
    async (accept) => {
      expect((await server.post('get_many_leads', {}, { accept })).headers.get('content-type')).toBe('application/json; charset=utf-8')
    },
  )

  test('a fault before the first line is an ordinary problem', async () => {
    expect((await problemIn(await server.post('get_many_leads', { Filters: { Nothing: 1 } }, NDJSON))).code).toBe('invalid_input')
    expect((await problemIn(await server.post('get_many_leads', {}, { ...NDJSON, authorization: 'Bearer x' }))).code).toBe('unauthenticated')
  })

  test('a fault on the way ends the stream with one line that says so', async () => {
    const broken = withFind((page, ask) => (page === 3 ? Promise.reject(new Error('disk gone')) : ask()))
    const other = await serverForTest({ wrap: broken })
    await makeLeads(other, 25)
    const response = await other.post('get_many_leads', { Limit: 5 }, NDJSON)
    const records = lines(await response.text())
    expect(records).toHaveLength(11)
    const { error } = records.at(-1) as unknown as { error: Problem }
    expect(error).toMatchObject({ code: 'internal', status: 500, requestId: response.headers.get('x-request-id') })
    expect(JSON.stringify(error)).not.toContain('disk gone')
    await expect.poll(() => other.log()).toContain('disk gone')
  })
})

describe('a reader', () => {
  /** Pages without end, each of a quarter of a megabyte. */
  const endless = () => {
    const state = { pages: 0 }
    const wrap = withFind(async (page, ask) => {
      state.pages = page
      const found = await ask()
      const [record] = found.records
      return { records: record ? Array.from({ length: 1000 }, () => record) : [], more: true }
    })
    return { state, wrap }
  }

  const open = ({ port, key }: TestServer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(
        { port, method: 'POST', path: '/v1/operations/get_many_leads', agent: false, headers: { ...NDJSON, authorization: `Bearer ${key}` } },
        resolve,
      )
      outgoing.on('error', reject).end()
    })

  test('that goes away ends the work', async () => {
    const { state, wrap } = endless()
    const other = await serverForTest({ wrap })
    await makeLeads(other, 1)
    const incoming = await open(other)
    await new Promise((resolve) => incoming.once('data', resolve))
    incoming.destroy()
    await expect.poll(async () => (await (await fetch(`${other.url}/metrics`)).text()).includes('crm_http_in_flight 1\n')).toBe(true)
    const at = state.pages
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(state.pages).toBe(at)
  })

  test('that does not read holds up the work instead of filling the memory', async () => {
    const { state, wrap } = endless()
    const other = await serverForTest({ wrap })
    await makeLeads(other, 1)
    const incoming = await open(other)
    let before = -1
    while (before !== state.pages) {
      before = state.pages
      expect(before).toBeLessThan(100)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    incoming.destroy()
  })
})
