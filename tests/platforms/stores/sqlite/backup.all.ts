import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerOf, crm, type Ran } from '../../../support/crm.ts'
import { ask, openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { recountIn, rollupsIn } from '../../../support/rollups.ts'
import { startService } from '../../../support/service.ts'

const STORE = 'data/crm.db'

/** A folder with a store of one lead, whose LastName is this, and a backup of it. */
async function makeStore(cwd: string, LastName: string): Promise<void> {
  mkdirSync(cwd)
  answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', LastName], { cwd }))
  answerOf(await crm(['backup', 'monday.db'], { cwd }))
}

let models: string
let backup: string
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'crm-'))
  backup = join(models, 'theirs/monday.db')
  await Promise.all([makeStore(join(models, 'ours'), 'from before'), makeStore(join(models, 'theirs'), 'from the backup')])
})
afterAll(() => rm(models, { recursive: true }))

/** A folder of its own with a store that has a lead called "from before". */
async function storeInFolder(): Promise<string> {
  const cwd = await temporaryFolder()
  cpSync(join(models, 'ours/data'), join(cwd, 'data'), { recursive: true })
  return cwd
}

const namesIn = async (path: string) => (await ask(path, 'SELECT "LastName" FROM "Lead" ORDER BY "LeadID"')).map(({ LastName }) => LastName)
const keptIn = (cwd: string) => readdirSync(join(cwd, 'data')).filter((name) => name.includes('before-restore'))

/** Every file below a folder with what it holds, to see that nothing has changed. */
const everythingIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()
    .map((name) => [name, readFileSync(join(folder, name)).toString('base64')])

function expectRefusal({ code, out, err }: Ran, exit: number, says: RegExp): void {
  expect({ code, out }).toEqual({ code: exit, out: '' })
  expect(err).toMatch(says)
  expect(err).not.toMatch(/\n\s+at /)
}

describe('crm backup', () => {
  test('copies a store that eight writers write to, whole and consistent; what it holds comes back', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
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
    const answer = answerOf(await crm(['backup', 'monday.db'], { cwd }))
    ended = true
    await Promise.all(writers)
    expect(answer).toEqual({ Store: './data/crm.db', Backup: 'monday.db', Bytes: statSync(join(cwd, 'monday.db')).size })

    const copy = await openDatabase(join(cwd, 'monday.db'))
    expect(copy.get('PRAGMA integrity_check', [])).toMatchObject({ integrity_check: 'ok' })
    expect(rollupsIn(copy)).toEqual(recountIn(copy))
    const held = new Set(copy.all('SELECT "LeadID" FROM "Lead"', []).map(({ LeadID }) => LeadID))
    copy.close()
    expect(before.filter((id) => !held.has(id))).toEqual([])
    expect(readdirSync(cwd).sort()).toEqual(['data', 'monday.db'])
    expect((statSync(join(cwd, 'monday.db')).mode & 0o777).toString(8)).toBe('600')

    const elsewhere = await temporaryFolder()
    answerOf(await crm(['restore', join(cwd, 'monday.db')], { cwd: elsewhere }))
    copyFileSync(join(cwd, 'data/admin-key'), join(elsewhere, 'data/admin-key'))
    const restored = await startService(elsewhere)
    expect(await restored.call('get_summary_of_leads')).toMatchObject({ Total: held.size })
    expect(restored.key()).toBe(service.key())
  })

  test('makes the folder it is to be in', async () => {
    const cwd = await storeInFolder()
    answerOf(await crm(['backup', 'backups/2026/monday.db'], { cwd }))
    expect(await namesIn(join(cwd, 'backups/2026/monday.db'))).toEqual(['from before'])
  })

  test('goes over what a backup left that was cut off', async () => {
    const cwd = await storeInFolder()
    writeFileSync(join(cwd, 'monday.db.partial'), 'half a backup')
    answerOf(await crm(['backup', 'monday.db'], { cwd }))
    expect(await namesIn(join(cwd, 'monday.db'))).toEqual(['from before'])
    expect(existsSync(join(cwd, 'monday.db.partial'))).toBe(false)
  })

  test('holds what is only in the log of a store that was killed', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'in the log' })
    await service.end('SIGKILL')
    expect(existsSync(join(cwd, `${STORE}-wal`))).toBe(true)
    answerOf(await crm(['backup', 'monday.db'], { cwd }))
    expect(await namesIn(join(cwd, 'monday.db'))).toEqual(['in the log'])
  })

  test('never overwrites anything, the store itself included, and needs a store', async () => {
    const cwd = await storeInFolder()
    writeFileSync(join(cwd, 'monday.db'), 'precious')
    const before = everythingIn(cwd)
    expectRefusal(await crm(['backup', 'monday.db'], { cwd }), 5, /monday\.db exists already/)
    expectRefusal(await crm(['backup', STORE], { cwd }), 5, /exists already/)
    expect(everythingIn(cwd)).toEqual(before)
    expectRefusal(await crm(['backup', 'tuesday.db', '--platform', 'sqlite:nowhere.db'], { cwd }), 4, /There is no store at nowhere\.db/)
    expectRefusal(await crm(['backup', 'tuesday.db', '--platform', 'sqlite::memory:'], { cwd }), 6, /Only a store in a file/)
    expectRefusal(await crm(['backup', 'tuesday.db', '--platform', 'sqlite:monday.db'], { cwd }), 2, /not a database/)
    expectRefusal(await crm(['backup', 'monday.db/tuesday.db'], { cwd }), 7, /monday\.db/)
    expect(everythingIn(cwd)).toEqual(before)
  })

  test('asks which one where the configuration names several stores', async () => {
    const cwd = await storeInFolder()
    const env = { CRM_STORE: 'sqlite:data/users.db' }
    expectRefusal(await crm(['backup', 'monday.db'], { cwd, env }), 2, /several stores[\s\S]*--store: sqlite:data\/users\.db, sqlite:\.\/data\/crm\.db/)
    answerOf(await crm(['backup', 'monday.db', '--store', 'sqlite:data/crm.db'], { cwd, env }))
    expect(await namesIn(join(cwd, 'monday.db'))).toEqual(['from before'])
  })
})

describe('crm restore', () => {
  test('refuses to replace a store without --force; with it, keeps the old one beside', async () => {
    const cwd = await storeInFolder()
    const before = everythingIn(cwd)
    expectRefusal(await crm(['restore', backup], { cwd }), 5, /already a store at \.\/data\/crm\.db[\s\S]*--force replaces it, and keeps the old store/)
    expect(everythingIn(cwd)).toEqual(before)

    const { Kept, ...answer } = answerOf(await crm(['restore', backup, '--force'], { cwd }))
    expect(answer).toEqual({ Store: './data/crm.db', RestoredFrom: backup })
    expect(await namesIn(join(cwd, STORE))).toEqual(['from the backup'])
    expect(await namesIn(join(cwd, String(Kept)))).toEqual(['from before'])
    expect(readdirSync(join(cwd, 'data')).filter((name) => name.endsWith('.partial'))).toEqual([])
    expect(answerOf(await crm(['get_many_leads'], { cwd }))).toMatchObject({ Records: [{ LastName: 'from the backup' }] })
  })

  test('keeps to its owner what others may read in the backup', async () => {
    const cwd = await storeInFolder()
    writeFileSync(join(cwd, 'open.db'), readFileSync(backup), { mode: 0o644 })
    answerOf(await crm(['restore', 'open.db', '--force'], { cwd }))
    expect((statSync(join(cwd, STORE)).mode & 0o777).toString(8)).toBe('600')
  })

  test('refuses while a service has the store open, and the service goes on undisturbed', async () => {
    const cwd = await storeInFolder()
    const service = await startService(cwd)
    expectRefusal(await crm(['restore', backup, '--force'], { cwd }), 5, /is in use[\s\S]*Stop the service/)
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'afterwards' })
    expect(keptIn(cwd)).toEqual([])
    expect(await service.end()).toBe(0)
    const { Kept } = answerOf(await crm(['restore', backup, '--force'], { cwd }))
    expect(await namesIn(join(cwd, String(Kept)))).toEqual(['from before', 'afterwards'])
    expect(await namesIn(join(cwd, STORE))).toEqual(['from the backup'])
  })

  test('does not take the log of the old store for that of the restored one', async () => {
    const cwd = await storeInFolder()
    const service = await startService(cwd)
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'in the log' })
    await service.end('SIGKILL')
    const { Kept } = answerOf(await crm(['restore', backup, '--force'], { cwd }))
    expect(await namesIn(join(cwd, String(Kept)))).toEqual(['from before', 'in the log'])
    expect(await namesIn(join(cwd, STORE))).toEqual(['from the backup'])
  })

  test('sets aside a log whose store is gone', async () => {
    const cwd = await storeInFolder()
    const service = await startService(cwd)
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'in the log' })
    await service.end('SIGKILL')
    rmSync(join(cwd, STORE))
    expectRefusal(await crm(['restore', backup], { cwd }), 5, /already a store/)
    answerOf(await crm(['restore', backup, '--force'], { cwd }))
    expect(await namesIn(join(cwd, STORE))).toEqual(['from the backup'])
    expect(keptIn(cwd).some((name) => name.endsWith('-wal'))).toBe(true)
  })

  test('replaces a store that is beyond reading', async () => {
    const cwd = await storeInFolder()
    writeFileSync(join(cwd, STORE), 'this was a store once')
    const { Kept } = answerOf(await crm(['restore', backup, '--force'], { cwd }))
    expect(readFileSync(join(cwd, String(Kept)), 'utf8')).toBe('this was a store once')
    expect(await namesIn(join(cwd, STORE))).toEqual(['from the backup'])
  })

  test('restores a copy that was made by hand, with its log beside it', async () => {
    const cwd = await storeInFolder()
    const other = await temporaryFolder()
    const service = await startService(other)
    await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'in the log' })
    await service.end('SIGKILL')
    for (const side of ['', '-wal']) copyFileSync(join(other, STORE + side), join(cwd, `copy.db${side}`))
    answerOf(await crm(['restore', 'copy.db', '--force'], { cwd }))
    expect(await namesIn(join(cwd, STORE))).toEqual(['in the log'])
  })

  const BAD: { readonly [what: string]: { readonly make: (path: string) => void | Promise<void>; readonly exit: number; readonly says: RegExp } } = {
    'that is not there': { make: () => {}, exit: 4, says: /There is no backup at \S*bad\.db/ },
    'that is no database': { make: (path) => writeFileSync(path, 'no database'.repeat(1000)), exit: 2, says: /not a database/ },
    'that is empty': { make: (path) => writeFileSync(path, ''), exit: 2, says: /empty/ },
    'of another program': { make: async (path) => void (await ask(path, 'CREATE TABLE "Recipe" ("Name")')), exit: 2, says: /another program/ },
    'that was cut off': {
      make(path) {
        copyFileSync(backup, path)
        truncateSync(path, Math.floor(statSync(path).size / 2))
      },
      exit: 2,
      says: /damaged/,
    },
    'with a page overwritten': {
      make(path) {
        const bytes = readFileSync(backup)
        bytes.fill(0xa5, 4096 * 5, 4096 * 6)
        writeFileSync(path, bytes)
      },
      exit: 2,
      says: /damaged/,
    },
    'that is a folder': { make: (path) => mkdirSync(path), exit: 7, says: /bad\.db|unable to open/ },
  }

  test.each(Object.entries(BAD))('refuses a file %s, and leaves everything as it was', async (_, { make, exit, says }) => {
    const cwd = await storeInFolder()
    await make(join(cwd, 'bad.db'))
    const before = everythingIn(cwd)
    expectRefusal(await crm(['restore', 'bad.db', '--force'], { cwd }), exit, says)
    expect(everythingIn(cwd)).toEqual(before)
    const empty = await temporaryFolder()
    expectRefusal(await crm(['restore', join(cwd, 'bad.db')], { cwd: empty }), exit, says)
    expect(readdirSync(empty)).toEqual([])
  })

  test('refuses the store itself', async () => {
    const cwd = await storeInFolder()
    const before = everythingIn(cwd)
    expectRefusal(await crm(['restore', STORE, '--force'], { cwd }), 5, /is the store itself/)
    expect(everythingIn(cwd)).toEqual(before)
  })
})
