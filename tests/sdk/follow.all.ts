import { type Crm, CrmError, connect, type Event } from 'crm-connector'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openService } from '../../src/app/open.ts'
import { readConfig } from '../../src/config/settings.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { readMessages } from '../../src/transports/sdk/server-sent-events.ts'
import { type Fault, faultyProxy } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** Collects what is followed, until the test ends it. */
function collect(events: AsyncIterable<Event>) {
  const seen: Event[] = []
  const ended = (async () => {
    for await (const event of events) seen.push(event)
  })()
  ended.catch(() => {})
  return { seen, ended, names: () => seen.map(({ Record }) => (Record as { LastName?: string } | null)?.LastName) }
}

/** A follower that is sure to be there, ended with the test. */
async function following(crm: Crm, after?: string) {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const place = after ?? (await crm.events.getMany({ Limit: 1000 })).NextCursor
  return { ...collect(crm.events.follow({ after: place, signal: controller.signal })), controller }
}

/** A fetch that notes what the client hears. */
const overhearing =
  (heard: string[]): typeof fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const decoder = new TextDecoder()
    const noting = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, onward) {
        heard.push(decoder.decode(bytes))
        onward.enqueue(bytes)
      },
    })
    return new Response(response.body?.pipeThrough(noting) ?? null, response)
  }

const TRANSPORTS: { readonly [transport: string]: () => Promise<Crm> } = {
  async 'over HTTP'() {
    const { url, key } = await serverForTest()
    return connect({ baseUrl: url, key })
  },
  async 'in process'() {
    const crm = connect({ platform: `sqlite:${await temporaryFolder()}/crm.db` })
    onTestFinished(() => crm.close())
    return crm
  },
}

describe.each(Object.entries(TRANSPORTS))('who follows %s', (_, open) => {
  test('sees what has happened since, and then what happens, each once and in order', async () => {
    const crm = await open()
    const before = await crm.leads.create({ ...ADA, LastName: '0' })
    const { seen, names } = await following(crm, '0')
    await expect.poll(names).toEqual(['0'])
    await Promise.all(['1', '2', '3'].map((LastName) => crm.leads.create({ ...ADA, LastName })))
    await crm.leads.update({ LeadID: before.LeadID, FieldsToUpdate: { LastName: '4' } })
    await expect.poll(() => names().toSorted()).toEqual(['0', '1', '2', '3', '4'])
    expect(seen.map(({ EventID }) => EventID)).toEqual(seen.map(({ EventID }) => EventID).sort())
    expect(seen.map(({ Type }) => Type)).toEqual([...Array(4).fill('lead.created'), 'lead.updated'])
  })

  test('sees only what happens from now on where no place is given', async () => {
    const crm = await open()
    await crm.leads.create({ ...ADA, LastName: 'before' })
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const { names } = collect(crm.events.follow({ signal: controller.signal }))
    await expect
      .poll(async () => {
        await crm.leads.create({ ...ADA, LastName: 'after' })
        return names().length
      })
      .toBeGreaterThan(0)
    expect(new Set(names())).toEqual(new Set(['after']))
  })

  test('sees only what they may see', async () => {
    const crm = await open()
    const { seen } = await following(crm)
    await crm.users.create({ Name: 'Grace' })
    await crm.leads.create(ADA)
    await expect.poll(() => seen.map(({ Type }) => Type)).toEqual(['user.created', 'lead.created'])
  })

  test('catches up from far behind without a pause', async () => {
    const crm = await open()
    await crm.batch({ Operations: Array.from({ length: 250 }, () => ({ Operation: 'create_a_lead', Input: ADA })) })
    const { seen } = await following(crm, '0')
    await expect.poll(() => seen.length).toBe(250)
  })

  test('stops when they leave the loop', async () => {
    const crm = await open()
    for (let at = 0; at < 5; at++) await crm.leads.create(ADA)
    let count = 0
    for await (const _ of crm.events.follow({ after: '0' })) if (++count === 2) break
    expect(count).toBe(2)
  })

  test('ends with the reason of the signal, at once', async () => {
    const crm = await open()
    const { ended, controller } = await following(crm)
    const reason = new Error('Enough.')
    controller.abort(reason)
    await expect(ended).rejects.toBe(reason)
    await expect(
      crm.events
        .follow({ signal: AbortSignal.abort(reason) })
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toBe(reason)
  })

  test('is refused a place that never was', async () => {
    const crm = await open()
    await expect(crm.events.follow({ after: 'nowhere' })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'invalid_input',
      errors: [{ field: 'After' }],
    })
  })
})

describe('over HTTP', () => {
  test('who is cut off misses nothing and sees nothing twice', async () => {
    const server = await serverForTest()
    const edge = await faultyProxy(server.url)
    const direct = connect({ baseUrl: server.url, key: server.key })
    const { names } = await following(connect({ baseUrl: edge.url, key: server.key }), '0')
    const rounds: [string, Fault][] = [
      ['0', 'lost'],
      ['1', { status: 502, body: '<html>' }],
    ]
    for (const [round, fault] of rounds) {
      edge.failNext(fault)
      edge.cut()
      await direct.leads.create({ ...ADA, LastName: `${round} away` })
      await expect.poll(names).toContain(`${round} away`)
      await direct.leads.create({ ...ADA, LastName: `${round} back` })
      await expect.poll(names).toContain(`${round} back`)
    }
    expect(names()).toEqual(rounds.flatMap(([round]) => [`${round} away`, `${round} back`]))
  })

  test('who began without a place comes back to where they were', async () => {
    const server = await serverForTest()
    const edge = await faultyProxy(server.url)
    const direct = connect({ baseUrl: server.url, key: server.key })
    await direct.leads.create({ ...ADA, LastName: 'before' })
    const heard: string[] = []
    const crm = connect({ baseUrl: edge.url, key: server.key, fetch: overhearing(heard) })
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const { names } = collect(crm.events.follow({ signal: controller.signal }))
    await expect.poll(() => heard.join('')).toContain('event: cursor')
    edge.failNext('lost')
    edge.cut()
    await direct.leads.create({ ...ADA, LastName: 'while away' })
    await expect.poll(names).toEqual(['while away'])
  })

  test('ends with a refusal when the key does', async () => {
    const server = await serverForTest()
    const admin = connect({ baseUrl: server.url, key: server.key })
    const { Key, KeyID } = await admin.keys.create({})
    const heard: string[] = []
    const { ended } = await following(connect({ baseUrl: server.url, key: Key, fetch: overhearing(heard) }))
    await expect.poll(() => heard.join('')).toContain('retry')
    await admin.keys.revoke({ KeyID })
    await expect(ended).rejects.toMatchObject({ name: 'CrmError', code: 'unauthenticated' })
  })

  test('a service that was never there is said to be missing', async () => {
    const server = await serverForTest()
    const edge = await faultyProxy(server.url)
    edge.failNext(...Array(9).fill('lost'))
    const first = connect({ baseUrl: edge.url, key: server.key }).events.follow()[Symbol.asyncIterator]()
    await expect(first.next()).rejects.toMatchObject({ code: 'platform_unavailable' })
    expect(edge.arrived).toHaveLength(4)
  })

  test('an answer that is no stream is refused', async () => {
    const server = await serverForTest()
    const edge = await faultyProxy(server.url)
    edge.failNext({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"Events":[]}' })
    const error: unknown = await connect({ baseUrl: edge.url, key: server.key })
      .events.follow()
      [Symbol.asyncIterator]()
      .next()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CrmError)
    expect(error).toMatchObject({ code: 'internal', message: expect.stringMatching(/no answer of this service/) })
  })
})

describe('in process', () => {
  test('what is written past this process is followed, too', async () => {
    const platform = `sqlite:${await temporaryFolder()}/crm.db`
    const crm = connect({ platform })
    const { names } = await following(crm)
    const { service, close } = await openService(readConfig({ platform }))
    onTestFinished(async () => {
      await crm.close()
      await close()
    })
    const admin = await localAdmin(service)
    await inProcessTransport(service, () => admin).call('create_a_lead', { ...ADA, LastName: 'elsewhere' })
    await expect.poll(names).toEqual(['elsewhere'])
  })

  test('following ends when the client is closed', async () => {
    const crm = connect({ platform: `sqlite:${await temporaryFolder()}/crm.db` })
    const { ended } = await following(crm)
    await crm.close()
    await expect(ended).resolves.toBeUndefined()
  })
})

describe('a stream of server-sent events', () => {
  /** The messages of a text that comes in pieces of so many characters. */
  async function read(text: string, size: number) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
    const found: unknown[] = []
    for await (const { event, data, id } of readMessages(async () => pieces.shift())) found.push([event, data, id])
    return found
  }

  const TEXT =
    'retry: 2000\n\n: a comment\n\nid: 1\nevent: a\ndata: one\n\ndata:two\ndata:  lines\n\nid: 2\nevent: cursor\ndata\n\nid\ndata: last\n\ndata: unfinished\n'
  const MESSAGES = [
    ['a', 'one', '1'],
    ['', 'two\n lines', '1'],
    ['cursor', '', '2'],
    ['', 'last', ''],
  ]

  test.each(['\n', '\r\n', '\r'])('is read with lines that end with %j, however it is cut', async (end) => {
    for (const size of [1, 2, 3, 7, 1000]) expect(await read(TEXT.replaceAll('\n', end), size)).toEqual(MESSAGES)
  })
})
