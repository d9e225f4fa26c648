import { randomUUID } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type HowToTalk, REVISIONS, type Revision, type Talk, talkTo, talkToCommand } from '../support/mcp.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

interface Told {
  readonly uri: string
  readonly _meta: { readonly Event: { readonly [member: string]: unknown } }
}

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const waitFor = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

/** Subscribes as the revision does it; the answer ends it. */
async function subscribe(client: Client, revision: Revision, uris: readonly string[]): Promise<() => Promise<unknown>> {
  if (revision === '2026-07-28') {
    const subscription = await client.listen({ resourceSubscriptions: [...uris] })
    return () => subscription.close()
  }
  for (const uri of uris) await client.subscribeResource({ uri })
  return () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri })))
}

/** A client that notes what it is told of. */
async function noting(revision: Revision, connect: (how: HowToTalk) => Promise<Talk>) {
  const told: Told[] = []
  const talk = await connect({
    revision,
    prepare: (client) => client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params as unknown as Told)),
  })
  return { ...talk, told, types: (of: string) => told.filter(({ uri }) => uri === of).map(({ _meta }) => _meta.Event.Type) }
}

const subscriber = ({ url, key }: Pick<TestServer, 'url' | 'key'>, revision: Revision, more: Pick<HowToTalk, 'fetch'> = {}) =>
  noting(revision, (how) => talkTo(url, key, { ...how, ...more }))

const idOf = async (server: TestServer, input: object = ADA) => String((await server.call('create_a_lead', input)).LeadID)

describe.each(REVISIONS)('a client that speaks %s', (revision) => {
  test('is told of the events of the records that it has subscribed to, and of no others', async () => {
    const server = await serverForTest()
    const [ada, grace] = [await idOf(server), await idOf(server, { FirstName: 'Grace', LastName: 'Hopper' })]
    const { client, told, types } = await subscriber(server, revision)
    const uri = `crm://leads/${ada}`
    await subscribe(client, revision, [uri])
    await server.call('update_lead', { LeadID: grace, FieldsToUpdate: { Status: 'Contacted' } })
    await server.call('update_lead', { LeadID: ada, FieldsToUpdate: { Status: 'Contacted' } })
    await server.call('delete_lead', { LeadID: ada })
    await waitFor(() => expect(types(uri).at(-1)).toBe('lead.deleted'))
    expect(told.every((one) => one.uri === uri)).toBe(true)
    expect(told[0]?._meta.Event).toMatchObject({ Type: 'lead.updated', RecordID: ada, Source: 'api', ChangedFields: ['Status'], ChangeID: expect.any(String) })
    expect(told[0]?._meta.Event).not.toHaveProperty('Record')
  })

  test('hears of everything by the events, and reads on where it was', async () => {
    const server = await serverForTest()
    await idOf(server)
    const { client, told, types } = await subscriber(server, revision)
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri })
      return JSON.parse((contents[0] as { text: string }).text) as { Events: { Type: string; RecordID: string }[]; NextCursor: string }
    }
    const before = await read('crm://events')
    expect(before.Events.map(({ Type }) => Type)).toContain('lead.created')
    await subscribe(client, revision, ['crm://events'])
    const first = await idOf(server, { FirstName: 'Grace', LastName: 'Hopper' })
    const second = await idOf(server, { FirstName: 'Jean', LastName: 'Bartik' })
    await waitFor(() => expect(types('crm://events')).toEqual(['lead.created', 'lead.created']))
    expect((await read(`crm://events/${before.NextCursor}`)).Events.map(({ RecordID }) => RecordID)).toEqual([first, second])
    expect((await read(`crm://events/${told[0]?._meta.Event.EventID}`)).Events.map(({ RecordID }) => RecordID)).toEqual([second])
  })

  test('hears no more once it has ended the subscription', async () => {
    const server = await serverForTest()
    const ada = await idOf(server)
    const { client, types } = await subscriber(server, revision)
    const [uri, other] = [`crm://leads/${ada}`, 'crm://events']
    const end = await subscribe(client, revision, [uri])
    await end()
    await subscribe(client, revision, [other])
    await server.call('update_lead', { LeadID: ada, FieldsToUpdate: { Status: 'Contacted' } })
    await waitFor(() => expect(types(other)).toEqual(['lead.updated']))
    expect(types(uri)).toEqual([])
  })

  test('hears of no record that its key does not see', async () => {
    const server = await serverForTest()
    const { UserID } = await server.call('create_user', { Name: 'Mary', Email: 'mary@example.com', Role: 'member' })
    const { Key } = await server.call('create_key', { UserID })
    const [ada, own] = [await idOf(server), await idOf(server, { ...ADA, OwnerID: UserID })]
    const { client, told } = await subscriber({ url: server.url, key: String(Key) }, revision)
    await subscribe(client, revision, [`crm://leads/${ada}`, `crm://leads/${own}`, 'crm://events'])
    for (const LeadID of [ada, own]) await server.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Contacted' } })
    await waitFor(() => expect(told.map(({ uri }) => uri)).toEqual([`crm://leads/${own}`, 'crm://events']))
  })

  test('is refused with a key that may not read events, and with too many resources', async () => {
    const server = await serverForTest()
    const { Key } = await server.call('create_key', { Scopes: ['write:Case'] })
    const blind = await subscriber({ url: server.url, key: String(Key) }, revision)
    await expect(subscribe(blind.client, revision, ['crm://leads/x'])).rejects.toThrow(/may not read events/)
    const { client } = await subscriber(server, revision)
    const many = Array.from({ length: LIMITS.subscriptions + 1 }, (_, i) => `crm://leads/${i}`)
    await expect(subscribe(client, revision, many)).rejects.toThrow(/100/)
    await expect(subscribe(client, revision, ['crm://nothing/x'])).rejects.toThrow(/nothing to subscribe to: use crm:\/\/events, or the URI of a record/)
  })

  test('is told of what another process has written, whichever its requests reach', async () => {
    const folder = await temporaryFolder()
    const open = () => openSqlite(`${folder}/crm.db`)
    const one = await serverForTest({ open })
    const other = await serverForTest({ open, key: one.key })
    const ada = await idOf(one)
    // Every other request goes to the other process.
    let turn = 0
    const balanced: typeof fetch = (address, init) => fetch(turn++ % 2 ? String(address).replace(one.url, other.url) : String(address), init)
    const { client, types } = await subscriber(one, revision, { fetch: balanced })
    await subscribe(client, revision, [`crm://leads/${ada}`])
    await other.call('update_lead', { LeadID: ada, FieldsToUpdate: { Status: 'Contacted' } })
    await waitFor(() => expect(types(`crm://leads/${ada}`)).toEqual(['lead.updated']))
  })

  test('leaves nothing behind when it goes without a word', async () => {
    const server = await serverForTest()
    const { store } = server.service
    let followed = 0
    const { watch } = store
    vi.spyOn(store, 'watch').mockImplementation((listener) => {
      const stop = watch.call(store, listener)
      followed++
      return () => {
        followed--
        stop()
      }
    })
    const { client } = await subscriber(server, revision)
    await subscribe(client, revision, ['crm://events'])
    await waitFor(() => expect(followed).toBe(1))
    await client.close()
    await waitFor(() => expect(followed).toBe(0))
  })

  test('over stdio is told of what others write, on a local store and through a server, until it leaves', async () => {
    const folder = await temporaryFolder()
    const server = await serverForTest({ open: () => openSqlite(`${folder}/crm.db`) })
    const ada = await idOf(server)
    const uri = `crm://leads/${ada}`
    const ways: readonly { readonly words: readonly string[]; readonly env: Record<string, string> }[] = [
      { words: ['--platform', `sqlite:${folder}/crm.db`], env: {} },
      { words: [], env: { CRM_URL: server.url, CRM_KEY: server.key } },
    ]
    for (const { words, env } of ways) {
      const { client, call, types } = await noting(revision, (how) => talkToCommand(words, { cwd: folder, env }, how))
      const end = await subscribe(client, revision, [uri])
      await server.call('update_lead', { LeadID: ada, FieldsToUpdate: { Status: `Contacted ${words.length}` } })
      await waitFor(() => expect(types(uri)).toEqual(['lead.updated']))
      await end()
      await subscribe(client, revision, ['crm://events'])
      await call('update_lead', { LeadID: ada, FieldsToUpdate: { Title: `Countess ${words.length}` } })
      await waitFor(() => expect(types('crm://events')).toEqual(['lead.updated']))
      expect(types(uri)).toEqual(['lead.updated'])
      await client.close()
    }
  })
})

describe('the stream of a client of 2025', () => {
  const NOTIFIED = /^id: (\S+)\nevent: message\ndata: (.+)$/

  /** The next notification in a stream, with the id that resumes after it. */
  async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<{ readonly id: string; readonly event: Told['_meta']['Event'] }> {
    let text = ''
    for (;;) {
      const found = text.split('\n\n').flatMap((frame) => {
        const [, id, data] = NOTIFIED.exec(frame) ?? []
        return id === undefined ? [] : [{ id, event: (JSON.parse(data ?? '') as { params: Told }).params._meta.Event }]
      })
      if (found[0]) return found[0]
      const { value, done } = await reader.read()
      if (done) throw new Error(`The stream has ended: ${text}`)
      text += Buffer.from(value).toString()
    }
  }

  test('begins with the first subscription, goes on after the last event, and is refused once the session has ended', async () => {
    const server = await serverForTest()
    const ada = await idOf(server)
    const headers = {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': `-${randomUUID()}`,
    }
    const post = (method: string, uri: string) =>
      fetch(`${server.url}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { uri } }) })
    const open = async (more: Record<string, string> = {}) => {
      const stopping = new AbortController()
      const { status, body } = await fetch(`${server.url}/mcp`, { headers: { ...headers, ...more }, signal: stopping.signal })
      expect(status).toBe(200)
      return { reader: (body as ReadableStream<Uint8Array>).getReader(), close: () => stopping.abort() }
    }
    const change = (Status: string) => server.call('update_lead', { LeadID: ada, FieldsToUpdate: { Status } })
    expect((await post('resources/subscribe', `crm://leads/${ada}`)).status).toBe(200)
    await change('Contacted')
    const first = await open()
    const { id, event } = await next(first.reader)
    expect(event).toMatchObject({ Type: 'lead.updated', RecordID: ada })
    first.close()
    await server.call('delete_lead', { LeadID: ada })
    const second = await open({ 'last-event-id': id })
    expect((await next(second.reader)).event).toMatchObject({ Type: 'lead.deleted', RecordID: ada })
    second.close()
    expect((await fetch(`${server.url}/mcp`, { method: 'DELETE', headers })).status).toBe(204)
    expect((await fetch(`${server.url}/mcp`, { headers: { ...headers, 'last-event-id': id } })).status).toBe(404)
    expect((await post('resources/subscribe', `crm://leads/${ada}`)).status).toBe(404)
  })

  test('ends with its key', async () => {
    const server = await serverForTest()
    const { Key, KeyID } = await server.call('create_key', { Scopes: ['read'] })
    const headers = { authorization: `Bearer ${Key}`, accept: 'text/event-stream', 'mcp-session-id': `-${randomUUID()}` }
    const answer = await fetch(`${server.url}/mcp`, { headers })
    await server.call('revoke_key', { KeyID })
    expect(await answer.text()).toMatch(/^[:\n]*$/)
  })
})
