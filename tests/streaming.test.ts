import { expect, test } from 'vitest'
import { seedLeads } from '../bench/seed.ts'
import { localAdmin } from '../src/core/access/authenticate.ts'
import { bootstrap } from '../src/core/access/bootstrap.ts'
import { stream } from '../src/core/call/stream.ts'
import { createService } from '../src/core/service.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'

test('between two pages of a stream everyone else has a turn', async () => {
  const store = await openSqlite(':memory:')
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  await seedLeads(store, caller.workspace.number, [caller.userId], 50)
  let pages = 0
  let turns = 0
  for await (const _ of stream(service, { operation: 'get_many_leads', input: { Limit: 10 }, caller })) {
    pages++
    setImmediate(() => turns++)
  }
  await store.close()
  expect(pages).toBe(5)
  expect(turns).toBeGreaterThanOrEqual(4)
})
