import { CrmError } from '../../../contract/errors.ts'
import { quoted } from '../sql/tables.ts'
import { FIRST } from './migrations/0001-first.ts'
import { PLANS } from './migrations/0002-plans.ts'
import type { Pool } from './pool.ts'
import { Work } from './work.ts'

/** In order; a store's version is the number of those it has been through. Each is frozen once released. */
export const MIGRATIONS: readonly (readonly string[])[] = [FIRST, PLANS]

/** What the migrations make, by name. */
const OURS: ReadonlySet<string> = new Set(['Schema', ...MIGRATIONS.flat().flatMap((statement) => /^CREATE \w+ "(\w+)"/.exec(statement)?.[1] ?? [])])

/** Whoever makes or upgrades a store holds this number: "CRMC". */
const LOCK = 0x43524d43

/** A table that only a store has which is being filled from another. */
export const MOVING = 'Moving'

/** Brings a store up to this version. Any number of processes may try at once; one does it, the others find it done. */
export async function migrate(pool: Pool, migrations: readonly (readonly string[])[] = MIGRATIONS): Promise<void> {
  if ((await versionOf((sql) => pool.read(sql, []), migrations.length)) === migrations.length) return
  const work = new Work(pool)
  try {
    await migrateIn(work, migrations)
    await work.commit()
  } catch (error) {
    await work.rollback()
    throw error
  }
}

/** The same as part of a transaction. */
export async function migrateIn(work: Work, migrations = MIGRATIONS, moving = false): Promise<void> {
  await work.ask(`SELECT pg_advisory_xact_lock(${LOCK})`, [])
  const from = await versionOf((sql) => work.ask(sql, []), migrations.length, moving)
  if (from === 0) work.run('CREATE TABLE IF NOT EXISTS "Schema" ("Version" INTEGER NOT NULL)', [])
  for (const migration of migrations.slice(from)) for (const statement of migration) work.run(statement, [])
  work.run('DELETE FROM "Schema"', [])
  work.run('INSERT INTO "Schema" ("Version") VALUES (?)', [migrations.length])
}

/** How many migrations a store has been through; none for an empty database. Throws when it is not a store that this version can open. */
export async function versionOf(ask: (sql: string) => Promise<readonly (readonly unknown[])[]>, newest = MIGRATIONS.length, moving = false): Promise<number> {
  const there = (await ask('SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))')).map(([name]) => name as string)
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
    throw new CrmError('conflict', `This store is only partly filled: what is to come from ${row?.[0]} is not all there yet.`, {
      hint: 'Run crm migrate-store, or crm restore, with that source again: it goes on from where it was.',
    })
  }
  const version = Number((await ask('SELECT "Version" FROM "Schema"'))[0]?.[0] ?? 0)
  if (version > newest)
    throw new CrmError('unsupported', `This store was made by a newer CRM Connector (schema ${version}, this one knows ${newest}). Upgrade to open it.`)
  return version
}
