import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Reader } from '../../../../src/platforms/platform.ts'
import { backupSqlite, restoreSqlite } from '../../../../src/platforms/stores/sqlite/backup.ts'
import { openSqliteRows } from '../../../../src/platforms/stores/sqlite/rows.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { type Clock, type Transaction, Work } from '../../../../src/platforms/stores/sqlite/work.ts'
import { crm } from '../../../support/crm.ts'
import { openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startSqliteService } from '../../../support/sqlite-service.ts'

const IGNORING = `CREATE TRIGGER "quiet" BEFORE INSERT ON "Change" WHEN new."Operation" = 'create_a_lead' BEGIN SELECT RAISE(IGNORE); END`

async function storeWith(...statements: string[]): Promise<string> {
  const path = join(await temporaryFolder(), 'crm.db')
  await (await openSqlite(path)).close()
  await change(path, ...statements)
  return path
}

async function change(path: string, ...statements: string[]): Promise<void> {
  const database = await openDatabase(path)
  for (const statement of statements) database.exec(statement)
  database.close()
}

const CONFLICT_CLAUSE = [
  'DROP TABLE "Chain"',
  'CREATE TABLE "Chain" ("Workspace" INTEGER PRIMARY KEY ON CONFLICT IGNORE, "Number" INTEGER NOT NULL, "Seal" TEXT NOT NULL) STRICT',
]

test.each([
  ['a trigger that drops lines of the audit', [IGNORING], /The trigger "quiet" is not part of a CRM Connector store/, /DROP TRIGGER "quiet"/],
  ['a trigger with the name of a table', [IGNORING.replace('"quiet"', '"Change"')], /The trigger "Change" is not part/, /DROP TRIGGER "Change"/],
  ['a view', ['CREATE VIEW "Lines" AS SELECT * FROM "Change"'], /The view "Lines" is not part/, /DROP VIEW "Lines"/],
  ['a table', ['CREATE TABLE "Recipe" ("Name" TEXT)'], /The table "Recipe" is not part/, /DROP TABLE "Recipe"/],
  ['a unique index', ['CREATE UNIQUE INDEX "One" ON "Change" ("Workspace")'], /The index "One" is not part/, /DROP INDEX "One"/],
  ['a conflict clause', CONFLICT_CLAUSE, /The table "Chain" has been altered/, /restore/],
  [
    'an index that became another',
    ['DROP INDEX "Change_Number"', 'CREATE INDEX "Change_Number" ON "Change" ("Number")'],
    /The index "Change_Number" has been altered/,
    /restore/,
  ],
  ['a missing table', ['DROP TABLE "Change"'], /The table "Change" is missing/, /restore/],
  ['a missing index that no contract asks for', ['DROP INDEX "Key_Digest"'], /The index "Key_Digest" is missing/, /restore/],
])('%s is refused with its name, when opened, copied and restored', async (_, statements, message, hint) => {
  const path = await storeWith(...statements)
  const refusal = { code: 'conflict', message: expect.stringMatching(message), hint: expect.stringMatching(hint) }
  await expect(openSqlite(path)).rejects.toMatchObject(refusal)
  await expect(openSqliteRows(path)).rejects.toMatchObject(refusal)
  await expect(backupSqlite(path, join(await temporaryFolder(), 'backup.db'))).rejects.toMatchObject(refusal)
  await expect(restoreSqlite(join(await temporaryFolder(), 'restored.db'), path, false)).rejects.toMatchObject(refusal)
})

test('what a later version adds in place is no fault', async () => {
  const path = await storeWith(
    'ALTER TABLE "Lead" ADD COLUMN "Later" TEXT',
    'CREATE INDEX "Lead_Later" ON "Lead" ("Workspace", "Later", "LeadID")',
    'CREATE TABLE "Task" ("Workspace" INTEGER NOT NULL, "TaskID" TEXT NOT NULL, PRIMARY KEY ("Workspace", "TaskID")) STRICT, WITHOUT ROWID',
    'ANALYZE',
  )
  await expect(openSqlite(path).then((store) => store.close())).resolves.toBeUndefined()
})

test.each([
  ['does not store', IGNORING],
  ['deletes again', `CREATE TRIGGER "quiet" AFTER INSERT ON "Change" BEGIN DELETE FROM "Change" WHERE "Number" = new."Number"; END`],
])('while a store is open, nothing is written under a trigger that %s a line, and verifying names it', async (_, trigger) => {
  const { path, store, call } = await startSqliteService()
  const create = () => call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  await create()
  await change(path, trigger)
  await expect(Promise.allSettled([create(), create()])).resolves.toMatchObject([
    { status: 'rejected', reason: { code: 'internal', cause: { message: expect.stringContaining('The trigger "quiet"') } } },
    { status: 'rejected', reason: { code: 'internal' } },
  ])
  expect((await store.journal(1).verify()).faults).toMatchObject([{ fault: expect.stringMatching(/trigger "quiet"/) }])
  await change(path, 'DROP TRIGGER "quiet"')
  await create()
  expect(await store.journal(1).verify()).toMatchObject({ lines: 2, faults: [] })
})

test('a row that SQLite did not insert, without an error, ends its write', async () => {
  const connection = await openDatabase(':memory:')
  onTestFinished(() => connection.close())
  connection.exec('CREATE TABLE "T" ("a"); CREATE TRIGGER "quiet" BEFORE INSERT ON "T" BEGIN SELECT RAISE(IGNORE); END')
  const work = new Work(connection, () => ({}) as Reader, 1, {} as Clock, {} as Transaction)
  expect(() => work.insert('INSERT INTO "T" VALUES (?)', [1])).toThrow('was not inserted')
  expect(() => work.run('DELETE FROM "T"', [])).toThrow('was not inserted')
})

test('crm doctor names it', async () => {
  const path = await storeWith(IGNORING)
  const { out } = await crm(['doctor', '--platform', `sqlite:${path}`, '--output', 'json'], { cwd: await temporaryFolder() })
  expect(out).toMatch(/The trigger \\"quiet\\" is not part/)
})
