import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../src/core/service.ts'
import { closeWithin } from '../../src/transports/http/graceful-close.ts'
import { problemOfRaw, readAnswer, sendRaw } from '../support/raw.ts'
import { problemIn, serverForTest, type TestServer } from '../support/server.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A service whose reads take their time, and the moment at which the first of them begins. */
function slowReads(ms: number) {
  let begin: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const wrap = (service: Service): Service => ({
    ...service,
    platform: {
      ...service.platform,
      reader: (workspace) => {
        const reader = service.platform.reader(workspace)
        return {
          ...reader,
          find: async (type, query) => {
            begin()
            await wait(ms)
            return reader.find(type, query)
          },
        }
      },
    },
  })
  return { wrap, begun }
}

interface Seen {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly body: string
}

const ask = ({ port, key }: TestServer, agent: Agent, path = '/v1/operations/get_many_leads', accept = 'application/json') =>
  new Promise<Seen>((resolve, reject) => {
    const outgoing = request({ port, agent, method: 'POST', path, headers: { authorization: `Bearer ${key}`, accept } }, (incoming) => {
      let body = ''
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
      incoming.on('end', () => resolve({ status: incoming.statusCode, connection: incoming.headers.connection, body }))
      incoming.on('error', reject)
    })
    outgoing.on('error', reject).end()
  })

describe('a request that does not arrive', () => {
  test('is refused after a while: a body sent byte by byte', async () => {
    const { port, key } = await serverForTest({ requestTimeoutMs: 400 })
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.write(`POST /v1/operations/create_a_lead HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000\r\n\r\n`)
    const drip = setInterval(() => socket.write(' '), 50)
    await new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined))
    clearInterval(drip)
    expect(problemOfRaw(readAnswer(received))).toMatchObject({ code: 'invalid_input', detail: 'The request took too long to arrive.' })
  })

  test('is refused after a while: headers without end', async () => {
    const { port } = await serverForTest({ requestTimeoutMs: 400 })
    expect(problemOfRaw(await sendRaw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')).detail).toBe('The request took too long to arrive.')
  })

  test('is not answered where nothing was sent: the connection just ends', async () => {
    const { port } = await serverForTest({ requestTimeoutMs: 400 })
    expect(await sendRaw(port, '')).toMatchObject({ status: Number.NaN, body: '' })
  })

  test('does not take a call with it that is being carried out', async () => {
    const server = await serverForTest({ requestTimeoutMs: 3_000, wrap: slowReads(5_000).wrap })
    expect((await ask(server, new Agent())).status).toBe(200)
  })
})

describe('closing', () => {
  test('finishes what is under way, as the last on its connection, and accepts nothing new', async () => {
    const { wrap, begun } = slowReads(400)
    const server = await serverForTest({ wrap })
    const agent = new Agent({ keepAlive: true })
    const answer = ask(server, agent)
    await begun
    const closed = closeWithin(server.app, 5_000)
    await wait(20)
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    expect(await answer).toMatchObject({ status: 200, connection: 'close' })
    await closed
  })

  test('ends idle connections at once', async () => {
    const server = await serverForTest()
    const agent = new Agent({ keepAlive: true })
    expect((await ask(server, agent)).connection).toBe('keep-alive')
    await closeWithin(server.app, 5_000)
  })

  test('is not ready any more, for a request that had begun to arrive', async () => {
    const server = await serverForTest()
    const accepted = once(server.app.server, 'connection') as Promise<[Socket]>
    const socket = connect(server.port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n')
    const [arriving] = await accepted
    await expect.poll(() => arriving.bytesRead).toBeGreaterThan(0)
    const closed = closeWithin(server.app, 60_000)
    await wait(50)
    socket.write('\r\n')
    await Promise.all([closed, ended])
    const answer = readAnswer(received)
    expect(problemOfRaw(answer)).toMatchObject({ code: 'platform_unavailable', detail: 'The service is shutting down.' })
    expect(answer.headers.get('connection')).toBe('close')
  })

  test('cuts off what takes longer than its grace', async () => {
    const { wrap, begun } = slowReads(10_000)
    const server = await serverForTest({ wrap })
    const answer = ask(server, new Agent())
    const outcome = answer.then(
      () => 'answered',
      () => 'cut off',
    )
    await begun
    await closeWithin(server.app, 300)
    expect(await outcome).toBe('cut off')
  })

  test('lets a stream run to its end within the grace', async () => {
    const { wrap, begun } = slowReads(60)
    const server = await serverForTest({ wrap })
    for (let i = 0; i < 6; i++) await server.call('create_a_lead', { FirstName: `F${i}`, LastName: 'x' })
    const agent = new Agent({ keepAlive: true })
    const body = JSON.stringify({ Limit: 1 })
    const records = new Promise<string>((resolve, reject) => {
      const outgoing = request(
        {
          port: server.port,
          agent,
          method: 'POST',
          path: '/v1/operations/get_many_leads',
          headers: { authorization: `Bearer ${server.key}`, accept: 'application/x-ndjson' },
        },
        (incoming) => {
          let text = ''
          incoming
            .on('data', (chunk: Buffer) => (text += chunk.toString()))
            .on('end', () => resolve(text))
            .on('error', reject)
        },
      )
      outgoing.on('error', reject).end(body)
    })
    await begun
    await closeWithin(server.app, 60_000)
    expect((await records).trim().split('\n')).toHaveLength(6)
  })
})

test('a thousand calls share a connection', async () => {
  const server = await serverForTest()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let i = 0; i < 1_000; i++) expect((await ask(server, agent, '/v1/operations/get_current_user')).status).toBe(200)
  expect((await problemIn(await fetch(`${server.url}/nowhere`))).code).toBe('not_found')
  agent.destroy()
})
