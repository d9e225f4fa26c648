import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../support/postgres-database.ts'
import { connections, expectExactlyOn, otherWorkspace, serviceOn, startLoad } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function primaryForTest(): Promise<PostgresServer> {
  const primary = await startPostgres({ settings: { max_connections: 200 } })
  onTestFinished(() => primary.remove())
  return primary
}

/** A standby without which nothing is acknowledged, so that nothing acknowledged can be lost with the primary. */
async function followedBy(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await primary.standby()
  onTestFinished(() => standby.remove())
  await ask(primary.url, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
  await ask(primary.url, 'SELECT pg_reload_conf()')
  await expect.poll(() => ask(primary.url, 'SELECT sync_state FROM pg_stat_replication')).toEqual([{ sync_state: 'sync' }])
  return standby
}

/** One URL for a database at several addresses, of which one takes writes. */
function joined(urls: readonly string[]): string {
  const [first] = urls.map((url) => new URL(url)) as [URL, ...URL[]]
  const hosts = urls.map((url) => new URL(url).host).join(',')
  return `postgres://${first.username}:${first.password}@${hosts}${first.pathname}?target_session_attrs=read-write`
}

/** The same database at another server. */
function at(server: PostgresServer, database: string): string {
  const url = new URL(server.url)
  url.pathname = new URL(database).pathname
  return url.href
}

/** A copy's own settings are those of its primary: it must not wait for a standby that it does not have. */
async function takeOver(standby: PostgresServer): Promise<void> {
  await standby.promote()
  await ask(standby.url, 'ALTER SYSTEM RESET synchronous_standby_names')
  await ask(standby.url, 'SELECT pg_reload_conf()')
}

test('a primary that is killed under 48 clients: the standby takes over, and nothing acknowledged is lost or doubled', async () => {
  const primary = await primaryForTest()
  const database = await primary.database()
  const standby = await followedBy(primary)
  const addresses = [database, at(standby, database)]
  // Whichever comes first.
  const services = [await serviceOn(joined(addresses)), await serviceOn(joined([...addresses].reverse()))]
  const load = startLoad(services, 48, await otherWorkspace(joined(addresses)))
  await load.more(500)
  const began = performance.now()
  await primary.stop('kill')
  await takeOver(standby)
  const promoted = performance.now()
  await load.more(1)
  const back = performance.now()
  await load.more(500)
  console.log(`writes were back ${Math.round(back - promoted)} ms after the promotion, ${Math.round(back - began)} ms after the crash`)
  expect(back - promoted).toBeLessThan(5_000)
  await expectExactlyOn(at(standby, database), services, load)
})

test('six failovers in a row, back and forth between two addresses, under the same services', async () => {
  let primary = await primaryForTest()
  const database = await primary.database()
  const wires = [await startTcpProxy(database), await startTcpProxy(database)]
  const url = joined(wires.map((wire) => wire.url))
  const services = [await serviceOn(url), await serviceOn(url)]
  const load = startLoad(services, 32, await otherWorkspace(url))
  const times: number[] = []
  for (let round = 0; round < 6; round++) {
    const [here, there] = [wires[round % 2], wires[(round + 1) % 2]]
    const standby = await followedBy(primary)
    there?.leadTo(at(standby, database))
    await load.more(300)
    const began = performance.now()
    here?.tear()
    await primary.stop('kill')
    await takeOver(standby)
    await load.more(1)
    times.push(Math.round(performance.now() - began))
    await load.more(300)
    here?.mend()
    await primary.remove()
    primary = standby
  }
  console.log(`from the crash to the next write: ${times.join(', ')} ms`)
  await expectExactlyOn(at(primary, database), services, load)
})

test('a primary that is made read-only while its connections stay: clients go on at the new one, and nobody reads at the old', async () => {
  const primary = await primaryForTest()
  const database = await primary.database()
  const standby = await followedBy(primary)
  const url = joined([database, at(standby, database)])
  const services = [await serviceOn(url), await serviceOn(url)]
  const load = startLoad(services, 32, await otherWorkspace(url))
  await load.more(500)

  await ask(primary.url, 'ALTER SYSTEM SET default_transaction_read_only = on')
  await ask(primary.url, 'SELECT pg_reload_conf()')
  await pause(500)
  await takeOver(standby)
  await load.more(500)
  // Calls find what was written at the new one, wherever they are answered.
  for (const service of services) {
    const { LeadID } = await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    for (let round = 0; round < 50; round++) expect(await service.call('get_leads', { LeadID })).toMatchObject({ LeadID })
    await service.call('erase_record', { RecordType: 'Lead', RecordID: LeadID })
  }
  // Nothing but who listens is left there, and what keeps house until it is next of use.
  expect(await connections(database)).toBeLessThanOrEqual(services.length * 3)
  await load.end()
  for (const service of services) expect(await service.end()).toBe(0)
})

test('an old primary that comes back as a standby is passed over, and takes writes again once it is promoted', async () => {
  const primary = await primaryForTest()
  const database = await primary.database()
  const wires = [await startTcpProxy(database), await startTcpProxy(database)] as const
  const url = joined(wires.map((wire) => wire.url))
  const standby = await followedBy(primary)
  wires[1].leadTo(at(standby, database))
  const services = [await serviceOn(url)]
  const load = startLoad(services, 24)
  await load.more(200)
  await primary.stop('kill')
  await takeOver(standby)
  await load.more(200)
  // What comes back at the first address follows the new primary.
  const back = await followedBy(standby)
  wires[0].leadTo(at(back, database))
  wires[1].cut()
  await load.more(200)
  await standby.stop('kill')
  await takeOver(back)
  await load.more(200)
  await expectExactlyOn(at(back, database), services, load)
})
