import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ask } from '../support/postgres-database.ts'
import { connections, expectNoUnexpectedLogs, OURS, serviceOn } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { expectSoundPostgres } from '../support/postgres-sound.ts'

const MAX_CONNECTIONS = 25

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres({ settings: { max_connections: MAX_CONNECTIONS } })
})
afterAll(() => server.remove())

const ada = { FirstName: 'Ada', LastName: 'Lovelace' }

/** Somebody else at the same database. */
async function stranger(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  onTestFinished(() => client.end())
  await client.connect()
  return client
}

/** Expects a 503 with the seconds after which to try again. */
async function expectUnavailable(call: Promise<Response>): Promise<void> {
  const response = await call
  const { code } = (await response.json()) as { code: string }
  expect([response.status, code, response.headers.get('retry-after')]).toEqual([503, 'platform_unavailable', '1'])
}

test('a pool that is used up: whoever gets no connection in time is told to come back, and those who wait for a record get it', async () => {
  const url = await server.database()
  const service = await serviceOn(`${url}?pool=2&connect_timeout=5`)
  const { LeadID } = await service.call('create_a_lead', ada)
  const { LeadID: other } = await service.call('create_a_lead', ada)
  const holder = await stranger(url)
  await holder.query('BEGIN')
  await holder.query('SELECT 1 FROM "Lead" WHERE "LeadID" = $1 FOR UPDATE', [LeadID])
  const waiting = ['Byron', 'King'].map((LastName) => service.post('update_lead', { LeadID, FieldsToUpdate: { LastName } }))
  await expect.poll(() => ask(url, `SELECT COUNT(*) AS n ${OURS} AND wait_event_type = 'Lock'`)).toEqual([{ n: '2' }])
  for (let round = 0; round < 2; round++) {
    await Promise.all([
      expectUnavailable(service.post('get_leads', { LeadID: other })),
      expectUnavailable(service.post('create_a_lead', ada)),
      expectUnavailable(service.post('create_a_lead', ada, { 'idempotency-key': 'key' })),
      expectUnavailable(service.post('delete_lead', { LeadID: other })),
      expectUnavailable(fetch(`${service.url}/readyz`)),
    ])
  }
  await holder.query('ROLLBACK')
  for (const response of await Promise.all(waiting)) expect(response.status).toBe(200)
  expect(await service.call('get_leads', { LeadID: other })).toMatchObject(ada)
  expect(await service.call('get_leads', { LeadID })).toMatchObject({ Revision: 3 })
  // A refusal has not used up the key.
  const again = await service.post('create_a_lead', ada, { 'idempotency-key': 'key' })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
  expect(await connections(url)).toBeLessThanOrEqual(2 + 2 + 1)
  expect(await ask(url, 'SELECT COUNT(*) AS n FROM "Lead"')).toEqual([{ n: '3' }])
  await expectSoundPostgres(url)
  expect(await service.end()).toBe(0)
  expectNoUnexpectedLogs(service)
})

test('a statement that takes too long is given up: nothing of it is written, and whoever asked is told to come back', async () => {
  const url = await server.database()
  const service = await serviceOn(`${url}?statement_timeout=2000`)
  const { LeadID } = await service.call('create_a_lead', ada)
  const before = await ask(url, 'SELECT (SELECT COUNT(*) FROM "Change") AS changes, (SELECT COUNT(*) FROM "Once") AS kept')
  const holder = await stranger(url)

  await holder.query('BEGIN')
  await holder.query('SELECT 1 FROM "Lead" WHERE "LeadID" = $1 FOR UPDATE', [LeadID])
  const update = (key: string) => service.post('update_lead', { LeadID, FieldsToUpdate: { LastName: 'Byron' } }, { 'idempotency-key': key })
  await Promise.all([
    expectUnavailable(update('one')),
    expectUnavailable(update('two')),
    expectUnavailable(service.post('delete_lead', { LeadID })),
    expectUnavailable(service.post('add_notes_to_leads', { LeadID, Note: 'Asked for a quote.' })),
  ])
  // Whoever only reads does not wait for a lock on a record.
  expect(await service.call('get_leads', { LeadID })).toMatchObject({ Revision: 1, NotesTotal: 0 })
  await holder.query('ROLLBACK')

  await holder.query('BEGIN')
  await holder.query('LOCK TABLE "Lead" IN ACCESS EXCLUSIVE MODE')
  await Promise.all([
    expectUnavailable(service.post('get_leads', { LeadID })),
    expectUnavailable(service.post('get_many_leads')),
    expectUnavailable(service.post('create_a_lead', ada, { 'idempotency-key': 'three' })),
    expectUnavailable(service.post('create_a_lead', ada)),
  ])
  await holder.query('ROLLBACK')

  expect(await ask(url, 'SELECT (SELECT COUNT(*) FROM "Change") AS changes, (SELECT COUNT(*) FROM "Once") AS kept')).toEqual(before)
  expect((await update('one')).status).toBe(200)
  expect(await service.call('get_leads', { LeadID })).toMatchObject({ LastName: 'Byron', Revision: 2 })
  await expectSoundPostgres(url)
  expect(await service.end()).toBe(0)
  expectNoUnexpectedLogs(service)
})

test('a server whose connections others have taken: calls share what there is or are told to come back, and nobody starts in vain', async () => {
  const url = await server.database()
  const service = await serviceOn(url)
  await service.call('create_a_lead', ada)
  const others: pg.Client[] = []
  while (others.length < MAX_CONNECTIONS) {
    const client = new pg.Client(url)
    client.on('error', () => {})
    try {
      await client.connect()
      others.push(client)
    } catch {
      break
    }
  }
  expect(others.length).toBeGreaterThan(5)
  const statuses = new Set<number>()
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => service.post('create_a_lead', ada, { 'idempotency-key': `${round}-${i}` })))
    for (const { status, headers } of answers) {
      statuses.add(status)
      if (status !== 200) expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    }
  }
  // What there is is used.
  expect(statuses).toContain(200)
  const serve = await crm(['serve', '--port', '0'], { cwd: await temporaryFolder(), env: { CRM_PLATFORM: url } })
  expect(serve).toMatchObject({ code: 7, out: '', err: expect.stringMatching(/cannot be opened: .*(connection|clients)/) })

  await Promise.all(others.map((client) => client.end()))
  for (let round = 0; round < 3; round++)
    for (let i = 0; i < 30; i++) expect((await service.post('create_a_lead', ada, { 'idempotency-key': `${round}-${i}` })).status).toBe(200)
  expect(await ask(url, 'SELECT COUNT(*) AS n FROM "Lead"')).toEqual([{ n: '91' }])
  await expectSoundPostgres(url)
  expect(await service.end()).toBe(0)
  expectNoUnexpectedLogs(service)
})

test('a database that takes no more writes: calls are told to come back, its connections are given up, and all goes on once it takes them again', async () => {
  const url = await server.database()
  const service = await serviceOn(url)
  const { LeadID } = await service.call('create_a_lead', ada)
  const readOnly = async (value: 'on' | 'off') => {
    await ask(server.url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
    await ask(server.url, 'SELECT pg_reload_conf()')
  }
  onTestFinished(() => readOnly('off'))
  await readOnly('on')
  await expect.poll(() => ask(server.url, 'SHOW default_transaction_read_only')).toEqual([{ default_transaction_read_only: 'on' }])
  await Promise.all([
    expectUnavailable(service.post('create_a_lead', ada, { 'idempotency-key': 'key' })),
    expectUnavailable(service.post('update_lead', { LeadID, FieldsToUpdate: { LastName: 'Byron' } })),
  ])
  await expectUnavailable(fetch(`${service.url}/readyz`))
  // Only who listens may stay: what is read where nothing can be written may be old.
  await expect.poll(() => connections(url)).toBeLessThanOrEqual(1)
  await readOnly('off')
  await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200)
  expect((await service.post('create_a_lead', ada, { 'idempotency-key': 'key' })).status).toBe(200)
  expect(await service.call('get_leads', { LeadID })).toMatchObject({ Revision: 1 })
  await expectSoundPostgres(url)
  expect(await service.end()).toBe(0)
  expectNoUnexpectedLogs(service)
})
