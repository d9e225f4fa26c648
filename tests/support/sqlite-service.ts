import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { execute } from '../../src/core/call/execute.ts'
import { createService, type Service } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from './folder.ts'

export interface SqliteService {
  readonly path: string
  readonly store: Store
  readonly service: Service
  /** Executes an operation as the admin; `key` is the idempotency key. */
  readonly call: (operation: string, input?: object, key?: string) => Promise<{ result: Record<string, unknown>; changeId: string; replayed: boolean }>
}

/** A service on a new SQLite file, in process. */
export async function startSqliteService(): Promise<SqliteService> {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  return {
    path,
    store,
    service,
    async call(operation, input = {}, key) {
      const { result, changeId = '', replayed = false } = await execute(service, { operation, input, caller, idempotencyKey: key })
      return { result: result as Record<string, unknown>, changeId, replayed }
    },
  }
}
