import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { Connection } from '../../../../src/platforms/crms/engine/connection.ts'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import { Session } from '../../../../src/platforms/crms/engine/session.ts'

const TOKEN = 'secret-of-this-session'

async function connected(answer: (headers: IncomingHttpHeaders) => { readonly status: number; readonly body: string; readonly cutOff?: boolean }) {
  const server = createServer(({ headers }, outgoing) => {
    const { status, body, cutOff } = answer(headers)
    const zipped = gzipSync(body)
    const bytes = zipped.subarray(0, cutOff ? zipped.length / 2 : zipped.length)
    outgoing.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': bytes.length }).end(bytes)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const connection = new Connection({
    name: 'Acme',
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    session: new Session(async () => ({ token: TOKEN })),
    authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
    isExpired: () => false,
    isOwn: () => true,
    refusal: ({ text }) => new DriverError('platform_rejected', text),
    retry: (attempt) => attempt(),
    timeoutMs: 10_000,
  })
  onTestFinished(async () => {
    await connection.close()
    server.close()
  })
  return connection
}

test('a request names the connector and its version, and takes compressed answers', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8')) as { version: string }
  const connection = await connected((headers) => ({ status: 200, body: JSON.stringify(headers) }))
  expect(await connection.json({ method: 'GET', path: '/' })).toMatchObject({ 'user-agent': `crm-connector/${version}`, 'accept-encoding': 'gzip' })
})

test('a write whose compressed answer is cut off was executed', async () => {
  const connection = await connected(() => ({ status: 200, body: JSON.stringify({ text: 'x'.repeat(10_000) }), cutOff: true }))
  await expect(connection.json({ method: 'POST', path: '/', body: {} })).rejects.toMatchObject({ code: 'outcome_unknown', unknown: 'done' })
})

test('a token that the CRM repeats in a message is struck out', async () => {
  const connection = await connected(({ authorization }) => ({ status: 400, body: `There is no session ${authorization}.` }))
  const error = await connection.json({ method: 'GET', path: '/' }).catch((one: Error) => one)
  expect(error).toMatchObject({ message: 'There is no session Bearer [secret].' })
})

test('a header that cannot be sent is refused at once, for reads and writes alike, without what it holds', async () => {
  let attempts = 0
  const connection = new Connection({
    name: 'Acme',
    origin: 'http://127.0.0.1:1',
    session: new Session(async () => ({ token: 'secret\nof this session' })),
    authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
    isExpired: () => false,
    isOwn: () => true,
    refusal: ({ text }) => new DriverError('platform_rejected', text),
    retry: async (attempt, classify) => {
      for (;;) {
        attempts++
        try {
          return await attempt()
        } catch (error) {
          if (!classify(error).retryable) throw error
        }
      }
    },
    timeoutMs: 10_000,
  })
  onTestFinished(() => connection.close())
  for (const method of ['GET', 'POST'] as const) {
    const refusal = await connection.send({ method, path: '/' }).catch((error: DriverError) => error)
    expect(refusal).toMatchObject({ code: 'invalid_input', retryable: false, unknown: undefined, hint: expect.stringContaining('line break') })
    expect(JSON.stringify(refusal) + (refusal as Error).message).not.toContain('of this session')
  }
  expect(attempts).toBe(2)
})
