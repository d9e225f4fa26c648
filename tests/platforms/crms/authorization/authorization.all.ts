import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import { plainServer } from '../../../support/plain-server.ts'
import { HUBSPOT, REDIRECT, readWith, retry, SALESFORCE, startAccount } from './account.ts'
import { MemoryTokens } from './token-store.ts'

describe.each([SALESFORCE, HUBSPOT])('an account of $name is authorized in a browser', (crm) => {
  const read = readWith(crm)

  test('with a challenge and a state, for everything that the driver needs', async () => {
    const account = await startAccount(crm)
    const address = account.address()
    expect(address.origin).toBe(account.simulator.url)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'simulator',
      redirect_uri: REDIRECT,
      state: 'state',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const tokens = await account.authorize()
    expect(tokens).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String) })
    const driver = await account.open({ tokens: new MemoryTokens(tokens) })
    expect(await read(driver)).toBeUndefined()
    expect(account.renewals()).toBe(0)
  })

  test('once for each code, with its own verifier and address', async () => {
    const account = await startAccount(crm)
    const code = await account.code()
    await account.exchange(code)
    const failing = [
      () => account.exchange(code),
      () => account.exchange('guessed-code'),
      async () => account.exchange(await account.code(), { verifier: 'another-verifier-that-is-long-enough-for-anyone' }),
      async () => account.exchange(await account.code(), { redirectUri: `${REDIRECT}/other` }),
    ]
    for (const exchange of failing) {
      const error = await exchange().catch((wrong: unknown) => wrong)
      expect(error).toMatchObject({ code: 'unauthenticated', hint: expect.any(String) })
      expect(JSON.stringify([error, (error as Error).message])).not.toMatch(new RegExp(`${code}|guessed-code|another-verifier`))
    }
  })

  test('until it is revoked, which is reported once and not asked for again and again', async () => {
    const account = await startAccount(crm)
    const onSignIn = vi.fn()
    const store = new MemoryTokens(await account.authorize())
    const driver = await account.open({ tokens: store, onSignIn })
    expect(onSignIn.mock.calls).toEqual([[undefined]])
    account.simulator.simulated.tokens?.revoke()
    for (const _ of [1, 2, 3]) {
      const error = await read(driver).catch((wrong: unknown) => wrong)
      expect(error).toMatchObject({ code: 'unauthenticated', hint: expect.any(String) })
    }
    expect(account.renewals()).toBe(1)
    expect(onSignIn.mock.calls).toEqual([[undefined], [expect.any(DriverError)]])
    expect(store.history).toHaveLength(1)

    store.put(await account.authorize())
    expect(await read(driver)).toBeUndefined()
    expect(onSignIn.mock.lastCall).toEqual([undefined])
  })

  test('and its tokens are given back', async () => {
    const account = await startAccount(crm)
    const tokens = await account.authorize()
    await crm.kind.authorization.revoke?.(account.opening(), tokens)
    expect(account.simulator.simulated.tokens?.list()).toMatchObject([{ valid: false }])
    // What has ended cannot end again, and that is no error.
    await crm.kind.authorization.revoke?.(account.opening(), tokens)
    account.simulator.faults.add('error=1')
    await expect(crm.kind.authorization.revoke?.(account.opening(), tokens)).rejects.toMatchObject({ code: 'platform_unavailable', retryable: true })
  })

  test('and no tokens at all are a refusal', async () => {
    const account = await startAccount(crm)
    const onSignIn = vi.fn()
    await expect(account.open({ tokens: new MemoryTokens(undefined), onSignIn })).rejects.toMatchObject({ code: 'unauthenticated', hint: expect.any(String) })
    expect(onSignIn.mock.calls).toEqual([[expect.any(DriverError)]])
    const { accessToken } = await account.authorize()
    const driver = await account.open({ tokens: new MemoryTokens({ accessToken }) })
    account.simulator.simulated.tokens?.expire()
    await expect(read(driver)).rejects.toMatchObject({ code: 'unauthenticated', hint: expect.any(String) })
  })
})

test.each([SALESFORCE, HUBSPOT])('nothing secret that $name echoes is shown', async ({ kind, tokenPath }) => {
  const hidden = { accessToken: 'access-hush-hush', refreshToken: 'refresh-hush-hush' }
  const next = { access_token: 'access-hush-hush-2', refresh_token: 'refresh-hush-hush-2' }
  let signsIn = false
  const { origin } = await plainServer(({ url, body, headers }) => {
    if (url.pathname === tokenPath && signsIn) return { status: 200, body: { ...next, instance_url: origin, expires_in: 1800 } }
    const echo = `${body} ${headers.authorization} ${next.refresh_token}`
    if (url.pathname === tokenPath)
      return { status: 400, body: { error: 'invalid_grant', error_description: echo, status: 'BAD_REFRESH_TOKEN', message: echo } }
    return { status: 401, body: signsIn ? { message: echo, category: 'X' } : {} }
  })
  const opening = { address: origin, settings: { quotaFloor: 0, timeoutMs: 5000, options: {} }, tables: kind.tables({}), retry }
  const secrets = { clientId: 'app', clientSecret: 'client-hush-hush' }
  const shown: unknown[] = []
  const note = (error: unknown) => shown.push(error, (error as Error).message, (error as Error).stack)
  for (signsIn of [false, true]) {
    await kind.open({ ...opening, secrets, tokens: new MemoryTokens(hidden), onSignIn: note }).catch(note)
  }
  await kind.authorization
    .exchange({ ...opening, secrets, address: 'http://127.0.0.1:9' }, { redirectUri: REDIRECT, code: 'code-hush-hush', verifier: 'v-hush-hush' })
    .catch(note)
  signsIn = false
  await kind.authorization.exchange({ ...opening, secrets }, { redirectUri: REDIRECT, code: 'code-hush-hush', verifier: 'verifier-hush-hush' }).catch(note)
  expect(shown.length).toBeGreaterThanOrEqual(12)
  expect(inspect(shown, { depth: 9 })).toContain('[secret]')
  expect(inspect(shown, { depth: 9 })).not.toContain('hush-hush')
})

describe.each([SALESFORCE, HUBSPOT])('no refusal of $name', ({ kind }) => {
  test.each([
    [400, { error: 'temporarily_unavailable', error_description: 'try again' }],
    [400, { error: 'server_error' }],
    [408, {}],
    [429, {}],
    [502, {}],
    [403, '<html>A proxy</html>'],
    [404, '<html>Nothing here</html>'],
  ])('is an answer of the token endpoint with %d and %j', async (status, body) => {
    const { origin } = await plainServer(({ url }) => (url.pathname.includes('/oauth') ? { status, body } : { status: 401 }))
    const onSignIn = vi.fn()
    const opening = { address: origin, settings: { quotaFloor: 0, timeoutMs: 5000, options: {} }, tables: kind.tables({}), retry, onSignIn }
    const store = new MemoryTokens({ accessToken: 'access', refreshToken: 'refresh' })
    const error = await kind.open({ ...opening, secrets: { clientId: 'app', clientSecret: 'secret' }, tokens: store }).catch((wrong: unknown) => wrong)
    expect(['platform_unavailable', 'rate_limited']).toContain((error as DriverError).code)
    expect(onSignIn).not.toHaveBeenCalled()
    expect(store.history).toEqual(['refresh'])
  })
})

describe('Salesforce', () => {
  const read = readWith(SALESFORCE)

  test('is asked at the address of the account, or where the option says', async () => {
    const account = await startAccount(SALESFORCE)
    expect(account.address().searchParams.get('scope')).toBe('api refresh_token')
    expect(account.address({ address: '' }).origin).toBe('https://login.salesforce.com')
    const settings = { quotaFloor: 0, timeoutMs: 5000, options: { loginUrl: 'test.salesforce.com' } }
    expect(account.address({ settings }).href).toMatch(/^https:\/\/test\.salesforce\.com\/services\/oauth2\/authorize\?/)
  })

  test('names another address, which gets no token; and a refresh token that came with it is not lost', async () => {
    const account = await startAccount(SALESFORCE)
    const store = new MemoryTokens(await account.authorize())
    const driver = await account.open({ tokens: store })
    account.simulator.faults.add('other-instance=evil.example')
    account.simulator.faults.add('rotation')
    await expect(account.authorize()).rejects.toMatchObject({ code: 'platform_unavailable', message: expect.stringContaining('evil.example') })
    account.simulator.simulated.tokens?.expire()
    await expect(read(driver)).rejects.toMatchObject({ code: 'platform_unavailable', message: expect.stringContaining('evil.example') })
    expect(store.history).toHaveLength(2)
    const elsewhere = new MemoryTokens({ ...(store.tokens ?? { accessToken: '' }), origin: 'http://10.0.0.1' })
    await expect(account.open({ tokens: elsewhere })).rejects.toMatchObject({ message: expect.stringContaining('10.0.0.1') })
  })

  test('says who we are, also with a token that is only read', async () => {
    const account = await startAccount(SALESFORCE)
    const driver = await account.open({ tokens: new MemoryTokens(await account.authorize()) })
    expect(driver.account).toMatch(/^http:\/\/127\.0\.0\.1:\d+ 00D/)
  })
})

describe('HubSpot', () => {
  const read = readWith(HUBSPOT)

  test('is asked where people are, for the scopes of the tables, and for those of custom objects where the account has them', async () => {
    const account = await startAccount(HUBSPOT)
    for (const address of ['', 'https://api.hubapi.com', 'https://api-eu1.hubapi.com'])
      expect(account.address({ address }).origin).toBe('https://app.hubspot.com')
    const options = { authorizeUrl: 'https://app-eu1.hubspot.com/' }
    expect(account.address({ settings: { quotaFloor: 0, timeoutMs: 5000, options } }).href).toMatch(/^https:\/\/app-eu1\.hubspot\.com\/oauth\/authorize\?/)
    const scopes = account.address().searchParams.get('scope')?.split(' ')
    expect(scopes).toEqual(expect.arrayContaining(['oauth', 'crm.objects.contacts.write', 'crm.objects.deals.read', 'tickets', 'crm.lists.write']))
    expect(scopes).not.toContain('crm.objects.leads.read')
    expect(account.address().searchParams.get('optional_scope')).toContain('crm.objects.custom.read')
    const native = account.address({ tables: HUBSPOT.kind.tables({ leads: 'lead' }) })
    expect(native.searchParams.get('scope')).toContain('crm.objects.leads.write')
  })

  test('is asked for the scopes that the documentation gives to the app', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../../docs/platforms/hubspot.md'), 'utf8')
    const [, json = ''] = /```json\n(\s*\{\s*"auth"[\s\S]*?)```/.exec(page) ?? []
    const { auth } = JSON.parse(json) as { auth: { requiredScopes: string[]; optionalScopes: string[] } }
    const { searchParams } = (await startAccount(HUBSPOT)).address()
    expect(searchParams.get('scope')?.split(' ').sort()).toEqual(auth.requiredScopes.sort())
    expect(searchParams.get('optional_scope')?.split(' ').sort()).toEqual(auth.optionalScopes.sort())
  })

  test('takes a refresh token back by the path before where there is no other', async () => {
    const account = await startAccount(HUBSPOT)
    const tokens = await account.authorize()
    const { requests, origin } = await plainServer(({ url }) => ({ status: url.pathname.startsWith('/oauth/v1/') ? 204 : 404 }))
    await HUBSPOT.kind.authorization.revoke?.(account.opening({ address: origin }), tokens)
    expect(requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'POST /oauth/2026-03/token/revoke',
      `DELETE /oauth/v1/refresh-tokens/${tokens.refreshToken}`,
    ])
  })

  test('renews an access token before it expires', async () => {
    const account = await startAccount(HUBSPOT)
    const tokens = await account.authorize()
    expect((tokens.expires ?? 0) - Date.now()).toBeGreaterThan(1_700_000)
    const driver = await account.open({ tokens: new MemoryTokens({ ...tokens, expires: Date.now() + 30_000 }) })
    await read(driver)
    expect(account.renewals()).toBe(1)
  })
})
