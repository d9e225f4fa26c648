/** A separate process that opens a store at a given time, with extra migrations, and creates a lead. */

import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { execute } from '../../src/core/call/execute.ts'
import { createService } from '../../src/core/service.ts'
import { connect, sqliteDriver } from '../../src/platforms/stores/sqlite/connection.ts'
import { MIGRATIONS, migrate } from '../../src/platforms/stores/sqlite/migrations.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

const [path = '', at = '0', further] = process.argv.slice(2)
const driver = await sqliteDriver()
while (Date.now() < Number(at));
if (further !== undefined) migrate(connect(driver, path, ['busy_timeout = 5000']), [...MIGRATIONS, further])
else {
  const store = await openSqlite(path)
  const service = createService({ platform: store, store })
  await bootstrap(service)
  await execute(service, { operation: 'create_a_lead', input: { FirstName: 'Ada', LastName: String(process.pid) }, caller: await localAdmin(service) })
  await store.close()
}
