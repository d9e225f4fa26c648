import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../support/postgres-database.ts'
import { expectExactlyOn, expectNoUnexpectedLogs, OURS, otherWorkspace, serviceOn, startLoad } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import type { RunningService } from '../support/service.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const MODES = ['fast', 'immediate', 'kill'] as const

async function serverForTest(): Promise<PostgresServer> {
  const server = await startPostgres({ settings: { max_connections: 200 } })
  onTestFinished(() => server.remove())
  return server
}

test('a database that is stopped, crashes and comes back 30 times under 64 clients', async () => {
  const server = await serverForTest()
  const url = await server.database()
  const service = await serviceOn(url)
  const load = startLoad([service], 64, await otherWorkspace(url))
  const times: number[] = []
  for (let round = 0; round < 30; round++) {
    await load.more(200)
    await pause(Math.random() * 300)
    await server.stop(MODES[round % MODES.length])
    await pause(Math.random() * 3_000)
    await server.start()
    times.push(await load.more(1))
  }
  console.log(`from the start of the database to the next write: ${Math.min(...times)} to ${Math.max(...times)} ms`)
  await expectExactlyOn(url, [service], load)
})

test('connections that are cut for a minute under 64 clients', async () => {
  const server = await serverForTest()
  const url = await server.database()
  const services = [await serviceOn(url), await serviceOn(url)]
  const load = startLoad(services, 64, await otherWorkspace(url))
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(Math.random() * 100)) {
    // Now all of them, now any of them.
    await ask(url, `SELECT pg_terminate_backend(pid) ${OURS} AND random() < ${Math.random()}`)
  }
  await load.more(1)
  await expectExactlyOn(url, services, load)
})

test('connections whose network is cut and hangs at any instant, 200 times over', async () => {
  const server = await serverForTest()
  const url = await server.database()
  const wire = await startTcpProxy(url)
  const service = await serviceOn(wire.url)
  const load = startLoad([service], 32, await otherWorkspace(url))
  for (let round = 0; round < 200; round++) {
    await load.more(20)
    await pause(Math.random() * 20)
    if (round % 4 === 0) wire.cutInAnswer(Math.ceil(Math.random() * 500))
    else if (round % 4 === 1) {
      wire.stall()
      await pause(Math.random() * 200)
      wire.cut()
      wire.flow()
    } else wire.cut()
  }
  await load.more(200)
  await expectExactlyOn(url, [service], load)
})

test('three connectors, one of which is always being killed, on a database that crashes now and then', async () => {
  const server = await serverForTest()
  const url = await server.database()
  const services = [await serviceOn(url), await serviceOn(url), await serviceOn(url)]
  const load = startLoad(services, 48, await otherWorkspace(url))
  for (let round = 0; round < 24; round++) {
    await load.more(100)
    const [one] = services.splice(round % 3, 1) as [RunningService]
    await Promise.all([one.end('SIGKILL'), ...(round % 4 === 3 ? [server.stop('kill')] : [])])
    expectNoUnexpectedLogs(one)
    await server.start()
    services.push(await serviceOn(url))
  }
  await load.more(100)
  await expectExactlyOn(url, services, load)
  expect(services).toHaveLength(3)
})
