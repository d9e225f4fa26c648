import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import type { OidcSettings } from '../../src/core/oidc/settings.ts'
import { startServer, type TestOptions, type TestServer } from './server.ts'

/** The people that the issuer knows, by what they enter as their login. */
export const PEOPLE: { readonly [login: string]: { readonly [claim: string]: unknown } } = {
  ada: { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true, groups: ['crm-admins', 'staff'] },
  grace: { name: 'Grace Hopper', email: 'grace@example.com', email_verified: true, groups: ['staff'] },
  mallory: { name: 'Mallory', email: 'mallory@example.com', email_verified: false, groups: [] },
  eve: { name: 'Eve', email: 'eve@elsewhere.example', email_verified: true, groups: [] },
}

export const RULES: Pick<OidcSettings, 'rules' | 'unknown' | 'linkByEmail'> = {
  rules: [
    { claims: { groups: ['crm-admins'] }, emailDomains: [], role: 'admin', workspace: 'default' },
    { claims: {}, emailDomains: ['example.com'], role: 'member', workspace: 'default' },
  ],
  unknown: undefined,
  linkByEmail: false,
}

const CLIENT = { clientId: 'crm', clientSecret: 'a-secret-of-the-client-of-32-characters' }

export const settingsFor = (issuer: string, more: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer,
  ...CLIENT,
  name: 'Acme',
  scopes: 'openid email profile',
  sessionMs: 3_600_000,
  ...RULES,
  ...more,
})

export interface IssuerAndServer {
  readonly issuer: string
  readonly server: TestServer
  /** The claims of people from now on, in the place of those above. */
  readonly claims: Map<string, { readonly [claim: string]: unknown }>
  close(): Promise<void>
}

/** A real OpenID Connect issuer on another site than the service that uses it. */
export async function startWithIssuer(options: TestOptions = {}, more: Partial<OidcSettings> = {}): Promise<IssuerAndServer> {
  const http = createServer((request, response) => void handle(request, response))
  let handle: (...exchange: Parameters<Parameters<typeof createServer>[1] & object>) => unknown = () => {}
  const issuer = `http://localhost:${await listening(http)}`
  const server = await startServer({ ...options, oidc: settingsFor(issuer, more) })
  const claims = new Map(Object.entries(PEOPLE))
  // Loaded here, because it warns on standard error that it is made for a newer Node.
  const { Provider } = await import('oidc-provider')
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${server.url}/sign-in/oidc/callback`],
        post_logout_redirect_uris: [`${server.url}/`],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['a key of cookies'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    pkce: { required: () => true },
    findAccount: (_context, accountId) => ({ accountId, claims: async () => ({ sub: accountId, ...claims.get(accountId) }) }),
  })
  handle = provider.callback()
  return {
    issuer,
    server,
    claims,
    async close() {
      await server.close()
      http.closeAllConnections()
      await new Promise((done) => http.close(done))
    },
  }
}

export async function listening(http: Server): Promise<number> {
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  return (http.address() as AddressInfo).port
}
