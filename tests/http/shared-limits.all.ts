import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { openDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { problemIn, serverForTest, type TestOptions, type TestServer } from '../support/server.ts'
import { SHARED_STORES, type SharedStore } from '../support/shared-stores.ts'

/** A window that does not end before a slow machine has looked. */
const HOUR_MS = 3_600_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const header = (response: Response, name: string) => Number(response.headers.get(name))

async function serversOn(place: SharedStore, count: number, options: TestOptions): Promise<[TestServer, TestServer, ...TestServer[]]> {
  const first = await serverForTest({ ...options, open: place.open })
  const others = await Promise.all(Array.from({ length: count - 1 }, () => serverForTest({ ...options, open: place.open, key: first.key })))
  return [first, ...(others as [TestServer])]
}

const batchOf = (size: number, { url, key }: TestServer) =>
  fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Operations: Array.from({ length: size }, () => ({ Operation: 'get_current_user', Input: {} })) }),
  })

describe.each(Object.entries(SHARED_STORES))('servers over one %s', (_, place) => {
  const servers = async (options: TestOptions, count = 2) => serversOn(await place(), count, { limitWindowMs: HOUR_MS, ...options })

  test('allow a key no more calls together than one would, and tell what is left', async () => {
    const pair = await servers({ rateLimit: 20 })
    const { Key: other } = await pair[0].call('create_key', {})
    const rest = await Promise.all(Array.from({ length: 39 }, (_, i) => pair[i % 2 === 0 ? 1 : 0].post('get_current_user')))
    const [good, refused] = [200, 429].map((status) => rest.filter((response) => response.status === status)) as [Response[], Response[]]
    expect([good.length, refused.length]).toEqual([19, 20])
    for (const response of rest) expect([header(response, 'ratelimit-limit'), header(response, 'ratelimit-reset') > 40]).toEqual([20, true])
    expect(Math.min(...good.map((response) => header(response, 'ratelimit-remaining')))).toBe(0)
    for (const response of refused) {
      expect(header(response, 'ratelimit-remaining')).toBe(0)
      expect(header(response, 'retry-after')).toBe(header(response, 'ratelimit-reset'))
      expect((await problemIn(response)).code).toBe('rate_limited')
    }
    for (const { post } of pair) expect((await post('get_current_user', {}, { authorization: `Bearer ${other}` })).status).toBe(200)
  })

  test('count down together, call by call', async () => {
    const [one, two] = await servers({ rateLimit: 6 })
    const left: number[] = []
    for (const server of [one, two, two, one, two, one]) left.push(header(await server.post('get_current_user'), 'ratelimit-remaining'))
    expect(left).toEqual([5, 4, 3, 2, 1, 0])
    for (const { post } of [one, two]) expect((await post('get_current_user')).status).toBe(429)
  })

  test('begin anew together', async () => {
    const [one, two] = await servers({ rateLimit: 4, limitWindowMs: 2_000 })
    for (let seen = 0; seen < 2; ) {
      const began = performance.now()
      for (const { post } of [one, two, one, two]) expect((await post('get_current_user')).status).toBe(200)
      const refused = await Promise.all([one, two].map(({ post }) => post('get_current_user')))
      // On a machine so slow that the window has ended meanwhile, the next one is looked at.
      if (performance.now() - began < 2_000) {
        for (const response of refused) expect([response.status, header(response, 'retry-after') <= 2]).toEqual([429, true])
        seen++
      }
      await pause(2_000)
    }
  })

  test('give a batch all of its calls, or refuse it at the price of one', async () => {
    const [one, two] = await servers({ rateLimit: 20 })
    const told = async (response: Response) => [response.status, header(response, 'ratelimit-remaining')]
    expect(await told(await batchOf(15, one))).toEqual([200, 5])
    expect(await told(await batchOf(6, two))).toEqual([429, 4])
    expect((await problemIn(await batchOf(21, two))).hint).toContain('smaller')
    expect(await told(await two.post('get_current_user'))).toEqual([200, 2])
    expect(await told(await batchOf(2, one))).toEqual([200, 0])
    expect(await told(await two.post('get_current_user'))).toEqual([429, 0])
  })

  test('stay within a large limit, and close to it, while calls come at once', async () => {
    const all = await servers({ rateLimit: 300 }, 3)
    let good = 0
    const caller = async (n: number) => {
      for (let i = 0; i < 30; i++) if ((await (all[(n + i) % 3] as TestServer).post('get_current_user')).status === 200) good++
    }
    await Promise.all(Array.from({ length: 15 }, (_, n) => caller(n)))
    expect(good).toBeLessThanOrEqual(300)
    expect(good).toBeGreaterThan(290)
  })

  test('count failed sign-ins together, and leave those who know alone', async () => {
    const pair = await servers({})
    const knock = (i: number, key = `wrong-${i}`) => pair[i % 2 === 0 ? 0 : 1].post('get_current_user', {}, { authorization: `Bearer ${key}` })
    const { Key: fresh } = await pair[0].call('create_key', {})
    expect((await knock(1, pair[0].key)).status).toBe(200)
    for (let i = 0; i < 10; i++) expect((await problemIn(await knock(i))).code).toBe('unauthenticated')
    for (const i of [10, 11]) {
      const problem = await problemIn(await knock(i))
      expect(problem).toMatchObject({ code: 'rate_limited', detail: 'Too many failed sign-ins from this address.' })
      expect(problem.retryAfter).toBeGreaterThan(40)
      expect((await knock(i, String(fresh))).status).toBe(200)
      expect((await knock(i, pair[0].key)).status).toBe(200)
    }
  })
})

test('while a SQLite store cannot be written to, limited calls are told so, and failed sign-ins are counted all the same', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const limited = await serverForTest({ rateLimit: 3, open: () => openSqlite(path) })
  const open = await serverForTest({ open: () => openSqlite(path), key: limited.key })
  const knock = () => open.post('get_current_user', {}, { authorization: 'Bearer wrong' })
  for (const { post } of [limited, open]) expect((await post('get_current_user')).status).toBe(200)

  const writer = await openDatabase(path)
  onTestFinished(() => writer.close())
  writer.exec('BEGIN IMMEDIATE')
  const [called, ...knocked] = await Promise.all([limited.post('get_current_user'), ...Array.from({ length: 10 }, knock)])
  expect(await problemIn(called)).toMatchObject({ code: 'platform_unavailable', status: 503, retryAfter: 1 })
  expect(knocked.map(({ status }) => status)).toEqual(Array(10).fill(401))
  expect((await knock()).status).toBe(429)
  expect((await open.post('get_current_user')).status).toBe(200)
  writer.exec('ROLLBACK')

  const again = await limited.post('get_current_user')
  expect([again.status, again.headers.get('ratelimit-remaining')]).toEqual([200, '1'])
})

test('while PostgreSQL is down limited calls are told so, and afterwards the limit is as it was', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.remove())
  const { post } = await serverForTest({ rateLimit: 3, open: () => openPostgres(postgres.url) })
  expect((await post('get_current_user')).headers.get('ratelimit-remaining')).toBe('2')
  await postgres.stop('immediate')
  for (const authorization of [undefined, 'Bearer unknown']) {
    const response = await post('get_current_user', {}, authorization === undefined ? {} : { authorization })
    expect(await problemIn(response)).toMatchObject({ code: 'platform_unavailable', status: 503, retryAfter: 1 })
  }
  await postgres.start()
  await expect.poll(async () => (await post('get_current_user')).headers.get('ratelimit-remaining'), { interval: 100 }).toBe('1')
})
