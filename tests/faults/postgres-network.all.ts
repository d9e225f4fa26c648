import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/postgres-database.ts'
import { expectExactlyOn, expectNoUnexpectedLogs, serviceOn, startLoad } from '../support/postgres-load.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { expectSoundPostgres } from '../support/postgres-sound.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const ada = { FirstName: 'Ada', LastName: 'Lovelace' }
const leadsIn = async (url: string, LastName: string) => Number((await ask(url, `SELECT COUNT(*) AS n FROM "Lead" WHERE "LastName" = '${LastName}'`))[0]?.n)

async function answered(call: Promise<Response>): Promise<{ status: number; retryAfter: string | null; code: string | undefined }> {
  const response = await call
  const { code } = (await response.json()) as { code?: string }
  return { status: response.status, retryAfter: response.headers.get('retry-after'), code }
}

describe('a connection that is cut at the very moment of the commit', () => {
  for (const when of ['lost', 'made'] as const) {
    test(`when the commit is ${when}: without a key the outcome is unknown, with one it is known`, async () => {
      const url = await server.database()
      const wire = await startTcpProxy(url)
      const service = await serviceOn(wire.url)

      const cut = wire.cutAtCommit('Unkeyed', when)
      expect(await answered(service.post('create_a_lead', { ...ada, LastName: 'Unkeyed' }))).toMatchObject({ status: 504, code: 'outcome_unknown' })
      await cut
      expect(await leadsIn(url, 'Unkeyed')).toBe(when === 'made' ? 1 : 0)

      // The same for what asks before it writes.
      const { LeadID } = await service.call('create_a_lead', ada)
      const inUpdate = wire.cutAtCommit('Updated', when)
      expect(await answered(service.post('update_lead', { LeadID, FieldsToUpdate: { LastName: 'Updated' } }))).toMatchObject({ status: 504 })
      await inUpdate
      expect(await leadsIn(url, 'Updated')).toBe(when === 'made' ? 1 : 0)

      for (const [operation, input] of [
        ['create_a_lead', { ...ada, LastName: 'Keyed' }],
        ['update_lead', { LeadID, FieldsToUpdate: { LastName: 'Changed' } }],
      ] as const) {
        const inKeyed = wire.cutAtCommit(operation === 'update_lead' ? 'Changed' : 'Keyed', when)
        const headers = { 'idempotency-key': operation }
        const first = await service.post(operation, input, headers)
        await inKeyed
        // Where it had been made, it is what was kept of it that is answered.
        expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, when === 'made' ? 'true' : null])
        const again = await service.post(operation, input, headers)
        expect(await again.text()).toBe(await first.text())
      }
      expect([await leadsIn(url, 'Keyed'), await leadsIn(url, 'Changed')]).toEqual([1, 1])

      const inBatch = wire.cutAtCommit('Atomic', when)
      const batch = await fetch(`${service.url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key()}`, 'content-type': 'application/json', 'idempotency-key': 'three' },
        body: JSON.stringify({ Operations: [1, 2].map(() => ({ Operation: 'create_a_lead', Input: { ...ada, LastName: 'Atomic' } })), Atomic: true }),
      })
      await inBatch
      expect(await batch.json()).toMatchObject({ Results: [{ Status: 200 }, { Status: 200 }] })
      expect(await leadsIn(url, 'Atomic')).toBe(2)

      await expectSoundPostgres(url)
      expect(await service.end()).toBe(0)
      expectNoUnexpectedLogs(service)
    })
  }

  test('and a database that stays away: whoever has a key is told to come back, and then gets the one answer', async () => {
    const url = await server.database()
    const wire = await startTcpProxy(url)
    const service = await serviceOn(wire.url)
    const create = () => service.post('create_a_lead', { ...ada, LastName: 'Away' }, { 'idempotency-key': 'key' })
    const cut = wire.cutAtCommit('Away', 'made')
    const first = create()
    await cut
    wire.tear()
    expect(await answered(first)).toMatchObject({ status: 503, code: 'platform_unavailable', retryAfter: '1' })
    wire.mend()
    await expect.poll(async () => (await create()).headers.get('idempotency-replayed')).toBe('true')
    expect(await leadsIn(url, 'Away')).toBe(1)
    expect(await service.end()).toBe(0)
    expectNoUnexpectedLogs(service)
  })
})

test('connections that are cut under load, in the middle of an answer or of a question: nothing is lost, nothing doubled', async () => {
  const url = await server.database()
  const wire = await startTcpProxy(url)
  const service = await serviceOn(wire.url)
  const load = startLoad([service], 16)
  for (let round = 0; round < 15; round++) {
    await load.more(15)
    if (round % 3 === 0) wire.cut()
    else wire.cutInAnswer(round * 20)
  }
  await load.more(50)
  await expectExactlyOn(url, [service], load)
})

describe('a network that hangs', () => {
  const slow = (url: string) => `${url}?statement_timeout=2000&connect_timeout=5`

  test('makes nobody wait for ever, and all goes on once it is over', async () => {
    const url = await server.database()
    const wire = await startTcpProxy(url)
    const service = await serviceOn(slow(wire.url))
    const { LeadID } = await service.call('create_a_lead', ada)
    const calls = (): Promise<Response>[] => [
      service.post('get_leads', { LeadID }),
      service.post('create_a_lead', { ...ada, LastName: 'Unkeyed' }),
      service.post('update_lead', { LeadID, FieldsToUpdate: { LastName: 'Byron' } }),
      service.post('create_a_lead', { ...ada, LastName: 'Keyed' }, { 'idempotency-key': 'key' }),
      fetch(`${service.url}/readyz`),
    ]
    wire.stall()
    const first = calls().map(answered)
    await pause(1_000)
    const answers = await Promise.all([...first, ...calls().map(answered)])
    for (const { status, code, retryAfter } of answers) {
      expect([503, 504]).toContain(status)
      expect(code).toBe(status === 503 ? 'platform_unavailable' : 'outcome_unknown')
      if (status === 503) expect(retryAfter).toBe('1')
    }
    wire.flow()
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200)
    await expect.poll(async () => (await service.post('create_a_lead', { ...ada, LastName: 'Keyed' }, { 'idempotency-key': 'key' })).status).toBe(200)
    expect(await leadsIn(url, 'Keyed')).toBe(1)
    await expectSoundPostgres(url)
    expect(await service.end()).toBe(0)
    expectNoUnexpectedLogs(service)
  })

  test('for a moment holds everybody up for that moment, and harms nothing', async () => {
    const url = await server.database()
    const wire = await startTcpProxy(url)
    const service = await serviceOn(wire.url)
    const load = startLoad([service], 16)
    for (let round = 0; round < 3; round++) {
      await load.more(50)
      wire.stall()
      await pause(300)
      wire.flow()
      await load.more(1)
    }
    await expectExactlyOn(url, [service], load)
  })

  test('does not keep a service from ending', async () => {
    const wire = await startTcpProxy(await server.database())
    const service = await serviceOn(slow(wire.url))
    await service.call('create_a_lead', ada)
    wire.stall()
    const underWay = service.post('create_a_lead', ada).catch(() => {})
    await pause(1_000)
    expect(await service.end()).toBe(0)
    await underWay
    expectNoUnexpectedLogs(service)
  })
})
