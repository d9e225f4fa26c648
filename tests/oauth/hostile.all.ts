import { describe, expect, test } from 'vitest'
import {
  authorizationUrl,
  authorize,
  CALLBACK,
  consent,
  grantedCode,
  grantedTokens,
  newVerifier,
  postForm,
  redemption,
  register,
  ticketOf,
} from '../support/oauth.ts'
import { serverForTest } from '../support/server.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('an authorization', () => {
  test('that does not name a client and a redirect address of its own is shown and never redirected', async () => {
    const server = await serverForTest()
    const { client_id } = await register(server, { redirect_uris: ['https://app.example/cb', CALLBACK] })
    const verifier = newVerifier()
    const addresses = [
      authorizationUrl(server, 'unknown', verifier),
      authorizationUrl(server, `${client_id}x`, verifier),
      authorizationUrl(server, client_id, verifier, { redirect_uri: undefined }),
      `${authorizationUrl(server, client_id, verifier)}&redirect_uri=https://evil.example`,
      ...[
        'https://evil.example/cb',
        'https://app.example/cb/',
        'https://app.example/cb?next=https://evil.example',
        'https://app.example:444/cb',
        'https://app.example.evil.example/cb',
        'https://app.example@evil.example/cb',
        'http://app.example/cb',
        'http://127.0.0.1:1/other',
        'http://127.0.0.1:1@evil.example/callback',
        'http://localhost:33418/callback',
        'javascript:alert(1)',
      ].map((redirect_uri) => authorizationUrl(server, client_id, verifier, { redirect_uri })),
    ]
    for (const address of addresses) {
      const { status, location, page } = await authorize(address)
      expect([address, status, location]).toEqual([address, 400, null])
      expect(page).toContain('cannot be answered')
    }
    expect((await authorize(authorizationUrl(server, client_id, verifier, { redirect_uri: 'http://127.0.0.1:9/callback' }))).status).toBe(302)
  })

  test('shows nothing of its address as markup', async () => {
    const server = await serverForTest()
    const { page } = await authorize(authorizationUrl(server, '<script>alert(1)</script>', newVerifier()))
    expect(page).not.toContain('<script')
  })

  test('with any other fault is sent back with it, its state and the issuer', async () => {
    const server = await serverForTest()
    const { client_id } = await register(server)
    const faults = {
      invalid_request: { code_challenge: undefined },
      invalid_scope: { scope: 'read everything' },
      invalid_target: { resource: 'https://other.example/mcp' },
      unsupported_response_type: { response_type: 'token' },
    }
    for (const [error, params] of Object.entries({ ...faults })) {
      const { location } = await authorize(authorizationUrl(server, client_id, newVerifier(), params))
      expect(Object.fromEntries(new URL(location ?? '').searchParams)).toMatchObject({ error, state: 'state-1', iss: server.url })
      expect(location?.startsWith(CALLBACK)).toBe(true)
    }
    for (const params of [{ code_challenge_method: 'plain' }, { code_challenge_method: undefined }, { code_challenge: 'short' }]) {
      const { location } = await authorize(authorizationUrl(server, client_id, newVerifier(), params))
      expect(location).toContain('error=invalid_request')
    }
  })
})

test('a site that has registered itself is not redirected to before a person has decided', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server, { redirect_uris: ['https://evil.example/cb?a=1&b="><script>'] })
  const params = { redirect_uri: 'https://evil.example/cb?a=1&b="><script>', scope: 'everything' }
  const { status, location, page } = await authorize(authorizationUrl(server, client_id, newVerifier(), params))
  expect([status, location]).toEqual([400, null])
  expect(page).toContain('>Return to evil.example</a>')
  expect(page).toContain('error=invalid_scope')
  expect(page).not.toContain('<script')
})

describe('a code', () => {
  test('is of no use to another client, at another address, with another verifier or changed', async () => {
    const server = await serverForTest()
    const [one, other] = [await register(server), await register(server, { client_name: 'Other' })]
    const granted = await grantedCode(server, one.client_id)
    const right = redemption(one.client_id, granted)
    for (const wrong of [
      { client_id: other.client_id },
      { redirect_uri: 'http://127.0.0.1:9/callback' },
      { code_verifier: newVerifier() },
      { code: `${granted.code.slice(0, 40)}${granted.code[40] === 'A' ? 'B' : 'A'}${granted.code.slice(41)}` },
      { code: await ticketOf(authorizationUrl(server, one.client_id, newVerifier())) },
    ])
      expect(await postForm(server, '/oauth/token', { ...right, ...wrong })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const said = async (wrong: object) => (await postForm(server, '/oauth/token', { ...right, ...wrong })).body.error_description
    expect(await said({ client_id: other.client_id })).toBe(await said({ code: 'nonsense' }))
    expect((await postForm(server, '/oauth/token', { ...right, code_verifier: undefined })).body.error).toBe('invalid_request')
    expect((await postForm(server, '/oauth/token', right)).status).toBe(200)
  })

  test('redeemed several times at once gives tokens at most once, which are revoked', async () => {
    const server = await serverForTest()
    const { client_id } = await register(server)
    const right = redemption(client_id, await grantedCode(server, client_id))
    const answers = await Promise.all(Array.from({ length: 5 }, () => postForm(server, '/oauth/token', right)))
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { body } of given) expect((await server.post('get_current_user', {}, bearer(body.access_token))).status).toBe(401)
  })

  test('of a client with a secret needs the secret', async () => {
    const server = await serverForTest()
    const { client_id, client_secret } = await register(server, { token_endpoint_auth_method: 'client_secret_post' })
    expect(client_secret).toMatch(/^crm_/)
    expect(client_id).not.toContain(client_secret)
    const right = redemption(client_id, await grantedCode(server, client_id))
    expect((await postForm(server, '/oauth/token', right)).status).toBe(401)
    expect((await postForm(server, '/oauth/token', { ...right, client_secret: 'crm_wrong' })).status).toBe(401)
    expect((await postForm(server, '/oauth/token', { ...right, client_secret })).status).toBe(200)
  })
})

test('a refresh token exchanged several times at once gives tokens at most once, and revokes the grant', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const { refresh_token } = await grantedTokens(server, client_id)
  const exchange = (token: string) => postForm(server, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: token })
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(refresh_token)))
  const given = answers.filter(({ status }) => status === 200)
  expect(given).toHaveLength(1)
  for (const { body } of given) {
    expect((await server.post('get_current_user', {}, bearer(body.access_token))).status).toBe(401)
    expect((await exchange(body.refresh_token)).body.error).toBe('invalid_grant')
  }
})

test('a refresh token of another client, or one that was never issued, changes nothing', async () => {
  const server = await serverForTest()
  const [one, other] = [await register(server), await register(server, { client_name: 'Other' })]
  const tokens = await grantedTokens(server, one.client_id)
  const exchange = (client_id: string, refresh_token: string) => postForm(server, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })
  expect((await exchange(other.client_id, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await exchange(other.client_id, tokens.refresh_token)).body).toEqual((await exchange(other.client_id, 'crm_refresh_nonsense')).body)
  expect((await exchange(one.client_id, `crm_refresh_${one.client_id}`)).body.error).toBe('invalid_grant')
  expect((await exchange(one.client_id, tokens.access_token)).body.error).toBe('invalid_grant')
  expect((await postForm(server, '/oauth/revoke', { client_id: other.client_id, token: tokens.access_token })).status).toBe(200)
  expect((await server.post('get_current_user', {}, bearer(tokens.access_token))).status).toBe(200)
  expect((await exchange(one.client_id, tokens.refresh_token)).status).toBe(200)
})

describe('consent', () => {
  test('needs the credentials of a person: neither none, nor a token', async () => {
    const server = await serverForTest()
    const { client_id } = await register(server)
    const { access_token } = await grantedTokens(server, client_id)
    const Request = await ticketOf(authorizationUrl(server, client_id, newVerifier()))
    const decision = { Request, Allow: true, Scopes: ['read'] }
    expect((await consent({ url: server.url, key: 'nonsense' }, decision)).status).toBe(401)
    expect((await consent({ url: server.url, key: access_token }, decision)).status).toBe(403)
    expect((await consent(server, { ...decision, Request: `${Request}x` })).status).toBe(404)
    expect((await consent(server, { Request })).status).toBe(400)
    expect((await consent(server, decision)).status).toBe(200)
  })

  test('gives no more than was asked for, than the role and than the key of the person', async () => {
    const server = await serverForTest()
    const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'member' })
    const { Key } = await server.call('create_key', {
      UserID,
      Scopes: ['read', 'write:Lead'],
      Confirm: 'deletes',
      ExpiresDate: new Date(Date.now() + 600_000).toISOString(),
    })
    const grace = { url: server.url, key: Key as string }
    const { client_id } = await register(server)
    const request = (scope?: string) => ticketOf(authorizationUrl(server, client_id, newVerifier(), { scope }))
    for (const [scope, Scopes] of [
      ['read', ['read', 'write']],
      ['read write', ['write']],
      ['read admin', ['admin']],
      ['read', []],
    ] as const)
      expect([400, 403]).toContain((await consent(grace, { Request: await request(scope), Allow: true, Scopes })).status)
    expect((await consent(grace, { Request: await request('admin'), Allow: true, Scopes: ['admin'] })).status).toBe(403)

    const tokens = await grantedTokens(grace, client_id, {}, { Scopes: ['read', 'write:Lead'] })
    const me = await server.call('get_current_user', {}, bearer(tokens.access_token))
    expect(me).toMatchObject({ Scopes: ['read', 'write:Lead'], Confirm: 'deletes' })
    expect(tokens.expires_in).toBeLessThanOrEqual(600)
    const { Records } = await server.call('get_many_keys', { Filters: { KeyID: me.KeyID as string } })
    expect(Date.parse((Records as { RenewableUntil: string }[])[0]?.RenewableUntil ?? '')).toBeLessThanOrEqual(Date.now() + 600_000)
  })
})

test('a token is refused at another resource, and one for the whole service is accepted at both', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const statusAt = async (path: string, token: string) =>
    (await fetch(server.url + path, { method: 'POST', headers: { ...bearer(token), 'content-type': 'application/json' }, body: '{}' })).status
  const refused: { readonly [resource: string]: readonly boolean[] } = { '/mcp': [false, true], '/v1': [true, false], '': [false, false] }
  for (const [path, expected] of Object.entries(refused)) {
    const { access_token } = await grantedTokens(server, client_id, { resource: server.url + path })
    const statuses = [await statusAt('/mcp', access_token), await statusAt('/v1/operations/get_current_user', access_token)]
    expect([path, statuses.map((status) => status === 401)]).toEqual([path, expected])
  }
  // The same service under another name: tokens for one are not for the other.
  const { access_token } = await grantedTokens(server, client_id)
  const elsewhere = await fetch(`http://localhost:${server.port}/v1/operations/get_current_user`, { method: 'POST', headers: bearer(access_token) }).catch(
    () => undefined,
  )
  if (elsewhere) expect(elsewhere.headers.get('www-authenticate')).toContain('invalid_token')
})

describe('registration', () => {
  test.each([
    ['no redirect address', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['http to another machine', { redirect_uris: ['http://evil.example/cb'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://app.example/cb#part'] }, 'invalid_redirect_uri'],
    ['a path', { redirect_uris: ['/cb'] }, 'invalid_redirect_uri'],
    ['too many addresses', { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://app.example/${i}`) }, 'invalid_redirect_uri'],
    ['long addresses', { redirect_uris: Array.from({ length: 6 }, (_, i) => `https://app.example/${'x'.repeat(400)}${i}`) }, 'invalid_client_metadata'],
    ['another authentication', { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
  ])('with %s is refused', async (_what, metadata, error) => {
    const { url } = await serverForTest()
    const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(metadata) })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, error])
  })

  test('in a flood is limited, and takes no space in the store', async () => {
    const server = await serverForTest()
    const answers = await Promise.all(Array.from({ length: 60 }, () => register(server).catch((error: Error) => error.message)))
    const refused = answers.filter((answer) => typeof answer === 'string')
    expect(refused.length).toBe(40)
    expect(refused[0]).toContain('temporarily_unavailable')
    expect((await server.call('get_many_keys', {})).Records).toHaveLength(1)
  })
})

test('no code, token or secret is logged', async () => {
  const server = await serverForTest()
  const { client_id, client_secret = '' } = await register(server, { token_endpoint_auth_method: 'client_secret_basic' })
  const granted = await grantedCode(server, client_id)
  const headers = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  const right = { ...redemption(client_id, granted), client_id: undefined }
  const { body } = await postForm(server, '/oauth/token', right, headers)
  await server.call('get_current_user', {}, bearer(body.access_token))
  await postForm(server, '/oauth/token', right, headers)
  await postForm(server, '/oauth/token', { grant_type: 'refresh_token', refresh_token: body.refresh_token }, headers)
  const secrets = [granted.code, granted.verifier, client_secret, body.access_token, body.refresh_token]
  expect(secrets.every((secret) => secret.length > 30)).toBe(true)
  expect(server.log()).toContain('/oauth/token')
  for (const secret of secrets) expect(server.log()).not.toContain(secret)
})
