import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { ALL, FAST } from './lane.ts'
import { temporaryPostgres } from './postgres-store.ts'

interface TestStore {
  readonly platform: string
  /** Opens a new store, removed when it is closed. */
  readonly open: () => Promise<Store>
}

const SQLITE: TestStore = { platform: 'sqlite', open: () => openSqlite(':memory:') }
const POSTGRES: TestStore = { platform: 'postgres', open: temporaryPostgres }

/** All stores; in `npm run test:fast` only SQLite. */
export const STORES: readonly TestStore[] = FAST ? [SQLITE] : [SQLITE, POSTGRES]

/** All stores in `npm run test:all`, otherwise only SQLite: for code that is the same on all of them. */
export const SOME_STORES: readonly TestStore[] = ALL ? STORES : [SQLITE]
