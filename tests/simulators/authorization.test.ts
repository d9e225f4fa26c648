import { createHash } from 'node:crypto'
import { Client } from '@hubspot/api-client'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import jsforce from 'jsforce'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decide } from '../support/consent.ts'

const REDIRECT = 'http://127.0.0.1:1/callback'
const CLIENT = { client_id: 'simulator', client_secret: 'simulator' }
const VERIFIER = 'v'.repeat(64)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const HOUR_MS = 3_600_000

async function started(crm: typeof simulateSalesforce, faults: readonly string[] = []): Promise<Simulator> {
  const simulator = await startSimulator(crm, { faults })
  onTestFinished(() => simulator.close())
  return simulator
}

interface Answer {
  readonly status: number
  readonly body: { readonly [name: string]: string }
}

async function post(url: string, form: { readonly [name: string]: string }): Promise<Answer> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

const CRMS = [
  {
    name: 'Salesforce',
    simulate: simulateSalesforce,
    authorize: '/services/oauth2/authorize',
    token: '/services/oauth2/token',
    scope: 'api refresh_token',
    records: '/services/data/v66.0/limits',
    badCode: { error: 'invalid_grant', error_description: 'invalid authorization code' },
    usedCode: { error: 'invalid_grant', error_description: 'expired authorization code' },
    badVerifier: { error: 'invalid_grant', error_description: 'invalid code verifier' },
    badRedirect: { error: 'redirect_uri_mismatch', error_description: 'redirect_uri must match configuration' },
    badRefresh: { error: 'invalid_grant', error_description: 'expired access/refresh token' },
  },
  {
    name: 'HubSpot',
    simulate: simulateHubSpot,
    authorize: '/oauth/authorize',
    token: '/oauth/2026-03/token',
    scope: 'oauth crm.objects.contacts.read',
    records: '/crm/objects/2026-03/contacts',
    badCode: { status: 'BAD_AUTH_CODE', error: 'invalid_grant' },
    usedCode: { status: 'EXPIRED_AUTH_CODE', error: 'invalid_grant' },
    badVerifier: { status: 'BAD_CODE_VERIFIER', error: 'invalid_grant' },
    badRedirect: { status: 'MISMATCH_REDIRECT_URI_AUTH_CODE', error: 'invalid_grant' },
    badRefresh: { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token', error: 'invalid_grant' },
  },
] as const

describe.each(CRMS)('an account of $name lets an app in', (crm) => {
  const addressAt = ({ url }: Simulator, more: { readonly [name: string]: string } = {}) =>
    `${url}${crm.authorize}?${new URLSearchParams({
      response_type: 'code',
      client_id: 'simulator',
      redirect_uri: REDIRECT,
      scope: crm.scope,
      state: 'a state & more',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...more,
    })}`
  const codeAt = async (simulator: Simulator) => (await decide(addressAt(simulator))).searchParams.get('code') ?? ''
  const exchange = ({ url }: Simulator, form: { readonly [name: string]: string }) =>
    post(`${url}${crm.token}`, { grant_type: 'authorization_code', redirect_uri: REDIRECT, code_verifier: VERIFIER, ...CLIENT, ...form })
  const refresh = ({ url }: Simulator, token: string | undefined) =>
    post(`${url}${crm.token}`, { grant_type: 'refresh_token', refresh_token: `${token}`, ...CLIENT })
  const granted = async (simulator: Simulator) => (await exchange(simulator, { code: await codeAt(simulator) })).body
  const statusBy = async ({ url }: Simulator, token: string | undefined) =>
    (await fetch(`${url}${crm.records}`, { headers: { authorization: `Bearer ${token}` } })).status

  test('by a page that sends the browser back with a code and the state, or with a refusal', async () => {
    const simulator = await started(crm.simulate)
    const shown = await fetch(addressAt(simulator))
    expect(shown.headers.get('content-type')).toContain('text/html')
    expect(await shown.text()).toMatch(/127\.0\.0\.1:1.*>Allow<.*>Deny</s)
    const back = await decide(addressAt(simulator))
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:1\/callback\?code=[\w-]{40}&state=/)
    expect(back.searchParams.get('state')).toBe('a state & more')
    const denied = await decide(addressAt(simulator), 'deny')
    expect(Object.fromEntries(denied.searchParams)).toMatchObject({ error: 'access_denied', state: 'a state & more' })
  })

  test.each([
    ['another app', { client_id: 'another' }],
    ['no address to go back to', { redirect_uri: 'nowhere' }],
    ['an address that is not encrypted', { redirect_uri: 'http://app.example/callback' }],
    ['a script in the place of an address', { redirect_uri: 'javascript:alert(1)' }],
  ])('but sends no browser anywhere for %s', async (_, more) => {
    const simulator = await started(crm.simulate)
    for (const method of ['GET', 'POST']) {
      const init = { method, redirect: 'manual', ...(method === 'POST' && { body: new URLSearchParams({ decision: 'allow' }) }) } as const
      const answer = await fetch(addressAt(simulator, more), init)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    }
  })

  test('with a code that is good once, for its verifier and its address, and for minutes', async () => {
    const simulator = await started(crm.simulate)
    const code = await codeAt(simulator)
    expect(await exchange(simulator, { code })).toMatchObject({ status: 200, body: { access_token: expect.any(String), refresh_token: expect.any(String) } })
    expect(await exchange(simulator, { code })).toMatchObject({ status: 400, body: crm.usedCode })
    expect(await exchange(simulator, { code: 'guessed' })).toMatchObject({ status: 400, body: crm.badCode })
    expect(await exchange(simulator, { code: await codeAt(simulator), code_verifier: 'w'.repeat(64) })).toMatchObject({ status: 400, body: crm.badVerifier })
    expect(await exchange(simulator, { code: await codeAt(simulator), code_verifier: '' })).toMatchObject({ status: 400, body: crm.badVerifier })
    const elsewhere = { code: await codeAt(simulator), redirect_uri: `${REDIRECT}/other` }
    expect(await exchange(simulator, elsewhere)).toMatchObject({ status: 400, body: crm.badRedirect })
    const late = await codeAt(simulator)
    await simulator.advance(HOUR_MS)
    expect(await exchange(simulator, { code: late })).toMatchObject({ status: 400, body: crm.usedCode })
  })

  test('and its refresh token stays, unless rotation is on: then one that was replaced ends everything', async () => {
    const simulator = await started(crm.simulate)
    const { access_token, refresh_token } = await granted(simulator)
    expect(await statusBy(simulator, access_token)).toBe(200)
    for (const _ of [1, 2]) expect((await refresh(simulator, refresh_token)).status).toBe(200)
    expect(simulator.simulated.tokens?.list()).toEqual([{ token: refresh_token, uses: 2, replaced: false, valid: true }])

    simulator.faults.add('rotation')
    const { body: next } = await refresh(simulator, refresh_token)
    expect(next.refresh_token).not.toBe(refresh_token)
    const { body: last } = await refresh(simulator, next.refresh_token)
    expect(await statusBy(simulator, last.access_token)).toBe(200)
    expect(await refresh(simulator, refresh_token)).toMatchObject({ status: 400, body: crm.badRefresh })
    expect(await refresh(simulator, last.refresh_token)).toMatchObject({ status: 400, body: crm.badRefresh })
    expect(await statusBy(simulator, last.access_token)).toBe(401)
    expect(simulator.simulated.tokens?.list().map(({ uses, valid }) => [uses, valid])).toEqual([
      [4, false],
      [1, false],
      [1, false],
    ])
  })

  test('until the simulator is told to expire or to revoke the tokens', async () => {
    const simulator = await started(crm.simulate)
    const { access_token, refresh_token } = await granted(simulator)
    const administer = async (method: string, path: string) => (await fetch(`${simulator.url}/simulator/${path}`, { method })).json()
    expect(await administer('POST', 'tokens/expire')).toEqual([{ token: refresh_token, uses: 0, replaced: false, valid: true }])
    expect(await statusBy(simulator, access_token)).toBe(401)
    const { body } = await refresh(simulator, refresh_token)
    expect(await statusBy(simulator, body.access_token)).toBe(200)
    expect(await administer('DELETE', 'tokens')).toEqual([{ token: refresh_token, uses: 1, replaced: false, valid: false }])
    expect(await statusBy(simulator, body.access_token)).toBe(401)
    expect(await refresh(simulator, refresh_token)).toMatchObject({ status: 400, body: crm.badRefresh })
    expect(await administer('GET', 'tokens')).toMatchObject([{ uses: 2, valid: false }])
  })
})

test('jsforce is let in with PKCE, refreshes and revokes', async () => {
  const simulator = await started(simulateSalesforce, ['rotation'])
  const oauth2 = new jsforce.OAuth2({ loginUrl: simulator.url, clientId: 'simulator', redirectUri: REDIRECT, useVerifier: true })
  const back = await decide(oauth2.getAuthorizationUrl({ scope: 'api refresh_token', state: 'x' }))
  const granted = await oauth2.requestToken(back.searchParams.get('code') ?? '')
  expect(granted).toMatchObject({ instance_url: simulator.url, scope: 'api refresh_token', token_type: 'Bearer' })
  const renewed = await oauth2.refreshToken(`${granted.refresh_token}`)
  expect(renewed.refresh_token).not.toBe(granted.refresh_token)
  const connection = new jsforce.Connection({ instanceUrl: renewed.instance_url, accessToken: renewed.access_token })
  expect((await connection.identity()).username).toBe('integration@simulator.example')
  await oauth2.revokeToken(`${renewed.refresh_token}`)
  await expect(connection.identity()).rejects.toThrow()
  await expect(oauth2.refreshToken(`${renewed.refresh_token}`)).rejects.toMatchObject({ name: 'invalid_grant' })
})

test('another jsforce, with another verifier, cannot take its code', async () => {
  const simulator = await started(simulateSalesforce)
  const [one, other] = [1, 2].map(() => new jsforce.OAuth2({ loginUrl: simulator.url, clientId: 'simulator', redirectUri: REDIRECT, useVerifier: true }))
  const back = await decide(one?.getAuthorizationUrl({}) ?? '')
  await expect(other?.requestToken(back.searchParams.get('code') ?? '')).rejects.toThrow('invalid code verifier')
})

test("HubSpot's own client is let in, refreshes and gives its refresh token back", async () => {
  const simulator = await started(simulateHubSpot, ['rotation'])
  const { oauth } = new Client({ basePath: simulator.url })
  const back = await decide(
    oauth
      .getAuthorizationUrl('simulator', REDIRECT, 'oauth crm.objects.contacts.read', 'tickets unheard.of', 'x')
      .replace('https://app.hubspot.com', simulator.url),
  )
  const granted = await oauth.tokensApi.create('authorization_code', back.searchParams.get('code') ?? '', REDIRECT, 'simulator', 'simulator')
  expect(granted).toMatchObject({ expiresIn: 1800, tokenType: 'bearer' })
  expect((await oauth.accessTokensApi.get(granted.accessToken)).scopes).toEqual(['oauth', 'crm.objects.contacts.read', 'tickets'])
  const renewed = await oauth.tokensApi.create('refresh_token', undefined, undefined, 'simulator', 'simulator', granted.refreshToken)
  expect(renewed.refreshToken).not.toBe(granted.refreshToken)
  await oauth.refreshTokensApi.archive(renewed.refreshToken)
  await expect(oauth.refreshTokensApi.get(renewed.refreshToken)).rejects.toMatchObject({ code: 404 })
  const again = oauth.tokensApi.create('refresh_token', undefined, undefined, 'simulator', 'simulator', renewed.refreshToken)
  await expect(again).rejects.toMatchObject({ code: 400, body: { status: 'BAD_REFRESH_TOKEN' } })
})
