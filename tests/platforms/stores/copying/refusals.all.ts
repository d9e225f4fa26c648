import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { moveStore } from '../../../../src/app/move-store.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { createService } from '../../../../src/core/service.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { answerOf, crm, type Ran } from '../../../support/crm.ts'
import { ask as askFile } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { ask } from '../../../support/postgres-database.ts'
import { type Kind, newStoreUrl, withStore } from '../../../support/store-urls.ts'

const making = async (store: Store) => void (await bootstrap(createService({ platform: store, store })))

async function made(kind: Kind): Promise<string> {
  const url = await newStoreUrl(kind)
  await withStore(url, making)
  return url
}

const pathOf = (url: string) => url.slice('sqlite:'.length)

/** What a store holds, to see that nothing has changed. */
const contents = (url: string) =>
  withStore(url, async (store) =>
    JSON.stringify([await store.workspaces(), await store.reader(1).find('User', { where: [], order: { field: 'UserID', descending: false }, limit: 10 })]),
  )

function expectRefusal({ code, out, err }: Ran, exit: number, says: RegExp): void {
  expect({ code, out, err }).toEqual({ code: exit, out: '', err: expect.stringMatching(says) })
  expect(err).not.toMatch(/\n\s+at /)
}

test.each<readonly [Kind, Kind]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('from %s to %s, a store that is there already is left alone', async (one, other) => {
  const [from, to] = [await made(one), await made(other)]
  const before = await contents(to)
  const cwd = await temporaryFolder()
  expectRefusal(await crm(['migrate-store', from, to], { cwd }), 5, /There is already a store at .*no copy of .*Nothing was changed/)
  expect(await contents(to)).toBe(before)
  expect(readdirSync(cwd)).toEqual([])
})

test('a store is not moved to where it is, however that is spelled', async () => {
  const sqlite = await made('sqlite')
  const cwd = join(pathOf(sqlite), '..')
  expectRefusal(await crm(['migrate-store', sqlite, 'sqlite:./crm.db'], { cwd }), 5, /are the same store/)
  const postgres = await made('postgres')
  expectRefusal(
    await crm(['migrate-store', postgres, postgres.replace('postgres:', 'postgresql:').replace('127.0.0.1', 'localhost')], { cwd }),
    5,
    /are the same store/,
  )
})

test('a file that is there is never overwritten, whatever it is', async () => {
  const from = await made('sqlite')
  const cwd = await temporaryFolder()
  writeFileSync(join(cwd, 'precious.db'), 'precious')
  expectRefusal(await crm(['migrate-store', from, 'sqlite:precious.db'], { cwd }), 5, /precious\.db exists already/)
  expect(readFileSync(join(cwd, 'precious.db'), 'utf8')).toBe('precious')
  expect(readdirSync(cwd)).toEqual(['precious.db'])
})

const SOURCES: { readonly [what: string]: { readonly make: (path: string) => void | Promise<void>; readonly exit: number; readonly says: RegExp } } = {
  'that is not there': { make: () => {}, exit: 4, says: /There is no store at bad\.db/ },
  'that is no database': { make: (path) => writeFileSync(path, 'no database'.repeat(1000)), exit: 2, says: /not a database/ },
  'that is empty': { make: (path) => writeFileSync(path, ''), exit: 2, says: /empty/ },
  'of another program': { make: async (path) => void (await askFile(path, 'CREATE TABLE "Recipe" ("Name")')), exit: 2, says: /another program/ },
  'of a newer version': {
    async make(path) {
      await withStore(`sqlite:${path}`, making)
      await askFile(path, 'PRAGMA user_version = 999')
    },
    exit: 6,
    says: /newer CRM Connector/,
  },
  'that was cut off': {
    async make(path) {
      await withStore(`sqlite:${path}.whole`, making)
      await askFile(`${path}.whole`, `VACUUM INTO '${path}'`)
      truncateSync(path, Math.floor(statSync(path).size / 2))
    },
    exit: 2,
    says: /damaged/,
  },
  'that is a folder': { make: (path) => mkdirSync(path), exit: 7, says: /unable to open|bad\.db/ },
}

test.each(Object.entries(SOURCES))('a source %s is refused, and nothing is made of it', async (_, { make, exit, says }) => {
  const cwd = await temporaryFolder()
  await make(join(cwd, 'bad.db'))
  const to = await newStoreUrl('postgres')
  expectRefusal(await crm(['migrate-store', 'sqlite:bad.db', to], { cwd }), exit, says)
  expect(await ask(to, `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)).toEqual([])
})

test('an address that makes no sense, leads nowhere or to nothing is said to, without the password', async () => {
  const cwd = await temporaryFolder()
  const from = await made('sqlite')
  const empty = await newStoreUrl('postgres')
  const { password } = new URL(empty)
  const nowhere = 'postgres://crm:geheim@127.0.0.1:1/crm'
  const ends = [
    [['migrate-store', from, 'mysql://crm:geheim@localhost/crm'], 2, /not a store[\s\S]*sqlite:PATH or postgres:/],
    [['migrate-store', from, 'sqlite::memory:'], 6, /in memory/],
    [['migrate-store', from, `${nowhere}?pol=3`], 2, /"pol"/],
    [['migrate-store', from, nowhere], 7, /postgres:\/\/crm@127\.0\.0\.1:1\/crm: The database did not answer/],
    [['migrate-store', nowhere, 'sqlite:to.db'], 7, /did not answer/],
    [['migrate-store', from, empty.replace(password, 'geheim')], 2, /password authentication failed/],
    [['migrate-store', from, `${empty}_gone`], 2, /does not exist/],
    [['migrate-store', empty, 'sqlite:to.db'], 4, /There is no store in this database/],
    [['migrate-store', from], 2, /migrate-store needs TO\./],
  ] as const
  for (const [words, exit, says] of ends) {
    const ran = await crm(words, { cwd })
    expectRefusal(ran, exit, says)
    expect(ran.err).not.toContain('geheim')
    expect(ran.err).not.toContain(password)
  }
  expect(readdirSync(cwd)).toEqual([])
})

test('what is printed names the stores without the password', async () => {
  const [from, to] = [await made('sqlite'), await newStoreUrl('postgres')]
  const { password, username, host, pathname } = new URL(to)
  const ran = await crm(['migrate-store', from, to], { cwd: await temporaryFolder() })
  expect(answerOf(ran)).toMatchObject({ From: pathOf(from), To: `postgres://${username}@${host}${pathname}` })
  expect(ran.out).not.toContain(password)
  expect(JSON.stringify(await ask(to, 'SELECT * FROM "Workspace"'))).not.toContain(password)
})

test('a half-filled database has the name of its source without the password', async () => {
  const [from, to] = [await made('postgres'), await newStoreUrl('postgres')]
  const stop = new AbortController()
  await expect(moveStore(from, to, { signal: stop.signal, progress: () => stop.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  const marks = await ask(to, 'SELECT "Source" FROM "Moving"')
  expect(marks).toEqual([{ Source: from.replace(/:[^:@/]+@/, '@') }])
  await expect(withStore(to, contents as never)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('into this store is unfinished') })
})

test('a database with a store that was opened but never used is filled', async () => {
  const [from, to] = [await made('sqlite'), await newStoreUrl('postgres')]
  await withStore(to, async () => {})
  await moveStore(from, to, {})
  expect(await contents(to)).toBe(await contents(from))
})

test('a store goes into a schema of its own beside what else is in the database', async () => {
  const [from, database] = [await made('sqlite'), await newStoreUrl('postgres')]
  await ask(database, 'CREATE TABLE "Lead" ("Recipe" TEXT)')
  const elsewhere = await crm(['migrate-store', from, database], { cwd: await temporaryFolder() })
  expectRefusal(elsewhere, 2, /of another program/)
  await ask(database, 'CREATE SCHEMA "Crm"')
  const to = `${database}?options=${encodeURIComponent('-c search_path="Crm"')}`
  await moveStore(from, to, {})
  expect(await contents(to)).toBe(await contents(from))
  expect(await ask(database, 'SELECT * FROM public."Lead"')).toEqual([])
})
