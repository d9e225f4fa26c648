import { CrmError } from '../../../contract/errors.ts'
import { catalogueOf, MOVING, missingStatements } from '../sql/missing.ts'
import { quoted, type Tables } from '../sql/tables.ts'
import { FIRST } from './migrations/0001-first.ts'
import { PLANS } from './migrations/0002-plans.ts'
import { OWNERS } from './migrations/0003-owners.ts'
import { SECRET } from './migrations/0004-secret.ts'
import { SEARCH } from './migrations/0005-search.ts'
import { OWN_VALUES } from './migrations/0006-own-values.ts'
import { SEARCH_PLACES } from './migrations/0007-search-places.ts'
import { WORKSPACES } from './migrations/0008-workspaces.ts'
import { POSITIONS } from './migrations/0009-positions.ts'
import type { Pool } from './pool.ts'
import { TABLES } from './tables.ts'
import { Work } from './work.ts'

/** In order; a store's version is the number of those it has been through. Each is frozen once released. */
export const MIGRATIONS: readonly (readonly string[])[] = [FIRST, PLANS, OWNERS, SECRET, SEARCH, OWN_VALUES, SEARCH_PLACES, WORKSPACES, POSITIONS]

/** The names of all tables and sequences of a store, of any version. */
export const OURS: ReadonlySet<string> = new Set([
  'Schema',
  ...TABLES.all.map(({ name }) => name),
  ...MIGRATIONS.flat().flatMap((statement) => /^CREATE \w+ "(\w+)"/.exec(statement)?.[1] ?? []),
])

/** The number of the advisory lock under which a store is made or upgraded: "CRMC". */
const LOCK = 0x43524d43

type Migrations = readonly (readonly string[])[]

/** Migrations other than all of ours make an older or a newer store, to which the contract's tables do not belong. */
const tablesAfter = (migrations: Migrations) => (migrations === MIGRATIONS ? TABLES : { all: [] })

/**
 * Brings a store up to this version: the numbered migrations first, which make structural changes, then what it lacks of the contract's
 * tables. Any number of processes may try at once; one does it, the others find it done. Resolves to the statements that the contract's
 * tables needed in a store that is not new.
 */
export async function migrate(pool: Pool, migrations: Migrations = MIGRATIONS): Promise<readonly string[]> {
  const ask = (sql: string) => pool.read(sql, [])
  if ((await versionOf(ask, migrations.length)) === migrations.length && (await missingIn(ask, tablesAfter(migrations))).length === 0) return []
  const work = new Work(pool)
  try {
    const missing = await migrateIn(work, migrations)
    await work.commit()
    return missing
  } catch (error) {
    await work.rollback()
    throw error
  }
}

/** The same as part of a transaction. */
export async function migrateIn(work: Work, migrations = MIGRATIONS, moving = false): Promise<readonly string[]> {
  await work.ask(`SELECT pg_advisory_xact_lock(${LOCK})`, [])
  const from = await versionOf((sql) => work.ask(sql, []), migrations.length, moving)
  if (from === 0) work.run('CREATE TABLE IF NOT EXISTS "Schema" ("Version" INTEGER NOT NULL)', [])
  for (const migration of migrations.slice(from)) for (const statement of migration) work.run(statement, [])
  const missing = await missingIn((sql) => work.ask(sql, []), tablesAfter(migrations))
  for (const statement of missing) work.run(statement, [])
  work.run('DELETE FROM "Schema"', [])
  work.run('INSERT INTO "Schema" ("Version") VALUES (?)', [migrations.length])
  return from === 0 ? [] : missing
}

/** The statements that add what a store lacks of the contract's tables. */
export async function missingIn(ask: AskText, tables: Pick<Tables, 'all'> = TABLES): Promise<string[]> {
  const columns = await ask(
    `SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = oid WHERE ${HERE} AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
  )
  const indexes = await ask(`SELECT relname FROM pg_class WHERE ${HERE} AND relkind = 'i'`)
  return missingStatements(
    tables,
    catalogueOf(
      columns.map(([table, column]) => [table as string, column as string]),
      indexes.map(([name]) => name as string),
    ),
  )
}

/** The condition for a table of the store's schema. */
export const HERE = 'relnamespace = to_regnamespace(quote_ident(current_schema()))'

export type AskText = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** How many migrations a store has been through; none for an empty database. Throws when it is not a store that this version can open. */
export async function versionOf(ask: AskText, newest = MIGRATIONS.length, moving = false): Promise<number> {
  const there = (await ask(`SELECT relname FROM pg_class WHERE ${HERE}`)).map(([name]) => name as string)
  if (!there.includes('Schema') || !there.includes('Change')) {
    const taken = there.find((name) => OURS.has(name))
    if (taken !== undefined)
      throw new CrmError('invalid_input', `This database has a table ${quoted(taken)} of another program, where one of ours would be.`, {
        hint: 'Give the store a database of its own, or a schema of its own with ?options=-c%20search_path%3Dcrm.',
      })
    return 0
  }
  if (there.includes(MOVING) && !moving) {
    const [row] = await ask(`SELECT "Source" FROM ${quoted(MOVING)}`)
    throw new CrmError('conflict', `The copy from ${row?.[0]} into this store is unfinished.`, {
      hint: 'Run crm migrate-store, or crm restore, with that source again: it resumes where it stopped.',
    })
  }
  const version = Number((await ask('SELECT "Version" FROM "Schema"'))[0]?.[0] ?? 0)
  if (version > newest)
    throw new CrmError('unsupported', `This store was made by a newer CRM Connector (schema ${version}, this one knows ${newest}). Upgrade to open it.`)
  return version
}
