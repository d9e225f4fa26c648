import type { Store } from '../../src/platforms/store.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { temporaryDatabase } from './postgres.ts'

/** A new store in a new database, dropped when the store is closed. */
export async function temporaryPostgres(): Promise<Store> {
  const { url, drop } = await temporaryDatabase()
  const store = await openPostgres(url)
  return {
    ...store,
    async close() {
      await store.close()
      await drop()
    },
  }
}
