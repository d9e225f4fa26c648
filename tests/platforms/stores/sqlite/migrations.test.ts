import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { COPIED, type CopiedTable, EVERYTHING } from '../../../../src/platforms/stores/copying/rows.ts'
import type { Connection } from '../../../../src/platforms/stores/sqlite/connection.ts'
import { MIGRATIONS, migrate } from '../../../../src/platforms/stores/sqlite/migrations.ts'
import { openSqliteRows } from '../../../../src/platforms/stores/sqlite/rows.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { SCHEMA, TABLES } from '../../../../src/platforms/stores/sqlite/tables.ts'
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

/** What a file says about its tables, in an order that does not depend on how they came about: a column that was added in place is the last. */
function catalogueOf(connection: Connection): unknown {
  const of = (sql: string) =>
    connection
      .all(sql, [])
      .map((row) => JSON.stringify(row))
      .sort()
  const tables = `sqlite_schema t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
  return {
    tables: of(`SELECT t.name, l.wr, l.strict FROM sqlite_schema t JOIN pragma_table_list l ON l.name = t.name WHERE t.type = 'table' AND l.schema = 'main'`),
    columns: of(
      `SELECT t.name, c.name AS column, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.name IN (SELECT name FROM ${tables})`,
    ),
    indexes: of(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`),
  }
}

describe('the migrations', () => {
  test('make the very tables that the contract asks for', async () => {
    const migrated = await database(':memory:')
    migrate(migrated)
    const wanted = await database(':memory:')
    for (const statement of SCHEMA) wanted.exec(statement)
    expect(catalogueOf(migrated)).toEqual(catalogueOf(wanted))
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
    const fresh = await database(':memory:')
    migrate(fresh)
    expect(catalogueOf(await database(path))).toEqual(catalogueOf(fresh))
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

describe('a store of a contract that lacked a field', () => {
  /** Every column that may be null of every record type, as if the field had been declared after the store was made. */
  const LATER = TABLES.all.flatMap((table) => table.columns.filter(({ required }) => !required).map((column) => ({ table: table.name, column: column.name })))

  function takeOut(connection: Connection, { table, column }: { readonly table: string; readonly column: string }): void {
    for (const { name } of connection.all(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '${table}' AND sql LIKE '%"${column}"%'`, []))
      connection.exec(`DROP INDEX "${name}"`)
    connection.exec(`ALTER TABLE "${table}" DROP COLUMN "${column}"`)
  }

  test('gets the column and its indexes in place, and is as one that was made with it', async () => {
    const path = await newPath()
    const old = await openDatabase(path)
    migrate(old)
    const made = catalogueOf(old)
    old.exec(INSERT_ADA)
    for (const one of LATER) takeOut(old, one)
    expect(catalogueOf(old)).not.toEqual(made)
    old.close()

    const store = await openSqlite(path)
    onTestFinished(() => store.close())
    expect(store.remark).toMatch(/ADD COLUMN "Phone" TEXT/)
    expect(catalogueOf(await database(path))).toEqual(made)
    expect(await store.reader(1).get('Lead', ADA.LeadID)).toMatchObject({ ...ADA, Phone: null, Status: null })
    await store.write(1, (writer) => writer.update('Lead', ADA.LeadID, { Phone: '+1', Status: 'Open' }))
    const { records } = await store.reader(1).find('Lead', {
      where: [{ field: 'Phone', family: 'text', operator: 'eq', value: '+1' }],
      order: { field: 'Phone', descending: false },
      limit: 9,
    })
    expect(records).toMatchObject([{ ...ADA, Phone: '+1' }])
    const again = await openSqlite(path)
    onTestFinished(() => again.close())
    expect(again.remark).toBeUndefined()
  })

  test('is copied with all of its columns', async () => {
    const path = await newPath()
    const old = await openDatabase(path)
    migrate(old)
    old.exec(INSERT_ADA)
    takeOut(old, { table: 'Lead', column: 'Phone' })
    old.close()
    const rows = await openSqliteRows(path)
    onTestFinished(() => rows.close())
    const lead = COPIED.find(({ name }) => name === 'Lead') as CopiedTable
    const [row] = await rows.read(lead, EVERYTHING, 9)
    expect(Object.fromEntries(lead.columns.map((column, i) => [column, row?.[i]]))).toMatchObject({ ...ADA, Phone: null })
  })

  test('cannot get a field that must have a value: its records have none', async () => {
    const connection = await database(':memory:')
    migrate(connection)
    takeOut(connection, { table: 'Lead', column: 'LastName' })
    expect(() => migrate(connection)).toThrow(/Lead.LastName is required/)
  })
})

describe('a further migration', () => {
  const NEXT = [
    ...MIGRATIONS,
    'ALTER TABLE "Lead" ADD COLUMN "Guild" TEXT; UPDATE "Lead" SET "Guild" = \'Analytical Engines\'; UPDATE "Access" SET "Version" = "Version" + 100',
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
    expect(connection.get('SELECT "FirstName", "Guild" FROM "Lead"', [])).toMatchObject({ FirstName: 'Ada', Guild: 'Analytical Engines' })
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
    expect(connection.get('SELECT "Guild" FROM "Lead"', [])).toMatchObject({ Guild: 'Analytical Engines' })
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
