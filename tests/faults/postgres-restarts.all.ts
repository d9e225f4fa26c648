import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ask } from '../support/postgres-database.ts'
import { expectExactlyOn, expectNoUnexpectedLogs, OURS, otherWorkspace, serviceOn, startLoad } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import type { RunningService } from '../support/service.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
beforeEach(() => server.start())

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const isReady = async ({ url }: RunningService) => (await fetch(`${url}/readyz`)).status

/** Cuts all connections of the connectors, as often as it takes until something happens. */
async function cutting(url: string, meanwhile: Promise<unknown>): Promise<number> {
  let cut = 0
  let over = false
  const ended = meanwhile.finally(() => {
    over = true
  })
  while (!over) {
    const rows = await ask(url, `SELECT pg_terminate_backend(pid) ${OURS}`)
    cut += rows.length
    await pause(30)
  }
  await ended
  return cut
}

test('a database that is stopped, and one that crashes, under 24 clients: nothing is lost, nothing doubled, and all goes on by itself', async () => {
  const url = await server.database()
  const service = await serviceOn(url)
  const load = startLoad([service], 24, await otherWorkspace(url))
  for (const mode of ['fast', 'immediate', 'kill'] as const) {
    await load.more(80)
    await server.stop(mode)
    expect(await isReady(service)).toBe(503)
    // Longer than the service tries by itself, so that callers hear of it.
    if (mode === 'fast') await pause(2_500)
    await server.start()
    await load.more(1)
    expect(await isReady(service)).toBe(200)
  }
  await load.more(80)
  expect(load.refusals()).toBeGreaterThan(0)
  await expectExactlyOn(url, [service], load)
})

test('connections that are cut again and again: most callers notice nothing, and nobody is told a lie', async () => {
  const url = await server.database()
  const service = await serviceOn(url)
  const load = startLoad([service], 16, await otherWorkspace(url))
  await load.more(50)
  expect(await cutting(url, load.more(250))).toBeGreaterThan(50)
  expect(await isReady(service)).toBe(200)
  await expectExactlyOn(url, [service], load)
})

test('a connector that is killed under load: its clients go on at another, which knows all it had answered', async () => {
  const url = await server.database()
  const services = [await serviceOn(url), await serviceOn(url)]
  const load = startLoad(services, 24)
  for (let round = 0; round < 2; round++) {
    await load.more(80)
    const [one] = services.splice(0, 1) as [RunningService]
    expect(await one.end('SIGKILL')).toBe('SIGKILL')
    expectNoUnexpectedLogs(one)
    await load.more(80)
    services.push(await serviceOn(url))
  }
  await expectExactlyOn(url, services, load)
})

test('a connector and the database that are killed at the same time leave nothing half done', async () => {
  const url = await server.database()
  const services = [await serviceOn(url), await serviceOn(url)]
  const load = startLoad(services, 24)
  await load.more(80)
  const [one] = services.splice(0, 1) as [RunningService]
  await Promise.all([one.end('SIGKILL'), server.stop('kill')])
  await server.start()
  await load.more(80)
  await Promise.all([
    cutting(url, load.more(80)),
    pause(100).then(() => services[0]?.end('SIGKILL')),
    serviceOn(url).then((next) => services.splice(0, 1, next)),
  ])
  await load.more(80)
  await expectExactlyOn(url, services, load)
})
