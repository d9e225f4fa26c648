import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { ALL, FAST } from './lane.ts'
import { temporaryPostgres } from './postgres-store.ts'

interface TestStore {
  readonly platform: string
  /** Opens a new store, which is removed when it is closed. */
  readonly open: () => Promise<Store>
}

const SQLITE: TestStore = { platform: 'sqlite', open: () => openSqlite(':memory:') }
const POSTGRES: TestStore = { platform: 'postgres', open: temporaryPostgres }

/** Every store there is; only the one in memory in `npm run test:fast`. */
export const STORES: readonly TestStore[] = FAST ? [SQLITE] : [SQLITE, POSTGRES]

/** Every store in `npm run test:all`, otherwise the one in memory: for what is the same code on all of them. */
export const SOME_STORES: readonly TestStore[] = ALL ? STORES : [SQLITE]
