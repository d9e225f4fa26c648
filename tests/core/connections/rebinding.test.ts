import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { createAccounts } from '../../../src/app/accounts.ts'
import { RequestCounts } from '../../../src/app/request-counts.ts'
import type { AccountSettings } from '../../../src/core/connections/accounts.ts'
import { publicLookup } from '../../../src/core/webhooks/targets.ts'
import { connectorWith } from '../../../src/platforms/crms/engine/agents.ts'
import { refusalOf } from '../../support/connected.ts'

/** A server on this machine, which counts the connections that are made to it. */
async function startPrivateServer() {
  const met = { connections: 0 }
  const server = createServer((_request, response) => response.end('{}'))
  server.on('connection', () => met.connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { met, port: (server.address() as AddressInfo).port }
}

const accounts = (connectPrivate: boolean) => createAccounts({ crms: {}, connectPrivate }, { counts: new RequestCounts(), takeFromRateLimit: () => undefined })

const APP = { clientId: 'a', clientSecret: 'b' }
const SIGN_INS = [
  ['salesforce', APP],
  ['hubspot', { token: 'a' }],
  ['hubspot', { ...APP, refreshToken: 'c' }],
  ['espocrm', { apiKey: 'a' }],
] as const

// The name was public when it was entered: what opens the account later has not seen that check.
test.for(['localhost', '127.0.0.1'])('nothing is sent to %s once the address of a connection leads there', async (host) => {
  const { met, port } = await startPrivateServer()
  for (const [platform, secrets] of SIGN_INS) {
    const settings: AccountSettings = { platform, address: `http://${host}:${port}`, options: {}, tables: null, secrets }
    const refusal = await refusalOf(accounts(false).open(settings))
    expect([platform, refusal]).toMatchObject([platform, { code: 'platform_unavailable', message: 'The address is on a private network.' }])
    for await (const { good } of accounts(false).examine(settings)) expect(good && platform).toBe(false)
  }
  for (const platform of ['salesforce', 'hubspot']) {
    const authorization = await accounts(false).authorization({ platform, address: `http://${host}:${port}`, options: {}, tables: null, secrets: APP })
    const exchanged = authorization?.exchange({ redirectUri: 'http://127.0.0.1:1/callback', code: 'a', verifier: 'b' })
    expect(await refusalOf(exchanged as Promise<unknown>)).toMatchObject({ message: 'The address is on a private network.' })
    await expect(authorization?.revoke({ accessToken: 'a', refreshToken: 'b' })).rejects.toThrow('private network')
  }
  expect(met.connections).toBe(0)
  const permitted = { platform: 'espocrm', address: `http://${host}:${port}`, options: {}, tables: null, secrets: { apiKey: 'a' } }
  await refusalOf(accounts(true).open(permitted))
  expect(met.connections).toBeGreaterThan(0)
})

test('a connection is made to the address that was checked, and the name is not resolved again', async () => {
  const { met, port } = await startPrivateServer()
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, _options, answered) => {
    asked.push(hostname)
    process.nextTick(answered, null, [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
  }
  const agent = new Agent({ connect: connectorWith(lookup, 5_000) })
  onTestFinished(() => agent.close())
  expect((await request(`http://crm.test:${port}`, { dispatcher: agent })).statusCode).toBe(200)
  expect([asked, met.connections]).toEqual([['crm.test'], 1])
})

test('public addresses are answered as Node answers them', async () => {
  const lookup = publicLookup(() => new Error('private'))
  const answer = (all: boolean) => new Promise((resolve) => lookup('93.184.215.14', { all }, (...answered) => resolve(answered)))
  expect(await answer(true)).toEqual([null, [{ address: '93.184.215.14', family: 4 }]])
  expect(await answer(false)).toEqual([null, '93.184.215.14', 4])
})
