import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/postgres-database.ts'
import { expectExactlyOn, OURS, otherWorkspace, serviceOn, startLoad } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const readyz = async (url: string) => (await fetch(`${url}/readyz`)).status

test('a database that is stopped, and one that crashes, under 24 clients: nothing is lost, nothing doubled, and all goes on by itself', async () => {
  const url = await server.database()
  const service = await serviceOn(url)
  const load = startLoad([service], 24, await otherWorkspace(url))
  for (const mode of ['fast', 'immediate', 'kill'] as const) {
    await load.more(100)
    await server.stop(mode)
    await expect.poll(() => readyz(service.url)).toBe(503)
    await server.start()
    await load.more(1)
    expect(await readyz(service.url)).toBe(200)
  }
  await load.more(100)
  expect(load.refusals()).toBeGreaterThan(0)
  await expectExactlyOn(url, [service], load)
})
