import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sealAtStart } from '../../src/app/seal-at-start.ts'
import { openPostgres } from '../../src/platforms/stores/postgres/postgres.ts'
import { crm } from '../support/crm.ts'
import { liveEvents } from '../support/events.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ask } from '../support/postgres-database.ts'
import { connections, expectNoUnexpectedLogs, OURS, serviceOn } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { withKeys } from '../support/sealed-webhooks.ts'
import type { RunningService } from '../support/service.ts'
import type { SharedStore } from '../support/shared-stores.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
beforeEach(() => server.start())

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const ada = { FirstName: 'Ada', LastName: 'Lovelace' }
const isReady = async ({ url }: RunningService) => (await fetch(`${url}/readyz`)).status

test('a database that is not there when a service starts: it says so, without the password, and ends', async () => {
  const url = await server.database()
  await server.stop()
  for (const host of ['127.0.0.1', 'localhost', 'no-such-host.invalid']) {
    const gone = new URL(url)
    gone.hostname = host
    for (const words of [['serve', '--port', '0'], ['get_current_user']]) {
      const { code, out, err } = await crm(words, { cwd: await temporaryFolder(), env: { CRM_PLATFORM: gone.href } })
      expect({ host, code, out, err }).toEqual({ host, code: 7, out: '', err: expect.stringContaining(`${host}:${server.port}`) })
      expect(err).toMatch(/^crm: The store \S+ cannot be opened: \S.* \[platform_unavailable\]\n$/)
      expect(err).not.toMatch(/p%40ss|p@ss/)
    }
  }
})

test('secrets that could not be sealed at the start are sealed once the database is back', async () => {
  const url = await server.database()
  const shared: SharedStore = { open: () => openPostgres(url), ask: (sql) => ask(url, sql) }
  const key = randomBytes(32)
  const { crm, service } = await withKeys(shared, key)
  await crm.webhooks.create({ URL: 'http://127.0.0.1:9/' })
  await shared.ask(`UPDATE "Webhook" SET "Secret" = 'whsec_${randomBytes(32).toString('base64')}'`)
  await server.stop()
  const troubles: unknown[] = []
  const log = pino({ level: 'silent' })
  const stop = await sealAtStart(service, { store: url, secretKeys: [key] }, log, (error) => troubles.push(error), { retryMs: 50 })
  expect(service.store.classify(troubles[0])).toMatchObject({ code: 'platform_unavailable' })
  await server.start()
  await expect.poll(() => shared.ask('SELECT "Secret" FROM "Webhook"')).toEqual([{ Secret: expect.stringMatching(/^sealed:1:/) }])
  await stop()
})

test('a service whose database goes and comes back is ready by itself, and hears of all that others do', async () => {
  const url = await server.database()
  const [one, other] = [await serviceOn(url), await serviceOn(url)]
  for (const mode of ['fast', 'kill'] as const) {
    await server.stop(mode)
    expect(await isReady(one)).toBe(503)
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
    // Long enough that nothing of what it knew is relied upon.
    await pause(1_200)
    for (const operation of ['get_current_user', 'create_a_lead', 'get_many_events', 'case_get_summary']) {
      const response = await one.post(operation, operation === 'create_a_lead' ? ada : {})
      const { code } = (await response.json()) as { code: string }
      expect([operation, response.status, code, response.headers.get('retry-after')]).toEqual([operation, 503, 'platform_unavailable', '1'])
    }
    await server.start()
    await expect.poll(() => isReady(one)).toBe(200)
    await expect.poll(() => isReady(other)).toBe(200)

    // They listen again, hear of each other's changes, and notice each other's keys.
    await expect.poll(() => ask(url, `SELECT COUNT(*) AS n ${OURS} AND query LIKE 'LISTEN %'`)).toEqual([{ n: '2' }])
    const next = await liveEvents(other)
    const { LeadID } = await one.call('create_a_lead', ada)
    expect(await next()).toMatchObject({ Type: 'lead.created', RecordID: LeadID })
    const { Key, KeyID } = await one.call('create_key', { Label: mode, Scopes: ['read'] })
    const authorization = `Bearer ${Key}`
    const status = async () => (await other.post('get_current_user', {}, { authorization })).status
    expect(await status()).toBe(200)
    await one.call('revoke_key', { KeyID })
    await expect.poll(status).toBe(401)
  }
  for (const service of [one, other]) {
    expect(await service.end()).toBe(0)
    expectNoUnexpectedLogs(service)
  }
  await expect.poll(() => connections(url)).toBe(0)
})

test('a service that is told to stop while its database is away ends in time, with calls under way and without', async () => {
  const services = [await serviceOn(await server.database()), await serviceOn(await server.database())] as const
  const write = (service: RunningService) => service.post('create_a_lead', ada, { 'idempotency-key': randomUUID() }).then(({ status }) => status)
  // Some of it is written, and has no number yet.
  expect(await Promise.all(services.map(write))).toEqual([200, 200])
  await server.stop('kill')
  // The system refuses one that has not reached the service when it stops.
  const underWay = Array.from({ length: 10 }, () => write(services[0]).catch(() => 'refused' as const))
  await pause(200)
  expect(await Promise.all(services.map((service) => service.end()))).toEqual([0, 0])
  for (const status of await Promise.all(underWay)) expect([503, 'refused']).toContain(status)
  services.forEach(expectNoUnexpectedLogs)
})
