import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../../../../src/platforms/stores/sqlite/connection.ts'
import { MIGRATIONS, migrate } from '../../../../src/platforms/stores/sqlite/migrations.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { SCHEMA } from '../../../../src/platforms/stores/sqlite/tables.ts'
import { ask, openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'

/** A row as the first version stored it: what every later version must still answer with. */
const ADA = {
  LeadID: '1m7ej4vpa01zzq1pvpf4',
  FirstName: 'Ada',
  LastName: 'Lovelace',
  Email: null,
  Phone: '+44',
  Status: 'Open',
  OwnerID: 'u',
  CreatedDate: 'c',
  UpdatedDate: 'u',
  Revision: 7,
}

const INSERT_ADA = `INSERT INTO "Lead" ("Workspace", ${Object.keys(ADA).map((name) => `"${name}"`)}) VALUES (1, ${Object.values(ADA).map((value) => (value === null ? 'NULL' : `'${value}'`))})`

const newPath = async () => join(await temporaryFolder(), 'crm.db')

async function database(path: string): Promise<Connection> {
  const connection = await openDatabase(path)
  onTestFinished(() => connection.close())
  return connection
}

const schemaOf = (connection: Connection) =>
  connection
    .all("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'", [])
    .map(({ sql }) => String(sql).replace(/\s+/g, ' ').trim())
    .sort()

describe('the migrations', () => {
  test('make the very tables that the contract asks for', async () => {
    const migrated = await database(':memory:')
    migrate(migrated)
    const wanted = await database(':memory:')
    for (const statement of SCHEMA) wanted.exec(statement)
    expect(schemaOf(migrated)).toEqual(schemaOf(wanted))
  })

  test.each(MIGRATIONS.map((_, i) => i + 1))('bring a store of version %i up to the newest with its records intact', async (version) => {
    const path = await newPath()
    const old = await openDatabase(path)
    migrate(old, MIGRATIONS.slice(0, version))
    old.exec(INSERT_ADA)
    old.close()
    const store = await openSqlite(path)
    onTestFinished(() => store.close())
    expect(await store.reader(1).get('Lead', ADA.LeadID)).toMatchObject(ADA)
    expect(await ask(path, 'PRAGMA user_version')).toEqual([{ user_version: MIGRATIONS.length }])
    expect(await ask(path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(await ask(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
  })

  test('leave a store alone that is at the newest version', async () => {
    const path = await newPath()
    await (await openSqlite(path)).close()
    const before = readFileSync(path)
    await (await openSqlite(path)).close()
    expect(readFileSync(path)).toEqual(before)
  })
})

describe('a further migration', () => {
  const NEXT = [
    ...MIGRATIONS,
    'ALTER TABLE "Lead" ADD COLUMN "Company" TEXT; UPDATE "Lead" SET "Company" = \'Analytical Engines\'; UPDATE "Access" SET "Version" = "Version" + 100',
  ]

  async function storeWithAda(): Promise<string> {
    const path = await newPath()
    const old = await openDatabase(path)
    migrate(old)
    old.exec(INSERT_ADA)
    old.close()
    return path
  }

  test('is carried out on the records that are there', async () => {
    const connection = await database(await storeWithAda())
    migrate(connection, NEXT)
    expect(connection.get('SELECT "FirstName", "Company" FROM "Lead"', [])).toMatchObject({ FirstName: 'Ada', Company: 'Analytical Engines' })
    expect(connection.get('PRAGMA user_version', [])).toMatchObject({ user_version: NEXT.length })
  })

  test('that fails half-way changes nothing', async () => {
    const path = await storeWithAda()
    const before = await ask(path, 'SELECT sql FROM sqlite_schema')
    const connection = await database(path)
    expect(() => migrate(connection, [...NEXT, 'CREATE TABLE "Extra" ("x"); INSERT INTO "Nowhere" VALUES (1)'])).toThrow('Nowhere')
    expect(await ask(path, 'SELECT sql FROM sqlite_schema')).toEqual(before)
    expect(await ask(path, 'PRAGMA user_version')).toEqual([{ user_version: MIGRATIONS.length }])
    migrate(connection, NEXT)
    expect(connection.get('SELECT "Company" FROM "Lead"', [])).toMatchObject({ Company: 'Analytical Engines' })
  })

  test('is carried out once, however many open the store', async () => {
    const path = await storeWithAda()
    const connections = await Promise.all(Array.from({ length: 10 }, () => database(path)))
    for (const connection of connections) migrate(connection, NEXT)
    expect(await ask(path, 'SELECT "Version" FROM "Access"')).toEqual([{ Version: 101 }])
  })
})

describe('what is not a store of ours is refused and left as it was:', () => {
  const cases: { readonly [name: string]: { readonly make: (path: string) => Promise<void>; readonly says: RegExp } } = {
    'a store of a newer version': {
      async make(path) {
        await (await openSqlite(path)).close()
        await ask(path, `PRAGMA user_version = ${MIGRATIONS.length + 1}`)
      },
      says: new RegExp(`newer CRM Connector \\(schema ${MIGRATIONS.length + 1}, this one knows ${MIGRATIONS.length}\\)`),
    },
    "another program's database": {
      make: async (path) => void (await ask(path, 'CREATE TABLE "Recipe" ("Name" TEXT)')),
      says: /another program/,
    },
    "another program's database in WAL mode": {
      async make(path) {
        await ask(path, 'PRAGMA journal_mode = WAL')
        await ask(path, 'CREATE TABLE "Recipe" ("Name" TEXT)')
      },
      says: /another program/,
    },
    "another program's database with tables like ours": {
      async make(path) {
        await ask(path, 'CREATE TABLE "Lead" ("Name" TEXT)')
        await ask(path, `PRAGMA user_version = ${MIGRATIONS.length}`)
      },
      says: /another program/,
    },
    "another program's database without any tables": {
      async make(path) {
        await ask(path, `PRAGMA user_version = ${MIGRATIONS.length}`)
        await ask(path, 'PRAGMA application_id = 42')
      },
      says: /another program/,
    },
    'a text': {
      make: async (path) => writeFileSync(path, 'Dear diary, '.repeat(1000)),
      says: /not a database/,
    },
    'a short text': {
      make: async (path) => writeFileSync(path, 'Dear diary'),
      says: /not a database/,
    },
  }

  test.each(Object.entries(cases))('%s', async (_, { make, says }) => {
    const path = await newPath()
    await make(path)
    const before = readFileSync(path)
    await expect(openSqlite(path)).rejects.toThrow(says)
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

test('the file and what stands beside it are for their owner only, the folder too', async () => {
  const path = join(await temporaryFolder(), 'deep', 'data', 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  await store.addWorkspace('default')
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)
  expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(['600', '600', '600'])
  expect([dirname(path), dirname(dirname(path))].map(mode)).toEqual(['700', '700'])
})
