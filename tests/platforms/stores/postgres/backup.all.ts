import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupStore, restoreStore } from '../../../../src/app/move-store.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { createService } from '../../../../src/core/service.ts'
import { FIRST } from '../../../../src/platforms/stores/sqlite/migrations/0001-first.ts'
import { migrate } from '../../../../src/platforms/stores/sqlite/migrations.ts'
import { answerOf, crm, type Ran } from '../../../support/crm.ts'
import { openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { ask } from '../../../support/postgres-database.ts'
import { continueOn, seedEverything, snapshotOf } from '../../../support/seeded-store.ts'
import { startService } from '../../../support/service.ts'
import { expectSound } from '../../../support/sound.ts'
import { type Kind, newStoreUrl, withStore } from '../../../support/store-urls.ts'

const KINDS: readonly (readonly [Kind, Kind])[] = [
  ['postgres', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'postgres'],
  ['sqlite', 'sqlite'],
]

const ADMIN = { CRM_ADMIN_KEY: 'k'.repeat(40) }

/** A store of one lead, whose LastName is this. */
async function storeWith(LastName: string, kind: Kind = 'postgres'): Promise<string> {
  const url = await newStoreUrl(kind)
  answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', LastName, '--platform', url], { cwd: await temporaryFolder(), env: ADMIN }))
  return url
}

async function backupOf(url: string): Promise<string> {
  const file = join(await temporaryFolder(), 'monday.db')
  await backupStore(url, file, {})
  return file
}

const namesIn = async (url: string, schema = 'public') =>
  (await ask(url, `SELECT "LastName" FROM "${schema}"."Lead" ORDER BY "LeadID"`)).map(({ LastName }) => LastName)

const schemasIn = async (url: string) =>
  (await ask(url, `SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' ORDER BY 1`)).map(({ nspname }) => nspname)

function expectRefusal({ code, out, err }: Ran, exit: number, says: RegExp): void {
  expect({ code, out, err }).toEqual({ code: exit, out: '', err: expect.stringMatching(says) })
  expect(err).not.toMatch(/\n\s+at /)
}

test.each(KINDS)('a backup of a store on %s, restored to %s, is the same to everybody who looks at it', async (one, other) => {
  const [from, to] = [await newStoreUrl(one), await newStoreUrl(other)]
  const whole = await withStore(from, seedEverything)
  const before = await withStore(from, (store) => snapshotOf(store, whole.keys))
  const file = await backupOf(from)
  expect(await withStore(from, (store) => snapshotOf(store, whole.keys))).toEqual(before)

  await restoreStore(to, file, false, {})
  expect(await withStore(to, (store) => snapshotOf(store, whole.keys))).toEqual(before)
  expect(await withStore(to, (store) => continueOn(store, whole))).toMatchObject({ replayed: whole.once.answer, faults: [] })
  // The backup is a store that can be opened where it is.
  await expectSound(file)
  expect(await withStore(`sqlite:${file}`, (store) => snapshotOf(store, whole.keys))).toEqual(before)
})

describe('crm backup of a store on PostgreSQL', () => {
  test('copies what eight writers write to as it is at one moment, and its audit verifies', async () => {
    const platform = await newStoreUrl('postgres')
    const cwd = await temporaryFolder()
    const service = await startService(cwd, { env: { CRM_PLATFORM: platform, ...ADMIN } })
    const acknowledged: string[] = []
    let ended = false
    const writers = Array.from({ length: 8 }, async (_, i) => {
      while (!ended) {
        if (i % 2 === 0) acknowledged.push(String((await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).LeadID))
        else await service.call('create_opportunity', { OpportunityName: 'Engine', Stage: 'Open', CloseDate: '2026-12-31', Amount: 0.1 })
      }
    })
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50)
    const before = [...acknowledged]
    const ran = await crm(['backup', 'backups/monday.db'], { cwd, env: { CRM_PLATFORM: platform } })
    ended = true
    await Promise.all(writers)
    const { password, username, host, pathname } = new URL(platform)
    const file = join(cwd, 'backups/monday.db')
    expect(answerOf(ran)).toEqual({ Store: `postgres://${username}@${host}${pathname}`, Backup: 'backups/monday.db', Bytes: statSync(file).size })
    expect(ran.out).not.toContain(password)
    expect(readdirSync(join(cwd, 'backups'))).toEqual(['monday.db'])
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')

    await expectSound(file)
    const copy = await openDatabase(file)
    onTestFinished(() => copy.close())
    const held = new Set(copy.all('SELECT "LeadID" FROM "Lead"', []).map(({ LeadID }) => LeadID))
    expect(before.filter((id) => !held.has(id))).toEqual([])
    // Of every record there is its change, of every change its record.
    expect(copy.all(`SELECT "LeadID" FROM "Lead" EXCEPT SELECT "RecordID" FROM "Change"`, [])).toEqual([])
    expect(copy.all(`SELECT "RecordID" FROM "Change" WHERE "RecordType" = 'Lead' EXCEPT SELECT "LeadID" FROM "Lead"`, [])).toEqual([])
  })

  test('gives changes that have no number yet the numbers they would get, and leaves the store as it is', async () => {
    const url = await storeWith('numbered')
    await ask(url, `UPDATE "Chain" SET "HeadNumber" = 0, "HeadSeal" = ''`)
    await ask(url, 'UPDATE "Change" SET "Number" = NULL, "Seal" = NULL')
    const file = await backupOf(url)
    const reports = await expectSound(file)
    expect(await ask(url, 'SELECT COUNT(*) AS n FROM "Change" WHERE "Number" IS NULL')).not.toEqual([{ n: '0' }])
    const numbered = await withStore(url, (store) => store.journal(1).verify())
    expect(reports.get(1)?.head).toEqual(numbered.head)
  })

  test('never overwrites anything, and needs a store', async () => {
    const url = await storeWith('Lovelace')
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'monday.db'), 'precious')
    expectRefusal(await crm(['backup', 'monday.db', '--platform', url], { cwd }), 5, /monday\.db exists already/)
    expectRefusal(await crm(['backup', 'tuesday.db', '--platform', await newStoreUrl('postgres')], { cwd }), 4, /There is no store in this database/)
    expectRefusal(await crm(['backup', 'monday.db/tuesday.db', '--platform', url], { cwd }), 7, /monday\.db/)
    expect(readdirSync(cwd)).toEqual(['monday.db'])
  })
})

describe('crm restore to PostgreSQL', () => {
  test('refuses to replace a store without --force; with it, keeps the old one in a schema of its own', async () => {
    const [url, file] = [await storeWith('from before'), await backupOf(await storeWith('from the backup'))]
    const cwd = await temporaryFolder()
    const restore = ['restore', file, '--platform', url]
    expectRefusal(await crm(restore, { cwd }), 5, /already a store in this database[\s\S]*--force replaces it, and moves the old store/)
    expect(await namesIn(url)).toEqual(['from before'])

    const { Kept, RestoredFrom } = answerOf(await crm([...restore, '--force'], { cwd }))
    expect([RestoredFrom, Kept]).toEqual([file, expect.stringMatching(/^before_restore_\d{4}(_\d+)+$/)])
    expect(await schemasIn(url)).toEqual([Kept, 'public'])
    expect(await namesIn(url)).toEqual(['from the backup'])
    expect(await namesIn(url, String(Kept))).toEqual(['from before'])
    // What was kept is a store as well, and so is what is there now.
    const kept = `${url}?options=${encodeURIComponent(`-c search_path=${Kept}`)}`
    for (const one of [url, kept])
      answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'afterwards', '--platform', one], { cwd, env: ADMIN }))
    expect(await namesIn(url, String(Kept))).toEqual(['from before', 'afterwards'])
    expect(await namesIn(url)).toEqual(['from the backup', 'afterwards'])
  })

  test('refuses while a service has the store open, and the service goes on undisturbed', async () => {
    const [url, file] = [await storeWith('from before'), await backupOf(await storeWith('from the backup'))]
    const cwd = await temporaryFolder()
    const service = await startService(cwd, { env: { CRM_PLATFORM: url, ...ADMIN } })
    expectRefusal(await crm(['restore', file, '--force', '--platform', url], { cwd }), 5, /is in use[\s\S]*Stop the service/)
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'afterwards' })
    expect(await namesIn(url)).toEqual(['from before', 'afterwards'])
    expect(await service.end('SIGKILL')).toBe('SIGKILL')
    const { Kept } = answerOf(await crm(['restore', file, '--force', '--platform', url], { cwd }))
    expect(await namesIn(url, String(Kept))).toEqual(['from before', 'afterwards'])
    expect(await namesIn(url)).toEqual(['from the backup'])
  })

  test('that fails half-way leaves the old store as it was, and goes on when run again', async () => {
    const [url, file] = [await storeWith('from before'), await backupOf(await storeWith('from the backup'))]
    const stop = new AbortController()
    const half = { signal: stop.signal, progress: ({ table }: { table: string }) => void (table === 'Change' && stop.abort()) }
    await expect(restoreStore(url, file, true, half)).rejects.toMatchObject({ name: 'AbortError' })
    expect(await namesIn(url)).toEqual(['from before'])
    answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'meanwhile', '--platform', url], { cwd: await temporaryFolder(), env: ADMIN }))

    const kept = await restoreStore(url, file, true, {})
    expect(await namesIn(url)).toEqual(['from the backup'])
    expect(await namesIn(url, kept)).toEqual(['from before', 'meanwhile'])
    expect(await schemasIn(url)).toEqual([kept, 'public'])
  })

  test('begins anew with another backup than the one that was interrupted', async () => {
    const [url, one, other] = [await storeWith('from before'), await backupOf(await storeWith('one')), await backupOf(await storeWith('other'))]
    const stop = new AbortController()
    const half = { signal: stop.signal, progress: ({ table }: { table: string }) => void (table === 'Change' && stop.abort()) }
    await expect(restoreStore(url, one, true, half)).rejects.toMatchObject({ name: 'AbortError' })
    const kept = await restoreStore(url, other, true, {})
    expect([await namesIn(url), await namesIn(url, kept)]).toEqual([['other'], ['from before']])
  })

  test('takes a backup of an older version, and leaves it as it is', async () => {
    const file = join(await temporaryFolder(), 'old.db')
    const old = await openDatabase(file)
    migrate(old, [FIRST])
    old.exec(`INSERT INTO "Workspace" VALUES (1, 'default', '2026-01-01T00:00:00.000Z')`)
    old.close()
    const url = await newStoreUrl('postgres')
    await restoreStore(url, file, false, {})
    await withStore(url, async (store) => {
      expect(await store.workspaces()).toMatchObject([{ number: 1, name: 'default' }])
      expect((await bootstrap(createService({ platform: store, store }))).key).toBeDefined()
    })
    const still = await openDatabase(file)
    onTestFinished(() => still.close())
    expect(still.get('PRAGMA user_version', [])).toEqual({ user_version: 1 })
  })

  test('refuses a file that is no backup or a damaged one, and leaves everything as it was', async () => {
    const url = await storeWith('from before')
    const good = await backupOf(url)
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'none.db'), 'no database'.repeat(1000))
    const bytes = readFileSync(good)
    bytes.fill(0xa5, 4096 * 5, 4096 * 6)
    writeFileSync(join(cwd, 'damaged.db'), bytes)
    const restore = (file: string) => crm(['restore', file, '--force', '--platform', url], { cwd })
    expectRefusal(await restore('nowhere.db'), 4, /There is no backup at nowhere\.db/)
    expectRefusal(await restore('none.db'), 2, /not a database/)
    expectRefusal(await restore('damaged.db'), 2, /damaged/)
    expect([await namesIn(url), await schemasIn(url)]).toEqual([['from before'], ['public']])
  })
})
