import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../../src/platforms/store.ts'
import { KeyFilter } from '../../../../src/platforms/stores/sqlite/key-filter.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { ask, openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'

const KNOWN = 32_768
const AT = '2026-01-01T00:00:00.000Z'

async function storeAt(path: string): Promise<Store> {
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  return store
}

const keep = (store: Store, keys: readonly string[], answer = '{}') =>
  store.write(1, async (writer) => {
    for (const key of keys) await writer.putIdempotencyKey('u', key, { fingerprint: key, at: AT, state: 'done', answer, changeId: null })
  })

const kept = (store: Store, key: string, userId = 'u', workspace = 1) => store.write(workspace, (writer) => writer.findIdempotencyKey(userId, key))
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

describe('keys', () => {
  test('are found over many segments, each under its own user and workspace, and none that was never kept', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    const store = await storeAt(path)
    const keys = named('key', 2 * KNOWN + 5000)
    for (let i = 0; i < keys.length; i += 5000) await keep(store, keys.slice(i, i + 5000))
    const edges = [0, 1, 2046, 2047, 2048, KNOWN - 2, KNOWN - 1, KNOWN, KNOWN + 1, 2 * KNOWN - 1, 2 * KNOWN, keys.length - 1].map((i) => keys[i] as string)
    // A store that was just opened knows nothing yet, and learns one segment after the other.
    for (const looking of [store, await storeAt(path)]) {
      for (const key of edges) expect((await kept(looking, key))?.fingerprint).toBe(key)
      for (const key of edges) expect((await looking.journal(1).findIdempotencyKey('u', key))?.fingerprint).toBe(key)
      for (const key of named('other', 50)) expect(await kept(looking, key)).toBeUndefined()
      expect(await kept(looking, 'key-0', 'v')).toBeUndefined()
      expect(await kept(looking, 'key-0', 'u', 2)).toBeUndefined()
    }
  })

  test('that another process keeps are found by this one, however many there were', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    const [here, there] = [await storeAt(path), await storeAt(path)]
    await keep(here, ['mine'])
    for (const [round, count] of [1, 700, KNOWN - 100, 300, KNOWN + 700, 2 * KNOWN + 10].entries()) {
      const keys = named(`round ${round}`, count)
      for (let i = 0; i < keys.length; i += 20_000) await keep(there, keys.slice(i, i + 20_000))
      for (const at of [0, count >> 1, count - 1]) expect((await kept(here, keys[at] as string))?.fingerprint).toBe(keys[at])
      await keep(here, [`mine ${round}`])
      expect((await kept(there, `mine ${round}`))?.fingerprint).toBe(`mine ${round}`)
    }
    expect((await kept(here, 'mine'))?.fingerprint).toBe('mine')
    expect((await ask(path, 'SELECT COUNT(*) = MAX("Number") AS gapless FROM "Once"'))[0]).toMatchObject({ gapless: 1 })
  })

  test('of a transaction that came to nothing are not there, and their numbers go to others', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    const [here, there] = [await storeAt(path), await storeAt(path)]
    await keep(here, ['first'])
    const failing = here.write(1, async (writer) => {
      await writer.putIdempotencyKey('u', 'lost', { fingerprint: 'lost', at: AT, state: 'done', answer: '{}', changeId: null })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await keep(there, ['theirs'])
    expect(await kept(here, 'lost')).toBeUndefined()
    expect((await kept(here, 'theirs'))?.fingerprint).toBe('theirs')
    await keep(here, ['lost'])
    expect((await kept(there, 'lost'))?.fingerprint).toBe('lost')
  })

  test('that are kept anew hide the older ones, and those let go are gone', async () => {
    const store = await storeAt(join(await temporaryFolder(), 'crm.db'))
    await keep(store, ['key'], '{"first":true}')
    await keep(store, named('between', 3000))
    await keep(store, ['key'], '{"second":true}')
    expect((await kept(store, 'key'))?.answer).toBe('{"second":true}')
    await store.write(1, (writer) => writer.releaseIdempotencyKey('u', 'key'))
    expect(await kept(store, 'key')).toBeUndefined()
    expect(await store.journal(1).findIdempotencyKey('u', 'key')).toBeUndefined()
    await keep(store, ['key'])
    expect((await kept(store, 'key'))?.answer).toBe('{}')
  })

  test('are numbered on when all of them have expired', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    const store = await storeAt(path)
    await keep(store, named('old', 1200))
    expect(await store.sweep({ keys: '2027-01-01T00:00:00.000Z', changes: undefined })).toBe(1199)
    await keep(store, ['new'])
    expect(await ask(path, 'SELECT "Number" AS n FROM "Once" ORDER BY 1')).toEqual([{ n: 1200 }, { n: 1201 }])
    expect(await kept(store, 'old-0')).toBeUndefined()
    expect((await kept(store, 'new'))?.fingerprint).toBe('new')
  })

  test('are found without looking through the table', async () => {
    const path = join(await temporaryFolder(), 'crm.db')
    const store = await storeAt(path)
    await keep(store, ['key'])
    const database = await openDatabase(path)
    const plan = database.all('EXPLAIN QUERY PLAN SELECT "Number" FROM "Once" INDEXED BY "Once_Run" WHERE "Run" = 1 AND "Hash" = 2 ORDER BY "Number" DESC', [])
    expect(plan).toMatchObject([{ detail: expect.stringMatching(/^SEARCH Once USING .*INDEX Once_Run \(Run=\? AND Hash=\?\)$/) }])
    database.close()
  })
})

test('a filter knows every key it was given, and takes few others for known', () => {
  const filter = new KeyFilter(1024)
  const hash = (i: number) => (i * 2_654_435_761 * 97) % 2 ** 48
  for (let i = 0; i < 1024; i++) filter.add(hash(i))
  for (let i = 0; i < 1024; i++) expect(filter.mayHave(hash(i))).toBe(true)
  const mistaken = Array.from({ length: 10_000 }, (_, i) => filter.mayHave(hash(i + 5000))).filter(Boolean)
  expect(mistaken.length).toBeLessThan(300)
})
