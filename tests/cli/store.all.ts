import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answerOf, crm, shell } from '../support/crm.ts'
import { ask, openDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Where SQLite's header has the version of the schema. */
const USER_VERSION_AT = 60

const ADA = ['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace']

describe('a store that cannot be opened', () => {
  const cases: { readonly [what: string]: { readonly make: (cwd: string) => void | Promise<void>; readonly exit: number; readonly says: RegExp } } = {
    'because it is a folder': { make: (cwd) => mkdirSync(join(cwd, 'crm.db')), exit: 7, says: /The store crm\.db cannot be opened: / },
    'because it is no database': {
      make: (cwd) => writeFileSync(join(cwd, 'crm.db'), 'Dear diary'),
      exit: 2,
      says: /crm\.db cannot be opened: This file is not a database/,
    },
    'because it belongs to another program': {
      make: async (cwd) => void (await ask(join(cwd, 'crm.db'), 'CREATE TABLE "Recipe" ("Name")')),
      exit: 2,
      says: /crm\.db cannot be opened: This file is a database of another program/,
    },
    'because it is newer': {
      async make(cwd) {
        answerOf(await crm([...ADA, '--platform', 'sqlite:crm.db'], { cwd }))
        const file = openSync(join(cwd, 'crm.db'), 'r+')
        writeSync(file, Buffer.from([0, 0, 0, 99]), 0, 4, USER_VERSION_AT)
        closeSync(file)
      },
      exit: 6,
      says: /crm\.db cannot be opened: This store was made by a newer CRM Connector \(schema 99, .*Upgrade/,
    },
  }

  test.concurrent.for(Object.entries(cases))('%s is refused with its reason and left as it was', async ([, { make, exit, says }], { onTestFinished }) => {
    const cwd = await temporaryFolder(onTestFinished)
    await make(cwd)
    const state = () => readdirSync(cwd).map((name) => [name, statSync(join(cwd, name)).isFile() ? readFileSync(join(cwd, name)).toString('base64') : 'folder'])
    const before = state()
    const { code, out, err } = await crm([...ADA, '--platform', 'sqlite:crm.db'], { cwd })
    expect({ code, out }).toEqual({ code: exit, out: '' })
    expect(err).toMatch(says)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(state()).toEqual(before)
  })

  test('because its folder cannot be made or entered is unavailable', async () => {
    const cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'data'), 'a file where a folder should be')
    const { code, err } = await crm(ADA, { cwd })
    expect(code).toBe(7)
    expect(err).toMatch(/^crm: The store \.\/data\/crm\.db cannot be opened: .* \[platform_unavailable\]\n$/)
  })

  test('because the folder we are in is gone is unavailable', async () => {
    const cwd = await temporaryFolder()
    const { code, err } = await shell('mkdir gone && cd gone && rmdir ../gone && crm workspaces', { cwd })
    expect(code).toBe(7)
    expect(err).toMatch(/cannot be opened: ENOENT/)
  })
})

test('a store that another process will not let go of is unavailable, after a while', async () => {
  const cwd = await temporaryFolder()
  answerOf(await crm(ADA, { cwd }))
  const other = await openDatabase(join(cwd, 'data/crm.db'))
  other.exec('BEGIN IMMEDIATE')
  const { code, err } = await crm(ADA, { cwd })
  other.exec('ROLLBACK')
  other.close()
  expect([code, err]).toEqual([7, 'crm: The store is busy with another write. [platform_unavailable]\n'])
  answerOf(await crm(ADA, { cwd }))
})

describe('the first command of all', () => {
  test("makes the store, and keeps its admin's key for the service", async () => {
    const cwd = await temporaryFolder()
    answerOf(await crm(ADA, { cwd }))
    const mode = (name: string) => (statSync(join(cwd, name)).mode & 0o777).toString(8)
    expect([mode('data'), mode('data/crm.db'), mode('data/admin-key')]).toEqual(['700', '600', '600'])
    expect(readFileSync(join(cwd, 'data/admin-key'), 'utf8')).toMatch(/^crm_[\w-]{43}\n$/)
  })

  test('of another store in the same folder sets the key of the first one aside', async () => {
    const cwd = await temporaryFolder()
    answerOf(await crm(ADA, { cwd }))
    const key = readFileSync(join(cwd, 'data/admin-key'), 'utf8')
    answerOf(await crm([...ADA, '--platform', 'sqlite:data/other.db'], { cwd }))
    const [aside = ''] = readdirSync(join(cwd, 'data')).filter((name) => name.startsWith('admin-key.before'))
    expect(readFileSync(join(cwd, 'data', aside), 'utf8')).toBe(key)
    expect(readFileSync(join(cwd, 'data/admin-key'), 'utf8')).not.toBe(key)
  })

  test('leaves no store behind when its input is refused before', async () => {
    const cwd = await temporaryFolder()
    expect((await crm(['create_a_lead', '--json', '{'], { cwd })).code).toBe(2)
    expect(readdirSync(cwd)).toEqual([])
  })
})
