import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { createVault } from '../../src/core/access/vault.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService } from '../../src/core/service.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { accountsOn } from './accounts.ts'
import { temporaryFolder } from './folder.ts'

/** A service on a new SQLite file that connects accounts of CRMs, in process, with a client of its admin. */
export async function startConnectingService() {
  const store = await openSqlite(join(await temporaryFolder(), 'crm.db'))
  const service = createService({ platform: store, store, accounts: accountsOn(store), vault: createVault([Buffer.alloc(32, 7)]) })
  await bootstrap(service)
  const caller = await localAdmin(service)
  onTestFinished(async () => {
    await service.connections.close()
    await store.close()
  })
  return { service, crm: clientOf(inProcessTransport(service, () => caller)) }
}
