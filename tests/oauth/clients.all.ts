import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Client, type OAuthClientProvider, type OAuthDiscoveryState, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import * as oauth from 'oauth4webapi'
import { expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../core/webhooks/self-signed.ts'
import { CALLBACK, consent, ticketOf } from '../support/oauth.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

type Saved<M extends 'clientInformation' | 'tokens'> = Awaited<ReturnType<OAuthClientProvider[M]>>

/** What a program that uses the official client has to bring: a place for what it is given, and a browser. */
function provider(document?: string): Omit<OAuthClientProvider, 'tokens'> & { readonly opened: URL[]; tokens(): Saved<'tokens'>; forgetAccess(): void } {
  let client: Saved<'clientInformation'>
  let tokens: Saved<'tokens'>
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined
  const opened: URL[] = []
  return {
    opened,
    redirectUrl: CALLBACK,
    ...(document !== undefined && { clientMetadataUrl: document }),
    clientMetadata: { client_name: 'Official client', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
    state: () => 'state-of-the-client',
    clientInformation: () => client,
    saveClientInformation: (given) => {
      client = given
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given
    },
    redirectToAuthorization: (url) => void opened.push(url),
    saveCodeVerifier: (given) => {
      verifier = given
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovered,
    saveDiscoveryState: (given) => {
      discovered = given
    },
    forgetAccess: () => {
      if (tokens) tokens = { ...tokens, access_token: 'crm_no-longer-valid' }
    },
  }
}

async function allowed(server: TestServer, address: URL, Scopes: readonly string[]): Promise<URL> {
  const { body } = await consent(server, { Request: await ticketOf(address.href), Allow: true, Scopes })
  return new URL(body.Location)
}

test('the official MCP client discovers, registers, is authorized, calls tools and renews its token', async () => {
  const server = await serverForTest()
  await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const authProvider = provider()
  const transport = () => new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider })
  const client = () => new Client({ name: 'tests', version: '0.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })

  const first = transport()
  await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
  const [address] = authProvider.opened as [URL]
  expect(Object.fromEntries(address.searchParams)).toMatchObject({ resource: `${server.url}/mcp`, scope: 'read write delete', code_challenge_method: 'S256' })
  const answer = await allowed(server, address, ['read', 'write'])
  expect(answer.searchParams.get('state')).toBe('state-of-the-client')
  await first.finishAuth(answer.searchParams)

  const connected = client()
  onTestFinished(() => connected.close())
  await connected.connect(transport())
  const { structuredContent } = await connected.callTool({ name: 'get_many_leads', arguments: {} })
  expect(JSON.stringify(structuredContent)).toContain('Lovelace')
  const { isError } = await connected.callTool({ name: 'delete_lead', arguments: { LeadID: 'x' } }).catch(() => ({ isError: true }))
  expect(isError).toBe(true)

  const before = authProvider.tokens()?.refresh_token
  authProvider.forgetAccess()
  await connected.callTool({ name: 'get_many_leads', arguments: {} })
  expect(authProvider.tokens()?.refresh_token).not.toBe(before)
  expect(authProvider.opened).toHaveLength(1)
})

test('the official MCP client is known by its metadata document, without registering', async () => {
  const certificate = selfSigned('localhost')
  const site = createServer(certificate, (request, response) => {
    const document = { client_id: `https://${request.headers.host}${request.url}`, client_name: 'Documented', redirect_uris: [CALLBACK] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  const server = await serverForTest({ clientDocuments: { allowPrivate: true, ca: certificate.cert } })
  const document = `https://localhost:${(site.address() as AddressInfo).port}/client.json`
  const authProvider = provider(document)
  const transport = () => new StreamableHTTPClientTransport(new URL(`${server.url}/mcp?confirm=deletes`), { authProvider })
  const client = new Client({ name: 'tests', version: '0.0.0' }, { versionNegotiation: { mode: 'legacy' } })

  const first = transport()
  await expect(client.connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
  const [address] = authProvider.opened as [URL]
  expect(address.searchParams.get('client_id')).toBe(document)
  await first.finishAuth((await allowed(server, address, ['read'])).searchParams)
  const connected = new Client({ name: 'tests', version: '0.0.0' }, { versionNegotiation: { mode: 'legacy' } })
  onTestFinished(() => connected.close())
  await connected.connect(transport())
  const { tools } = await connected.listTools()
  expect(tools.map(({ name }) => name)).toContain('get_many_leads')
  expect(tools.map(({ name }) => name)).not.toContain('create_a_lead')
  expect(server.log()).not.toContain('/oauth/register')
})

test('oauth4webapi finds its way, and checks the state, the issuer and the tokens', async () => {
  const server = await serverForTest()
  const http = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(server.url)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }))
  const resource = await oauth.processResourceDiscoveryResponse(
    new URL(`${server.url}/v1`),
    await oauth.resourceDiscoveryRequest(new URL(`${server.url}/v1`), http),
  )
  expect(resource.authorization_servers).toEqual([server.url])

  const metadata = { client_name: 'oauth4webapi', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_basic' }
  const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(as, metadata, http))
  const authentication = oauth.ClientSecretBasic(String(client.client_secret))
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const address = new URL(String(as.authorization_endpoint))
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    scope: 'read write:Lead',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: resource.resource,
  }).toString()

  const answer = await allowed(server, address, ['read', 'write:Lead'])
  expect(() => oauth.validateAuthResponse(as, client, answer, 'another state')).toThrow('state')
  expect(() => oauth.validateAuthResponse({ ...as, issuer: 'https://other.example' }, client, answer, state)).toThrow('iss')
  const params = oauth.validateAuthResponse(as, client, answer, state)
  const granted = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(as, client, authentication, params, CALLBACK, verifier, http),
  )
  expect(granted.scope).toBe('read write:Lead')
  const lead = { FirstName: 'Grace', LastName: 'Hopper' }
  const called = await oauth.protectedResourceRequest(
    granted.access_token,
    'POST',
    new URL(`${server.url}/v1/operations/create_a_lead`),
    new Headers({ 'content-type': 'application/json' }),
    JSON.stringify(lead),
    http,
  )
  expect(called.status).toBe(200)

  const renewed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, authentication, String(granted.refresh_token), http),
  )
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, authentication, renewed.access_token, http))
  expect((await server.post('get_current_user', {}, { authorization: `Bearer ${renewed.access_token}` })).status).toBe(401)

  const { KeyID, Key } = await server.call('create_key', { Scopes: ['read'] })
  const program = { client_id: String(KeyID) }
  const issued = await oauth.processClientCredentialsResponse(
    as,
    program,
    await oauth.clientCredentialsGrantRequest(as, program, oauth.ClientSecretPost(String(Key)), new URLSearchParams({ scope: 'read' }), http),
  )
  expect((await server.post('get_current_user', {}, { authorization: `Bearer ${issued.access_token}` })).status).toBe(200)
})
