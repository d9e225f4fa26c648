import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { execute } from '../../../../src/core/call/execute.ts'
import { createService } from '../../../../src/core/service.ts'
import { backupSqlite, restoreSqlite } from '../../../../src/platforms/stores/sqlite/backup.ts'
import { openSqliteRows } from '../../../../src/platforms/stores/sqlite/rows.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { crm } from '../../../support/crm.ts'
import { openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'

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

test('while a store is open, a trigger refuses the write whose line it drops, and verifying names it', async () => {
  const path = await storeWith()
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const create = () => execute(service, { operation: 'create_a_lead', input: { FirstName: 'Ada', LastName: 'Lovelace' }, caller })
  await create()
  await change(path, IGNORING)
  await expect(create()).rejects.toMatchObject({ code: 'internal' })
  const { records } = await store.reader(1).find('Lead', { where: [], order: { field: 'CreatedDate', descending: false }, limit: 9 })
  expect(records).toHaveLength(1)
  expect((await store.journal(1).verify()).faults).toMatchObject([{ fault: expect.stringMatching(/trigger "quiet"/) }])
})

test('crm doctor names it', async () => {
  const path = await storeWith(IGNORING)
  const { out } = await crm(['doctor', '--platform', `sqlite:${path}`, '--output', 'json'], { cwd: await temporaryFolder() })
  expect(out).toMatch(/The trigger \\"quiet\\" is not part/)
})
