import { expect, test, vi } from 'vitest'
import {
  authorizationUrl,
  CALLBACK,
  consent,
  grantedCode,
  grantedTokens,
  newVerifier,
  postForm,
  type Refusal,
  redemption,
  register,
  ticketOf,
} from '../support/oauth.ts'
import { problemIn, serverForTest } from '../support/server.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('a refusal at /mcp and /v1 names the metadata of the resource, which names the server that issues its tokens', async () => {
  const { url } = await serverForTest()
  for (const [path, scopes] of [
    ['/mcp', ['read', 'write', 'delete']],
    ['/v1/operations/get_leads', ['read', 'write', 'delete', 'admin']],
  ] as const) {
    const refused = await fetch(url + path, { method: 'POST' })
    const resource = path === '/mcp' ? '/mcp' : '/v1'
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${url}/.well-known/oauth-protected-resource${resource}"`)
    expect((await problemIn(refused)).code).toBe('unauthenticated')
    const found = await fetch(`${url}/.well-known/oauth-protected-resource${resource}`)
    expect(found.headers.get('access-control-allow-origin')).toBe('*')
    expect(await found.json()).toMatchObject({ resource: url + resource, authorization_servers: [url], scopes_supported: scopes })
  }
  expect(await (await fetch(`${url}/.well-known/oauth-protected-resource`)).json()).toMatchObject({ resource: url })
  expect(await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()).toMatchObject({
    issuer: url,
    token_endpoint: `${url}/oauth/token`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  })
})

test('the public address is used where it is configured', async () => {
  const { url } = await serverForTest({ publicUrl: 'https://crm.example.com/api' })
  const refused = await fetch(`${url}/mcp`, { method: 'POST' })
  expect(refused.headers.get('www-authenticate')).toContain('"https://crm.example.com/api/.well-known/oauth-protected-resource/mcp"')
  expect(await (await fetch(`${url}/.well-known/oauth-protected-resource/api/mcp`)).json()).toMatchObject({ resource: 'https://crm.example.com/api/mcp' })
})

test('an address that names no resource of the service has no metadata', async () => {
  const { url } = await serverForTest({ publicUrl: 'https://crm.example.com/api' })
  for (const document of ['protected-resource', 'authorization-server']) {
    const at = (path: string) => fetch(`${url}/.well-known/oauth-${document}${path}`)
    for (const path of ['', '/', '/mcp', '/mcp/', '/v1?x=/zzz', '/api', '/api/mcp', '/api/v1/']) expect([path, (await at(path)).status]).toEqual([path, 200])
    for (const path of ['/zzz', '/zzz/mcp', '/mcp/zzz', '/apimcp', '/api/zzz', '/v12']) {
      const refused = await at(path)
      expect([path, refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([path, 404, '*'])
    }
  }
})

test('a token is a key: with the scopes that were granted, an expiry, the client in its record and a line in the audit', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const { answer, ...granted } = await grantedCode(
    server,
    client_id,
    { scope: 'read write', resource: `${server.url}/v1` },
    { Scopes: ['read'], Confirm: true },
  )
  expect(answer.get('state')).toBe('state-1')
  expect(answer.get('iss')).toBe(server.url)
  const { body, headers } = await postForm(server, '/oauth/token', redemption(client_id, granted))
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({ token_type: 'Bearer', scope: 'read' })
  expect(body.expires_in).toBeGreaterThan(3590)

  const me = await server.call('get_current_user', {}, bearer(body.access_token))
  expect(me).toMatchObject({ Scopes: ['read'], Confirm: 'deletes' })
  expect((await server.post('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }, bearer(body.access_token))).status).toBe(403)
  const { Records } = await server.call('get_many_keys', { Filters: { Kind: 'token' } })
  expect(Records).toMatchObject([{ KeyID: me.KeyID, Label: 'Tester', Kind: 'token', Resource: `${server.url}/v1`, RevokedDate: null }])
  expect(JSON.stringify(Records)).not.toContain('Digest')
  expect(await server.call('get_many_changes', { Filters: { RecordID: me.KeyID as string } })).toMatchObject({ Records: [{ Operation: 'create_key' }] })
})

test('a refresh token is exchanged once; a second time revokes the grant', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const first = await grantedTokens(server, client_id)
  const refresh = (refresh_token: string, more = {}) => postForm(server, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token, ...more })

  const { body: second } = await refresh(first.refresh_token)
  expect(second.refresh_token).not.toBe(first.refresh_token)
  await server.call('get_current_user', {}, bearer(second.access_token))
  expect(await refresh(second.refresh_token, { scope: 'read delete' })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  expect(await refresh(second.refresh_token, { resource: `${server.url}/mcp` })).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  const { body: third } = await refresh(second.refresh_token)

  expect(await refresh(second.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await server.post('get_current_user', {}, bearer(third.access_token))).status).toBe(401)
  expect(await refresh(third.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a code used twice revokes what it has granted', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const granted = await grantedCode(server, client_id)
  const { body } = await postForm(server, '/oauth/token', redemption(client_id, granted))
  await server.call('get_current_user', {}, bearer(body.access_token))
  expect(await postForm(server, '/oauth/token', redemption(client_id, granted))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await server.post('get_current_user', {}, bearer(body.access_token))).status).toBe(401)
})

test('denying sends the browser back without a code, and a request is decided once', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const Request = await ticketOf(authorizationUrl(server, client_id, newVerifier()))
  const { body } = await consent(server, { Request, Allow: false })
  const answer = new URL(body.Location)
  expect(answer.href.startsWith(`${CALLBACK}?`)).toBe(true)
  expect(Object.fromEntries(answer.searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'The request was denied.',
    state: 'state-1',
    iss: server.url,
  })
  expect(await consent(server, { Request, Allow: true, Scopes: ['read'] })).toMatchObject({ status: 404 })
})

test('a revoked token ends at once, and with it the refresh token', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const tokens = await grantedTokens(server, client_id)
    expect((await postForm(server, '/oauth/revoke', { client_id, token: tokens[kind] })).status).toBe(200)
    expect((await server.post('get_current_user', {}, bearer(tokens.access_token))).status).toBe(401)
    expect((await postForm(server, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token })).status).toBe(400)
  }
  expect((await postForm(server, '/oauth/revoke', { client_id, token: 'nonsense' })).status).toBe(200)
})

test('deactivating the user ends tokens, and no new ones are issued', async () => {
  const server = await serverForTest()
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'member' })
  const { Key } = await server.call('create_key', { UserID })
  const { client_id } = await register(server)
  const tokens = await grantedTokens({ url: server.url, key: Key as string }, client_id)
  await server.call('get_current_user', {}, bearer(tokens.access_token))
  await server.call('update_user', { UserID, FieldsToUpdate: { Active: false } })
  await vi.waitFor(async () => expect((await server.post('get_current_user', {}, bearer(tokens.access_token))).status).toBe(401), 60_000)
  const refreshed = await postForm(server, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token })
  expect(refreshed.body.error).toBe('invalid_grant')
})

test('a token allows no more than its user does by now', async () => {
  const server = await serverForTest()
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'admin' })
  const { Key } = await server.call('create_key', { UserID, Scopes: ['read', 'admin'] })
  const { client_id } = await register(server)
  const { access_token } = await grantedTokens({ url: server.url, key: Key as string }, client_id, { scope: 'read admin' }, { Scopes: ['read', 'admin'] })
  await server.call('get_many_keys', {}, bearer(access_token))
  expect((await server.post('create_key', {}, bearer(access_token))).status).toBe(403)
  await server.call('update_user', { UserID, FieldsToUpdate: { Role: 'member' } })
  await vi.waitFor(async () => expect((await server.post('get_many_keys', {}, bearer(access_token))).status).toBe(403), 60_000)
  await server.call('get_many_leads', {}, bearer(access_token))
})

test('a token that lacks a scope is told which; a key is not, nor a token of a person whose role does not allow it', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const { access_token } = await grantedTokens(server, client_id, { scope: 'read' }, { Scopes: ['read'] })
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'member' })
  const { Key } = await server.call('create_key', { UserID, Scopes: ['read'] })
  const member = await grantedTokens({ url: server.url, key: String(Key) }, client_id, { scope: 'read' }, { Scopes: ['read'] })
  const refused = async (operation: string, input: object, token: string) => {
    const { status, headers } = await server.post(operation, input, bearer(token))
    return [status, headers.get('www-authenticate')]
  }
  const metadata = `${server.url}/.well-known/oauth-protected-resource/v1`
  expect(await refused('create_a_lead', { LastName: 'Hopper' }, access_token)).toEqual([
    403,
    `Bearer error="insufficient_scope", scope="read write", resource_metadata="${metadata}"`,
  ])
  expect(await refused('create_a_lead', { LastName: 'Hopper' }, String(Key))).toEqual([403, null])
  expect(await refused('get_many_keys', {}, member.access_token)).toEqual([403, null])
})

test('a code expires after a minute, an access token after an hour, a grant after 90 days', async () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
  let ahead = 0
  const server = await serverForTest({ wrap: (service) => ({ ...service, now: () => new Date(Date.now() + ahead) }) })
  const { client_id } = await register(server)
  const late = await grantedCode(server, client_id)
  ahead += minute
  expect((await postForm(server, '/oauth/token', redemption(client_id, late))).body.error).toBe('invalid_grant')

  const { access_token, refresh_token } = await grantedTokens(server, client_id)
  ahead += hour
  expect((await server.post('get_current_user', {}, bearer(access_token))).status).toBe(401)
  const refresh = (token: string) => postForm(server, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: token })
  const { body } = await refresh(refresh_token)
  await server.call('get_current_user', {}, bearer(body.access_token))
  ahead += 90 * day - 2 * hour
  const last = await refresh(body.refresh_token)
  expect(last.body.expires_in).toBeLessThanOrEqual(3600)
  ahead += hour + minute
  expect((await refresh(last.body.refresh_token)).body.error).toBe('invalid_grant')
  expect((await server.post('get_current_user', {}, bearer(last.body.access_token))).status).toBe(401)
})

test('deletes with a token are confirmed as the person has chosen, and never less than their own key requires', async () => {
  const server = await serverForTest()
  const { client_id } = await register(server)
  const confirmOf = async (key: string, Confirm?: unknown) => {
    const granted = await grantedCode({ url: server.url, key }, client_id, { scope: 'read delete' }, { Scopes: ['read', 'delete'], Confirm })
    const { body } = await postForm(server, '/oauth/token', redemption(client_id, granted))
    return (await server.call('get_current_user', {}, bearer(body.access_token))).Confirm
  }
  const keyWith = async (Confirm: string) => (await server.call('create_key', { Scopes: ['read', 'delete'], Confirm })).Key as string
  const [deletes, person] = [await keyWith('deletes'), await keyWith('person')]
  for (const [key, chosen, expected] of [
    [server.key, undefined, 'deletes'],
    [server.key, false, null],
    [server.key, 'person', 'person'],
    [deletes, false, 'deletes'],
    [deletes, 'person', 'person'],
    [person, 'deletes', 'person'],
  ] as const)
    expect([chosen, await confirmOf(key, chosen)]).toEqual([chosen, expected])
  expect((await consent(server, { Request: 'x', Allow: true, Scopes: ['read'], Confirm: 'nobody' })).body.detail).toContain('Confirm')
})

test('a program gets tokens with its KeyID and key, which end with the key', async () => {
  const server = await serverForTest()
  const { KeyID, Key } = await server.call('create_key', { Label: 'nightly import', Scopes: ['read', 'write:Lead'], Confirm: 'deletes' })
  const client = { client_id: KeyID as string, client_secret: Key as string }
  const ask = (more = {}, headers = {}) => postForm(server, '/oauth/token', { grant_type: 'client_credentials', ...client, ...more }, headers)

  const { body } = await ask({ scope: 'read:Lead' })
  expect(body).toMatchObject({ scope: 'read:Lead' })
  expect(body.refresh_token).toBeUndefined()
  expect(await server.call('get_current_user', {}, bearer(body.access_token))).toMatchObject({ Scopes: ['read:Lead'], Confirm: 'deletes' })
  const basic = `Basic ${Buffer.from(`${KeyID}:${Key}`).toString('base64')}`
  const all = await ask({ client_id: undefined, client_secret: undefined }, { authorization: basic })
  expect(all.body.scope).toBe('read write:Lead')

  expect((await ask({ scope: 'write' })).body.error).toBe('invalid_scope')
  expect(await ask({ client_secret: 'crm_wrong' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect(await ask({ client_id: 'another' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect(await ask({ client_secret: body.access_token })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })

  await server.call('revoke_key', { KeyID })
  for (const { access_token } of [body, all.body]) expect((await server.post('get_current_user', {}, bearer(access_token))).status).toBe(401)
  expect((await ask()).status).toBe(401)
})

test('a program revokes a token that it got for its key, and no other', async () => {
  const server = await serverForTest()
  const program = async () => {
    const { KeyID, Key } = await server.call('create_key', { Scopes: ['read'] })
    const client = { client_id: KeyID as string, client_secret: Key as string }
    const { body } = await postForm(server, '/oauth/token', { grant_type: 'client_credentials', ...client })
    return { ...client, token: body.access_token }
  }
  const [one, other] = [await program(), await program()]
  const status = async (token: string) => (await server.post('get_current_user', {}, bearer(token))).status

  expect(await postForm(server, '/oauth/revoke', { ...one, client_secret: 'crm_wrong' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect(await postForm(server, '/oauth/revoke', { ...one, client_secret: undefined })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect(await postForm(server, '/oauth/revoke', { ...one, client_secret: one.token })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  expect((await postForm(server, '/oauth/revoke', { ...one, token: other.token })).status).toBe(200)
  expect((await postForm(server, '/oauth/revoke', { ...one, token: one.client_secret })).status).toBe(200)
  expect([await status(one.token), await status(other.token), await status(one.client_secret)]).toEqual([200, 200, 200])

  const basic = `Basic ${Buffer.from(`${one.client_id}:${one.client_secret}`).toString('base64')}`
  expect((await postForm(server, '/oauth/revoke', { token: one.token }, { authorization: basic })).status).toBe(200)
  expect([await status(one.token), await status(other.token), await status(one.client_secret)]).toEqual([401, 200, 200])
})

test('a registration is refused with every fault of it', async () => {
  const { url } = await serverForTest()
  const refused = async (metadata: unknown) => {
    const response = await fetch(`${url}/oauth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(metadata) })
    const { error, error_description } = (await response.json()) as Refusal
    return [response.status, error, error_description]
  }
  const redirect_uris = [CALLBACK]
  const metadata = 'invalid_client_metadata'
  expect(await refused([])).toEqual([400, metadata, 'The metadata of a client is a JSON object.'])
  expect(await refused({ client_name: 5, redirect_uris })).toEqual([400, metadata, 'client_name is a text.'])
  expect(await refused({ client_uri: 'nowhere', redirect_uris })).toEqual([400, metadata, 'client_uri is an absolute URL.'])
  for (const grant_types of ['authorization_code', [], ['refresh_token'], ['authorization_code', 5], [5]])
    expect(await refused({ grant_types, redirect_uris })).toEqual([400, metadata, expect.stringContaining('grant_types is a list with authorization_code')])
  for (const response_types of ['code', ['token'], ['code', 5]])
    expect(await refused({ response_types, redirect_uris })).toEqual([400, metadata, 'response_types is a list with code.'])
  for (const wrong of ['x', undefined, []])
    expect(await refused({ redirect_uris: wrong })).toEqual([400, 'invalid_redirect_uri', 'redirect_uris is a list of 1 to 10 addresses.'])
  const [, error, text] = await refused({ redirect_uris: ['http://a.example', CALLBACK, 5, 'javascript:alert(1)'] })
  expect(error).toBe('invalid_redirect_uri')
  for (const named of ['redirect_uris.0 has http', 'redirect_uris.2 is not', 'redirect_uris.3 begins with javascript:']) expect(text).toContain(named)

  const all = { client_name: {}, client_uri: 1, redirect_uris: 'x', grant_types: 1, response_types: 1, token_endpoint_auth_method: 'private_key_jwt' }
  const [status, code, faults] = await refused(all)
  expect([status, code]).toEqual([400, metadata])
  for (const member of Object.keys(all)) expect(faults).toContain(`${member} is`)
})

test('a client may register all that the server supports, and learns that it has no more', async () => {
  const server = await serverForTest()
  const supported = (await (await fetch(`${server.url}/.well-known/oauth-authorization-server`)).json()) as Record<string, string[]>
  const grant_types = [...(supported.grant_types_supported ?? []), 'urn:ietf:params:oauth:grant-type:device_code']
  const response_types = [...(supported.response_types_supported ?? []), 'token']
  const given = { grant_types, response_types, client_uri: null, logo_uri: 5, scope: 'read' }
  expect(await register(server, given)).toMatchObject({ client_name: 'Tester', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] })
})

test('pages of any origin may read the metadata and call the token and registration endpoints', async () => {
  const { url } = await serverForTest()
  for (const path of [
    '/oauth/token',
    '/oauth/register',
    '/oauth/revoke',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ]) {
    const headers = { origin: 'https://inspector.example', 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-protocol-version' }
    const preflight = await fetch(url + path, { method: 'OPTIONS', headers })
    expect([path, preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([path, 204, '*'])
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Mcp-Protocol-Version')
  }
  const consents = await fetch(`${url}/oauth/consent`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  })
  expect(consents.headers.get('access-control-allow-origin')).toBeNull()
})
