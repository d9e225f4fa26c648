import { setMaxListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOADS, type Target } from '../bench/fair-loads.ts'
import { seedLeads, seedUsers } from '../bench/seed.ts'
import { temporaryPostgres } from './support/postgres-store.ts'
import { startServer, type TestServer } from './support/server.ts'

const LEADS = 2000
const CALLS = 10

/** The short form of `npm run bench fair`: beside each of its loads, another caller is answered, and answered right. */
describe.each([
  ['SQLite', undefined],
  ['PostgreSQL', temporaryPostgres],
])('on %s, another caller is answered beside', (_, open) => {
  let server: TestServer
  let target: Target
  let other: Record<string, string>

  beforeAll(async () => {
    server = await startServer({ ...(open && { open }) })
    const { users } = await seedUsers(server.service.store, 1, 2)
    await seedLeads(server.service.store, 1, users, LEADS)
    const keyFor = async (Name: string, Scopes: string[]) => {
      const { UserID } = await server.call('create_user', { Name, Role: 'admin' })
      return String((await server.call('create_key', { UserID, Scopes })).Key)
    }
    other = { authorization: `Bearer ${await keyFor('Other', ['read', 'write'])}` }
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const [key, narrowKey] = [await keyFor('Load', ['read', 'write', 'delete']), await keyFor('Narrow', ['read'])]
    target = { url: server.url, key, narrowKey, leadId: String(LeadID), userIds: users }
  })
  afterAll(() => server.close())

  test.each(Object.keys(LOADS))('%s', async (load) => {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    LOADS[load]?.(target, controller.signal)
    try {
      for (let i = 0; i < CALLS; i++) {
        const { LeadID } = await server.call('create_a_lead', { FirstName: load, LastName: String(i) }, other)
        expect(await server.call('get_leads', { LeadID }, other)).toMatchObject({ FirstName: load, LastName: String(i), Revision: 1 })
      }
    } finally {
      controller.abort()
    }
    expect(server.log()).not.toContain('"level":"error"')
  })
})
