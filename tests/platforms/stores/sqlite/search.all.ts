import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SEARCHED_TYPES } from '../../../../src/contract/search.ts'
import { searchTextOf } from '../../../../src/contract/search-text.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { backupSqlite } from '../../../../src/platforms/stores/sqlite/backup.ts'
import { MIGRATIONS, migrate } from '../../../../src/platforms/stores/sqlite/migrations.ts'
import { schemaFaults } from '../../../../src/platforms/stores/sqlite/schema-check.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { ask, openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { createLeads, found } from '../../../support/searched-leads.ts'

const newPath = async () => join(await temporaryFolder(), 'crm.db')

async function opened(path: string): Promise<Store> {
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  return store
}

/** Every part of a word that the index has. */
async function gramsIn(path: string): Promise<string[]> {
  const database = await openDatabase(path)
  try {
    database.exec('CREATE VIRTUAL TABLE temp."Grams" USING fts5vocab(main, "SearchIndex", row)')
    return database.all('SELECT term FROM temp."Grams" ORDER BY term', []).map(({ term }) => term as string)
  } finally {
    database.close()
  }
}

const bytesWith = async (path: string, text: string) =>
  (await ask(path, `SELECT COUNT(*) AS n FROM "SearchIndex_data" WHERE instr(block, CAST('${text}' AS BLOB)) > 0`))[0]?.n

test('what was erased is gone from the index in the same transaction, and from its pages', async () => {
  const path = await newPath()
  const store = await opened(path)
  await store.addWorkspace('default')
  const [erased, kept] = await createLeads(store, ['Qwyxzvk', 'Lovelace'])
  expect(await found(store, 'qwyxzvk')).toEqual([erased])
  const before = await gramsIn(path)
  expect(before).toEqual(expect.arrayContaining(['qwyxz', 'yxzvk', 'lovel']))
  expect(await bytesWith(path, 'wyx')).toBe(1)
  let during: unknown
  await store.write(1, async (writer) => {
    await writer.erase('Lead', erased as string)
    during = await writer.search({ text: 'qwyxzvk', types: SEARCHED_TYPES, limit: 10 })
  })
  expect(during).toEqual([])
  expect((await gramsIn(path)).filter((gram) => /[qwyxzk]/.test(gram) && gram.length < 7)).toEqual([])
  expect(await bytesWith(path, 'wyx')).toBe(0)
  expect(await ask(path, 'SELECT "RecordID" FROM "SearchRow"')).toEqual([{ RecordID: kept }])
})

test('what was written is indexed in the background, without a search', async () => {
  const path = await newPath()
  const store = await opened(path)
  await store.addWorkspace('default')
  const ids = await createLeads(
    store,
    Array.from({ length: 200 }, (_, i) => `Name${i}`),
  )
  await expect.poll(() => ask(path, 'SELECT COUNT(*) AS n FROM "SearchQueue"')).toEqual([{ n: 0 }])
  const rows = await ask(path, 'SELECT "RecordID" AS id, "Words" AS words, "OwnerID" AS owner FROM "SearchRow" ORDER BY "Row"')
  expect(rows).toEqual(ids.map((id, i) => ({ id, words: searchTextOf('Lead', { FirstName: 'F', LastName: `Name${i}` }), owner: 'u' })))
})

test('a store of the version before is searched while it is backfilled, which goes on after a restart', async () => {
  const path = await newPath()
  const database = await openDatabase(path)
  migrate(database, MIGRATIONS.slice(0, 6))
  database.exec(`INSERT INTO "Workspace" VALUES (1, 'default', 'c'), (2, 'other', 'c')`)
  const count = 3000
  const id = (i: number) => `1m7ej4vpa${String(i).padStart(11, '0')}`
  for (let i = 0; i < count; i++)
    database.run(
      'INSERT INTO "Lead" ("Workspace", "LeadID", "FirstName", "LastName", "OwnerID", "CreatedDate", "UpdatedDate", "Revision") VALUES (1, ?, ?, ?, ?, ?, ?, 1)',
      [id(i), 'Ada', `Lovelace ${i}`, 'u', 'c', 'u'],
    )
  database.close()
  for (let restarts = 0; restarts < 3; restarts++) {
    const store = await openSqlite(path)
    await expect.poll(async () => Number((await ask(path, 'SELECT COUNT(*) AS n FROM "SearchRow"'))[0]?.n)).toBeGreaterThan(restarts * 30)
    expect(await found(store, 'lovelace 2999')).toEqual([id(2999)])
    await store.close()
  }
  const store = await opened(path)
  const [fresh] = await createLeads(store, ['Lovelace 1x'])
  expect(await found(store, '1x')).toEqual([fresh])
  await expect.poll(() => ask(path, 'SELECT COUNT(*) AS n FROM "SearchFill"'), { timeout: 120_000 }).toEqual([{ n: 0 }])
  expect(await found(store, 'lovelace', 5000)).toEqual([fresh, ...Array.from({ length: count }, (_, i) => id(count - 1 - i))])
  const checked = await openDatabase(path)
  checked.exec(`INSERT INTO "SearchIndex" ("SearchIndex") VALUES ('integrity-check')`)
  checked.close()
})

test('a backup has the index', async () => {
  const path = await newPath()
  const store = await opened(path)
  await store.addWorkspace('default')
  const [lead] = await createLeads(store, ['Lovelace'])
  expect(await found(store, 'lovelace')).toEqual([lead])
  const copy = await newPath()
  await backupSqlite(path, copy)
  expect(await ask(copy, 'SELECT COUNT(*) AS n FROM "SearchFill"')).toEqual([{ n: 0 }])
  expect(await found(await opened(copy), 'lovelace')).toEqual([lead])
})

test('the tables of the index are part of a store, unless they were altered', async () => {
  const path = await newPath()
  await (await openSqlite(path)).close()
  const database = await openDatabase(path)
  onTestFinished(() => database.close())
  expect(schemaFaults(database)).toEqual([])
  database.exec('CREATE TABLE "SearchIndex_more" (x)')
  expect(schemaFaults(database)).toMatchObject([{ message: 'The table "SearchIndex_more" is not part of a CRM Connector store.' }])
  database.exec('DROP TABLE "SearchIndex_more"; DROP TABLE "SearchIndex"')
  expect(schemaFaults(database).map(({ message }) => message)).toContain('The table "SearchIndex" is missing.')
})

test('many records of one instant are found in the order of their ids', async () => {
  const store = await openSqlite(await newPath(), () => 1_800_000_000_000)
  onTestFinished(() => store.close())
  await store.addWorkspace('default')
  const ids = await createLeads(store, Array<string>(500).fill('Lovelace'))
  expect(await found(store, 'lovelace', 3)).toEqual(ids.slice(-3).reverse())
  await expect.poll(async () => (await found(store, 'lovelace')).length).toBe(500)
  expect(await found(store, 'lovelace')).toEqual([...ids].reverse())
})
