import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryPostgres } from './postgres-store.ts'

/** Every store there is: each opens a new one, which goes when it is closed. */
export const STORES: readonly { readonly platform: string; readonly open: () => Promise<Store> }[] = [
  { platform: 'sqlite', open: () => openSqlite(':memory:') },
  { platform: 'postgres', open: temporaryPostgres },
]
