import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { type Delivery, send } from '../../../src/core/webhooks/send.ts'
import { selfSigned } from './self-signed.ts'

const body = JSON.stringify({ name: 'Grüße 👋' })

/** Long enough that only a target which never answers meets it. */
const PATIENT = 20_000

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    // Whatever the target did, the connection is gone once `send` has answered.
    await expect.poll(() => openConnections(server)).toBe(0)
    server.close()
    await once(server, 'close')
  }
})

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
}

async function listening<S extends Server>(server: S): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A target that does what it likes with the connection, once something came in. */
function raw(answer: (socket: Socket) => void): Promise<number> {
  return listening(
    createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => answer(socket))
    }),
  )
}

function http(answer: RequestListener): Promise<number> {
  return listening(createHttpServer(answer))
}

/** Writes a text again and again until the connection is gone. */
function dribble(socket: Socket, piece: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(piece), everyMs)
  socket.on('close', () => clearInterval(timer))
}

function sendTo(port: number, more: Partial<Delivery> = {}) {
  return send({ url: `http://127.0.0.1:${port}/hook?a=b`, headers: {}, body, timeoutMs: PATIENT, allowPrivate: true, ...more })
}

const failed = (error: string) => ({ ok: false, status: null, error, ms: expect.any(Number), retryAfter: null, answer: null })

describe('what is sent', () => {
  test('is a POST with the body and headers', async () => {
    let seen: Promise<[IncomingMessage, string]> | undefined
    const port = await http((request, response) => {
      seen = text(request).then((received) => [request, received])
      seen.then(() => response.writeHead(200).end('thank you'))
    })
    const delivered = await sendTo(port, { headers: { 'webhook-id': 'evt_1' } })
    expect(delivered).toEqual({
      ok: true,
      status: 200,
      error: null,
      ms: expect.any(Number),
      retryAfter: null,
      answer: { headers: expect.any(Object), body: 'thank you' },
    })
    const [request, received] = (await seen) ?? expect.unreachable()
    expect([request.method, request.url, received]).toEqual(['POST', '/hook?a=b', body])
    expect(request.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'crm-connector',
      'webhook-id': 'evt_1',
      connection: 'close',
    })
  })

  test('goes over a connection of its own', async () => {
    const ports = new Set<number | undefined>()
    const port = await http((request, response) => {
      ports.add(request.socket.remotePort)
      response.end()
    })
    for (let i = 0; i < 3; i++) expect((await sendTo(port)).ok).toBe(true)
    expect(ports.size).toBe(3)
  })

  test('reaches a target by name', async () => {
    let host: string | undefined
    const port = await http((request, response) => {
      host = request.headers.host
      response.writeHead(204).end()
    })
    expect(await sendTo(port, { url: `http://localhost:${port}/` })).toMatchObject({ ok: true, status: 204 })
    expect(host).toBe(`localhost:${port}`)
  })
})

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('of %i is a success', async (status) => {
    const port = await http((_request, response) => response.writeHead(status).end())
    expect(await sendTo(port)).toMatchObject({ ok: true, status, error: null, retryAfter: null })
  })

  test.each([400, 404, 410, 500, 503, 999])('of %i is a failure that tells nothing of its body', async (status) => {
    const port = await http((_request, response) => response.writeHead(status, 'Told you').end('a secret'))
    expect(await sendTo(port)).toMatchObject({ ok: false, status, error: `The target answered ${status}.`, retryAfter: null })
  })

  test.each([301, 302, 307, 308])('of %i is not followed', async (status) => {
    let calls = 0
    const port = await http((_request, response) => {
      calls++
      response.writeHead(status, { Location: '/elsewhere' }).end()
    })
    expect(await sendTo(port)).toMatchObject({ ok: false, status, error: `The target answered ${status}; redirects are not followed.` })
    expect(calls).toBe(1)
  })

  test.each([
    [429, '120', 120],
    [503, '0', 0],
    [429, 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    [429, 'soon', null],
    [429, '-5', null],
    [429, '1.5', null],
    [429, '9'.repeat(400), null],
    [429, 'soon GMT', null],
    [500, '120', null],
    [200, '120', null],
  ])('of %i with Retry-After %s', async (status, header, retryAfter) => {
    const port = await http((_request, response) => response.writeHead(status, { 'Retry-After': header }).end())
    expect(await sendTo(port)).toMatchObject({ status, retryAfter })
  })

  test('may ask to be tried again at a date', async () => {
    const port = await http((_request, response) => response.writeHead(503, { 'Retry-After': new Date(Date.now() + 3_600_000).toUTCString() }).end())
    const { retryAfter } = await sendTo(port)
    expect(retryAfter).toBeGreaterThan(3_000)
    expect(retryAfter).toBeLessThanOrEqual(3_600)
  })

  test('counts though the connection breaks in its body', async () => {
    const port = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.resetAndDestroy()))
    expect(await sendTo(port)).toMatchObject({ ok: true, status: 200 })
  })

  test('counts though its body is not HTTP', async () => {
    const port = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n'))
    expect(await sendTo(port)).toMatchObject({ ok: true, status: 200 })
  })

  test('without end is read in part only', async () => {
    let written = 0
    const port = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        written += 16_384
        if (!socket.destroyed) socket.write('x'.repeat(16_384), () => setImmediate(more))
      }
      more()
    })
    expect(await sendTo(port)).toMatchObject({ ok: true, status: 200 })
    expect(written).toBeLessThan(100_000_000)
  })
})

describe('a target is cut off that', () => {
  const timeoutMs = 300
  const late = failed('The target did not answer within 0.3 s.')

  test('never answers', async () => {
    const port = await raw(() => {})
    expect(await sendTo(port, { timeoutMs })).toEqual(late)
  })

  test('dribbles its headers', async () => {
    const port = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
      dribble(socket, 'x')
    })
    expect(await sendTo(port, { timeoutMs })).toEqual(late)
  })

  test('says for ever that it goes on', async () => {
    const port = await raw((socket) => dribble(socket, 'HTTP/1.1 100 Continue\r\n\r\n'))
    expect(await sendTo(port, { timeoutMs })).toEqual(late)
  })

  test('never shakes hands', async () => {
    const port = await raw(() => {})
    expect(await sendTo(port, { timeoutMs, url: `https://localhost:${port}/` })).toEqual(late)
  })

  test.each([
    [200, 'Content-Length: 1000000'],
    [200, 'Transfer-Encoding: chunked'],
    [500, 'Content-Length: 1000000'],
  ])('dribbles the body of a %i with %s, though its status counts', async (status, header) => {
    const port = await raw((socket) => {
      socket.write(`HTTP/1.1 ${status} So\r\n${header}\r\n\r\n`)
      dribble(socket, header.includes('chunked') ? '1\r\nx\r\n' : 'x')
    })
    // Long enough that the headers are there in time on a busy machine.
    expect(await sendTo(port, { timeoutMs: 1_000 })).toMatchObject({ ok: status === 200, status })
  })
})

describe('a connection that fails', () => {
  test('because it is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    expect(await sendTo(port)).toEqual(failed('The connection was refused.'))
    expect(await sendTo(port, { url: `http://localhost:${port}/` })).toEqual(failed('The connection was refused.'))
  })

  test.each([
    ['closed', (socket: Socket) => socket.destroy()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ['ended', (socket: Socket) => socket.end()],
    ['ended among the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nX-Half: ')],
    ['taken for another protocol', (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n')],
  ])('because it is %s', async (_how, end) => {
    const port = await raw(end)
    expect(await sendTo(port)).toEqual(failed('The connection was closed before the target answered.'))
  })

  test.each([
    ['something else', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['too long headers', `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('because of %s', async (_what, answer) => {
    const port = await raw((socket) => socket.write(answer))
    expect(await sendTo(port)).toEqual(failed("The target's answer is not valid HTTP."))
  })

  test('because there is no TLS', async () => {
    const port = await raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { ok, status, error } = await sendTo(port, { url: `https://localhost:${port}/` })
    expect([ok, status]).toEqual([false, null])
    expect(error).toMatch(/^The TLS handshake failed \([A-Z_]+\)\.$/)
  })

  test('because of the certificate', async () => {
    const names: (string | false | null)[] = []
    const server = createTlsServer({ ...selfSigned('localhost'), SNICallback: (name, done) => done(null, void names.push(name)) }, (socket) => socket.destroy())
    server.on('tlsClientError', () => {})
    const port = await listening(server)
    expect(await sendTo(port, { url: `https://localhost:${port}/` })).toEqual(failed("The target's certificate is self-signed."))
    expect(names).toEqual(['localhost'])
  })
})

describe('a target that may not be called', () => {
  test.each(['127.0.0.1', '2130706433', '[::ffff:7f00:1]', '[::1]', 'localhost'])('is not connected to: %s', async (host) => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    const port = await listening(server)
    const delivered = await sendTo(port, { url: `http://${host}:${port}/`, allowPrivate: false })
    expect(delivered).toEqual(
      failed('The target is on a private network or this machine, which webhooks call only with the setting CRM_WEBHOOK_PRIVATE=true (--webhook-private).'),
    )
    expect(connections).toBe(0)
  })

  test('has a name that cannot be resolved', async () => {
    const name = `${'a'.repeat(64)}.test`
    expect(await sendTo(0, { url: `http://${name}/` })).toEqual(failed(`The name ${name} could not be resolved.`))
  })

  test.each(['nonsense', 'ftp://127.0.0.1/', 'http://user:pass@127.0.0.1/'])('is no target: %s', async (url) => {
    expect(await sendTo(0, { url })).toEqual(failed(expect.stringMatching(/^The target .*\.$/) as unknown as string))
  })

  test('is not sent broken headers', async () => {
    expect(await sendTo(1, { headers: { bad: 'a\r\nb: c' } })).toEqual(failed('The delivery failed (ERR_INVALID_CHAR).'))
  })
})

describe('a delivery that is stopped', () => {
  test('before it began', async () => {
    expect(await sendTo(1, { signal: AbortSignal.abort() })).toEqual(failed('The delivery was stopped.'))
  })

  test('at once', async () => {
    const stop = new AbortController()
    const port = await http(() => {})
    const sent = sendTo(port, { signal: stop.signal })
    stop.abort()
    expect(await sent).toEqual(failed('The delivery was stopped.'))
  })

  test('while the target thinks', async () => {
    const stop = new AbortController()
    const port = await raw(() => stop.abort())
    expect(await sendTo(port, { signal: stop.signal })).toEqual(failed('The delivery was stopped.'))
  })
})

test('no timer or socket is left behind', async () => {
  const resources = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name.startsWith('TCPSocket') || name.startsWith('TLS')).length
  const port = await raw((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  const hanging = await raw(() => {})
  const before = resources()
  const { signal } = new AbortController()
  const sent = Array.from({ length: 20 }, () => [
    sendTo(port, { timeoutMs: 600_000, signal }),
    sendTo(hanging, { timeoutMs: 300, signal }),
    sendTo(1, { timeoutMs: 600_000, signal }),
    sendTo(1, { timeoutMs: 600_000, url: 'http://localhost/', allowPrivate: false, signal }),
  ])
  await Promise.all(sent.flat())
  await expect.poll(resources).toBeLessThanOrEqual(before)
})
