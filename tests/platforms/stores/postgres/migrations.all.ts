import { describe, expect, onTestFinished, test } from 'vitest'
import { readAddress } from '../../../../src/platforms/stores/postgres/address.ts'
import { MIGRATIONS, migrate } from '../../../../src/platforms/stores/postgres/migrations.ts'
import { createHosts, createPool, type Pool } from '../../../../src/platforms/stores/postgres/pool.ts'
import { openPostgres } from '../../../../src/platforms/stores/postgres/postgres.ts'
import { SCHEMA, TABLES } from '../../../../src/platforms/stores/postgres/tables.ts'
import { temporaryDatabase } from '../../../support/postgres.ts'
import { ask } from '../../../support/postgres-database.ts'

const NEWEST = MIGRATIONS.length
const ADA = `INSERT INTO "Lead" VALUES (1, 'l', 'Ada', 'Lovelace', NULL, '+44', 'Open', 'u', 'c', 'u', 7)`

async function database(): Promise<string> {
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  return url
}

function poolOf(url: string): Pool {
  const address = readAddress(url)
  const pool = createPool(address, createHosts(address), 2)
  onTestFinished(() => pool.close())
  return pool
}

/** Everything a database says about its own tables, in an order that does not depend on how they came about. */
async function catalogOf(url: string): Promise<unknown> {
  const here = `n.nspname = 'public'`
  const of = async (sql: string) => (await ask(url, sql)).map((row) => JSON.stringify(row)).sort()
  return {
    columns: await of(
      `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, a.attcollation::regcollation::text AS collation, pg_get_expr(d.adbin, d.adrelid) AS fallback
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE ${here} AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
    ),
    indexes: await of(`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'`),
    constraints: await of(
      `SELECT c.conname, pg_get_constraintdef(c.oid) AS is FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE ${here} AND c.contype <> 'n'`,
    ),
    others: await of(`SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${here} AND c.relkind NOT IN ('r', 'i')`),
    pulse: await of('SELECT * FROM "Pulse"'),
  }
}

describe('the migrations', () => {
  test('make the very tables that the contract asks for', async () => {
    const [migrated, wanted] = [await database(), await database()]
    await migrate(poolOf(migrated))
    await ask(wanted, ['CREATE TABLE "Schema" ("Version" INTEGER NOT NULL)', ...SCHEMA].join(';'))
    expect(await catalogOf(migrated)).toEqual(await catalogOf(wanted))
    expect(await ask(migrated, 'SELECT * FROM "Schema"')).toEqual([{ Version: NEWEST }])
  })

  test('leave a store alone that is at the newest version', async () => {
    const url = await database()
    await migrate(poolOf(url))
    const before = await ask(url, 'SELECT xmin, "Version" FROM "Schema"')
    await migrate(poolOf(url))
    expect(await ask(url, 'SELECT xmin, "Version" FROM "Schema"')).toEqual(before)
  })

  test('go into the schema that the address names, beside whatever else is there', async () => {
    const url = await database()
    await ask(url, 'CREATE SCHEMA "Our own"; CREATE TABLE "Lead" ("Name" TEXT); CREATE TABLE recipe (name text)')
    const store = await openPostgres(`${url}?options=${encodeURIComponent('-c search_path="Our\\ own"')}`)
    await store.addWorkspace('default')
    await store.close()
    expect(await ask(url, `SELECT COUNT(*) > 20 AS all FROM pg_tables WHERE schemaname = 'Our own'`)).toEqual([{ all: true }])
    expect(await ask(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)).toEqual([{ tablename: 'Lead' }, { tablename: 'recipe' }])
  })
})

describe('a store made by an earlier version', () => {
  test.each(MIGRATIONS.map((_, i) => i + 1))('of schema %i is as one that was made today once it was opened', async (version) => {
    const [url, fresh] = [await database(), await database()]
    await migrate(poolOf(fresh))
    await migrate(poolOf(url), MIGRATIONS.slice(0, version))
    await (await openPostgres(url)).close()
    expect({ ...((await catalogOf(url)) as object), pulse: undefined }).toEqual({ ...((await catalogOf(fresh)) as object), pulse: undefined })
  })

  test('whose contract lacked a field gets the column and its indexes in place', async () => {
    const url = await database()
    await migrate(poolOf(url))
    const made = await catalogOf(url)
    await ask(url, ADA)
    // Dropping a column drops its indexes. That of the changes without a number was made by a numbered migration, and none brings it back.
    for (const table of TABLES.all)
      for (const { name, required } of table.columns)
        if (!required && !(table.name === 'Change' && name === 'Number')) await ask(url, `ALTER TABLE "${table.name}" DROP COLUMN "${name}"`)
    expect(await catalogOf(url)).not.toEqual(made)
    const store = await openPostgres(url)
    onTestFinished(() => store.close())
    expect(store.remark).toMatch(/ADD COLUMN "Phone" TEXT/)
    expect(await catalogOf(url)).toEqual(made)
    await store.write(1, (writer) => writer.update('Lead', 'l', { Phone: '+1' }))
    expect(await store.reader(1).get('Lead', 'l')).toMatchObject({ FirstName: 'Ada', Phone: '+1', Status: null, Revision: 7 })
  })
})

describe('a further migration', () => {
  const NEXT = [...MIGRATIONS, ['ALTER TABLE "Lead" ADD COLUMN "Guild" TEXT', `UPDATE "Lead" SET "Guild" = 'Analytical Engines'`]]

  async function storeWithAda(): Promise<string> {
    const url = await database()
    await migrate(poolOf(url))
    await ask(url, ADA)
    return url
  }

  test('is carried out once on the records that are there, however many try at the same moment', async () => {
    const url = await storeWithAda()
    const counted = [...NEXT.slice(0, -1), [...(NEXT.at(-1) ?? []), `UPDATE "Pulse" SET "Version" = "Version" + 100`]]
    await Promise.all(Array.from({ length: 8 }, () => migrate(poolOf(url), counted)))
    expect(await ask(url, 'SELECT "FirstName", "Revision", "Guild" FROM "Lead"')).toEqual([{ FirstName: 'Ada', Revision: 7, Guild: 'Analytical Engines' }])
    expect(await ask(url, `SELECT s."Version" AS schema, p."Version" AS access FROM "Schema" s, "Pulse" p WHERE p."Name" = 'access'`)).toEqual([
      { schema: NEWEST + 1, access: '101' },
    ])
  })

  test('leaves a process of the version before at work, and lets no other of that version start', async () => {
    const url = await storeWithAda()
    const store = await openPostgres(url)
    onTestFinished(() => store.close())
    await store.addWorkspace('default')
    await migrate(poolOf(url), NEXT)
    await store.write(1, (writer) => writer.update('Lead', 'l', { Phone: '+1' }))
    await store.write(1, async (writer) => {
      const { id, at } = writer.newId()
      await writer.create('Note', { NoteID: id, RecordID: 'l', Note: 'Called.', AuthorID: 'u', CreatedDate: at })
    })
    expect(await store.reader(1).getWithTotals('Lead', 'l')).toMatchObject({ record: { Phone: '+1' }, totals: { Notes: 1 } })
    expect((await store.reader(1).find('Lead', { where: [], order: { field: 'LeadID', descending: false }, limit: 9 })).records).toHaveLength(1)
    await expect(openPostgres(url)).rejects.toThrow(/newer CRM Connector/)
  })

  test('that fails half-way changes nothing', async () => {
    const url = await storeWithAda()
    const before = await catalogOf(url)
    await expect(migrate(poolOf(url), [...NEXT, ['CREATE TABLE "Extra" (x TEXT)', 'INSERT INTO "Nowhere" VALUES (1)']])).rejects.toThrow('Nowhere')
    expect(await catalogOf(url)).toEqual(before)
    expect(await ask(url, 'SELECT * FROM "Schema"')).toEqual([{ Version: NEWEST }])
    await migrate(poolOf(url), NEXT)
    expect(await ask(url, 'SELECT "Guild" FROM "Lead"')).toEqual([{ Guild: 'Analytical Engines' }])
  })
})

describe('what is not a store of ours is refused and left as it was:', () => {
  const cases: { readonly [name: string]: { readonly sql: string; readonly ours?: true; readonly says: RegExp } } = {
    'a store of a newer version': {
      ours: true,
      sql: `UPDATE "Schema" SET "Version" = ${NEWEST + 1}`,
      says: new RegExp(`newer CRM Connector \\(schema ${NEWEST + 1}, this one knows ${NEWEST}\\)`),
    },
    "another program's table called like a record": { sql: 'CREATE TABLE "User" (id INTEGER)', says: /"User" of another program/ },
    "another program's table called like one beside the records": { sql: 'CREATE TABLE "Once" (id INTEGER)', says: /"Once" of another program/ },
    "another program's view": { sql: 'CREATE VIEW "Case" AS SELECT 1 AS x', says: /"Case" of another program/ },
    "another program's note of its own version": { sql: 'CREATE TABLE "Schema" (x INTEGER)', says: /"Schema" of another program/ },
  }

  test.each(Object.entries(cases))('%s', async (_, { sql, ours, says }) => {
    const url = await database()
    if (ours) await migrate(poolOf(url))
    await ask(url, sql)
    const objects = () => ask(url, `SELECT relname, relkind, relfilenode FROM pg_class WHERE relnamespace = to_regnamespace('public') ORDER BY 1`)
    const before = await objects()
    await expect(openPostgres(url)).rejects.toThrow(says)
    expect(await objects()).toEqual(before)
  })
})
