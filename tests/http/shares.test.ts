import { expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import type { Caller, Service } from '../../src/core/service.ts'
import { createShares } from '../../src/transports/http/limits/shares.ts'
import { problemIn, serverForTest, type TestServer } from '../support/server.ts'

const callerOf = (keyId: string) => ({ workspace: { number: 1 } as Caller['workspace'], keyId, userId: 'u' }) as Caller

test('a key has so many places, whatever another key has, and gets one back when it leaves', () => {
  const take = createShares(2, 'batches under way')
  const leave = take(callerOf('a'))
  take(callerOf('a'))
  expect(() => take(callerOf('a'))).toThrow('This key has 2 batches under way at a time, the most it may have.')
  take(callerOf('b'))
  leave()
  take(callerOf('a'))
})

test('a workspace has four times the places of a key, whatever another has', () => {
  const take = createShares(2, 'batches under way')
  for (const key of ['a', 'b', 'c', 'd']) for (let i = 0; i < 2; i++) take(callerOf(key))
  expect(() => take(callerOf('e'))).toThrow('This workspace has 8 batches under way at a time, the most it may have.')
  expect(take({ ...callerOf('f'), workspace: { number: 2, name: 'other' } as Caller['workspace'] })).toBeTypeOf('function')
})

/** A service whose searches wait until `release` is called. */
function held(): { readonly wrap: (service: Service) => Service; release(): void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    release,
    wrap: (service) => ({
      ...service,
      platform: {
        ...service.platform,
        reader: (workspace, options) => {
          const reader = service.platform.reader(workspace, options)
          return { ...reader, find: async (type, query) => released.then(() => reader.find(type, query)) }
        },
      },
    }),
  }
}

type Send = (server: TestServer, key: string) => Promise<Response>
const stream: Send = ({ post }, key) => post('get_many_leads', {}, { accept: 'application/x-ndjson', authorization: `Bearer ${key}` })
const batch: Send = ({ url }, key) =>
  fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"Operations":[{"Operation":"get_many_leads"}]}',
  })

test.each([
  ['batches', LIMITS.batches, '64 batches under way', batch],
  ['streams of records', LIMITS.recordStreams, '32 streams of records open', stream],
] as const)('a key that has all its %s under way is told so, and another key is not', async (_, most, words, send) => {
  const { wrap, release } = held()
  const server = await serverForTest({ wrap })
  const { Key: other } = await server.call('create_key', {})
  const underWay = Array.from({ length: most }, () => send(server, server.key))
  let refused: Response | undefined
  // Those sent before may arrive after it.
  const sent: Promise<unknown>[] = []
  await expect
    .poll(async () => {
      const answer = send(server, server.key)
      sent.push(answer)
      refused = await Promise.race([answer, new Promise<undefined>((resolve) => setTimeout(resolve, 50))])
      return refused?.status
    })
    .toBe(429)
  expect(await problemIn(refused as Response)).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining(words), retryAfter: 1 })
  const others = send(server, String(other))
  release()
  expect((await others).status).toBe(200)
  for (const answer of await Promise.all(underWay)) expect([200, 429]).toContain(answer.status)
  await Promise.all(sent)
})
