import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/platforms/store.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from './folder.ts'
import { temporaryDatabase } from './postgres.ts'

export type Kind = 'sqlite' | 'postgres'

/** The URL of a store that does not exist yet; removed when the test ends. */
export async function newStoreUrl(kind: Kind): Promise<string> {
  if (kind === 'sqlite') return `sqlite:${join(await temporaryFolder(), 'crm.db')}`
  const { url, drop } = await temporaryDatabase()
  onTestFinished(drop)
  return url
}

/** Opens the store at a URL, creating it if needed. */
export const openStore = (url: string): Promise<Store> => (url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url))

/** Opens the store at a URL for some work, and closes it. */
export async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
