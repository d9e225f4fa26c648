import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Event } from '../../src/contract/records/event.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { execute } from '../../src/core/call/execute.ts'
import type { EventPage } from '../../src/core/journal/events.ts'
import type { Service } from '../../src/core/service.ts'
import type { JournalReader } from '../../src/platforms/store.ts'
import { follow } from '../support/event-source.ts'
import { temporaryFolder } from '../support/folder.ts'
import { problemIn, serverForTest, startServer, type TestServer } from '../support/server.ts'
import { startService } from '../support/service.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const SSE = { accept: 'text/event-stream' }

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const ids = (events: readonly Event[]) => events.map(({ EventID }) => EventID)

/** All events there are, by the pages. */
async function pagesOf({ url, key }: Pick<TestServer, 'url' | 'key'>): Promise<Event[]> {
  const events: Event[] = []
  for (let after = '0'; ; ) {
    const page = (await (await fetch(`${url}/v1/events?after=${after}&limit=1000`, { headers: { authorization: `Bearer ${key}` } })).json()) as EventPage
    if (page.Events.length === 0) return events
    events.push(...page.Events)
    after = page.NextCursor
  }
}

/** The bare answer to a request for a stream, not read yet. */
async function opened({ url, key }: Pick<TestServer, 'url' | 'key'>, headers: Record<string, string> = {}, query = ''): Promise<IncomingMessage> {
  const outgoing = request(`${url}/v1/events${query}`, { agent: false, headers: { ...SSE, authorization: `Bearer ${key}`, ...headers } }).end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return incoming.on('error', () => {})
}

/** A member of the first workspace, as a reader. */
async function memberOf({ url, call }: TestServer): Promise<Pick<TestServer, 'url' | 'key'>> {
  const { UserID } = await call('create_user', { Name: 'Quiet' })
  return { url, key: String((await call('create_key', { UserID })).Key) }
}

/** What a stream has brought so far. */
function textOf(incoming: IncomingMessage): () => string {
  let text = ''
  incoming.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text
}

describe('a stream of events', () => {
  test('shows what happens, as it happens, to as many as listen', async () => {
    const [one, other] = [await follow(server.url, server.key), await follow(server.url, server.key)]
    const { LeadID } = await server.call('create_a_lead', ADA)
    await expect.poll(() => one.events.length).toBe(1)
    await server.call('add_notes_to_leads', { LeadID, Note: 'Zeile\n\nzwei: 👋\r\n' })
    await server.call('delete_lead', { LeadID })
    const expected = (await pagesOf(server)).slice(-3)
    expect(expected.map(({ Type }) => Type)).toEqual(['lead.created', 'lead.note_added', 'lead.deleted'])
    await expect.poll(() => one.events).toEqual(expected)
    await expect.poll(() => other.events).toEqual(expected)
  })

  test('goes on from where it is told to, and comes to what is live without a gap', async () => {
    for (let i = 0; i < 5; i++) await server.call('create_a_lead', ADA)
    const all = await pagesOf(server)
    const [fromStart, fromMiddle] = [
      await follow(server.url, server.key, '?after=0&limit=2'),
      await follow(server.url, server.key, `?after=${all.at(-3)?.EventID}`),
    ]
    await server.call('create_a_lead', ADA)
    const now = await pagesOf(server)
    await expect.poll(() => ids(fromStart.events)).toEqual(ids(now))
    await expect.poll(() => ids(fromMiddle.events)).toEqual(ids(now.slice(-3)))
  })

  test('is cut and taken up again while others write: nothing is lost, nothing comes twice', async () => {
    const other = await serverForTest()
    const caller = await localAdmin(other.service)
    const followed = await follow(other.url, other.key)
    let writing = true
    const write = async () => {
      while (writing) {
        await execute(other.service, { operation: 'create_a_lead', input: ADA, caller })
        await wait(1)
      }
    }
    const writers = Promise.all([write(), write(), write()])
    for (let cuts = 1; cuts <= 3; cuts++) {
      await expect.poll(() => followed.opened()).toBe(cuts)
      await wait(200)
      other.app.server.closeAllConnections()
    }
    await expect.poll(() => followed.opened()).toBe(4)
    writing = false
    await writers
    const all = ids(await pagesOf(other))
    expect(all.length).toBeGreaterThan(100)
    await expect.poll(() => followed.events.length).toBe(all.length)
    expect(ids(followed.events)).toEqual(all)
  })

  test('that is cut before the first event misses none of those that follow', async () => {
    const other = await serverForTest()
    await other.call('create_a_lead', ADA)
    const followed = await follow(other.url, other.key)
    await expect.poll(() => followed.place()).toBe('000000000001')
    other.app.server.closeAllConnections()
    const { result } = await execute(other.service, { operation: 'create_a_lead', input: ADA, caller: await localAdmin(other.service) })
    await expect.poll(() => followed.events.map(({ Record }) => Record)).toEqual([result])
  })

  test('shows only what the caller may see', async () => {
    const { UserID } = await server.call('create_user', { Name: 'Grace' })
    const { Key } = await server.call('create_key', { UserID })
    const followed = await follow(server.url, String(Key))
    await server.call('create_a_lead', ADA)
    const mine = await server.post('create_a_lead', ADA, { authorization: `Bearer ${Key}` })
    await server.call('create_a_lead', ADA)
    await expect.poll(() => followed.events).toMatchObject([{ RecordID: ((await mine.json()) as { LeadID: string }).LeadID }])
    await server.call('update_user', { UserID, FieldsToUpdate: { Role: 'admin' } })
    const { LeadID } = await server.call('create_a_lead', ADA)
    await expect.poll(() => followed.events.at(-1)?.RecordID).toBe(LeadID)
  })

  test('shows no notes to a key that may not read them', async () => {
    const { Key } = await server.call('create_key', { Scopes: ['read:get_many_leads'] })
    const followed = await follow(server.url, String(Key))
    const { LeadID } = await server.call('create_a_lead', ADA)
    await server.call('add_notes_to_leads', { LeadID, Note: 'Said.' })
    await server.call('delete_lead', { LeadID })
    await expect.poll(() => followed.events.map(({ Type }) => Type)).toEqual(['lead.created', 'lead.deleted'])
  })

  test('ends with its key, says why, and the client does not come back', async () => {
    const { Key, KeyID } = await server.call('create_key', { Scopes: ['read'] })
    const followed = await follow(server.url, String(Key))
    await server.call('revoke_key', { KeyID })
    await expect.poll(() => followed.problems).toMatchObject([{ code: 'unauthenticated', status: 401 }])
    await server.call('create_a_lead', ADA)
    await expect.poll(() => followed.closed()).toBe(true)
    expect(followed.events).toEqual([])
  })

  test('is refused like any other request before it begins', async () => {
    const ask = (query: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}/v1/events${query}`, { headers: { ...SSE, authorization: `Bearer ${server.key}`, ...headers } })
    expect((await problemIn(await ask('', { authorization: 'Bearer wrong' }))).code).toBe('unauthenticated')
    expect((await problemIn(await ask('?aftr=1'))).code).toBe('invalid_input')
    expect((await problemIn(await ask('', { 'last-event-id': 'nonsense' }))).code).toBe('invalid_input')
    expect((await problemIn(await ask('', { 'last-event-id': '999999999999' }))).code).toBe('invalid_input')
  })

  test('goes on after Last-Event-ID rather than after', async () => {
    const all = await pagesOf(server)
    const text = textOf(await opened(server, { 'last-event-id': String(all.at(-2)?.EventID) }, '?after=0'))
    await expect.poll(text).toContain('\nevent: ')
    expect([...text().matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual([all.at(-1)?.EventID])
  })

  test('has the headers of a stream, for pages elsewhere too', async () => {
    const other = await serverForTest({ corsOrigin: 'https://app.example.com', rateLimit: 5 })
    const incoming = await opened(other, { origin: 'https://app.example.com' })
    expect(incoming.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': 'https://app.example.com',
      'ratelimit-remaining': '4',
      'x-request-id': expect.any(String),
    })
    incoming.destroy()
  })
})

test('a stream where nothing happens says so from time to time, and where to come back to', async () => {
  const [still, busy] = [await serverForTest(), await serverForTest()]
  const members = await Promise.all([still, busy].map(memberOf))
  const [quiet, past, ...unseen] = await Promise.all([still, busy, ...members].map(async (at) => textOf(await opened(at))))
  const blocks = (text = '') => text.split('\n\n').slice(1, -1)
  for (const text of [quiet, past]) await expect.poll(() => blocks(text?.())).toEqual([expect.stringMatching(/^id: \d{12}\nevent: cursor\ndata:$/)])
  const cursor = expect.stringMatching(/^id: cur_[\w-]{22}\nevent: cursor\ndata:$/)
  for (const text of unseen) await expect.poll(() => blocks(text())).toEqual([cursor])
  const { LeadID } = await busy.call('create_a_lead', ADA)
  await expect.poll(() => past?.()).toContain(String(LeadID))
  await expect.poll(() => blocks(quiet?.()).slice(1)).toEqual([':'])
  // Whether others have written or not.
  for (const text of unseen) {
    await expect.poll(() => blocks(text())).toEqual([cursor, cursor])
    expect(new Set(blocks(text())).size).toBe(2)
  }
})

test('a member comes back by every id that their stream has had, and by no number', async () => {
  const member = await memberOf(server)
  const mine = () => server.call('create_a_lead', ADA, { authorization: `Bearer ${member.key}` })
  const first = textOf(await opened(member))
  await expect.poll(first).toMatch(/id: cur_/)
  await server.call('create_a_lead', ADA)
  await mine()
  await expect.poll(first).toMatch(/id: evt_/)
  await mine()
  await expect.poll(() => [...first().matchAll(/^event: lead.created$/gm)].length).toBe(2)
  const [begun] = /(?<=^id: )cur_.*$/m.exec(first()) ?? []
  const eventsIn = (text: string) => [...text.matchAll(/^id: (evt_.*)$/gm)].map(([, id]) => id)
  const [one, two] = eventsIn(first())
  for (const [id, expected] of [
    [begun, [one, two]],
    [one, [two]],
  ] as const) {
    const text = textOf(await opened(member, { 'last-event-id': String(id) }))
    await expect.poll(() => eventsIn(text())).toEqual(expected)
  }
  const { newest } = await server.service.store.journal(1).span()
  const response = await fetch(`${server.url}/v1/events`, { headers: { ...SSE, authorization: `Bearer ${member.key}`, 'last-event-id': String(newest - 1) } })
  const { requestId: _, ...problem } = await problemIn(response)
  expect(problem.code).toBe('invalid_input')
  expect(JSON.stringify({ ...problem, status: 0 })).not.toContain(String(newest))
})

test('a reader who does not read holds up the work instead of filling the memory', async () => {
  const PLENTY = 1_000_000
  let read = 0
  const endless = (service: Service): Service => {
    const journal = (workspace: number): JournalReader => {
      const reader = service.store.journal(workspace)
      return {
        findIdempotencyKey: (userId, key) => reader.findIdempotencyKey(userId, key),
        span: async () => ({ released: 0, newest: PLENTY }),
        position: (name) => reader.position(name),
        verify: (options) => reader.verify(options),
        async events(query) {
          if (query.after >= PLENTY) return { events: [], upTo: query.after }
          const { events } = await reader.events({ ...query, after: 0, limit: 1 })
          const [event] = events
          read += query.limit
          return {
            events: event ? Array.from({ length: query.limit }, (_, i) => ({ ...event, number: query.after + i + 1 })) : [],
            upTo: query.after + query.limit,
          }
        },
      }
    }
    const store = Object.assign(Object.create(service.store) as Service['store'], { journal })
    return { ...service, store, platform: store }
  }
  const other = await serverForTest({ wrap: endless })
  await other.call('create_case', { Subject: 'Large', Description: 'x'.repeat(30_000) })
  const incoming = await opened(other, {}, '?after=0')
  incoming.pause()
  let before = -1
  while (before !== read) {
    before = read
    expect(before).toBeLessThan(2_000)
    await wait(500)
  }
  incoming.destroy()
})

describe('a service that is told to stop', () => {
  test('ends its streams, also those that nobody reads, and is gone within five seconds', async () => {
    const service = await startService(await temporaryFolder())
    const at = { url: service.url, key: service.key() }
    const reading = await opened(at)
    const text = textOf(reading)
    const ended = once(reading, 'end')
    const stalled = await opened(at)
    stalled.pause()
    const large = { Operation: 'create_case', Input: { Subject: 'Large', Description: 'x'.repeat(32_000) } }
    await fetch(`${at.url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.key}` },
      body: new Blob([JSON.stringify({ Operations: Array.from({ length: 400 }, () => large) })]),
    })
    const { LeadID } = await service.call('create_a_lead', ADA)
    await expect.poll(text).toContain(String(LeadID))
    expect(await service.end()).toBe(0)
    await ended
    expect(reading.complete).toBe(true)
    expect(text()).not.toContain('event: error')
    expect(service.err()).not.toMatch(/"level":"error"/)
    stalled.destroy()
  })
})
