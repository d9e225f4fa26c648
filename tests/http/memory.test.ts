import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Service } from '../../src/core/service.ts'
import { problemIn, serverForTest, type TestServer } from '../support/server.ts'

const MEMORY = 32 * 1_048_576
/** A page of large records, which needs half of the memory: all that one key may have. */
const PAGE = { Limit: LIMITS.page }
const BRIEFLY = { 'request-timeout': '0.05' }

/** A service whose searches wait until `release` is called. */
function held() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const wrap = (service: Service): Service => ({
    ...service,
    platform: {
      ...service.platform,
      reader: (workspace, options) => {
        const reader = service.platform.reader(workspace, options)
        return { ...reader, find: async (type, query) => released.then(() => reader.find(type, query)) }
      },
    },
  })
  return { wrap, release: () => release() }
}

const as = (key: unknown) => ({ authorization: `Bearer ${key}` })

async function gauge({ url }: TestServer, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^crm_memory${name} (\\d+)$`, 'm').exec(text)?.[1])
}

const batchOf = (length: number) => JSON.stringify({ Operations: [{ Operation: 'get_current_user' }] }).padEnd(length)
const sendBatch = ({ url, key }: TestServer, body: string) =>
  fetch(`${url}/v1/batch`, { method: 'POST', headers: { ...as(key), 'content-type': 'application/json' }, body })

describe('a large call', () => {
  test('waits until another has given its memory back, in turn between keys', async () => {
    const { wrap, release } = held()
    const server = await serverForTest({ wrap, memoryBytes: MEMORY })
    const { Key: other } = await server.call('create_key', { Scopes: ['read'] })
    const { Key: third } = await server.call('create_key', { Scopes: ['read'] })
    const first = server.post('get_many_cases', PAGE)
    await expect.poll(() => gauge(server, '_bytes')).toBe(4 * LIMITS.pageBytes)
    // A second one of the same key would have more than half of the memory.
    const second = server.post('get_many_cases', PAGE)
    await expect.poll(() => gauge(server, '_waiting')).toBe(1)
    const others = server.post('get_many_cases', PAGE, as(other))
    await expect.poll(() => gauge(server, '_bytes')).toBe(8 * LIMITS.pageBytes)
    const refused = await problemIn(await server.post('get_many_cases', PAGE, { ...as(third), ...BRIEFLY }))
    expect(refused).toMatchObject({
      code: 'rate_limited',
      retryAfter: 1,
      detail: 'Large calls use 32 MB of the 32 MB of memory they may have together, 0 MB of it with this key, and this one needs about 16 MB.',
    })
    release()
    for (const answer of await Promise.all([first, second, others])) expect(answer.status).toBe(200)
    await expect.poll(() => gauge(server, '_bytes')).toBe(0)
    expect(await gauge(server, '_limit_bytes')).toBe(MEMORY)
  })

  test('whose caller hangs up gives its memory, or its place in the queue, to another', async () => {
    const { wrap, release } = held()
    const server = await serverForTest({ wrap, memoryBytes: MEMORY })
    const hangUp = new AbortController()
    const headers = { ...as(server.key), 'content-type': 'application/json' }
    const ask = () =>
      fetch(`${server.url}/v1/operations/get_many_cases`, { method: 'POST', headers, body: JSON.stringify(PAGE), signal: hangUp.signal }).catch(() => {})
    const both = [ask(), ask()]
    await expect.poll(async () => [await gauge(server, '_bytes'), await gauge(server, '_waiting')]).toEqual([4 * LIMITS.pageBytes, 1])
    hangUp.abort()
    await Promise.all(both)
    await expect.poll(async () => [await gauge(server, '_bytes'), await gauge(server, '_waiting')]).toEqual([0, 0])
    release()
    expect((await server.post('get_many_cases', PAGE)).status).toBe(200)
  })

  test('that needs more than there is for all of them is refused at once', async () => {
    const server = await serverForTest({ memoryBytes: MEMORY })
    expect(await problemIn(await sendBatch(server, batchOf(MEMORY / 4 + 1)))).toMatchObject({
      code: 'too_large',
      detail: 'This call needs about 33 MB of memory, and calls of this service may have 32 MB together.',
    })
    expect((await sendBatch(server, batchOf(MEMORY / 8))).status).toBe(200)
    const dense = (values: number) => `{"Operations":[{"Operation":"nothing","Input":{"Values":[${'1,'.repeat(values)}1]}}]}`
    expect(await problemIn(await sendBatch(server, dense(400_000)))).toMatchObject({ code: 'too_large', detail: expect.stringContaining('40 MB') })
    expect((await sendBatch(server, dense(200_000))).status).toBe(200)
  })
})

test('a body that never arrives gives its memory back, though its caller neither reads nor closes', async () => {
  const server = await serverForTest({ memoryBytes: MEMORY, requestTimeoutMs: 500 })
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }).pause()
  onTestFinished(() => void socket.destroy())
  socket.write(`POST /v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: ${LIMITS.pageBytes}\r\n\r\n{`)
  await expect.poll(() => gauge(server, '_bytes')).toBe(4 * LIMITS.pageBytes)
  await expect.poll(() => gauge(server, '_bytes')).toBe(0)
})

test('however much some keys have, there is memory for another', async () => {
  const { wrap, release } = held()
  const server = await serverForTest({ wrap, memoryBytes: 4 * MEMORY })
  const keyOf = async () => as((await server.call('create_key', { Scopes: ['read'] })).Key)
  const greedy = [await keyOf(), await keyOf()]
  const pages = greedy.flatMap((key) => Array.from({ length: 10 }, () => server.post('get_many_cases', PAGE, key)))
  await expect.poll(() => gauge(server, '_waiting')).toBeGreaterThan(10)
  const before = await gauge(server, '_bytes')
  const another = server.post('get_many_cases', PAGE, await keyOf())
  await expect.poll(() => gauge(server, '_bytes')).toBe(before + 4 * LIMITS.pageBytes)
  release()
  for (const answer of await Promise.all([another, ...pages])) expect(answer.status).toBe(200)
})

test('small calls wait for nothing', async () => {
  const { wrap, release } = held()
  const server = await serverForTest({ wrap, memoryBytes: MEMORY })
  const { Key: other } = await server.call('create_key', { Scopes: ['read', 'write'] })
  const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const pages = [server.key, other].map((key) => server.post('get_many_cases', PAGE, as(key)))
  await expect.poll(() => gauge(server, '_bytes')).toBe(MEMORY)
  expect((await server.post('get_leads', { LeadID })).status).toBe(200)
  expect((await server.post('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper' })).status).toBe(200)
  expect((await sendBatch(server, batchOf(10))).status).toBe(200)
  release()
  for (const answer of await Promise.all(pages)) expect(answer.status).toBe(200)
})

test('a stream that is not read has the memory of one page, until it is closed', async () => {
  const server = await serverForTest({ memoryBytes: MEMORY })
  const Description = 'x'.repeat(LIMITS.longText)
  const Operations = Array.from({ length: 400 }, () => ({ Operation: 'create_case', Input: { Subject: 'Large', Description } }))
  for (let i = 0; i < Operations.length; i += 100)
    expect((await sendBatch(server, JSON.stringify({ Operations: Operations.slice(i, i + 100) }))).status).toBe(200)
  const socket: Socket = connect(server.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST /v1/operations/get_many_cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\nAccept: application/x-ndjson\r\nContent-Length: 2\r\n\r\n{}`,
  )
  await expect.poll(() => gauge(server, '_bytes')).toBeGreaterThan(LIMITS.pageBytes)
  expect(await gauge(server, '_bytes')).toBeLessThanOrEqual(4 * LIMITS.pageBytes)
  socket.destroy()
  await expect.poll(() => gauge(server, '_bytes')).toBe(0)
  const whole = await (await server.post('get_many_cases', {}, { accept: 'application/x-ndjson' })).text()
  expect(whole.trim().split('\n')).toHaveLength(Operations.length)
})
