import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../../../src/contract/records/event.ts'
import { createAuthenticator } from '../../../../src/core/access/authenticate.ts'
import { createLog } from '../../../../src/transports/http/log.ts'
import { createHttpServer } from '../../../../src/transports/http/server.ts'
import { follow } from '../../../support/event-source.ts'
import { type Peer, type Peers, peersOnPostgres } from '../../../support/postgres-peers.ts'

const notifications = vi.hoisted(() => ({ arrive: true }))

/** A listener that may receive nothing, as behind a pooler that passes no notifications on. */
vi.mock('../../../../src/platforms/stores/postgres/listener.ts', async (original) => {
  const real = await original<typeof import('../../../../src/platforms/stores/postgres/listener.ts')>()
  return {
    ...real,
    createListener: (...given: Parameters<typeof real.createListener>) => (notifications.arrive ? real.createListener(...given) : { end: async () => {} }),
  }
})

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

async function peers(arrive: boolean): Promise<Peers> {
  notifications.arrive = arrive
  return peersOnPostgres()
}

/** Waits until this holds. */
async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Follows the events of a peer over HTTP, as a program would. */
async function following({ service, call }: Peer): Promise<readonly Event[]> {
  const log = createLog({ level: 'silent', pretty: false, destination: { write: () => {} } })
  const app = createHttpServer({ service, authenticate: createAuthenticator(service), log, version: '0.0.0-test', built: '' })
  onTestFinished(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { Key } = (await call('create_key', { Scopes: ['read'] })).result
  const { events, close } = await follow(url, String(Key))
  onTestFinished(close)
  return events
}

describe.each([
  { whose: 'that receives notifications', arrive: true },
  { whose: 'that receives none', arrive: false },
])('a process $whose', ({ arrive }) => {
  test('refuses a key after another has revoked it', async () => {
    const { peers: all } = await peers(arrive)
    const [here, there] = all
    const authenticate = createAuthenticator(here.service)
    for (let round = 0; round < 3; round++) {
      const { KeyID, Key } = (await there.call('create_key')).result
      const known = await authenticate(String(Key))
      expect(known.keyId).toBe(KeyID)
      await there.call('revoke_key', { KeyID })
      await until(async () => isRefused(() => authenticate(String(Key))))
    }
  })

  test('refuses a user after another has made them inactive, and knows them again when they are active', async () => {
    const { peers: all } = await peers(arrive)
    const [here, there] = all
    const authenticate = createAuthenticator(here.service)
    const { UserID } = (await there.call('create_user', { Name: 'Grace Hopper', Role: 'member' })).result
    const { Key } = (await there.call('create_key', { UserID })).result
    expect((await authenticate(String(Key))).role).toBe('member')
    await there.call('update_user', { UserID, FieldsToUpdate: { Active: false } })
    await until(() => isRefused(() => authenticate(String(Key))))
    await there.call('update_user', { UserID, FieldsToUpdate: { Active: true, Role: 'manager' } })
    await until(async () => !(await isRefused(() => authenticate(String(Key)))) && (await authenticate(String(Key))).role === 'manager')
  })

  test('streams what another writes', async () => {
    const { peers: all } = await peers(arrive)
    const [here, there] = all
    const events = await following(here)
    for (let round = 1; round <= 4; round++) {
      const { LeadID } = (await there.call('create_a_lead', ADA)).result
      await until(() => events.some(({ RecordID }) => RecordID === LeadID))
    }
    expect(events.filter(({ Type }) => Type === 'lead.created')).toHaveLength(4)
  })

  test('streams what another has written, numbered and left at once', async () => {
    const { peers: all, join } = await peers(arrive)
    const events = await following(all[0])
    for (let round = 1; round <= 3; round++) {
      const passing = await join()
      const { LeadID } = (await passing.call('create_a_lead', ADA)).result
      await passing.call('get_many_events', { After: '0' })
      await passing.leave()
      await until(() => events.some(({ RecordID }) => RecordID === LeadID))
    }
  })
})

async function isRefused(work: () => unknown): Promise<boolean> {
  try {
    await work()
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'unauthenticated' })
    return true
  }
}

test('a process whose listener lost its connection reconnects soon and misses nothing', async () => {
  const { peers: all, ask } = await peers(true)
  const [here, there] = all
  const events = await following(here)
  const listening = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`
  await expect.poll(() => ask(`SELECT COUNT(*) AS n ${listening}`)).toEqual([{ n: '3' }])
  expect(await ask(`SELECT COUNT(pg_terminate_backend(pid)) AS n ${listening}`)).toEqual([{ n: '3' }])
  const { LeadID } = (await there.call('create_a_lead', ADA)).result
  await until(() => events.some(({ RecordID }) => RecordID === LeadID))
  await expect.poll(() => ask(`SELECT COUNT(*) AS n ${listening}`)).toEqual([{ n: '3' }])
})
