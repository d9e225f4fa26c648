import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { APP, RedirectURI } from '../support/connected.ts'
import { decide } from '../support/consent.ts'
import { temporaryFolder } from '../support/folder.ts'
import { gatedAccount } from '../support/gated.ts'
import { PLACES } from '../support/places.ts'
import { type RunningService, startService } from '../support/service.ts'

const SOON = { timeout: 60_000, interval: 50 }
const TOKEN_PATH = '/token'
const CRM_SECRET_KEYS = Buffer.alloc(32, 7).toString('base64')

/** A person allows the connection. */
async function allow(service: RunningService, ConnectionID: unknown): Promise<void> {
  const { Link } = await service.call('authorize_connection', { ConnectionID, RedirectURI })
  const { searchParams } = await decide(String(Link))
  await service.call('complete_connection', { State: searchParams.get('state'), Code: searchParams.get('code') })
}

/** Two processes on one store, connected to an account that replaces refresh tokens at each use. */
async function connected(place: Awaited<ReturnType<(typeof PLACES)[string]>>) {
  const [cwd, account] = [await temporaryFolder(), await gatedAccount()]
  const env = {
    CRM_PLATFORM: place.url,
    CRM_LOG_LEVEL: 'error',
    CRM_CONNECT_PRIVATE: 'true',
    CRM_ADMIN_KEY: `crm_${'renewal'.repeat(5)}`,
    CRM_SECRET_KEYS,
    CRM_WATCH_INTERVAL: 'off',
  }
  const killed = await startService(cwd, { env })
  const other = await startService(cwd, { env })
  account.simulator.faults.add('rotation')
  const { ConnectionID } = await killed.call('create_connection', { Platform: 'hubspot', Address: account.url, SignIn: 'browser', Secrets: APP })
  await allow(killed, ConnectionID)
  const { LeadID } = await killed.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  await vi.waitFor(async () => expect((await other.post('get_leads', { LeadID })).status).toBe(200), SOON)
  const tokens = () => account.simulator.simulated.tokens?.list() ?? []
  onTestFinished(() => {
    for (const { token } of tokens()) for (const service of [killed, other]) expect(`${service.out()}${service.err()}`).not.toContain(token)
  })
  return {
    account,
    killed,
    other,
    get: (service: RunningService) => service.post('get_leads', { LeadID }),
    tokens,
    expire: () => account.simulator.simulated.tokens?.expire(),
    allowAgain: () => allow(other, ConnectionID),
    connection: async () => ((await other.call('get_many_connections', { Filters: { ConnectionID } })).Records as Record<string, unknown>[])[0],
  }
}

describe.each(Object.entries(PLACES))('%s: a process is killed in the middle of a renewal', (_, placed) => {
  test('before the CRM has executed it: another process renews, and the call that has waited for it is answered', async () => {
    const { account, killed, other, get, tokens, expire, connection } = await connected(await placed())
    expire()
    const gate = account.hold(TOKEN_PATH)
    const lost = get(killed).catch(() => undefined)
    await gate.reached()
    const waiting = get(other)
    expect(await killed.end('SIGKILL')).toBe('SIGKILL')
    gate.release('lost')
    expect(await lost).toBeUndefined()
    expect((await waiting).status).toBe(200)
    expect((await get(other)).status).toBe(200)
    expect(tokens().every(({ uses }) => uses <= 1)).toBe(true)
    expect(tokens().filter(({ valid }) => valid)).toHaveLength(1)
    expect(await connection()).toMatchObject({ State: 'connected' })
  })

  test('between the answer of the CRM and the commit: the connection is broken, says how to connect it again, and is restored so', async () => {
    const { account, killed, other, get, expire, connection, allowAgain, tokens } = await connected(await placed())
    expire()
    const gate = account.hold(TOKEN_PATH, 'after')
    const lost = get(killed).catch(() => undefined)
    await gate.reached()
    expect(await killed.end('SIGKILL')).toBe('SIGKILL')
    gate.release()
    expect(await lost).toBeUndefined()
    const refused = await get(other)
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'platform_unavailable', hint: expect.stringContaining('crm connect') }])
    await vi.waitFor(async () => expect(await connection()).toMatchObject({ State: 'broken', Reason: expect.any(String), Advice: expect.any(String) }), SOON)
    await allowAgain()
    expect(await connection()).toMatchObject({ State: 'connected', Reason: null })
    expect((await get(other)).status).toBe(200)
    expect(tokens().filter(({ valid }) => valid)).toHaveLength(1)
  })

  test('after the commit: the other process goes on with what was stored', async () => {
    const { killed, other, get, tokens, expire, connection } = await connected(await placed())
    for (let round = 0; round < 2; round++) {
      expire()
      expect((await get(killed)).status).toBe(200)
    }
    expect(await killed.end('SIGKILL')).toBe('SIGKILL')
    expect((await get(other)).status).toBe(200)
    expire()
    expect((await get(other)).status).toBe(200)
    expect(tokens().every(({ uses }) => uses <= 1)).toBe(true)
    expect(tokens()).toHaveLength(4)
    expect(tokens().filter(({ valid }) => valid)).toHaveLength(1)
    expect(await connection()).toMatchObject({ State: 'connected' })
  })
})
