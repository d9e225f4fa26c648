import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/platforms/store.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { ask } from './database.ts'
import { temporaryFolder } from './folder.ts'
import { temporaryDatabase } from './postgres.ts'
import { ask as askPostgres } from './postgres-database.ts'

/** A store that several processes open. */
export interface SharedStore {
  open(): Promise<Store>
  /** Queries the database directly. */
  ask(sql: string): Promise<readonly Record<string, unknown>[]>
}

/** Each creates a new store for a test. */
export const SHARED_STORES: { readonly [name: string]: () => Promise<SharedStore> } = {
  async sqlite() {
    const path = join(await temporaryFolder(), 'crm.db')
    return { open: () => openSqlite(path), ask: (sql) => ask(path, sql) }
  },
  async postgres() {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    return { open: () => openPostgres(url), ask: (sql) => askPostgres(url, sql) }
  },
}
