import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { audienceOf, isTrusted, originOf } from '../../../../src/platforms/crms/salesforce/address.ts'
import { signInWith } from '../../../../src/platforms/crms/salesforce/sign-in.ts'
import type { Retry } from '../../../../src/platforms/platform.ts'
import { plainServer } from '../../../support/plain-server.ts'
import { account, CLIENT, retry } from './account.ts'

const { open, opening, requests, simulator } = account()
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const formOf = () => new URLSearchParams(requests.find(({ path }) => path === '/services/oauth2/token')?.body)

describe('sign-in', () => {
  test('by client credentials', async () => {
    await open()
    expect(Object.fromEntries(formOf())).toEqual({ grant_type: 'client_credentials', client_id: 'simulator', client_secret: 'simulator' })
  })

  test('by a refresh token', async () => {
    await open({ secrets: { ...CLIENT, refreshToken: 'simulator' } })
    expect(Object.fromEntries(formOf())).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'simulator', client_id: 'simulator' })
  })

  test.each([
    ['pkcs8', (pem: string) => pem],
    ['pkcs1', (pem: string) => pem],
    ['pkcs8', (pem: string) => pem.replaceAll('\n', '\\n')],
  ] as const)('by an assertion signed with a key in %s', async (type, written) => {
    const key = written(privateKey.export({ format: 'pem', type }).toString())
    const secrets = { clientId: 'simulator', username: 'ada@example.com', privateKey: key }
    const session = await signInWith(opening({ secrets }))()
    expect(session).toMatchObject({ token: expect.any(String), origin: simulator().url, userId: expect.stringMatching(/^005/) })
    const assertion = formOf().get('assertion') ?? ''
    expect(decodeProtectedHeader(assertion).alg).toBe('RS256')
    const { payload } = await jwtVerify(assertion, publicKey, { issuer: 'simulator', audience: simulator().url })
    expect(payload.sub).toBe('ada@example.com')
    expect((payload.exp ?? 0) - Date.now() / 1000).toBeLessThanOrEqual(180)
  })

  test.each([
    ['a wrong secret', { ...CLIENT, clientSecret: 'hush-hush' }],
    ['a refresh token that was revoked', { ...CLIENT, refreshToken: 'hush-hush' }],
    ['no secret at all', { clientId: 'simulator' }],
    ['no client', { clientSecret: 'hush-hush' }],
    ['a key that is none', { clientId: 'simulator', username: 'ada@example.com', privateKey: 'hush-hush' }],
  ])('%s is told with what to check, and without the secret', async (_, secrets) => {
    const error = await signInWith(opening({ secrets }))().catch((wrong: unknown) => wrong)
    expect(error).toMatchObject({ code: 'unauthenticated', hint: expect.any(String), retryable: false })
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain('hush-hush')
  })

  test('trouble that passes is waited for', async () => {
    for (const fault of ['error=2x:/services/oauth2', 'rate-limit=1x:/services/oauth2']) {
      simulator().faults.add(fault)
      await (await open()).ping()
    }
  })

  test('nobody waits longer for a sign-in than for anything else', async () => {
    let attempts = 0
    const counting: Retry = (attempt, look) =>
      retry(() => {
        attempts++
        return attempt()
      }, look)
    await expect(open({ address: 'http://127.0.0.1:9', retry: counting })).rejects.toMatchObject({ code: 'platform_unavailable', retryable: true })
    expect(attempts).toBe(5)
  })

  test('where the account lives is what the sign-in says, and the sign-in is where the option says', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'simulator', instance_url: simulator().url, id: 'https://login/id/00D/0055e0000000001AAA' }))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const loginUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const driver = await open({ address: 'http://127.0.0.1:9' }, { loginUrl })
    await driver.ping()
    expect(asked).toEqual(['/services/oauth2/token'])
    server.close()
  })
})

test('an address is an origin, and says for whom an assertion is', () => {
  expect(['https://acme.my.salesforce.com/', 'acme.my.salesforce.com', 'http://127.0.0.1:4010', ''].map(originOf)).toEqual([
    'https://acme.my.salesforce.com',
    'https://acme.my.salesforce.com',
    'http://127.0.0.1:4010',
    'https://login.salesforce.com',
  ])
  expect(() => originOf('ftp://acme')).toThrow('no address')
  expect(
    ['https://acme.my.salesforce.com', 'https://acme--dev.sandbox.my.salesforce.com', 'https://test.salesforce.com', 'http://127.0.0.1:4010'].map(audienceOf),
  ).toEqual(['https://login.salesforce.com', 'https://test.salesforce.com', 'https://test.salesforce.com', 'http://127.0.0.1:4010'])
})

describe('the address that a sign-in answers with', () => {
  test.each(['https://evil.example', 'https://salesforce.com.evil.example', 'https://evilsalesforce.com', 'http://10.0.0.1'])(
    'gets no token where it is neither ours nor of Salesforce: %s',
    async (instance_url) => {
      const { origin } = await plainServer(() => ({ status: 200, body: { access_token: 'hush-hush', instance_url } }))
      const error = await open({ address: origin }).catch((wrong: unknown) => wrong)
      expect(error).toMatchObject({ code: 'platform_unavailable', message: expect.stringContaining(new URL(instance_url).host), hint: expect.any(String) })
    },
  )

  test('is trusted where it is', () => {
    const configured = ['https://acme.my.salesforce.com', 'https://login.acme.example']
    const trusted = ['https://acme.my.salesforce.com', 'https://na1.salesforce.com', 'https://acme.my.salesforce.mil', 'https://acme.my.sfcrmproducts.cn']
    for (const origin of [...trusted, 'https://login.acme.example']) expect(isTrusted(origin, configured), origin).toBe(true)
    for (const origin of ['https://acme.example', 'https://xlogin.acme.example', 'https://salesforce.com.acme.example'])
      expect(isTrusted(origin, configured), origin).toBe(false)
  })
})

test('a refresh token that was replaced is used from then on', async () => {
  const code = new URLSearchParams({ grant_type: 'authorization_code', code: 'simulator', client_id: 'simulator', client_secret: 'simulator' })
  const answer = await fetch(`${simulator().url}/services/oauth2/token`, { method: 'POST', body: code })
  const { refresh_token: refreshToken } = (await answer.json()) as { refresh_token: string }
  simulator().faults.add('rotation')
  const driver = await open({ secrets: { ...CLIENT, refreshToken } })
  for (let renewal = 0; renewal < 3; renewal++) {
    simulator().faults.add('expired-session=1x')
    await driver.count('Lead', { where: [] })
  }
  const used = requests
    .filter(({ path, body }) => path === '/services/oauth2/token' && body.includes('grant_type=refresh_token'))
    .map(({ body }) => new URLSearchParams(body).get('refresh_token'))
  expect(used).toHaveLength(4)
  expect(new Set(used).size).toBe(4)
})
