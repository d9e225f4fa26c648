import { createServer, type IncomingMessage } from 'node:http'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { listening } from './oidc-issuer.ts'

export interface Forgery {
  readonly claims?: JWTPayload
  /** Whether it is signed with a key that the issuer does not publish, with the client's secret, or not at all. */
  readonly signature?: 'other' | 'secret' | 'none'
}

/** An issuer whose ID tokens are what a test makes them; it asks no person. */
export async function startForgingIssuer(clientSecret: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const { privateKey: other } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  let forgery: Forgery = {}
  const http = createServer((request, response) => {
    void answer(request).then((body) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    })
  })
  const issuer = `http://localhost:${await listening(http)}`
  let nonce = ''

  async function answer(request: IncomingMessage): Promise<object> {
    if (request.url?.startsWith('/.well-known'))
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        // An issuer that is that careless.
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      }
    if (request.url === '/keys') return { keys: [jwk] }
    return { access_token: 'access', token_type: 'bearer', id_token: await idToken() }
  }

  function idToken(): Promise<string> | string {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'crm', sub: 'ada', iat: now, exp: now + 60, nonce, groups: ['crm-admins'], ...forgery.claims }
    if (forgery.signature === 'none') return new UnsecuredJWT(claims).encode()
    const token = new SignJWT(claims)
    if (forgery.signature === 'secret') return token.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret))
    return token.setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(forgery.signature === 'other' ? other : privateKey)
  }

  return {
    issuer,
    forge(next: Forgery, asked: string) {
      forgery = next
      nonce = asked
    },
    close: () => new Promise((done) => http.close(done)),
  }
}
