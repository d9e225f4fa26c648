import { CrmError } from '../../contract/errors.ts'
import { FIRST } from './migrations/0001-first.ts'
import type { Pool } from './pool.ts'
import { Work } from './work.ts'

/** In order; a store's version is the number of those it has been through. Each is frozen once released. */
export const MIGRATIONS: readonly (readonly string[])[] = [FIRST]

/** Whoever makes or upgrades a store holds this number: "CRMC". */
const LOCK = 0x43524d43

/** Brings a store up to this version. Any number of processes may try at once; one does it, the others find it done. */
export async function migrate(pool: Pool, migrations: readonly (readonly string[])[] = MIGRATIONS): Promise<void> {
  if ((await versionOf((sql) => pool.read(sql, []), migrations.length)) === migrations.length) return
  const work = new Work(pool)
  try {
    await work.ask(`SELECT pg_advisory_xact_lock(${LOCK})`, [])
    const from = await versionOf((sql) => work.ask(sql, []), migrations.length)
    if (from === 0) work.run('CREATE TABLE IF NOT EXISTS "Schema" ("Version" INTEGER NOT NULL)', [])
    for (const migration of migrations.slice(from)) for (const statement of migration) work.run(statement, [])
    work.run('DELETE FROM "Schema"', [])
    work.run('INSERT INTO "Schema" ("Version") VALUES (?)', [migrations.length])
    await work.commit()
  } catch (error) {
    await work.rollback()
    throw error
  }
}

/** How many migrations a store has been through; none for an empty database. Throws when it is not a store that this version can open. */
export async function versionOf(ask: (sql: string) => Promise<readonly (readonly unknown[])[]>, newest = MIGRATIONS.length): Promise<number> {
  const there = (await ask(`SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace(current_schema())`)).map(
    ([name]) => name,
  )
  if (!there.includes('Schema')) {
    if (there.includes('Lead') || there.includes('Change'))
      throw new CrmError('invalid_input', 'This database has tables of another program that are called like ours.', {
        hint: 'Give the store a database of its own, or a schema of its own with ?options=-c%20search_path%3Dcrm.',
      })
    return 0
  }
  const version = Number((await ask('SELECT "Version" FROM "Schema"'))[0]?.[0] ?? 0)
  if (version > newest)
    throw new CrmError('unsupported', `This store was made by a newer CRM Connector (schema ${version}, this one knows ${newest}). Upgrade to open it.`)
  return version
}
