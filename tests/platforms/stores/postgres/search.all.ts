import { expect, onTestFinished, test } from 'vitest'
import { SEARCHED_TYPES } from '../../../../src/contract/search.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { hashesIn } from '../../../../src/platforms/stores/postgres/search-hashes.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'
import { ask } from '../../../support/postgres-database.ts'
import { createLeads, found } from '../../../support/searched-leads.ts'

async function opened(): Promise<{ readonly store: Store; readonly url: string }> {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  const store = await openPostgres(url)
  onTestFinished(() => store.close())
  await store.addWorkspace('default')
  return { store, url }
}

const indexed = async (url: string) => Number((await ask(url, 'SELECT COUNT(*) AS n FROM "SearchRow"'))[0]?.n)

/** So that the next record begins another block. */
const fillBlocks = (url: string) => ask(url, 'UPDATE "SearchBlock" SET "Rows" = 1000000')

test('records of several blocks are found, those of the newest first', async () => {
  const { store, url } = await opened()
  const ids: string[] = []
  for (let block = 0; block < 4; block++) {
    ids.push(
      ...(await createLeads(
        store,
        Array.from({ length: 200 }, (_, i) => `Lovelace ${block === 0 ? 'rare' : 'common'} ${i}`),
      )),
    )
    await expect.poll(() => indexed(url)).toBe(ids.length)
    await fillBlocks(url)
  }
  expect(await ask(url, 'SELECT DISTINCT "Block" FROM "SearchRow" ORDER BY "Block"')).toEqual([0, 1, 2, 3].map((Block) => ({ Block })))
  expect(await found(store, 'rare')).toEqual(ids.slice(0, 200).reverse())
  expect(await found(store, 'common', 3)).toEqual(ids.slice(-3).reverse())
  expect(await found(store, 'lovelace', 650)).toEqual(ids.slice(-650).reverse())
  expect(await found(store, 'lovelace')).toEqual([...ids].reverse())
  const [restored] = ids
  const record = await store.reader(1).get('Lead', restored as string)
  await store.write(1, (writer) => writer.delete('Lead', restored as string))
  expect(await found(store, 'rare')).toEqual(ids.slice(1, 200).reverse())
  await store.write(1, (writer) => writer.restore('Lead', record ?? {}))
  expect(await found(store, 'rare')).toEqual(ids.slice(0, 200).reverse())
})

test('blocks whose hashes are the same are told apart', async () => {
  const { store, url } = await opened()
  const same = hashesIn(1, 'Lead', 0)('x')
  let twin = 2
  while (hashesIn(1, 'Lead', twin)('x') !== same) twin++
  const rare = Array.from({ length: 10 }, (_, i) => `Rare ${i}`)
  await createLeads(store, rare)
  expect(await found(store, 'rare')).toHaveLength(10)
  await fillBlocks(url)
  const ids = await createLeads(store, rare)
  expect(await found(store, 'rare')).toHaveLength(20)
  await ask(url, `INSERT INTO "SearchBlock" VALUES (1, 'Lead', ${twin - 1}, 1000000)`)
  await createLeads(store, Array<string>(550).fill('Common'))
  await expect.poll(() => found(store, 'common').then(() => indexed(url))).toBe(570)
  expect(await ask(url, 'SELECT DISTINCT "Block" FROM "SearchRow" ORDER BY "Block"')).toEqual([0, 1, twin].map((Block) => ({ Block })))
  expect(await found(store, 'rare', 10)).toEqual([...ids].reverse())
})

test('what was erased is gone from the index in the same transaction', async () => {
  const { store, url } = await opened()
  const [erased, kept] = await createLeads(store, ['Qwyxzvk', 'Lovelace'])
  expect(await found(store, 'qwyxzvk')).toEqual([erased])
  await store.write(1, async (writer) => {
    await writer.erase('Lead', erased as string)
    expect(await writer.search({ text: 'qwyxzvk', types: SEARCHED_TYPES, limit: 10 })).toEqual([])
  })
  expect(await ask(url, 'SELECT "RecordID" FROM "SearchRow"')).toEqual([{ RecordID: kept }])
})

test('a backfill indexes what is there, from the newest back, and goes on after a restart', async () => {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  const store = await openPostgres(url)
  await store.addWorkspace('default')
  const ids = await createLeads(
    store,
    Array.from({ length: 1000 }, (_, i) => `Lovelace ${i}`),
  )
  await expect.poll(() => indexed(url)).toBe(1000)
  await store.close()
  // As a migration leaves it.
  await ask(url, `DELETE FROM "SearchRow"; DELETE FROM "SearchBlock"; INSERT INTO "SearchFill" VALUES (1, 'Lead', '~'), (1, 'Case', '~')`)
  const first = await openPostgres(url)
  await expect.poll(() => indexed(url)).toBeGreaterThan(0)
  await fillBlocks(url)
  await first.close()
  const second = await openPostgres(url)
  onTestFinished(() => second.close())
  expect(await found(second, 'lovelace 999')).toEqual([ids.at(-1)])
  const [fresh] = await createLeads(second, ['Lovelace'])
  await expect.poll(async () => Number((await ask(url, 'SELECT COUNT(*) AS n FROM "SearchFill"'))[0]?.n)).toBe(0)
  expect(await found(second, 'lovelace')).toEqual([fresh, ...[...ids].reverse()])
})
