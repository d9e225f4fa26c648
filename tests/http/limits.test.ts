import { describe, expect, test } from 'vitest'
import { CrmError } from '../../src/contract/errors.ts'
import { addressGroup } from '../../src/transports/http/address.ts'
import { createLimiter } from '../../src/transports/http/limits/limiter.ts'
import { createSignIn } from '../../src/transports/http/sign-in.ts'
import { problemIn, serverForTest } from '../support/server.ts'

/** A window that does not end before a slow machine has looked. */
const HOUR_MS = 3_600_000

describe('a limiter', () => {
  test('allows so many within a window, then again', () => {
    let at = 0
    const limiter = createLimiter({ limit: 2, windowMs: 60_000, names: 10, now: () => at })
    expect(limiter.take('a')).toEqual({ allowed: true, remaining: 1, reset: 60 })
    at = 30_500
    expect(limiter.take('a')).toEqual({ allowed: true, remaining: 0, reset: 30 })
    expect(limiter.take('a')).toEqual({ allowed: false, remaining: 0, reset: 30 })
    expect(limiter.peek('a').allowed).toBe(false)
    expect(limiter.peek('b')).toEqual({ allowed: true, remaining: 2, reset: 60 })
    at = 60_000
    expect(limiter.take('a')).toEqual({ allowed: true, remaining: 1, reset: 60 })
  })

  test('forgets the oldest name rather than growing', () => {
    const limiter = createLimiter({ limit: 1, windowMs: 60_000, names: 2, now: () => 0 })
    for (const name of ['a', 'b', 'c']) limiter.take(name)
    expect(limiter.peek('a').allowed).toBe(true)
    expect(limiter.peek('b').allowed).toBe(false)
    expect(limiter.peek('c').allowed).toBe(false)
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('failures of %s count for %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})

describe('failed sign-ins', () => {
  test('are limited by address, and a valid key never is, even one that has not been used before', async () => {
    const { post, key, call } = await serverForTest({ limitWindowMs: HOUR_MS })
    const knock = (each: string) => post('get_current_user', {}, { authorization: `Bearer ${each}` })
    const { Key: unused } = await call('create_key', {})
    for (let i = 0; i < 10; i++) expect((await problemIn(await knock(`wrong-${i}`))).code).toBe('unauthenticated')

    const response = await knock('wrong-again')
    const problem = await problemIn(response.clone())
    expect(problem).toMatchObject({ code: 'rate_limited', status: 429, retryable: true })
    expect(Number(response.headers.get('retry-after'))).toBe(problem.retryAfter)
    expect(problem.retryAfter).toBeGreaterThan(50)

    expect((await knock(key)).status).toBe(200)
    expect((await knock(String(unused))).status).toBe(200)
    expect((await post('get_current_user', {}, { authorization: '' })).status).toBe(401)
  })

  test('are looked up a few at a time, and addresses take turns', async () => {
    const looked: string[] = []
    const waiting: (() => void)[] = []
    const signIn = createSignIn(
      async (key) => {
        looked.push(key)
        await new Promise<void>((resolve) => waiting.push(resolve))
        throw new CrmError('unauthenticated', 'This key is not known.')
      },
      (await serverForTest()).service.store,
      60_000,
    )
    const knocked = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1'].map((key) =>
      Promise.resolve(signIn(`Bearer ${key}`, `192.0.2.${key.charCodeAt(0)}`)).catch(() => key),
    )
    expect(looked).toEqual(['a1', 'a2', 'a3', 'a4'])
    for (let i = 0; i < knocked.length; i++) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0)
      waiting.shift()?.()
    }
    await Promise.all(knocked)
    expect(looked).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'a6'])
  })

  test.each([true, 'true', '1'])('behind a trusted proxy are counted by the address it names last: %s', async (trustProxy) => {
    const { post } = await serverForTest({ trustProxy })
    const knock = (forwarded: string) => post('get_current_user', {}, { authorization: 'Bearer wrong', 'x-forwarded-for': forwarded })
    for (let i = 0; i < 10; i++) expect((await knock(`203.0.113.${i}, 198.51.100.7`)).status).toBe(401)
    expect((await knock('203.0.113.99, 198.51.100.7')).status).toBe(429)
    expect((await knock('203.0.113.99, 198.51.100.8')).status).toBe(401)
  })

  test('without a trusted proxy are counted by the connection, whatever a header says', async () => {
    const { post } = await serverForTest()
    const knock = (i: number) => post('get_current_user', {}, { authorization: 'Bearer wrong', 'x-forwarded-for': `203.0.113.${i}` })
    for (let i = 0; i < 10; i++) expect((await knock(i)).status).toBe(401)
    expect((await knock(11)).status).toBe(429)
  })
})

describe('a limit of calls a minute', () => {
  test('is told with every answer and holds for each key by itself', async () => {
    const { post, call } = await serverForTest({ rateLimit: 3, limitWindowMs: HOUR_MS })
    const { Key: second } = await call('create_key', {})
    const first = await post('get_current_user')
    expect(first.headers.get('ratelimit-limit')).toBe('3')
    expect(first.headers.get('ratelimit-remaining')).toBe('1')
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(50)
    expect((await post('create_a_lead', {})).headers.get('ratelimit-remaining')).toBe('0')

    const over = await post('get_current_user')
    expect(over.headers.get('ratelimit-remaining')).toBe('0')
    expect(over.headers.get('retry-after')).toBe(over.headers.get('ratelimit-reset'))
    expect(await problemIn(over)).toMatchObject({ code: 'rate_limited', status: 429 })
    expect((await post('get_current_user', {}, { authorization: `Bearer ${String(second)}` })).status).toBe(200)
  })

  test('is off by default', async () => {
    const { post } = await serverForTest()
    expect((await post('get_current_user')).headers.get('ratelimit-limit')).toBeNull()
  })
})
