import type { AuthorizationServer, Client, ClientAuth } from 'oauth4webapi'
import { lazy } from '../../helpers/lazy.ts'
import { reasonOf } from '../../helpers/reason-of.ts'
import { SignInRefusal } from './refusal.ts'
import type { Claims } from './rules.ts'
import type { OidcSettings } from './settings.ts'

/** How long each request to the issuer may take. */
const REQUEST_MS = 10_000
/** How long its metadata are cached. The library caches its keys, and loads them again for a token with an unknown one. */
const METADATA_MS = 3_600_000

/** What one sign-in has in common with its answer. */
export interface SignInRequest {
  readonly redirectUri: string
  readonly nonce: string
  readonly verifier: string
}

/** An OpenID Connect issuer, as its client sees it. Everything it refuses, and every answer of it that is not valid, is a SignInRefusal. */
export interface Issuer {
  /** Its metadata, as discovery has found them. */
  discover(): Promise<AuthorizationServer>
  /** The address at which a person signs in. */
  authorizationUrl(request: SignInRequest & { readonly state: string }): Promise<string>
  /** The claims about the person, from the parameters that the browser has brought back. */
  exchange(parameters: URLSearchParams, request: SignInRequest & { readonly state: string }): Promise<{ readonly claims: Claims; readonly idToken: string }>
  /** The address that ends the person's session at the issuer; undefined where it has none. */
  signOutUrl(idToken: string | undefined, returnTo: string): Promise<string | undefined>
}

const library = lazy(() => import('oauth4webapi'))

export function createIssuer({ issuer, clientId, clientSecret, scopes }: OidcSettings, now: () => number = Date.now): Issuer {
  const client: Client = { client_id: clientId }
  let metadata: { readonly found: Promise<AuthorizationServer>; readonly at: number } | undefined

  /** Options of a request. Without TLS is only an issuer on this machine, as the configuration has checked. */
  async function bounded() {
    const { allowInsecureRequests } = await library()
    return { signal: () => AbortSignal.timeout(REQUEST_MS), [allowInsecureRequests]: issuer.startsWith('http:') }
  }

  async function load(): Promise<AuthorizationServer> {
    const { discoveryRequest, processDiscoveryResponse } = await library()
    const url = new URL(issuer)
    return guarded(async () => processDiscoveryResponse(url, await discoveryRequest(url, await bounded())), 'unavailable')
  }

  function discover(): Promise<AuthorizationServer> {
    if (!metadata || now() - metadata.at > METADATA_MS) {
      const found = load()
      metadata = { found, at: now() }
      // A failure is not kept, so that the next sign-in tries again.
      found.catch(() => {
        if (metadata?.found === found) metadata = undefined
      })
    }
    return metadata.found
  }

  async function authentication({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost, None } = await library()
    if (clientSecret === undefined) return None()
    return methods && !methods.includes('client_secret_basic') ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
  }

  return {
    discover,

    async authorizationUrl({ redirectUri, nonce, verifier, state }) {
      const [{ authorization_endpoint }, { calculatePKCECodeChallenge }] = [await discover(), await library()]
      if (authorization_endpoint === undefined) throw new SignInRefusal('unavailable', 'the metadata have no authorization_endpoint')
      const url = new URL(authorization_endpoint)
      const parameters = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },

    async exchange(parameters, { redirectUri, nonce, verifier, state }) {
      const [server, oauth, options] = [await discover(), await library(), await bounded()]
      return guarded(async () => {
        // Also compares the parameter iss with the issuer, so that an answer of another one is not taken for one of this (RFC 9207).
        const answer = oauth.validateAuthResponse(server, client, parameters, state)
        const response = await oauth.authorizationCodeGrantRequest(server, client, await authentication(server), answer, redirectUri, verifier, options)
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce, requireIdToken: true })
        await oauth.validateApplicationLevelSignature(server, response, options)
        const idClaims = oauth.getValidatedIdTokenClaims(tokens)
        if (!idClaims || tokens.id_token === undefined) throw new SignInRefusal('invalid', 'there is no ID token')
        const more = server.userinfo_endpoint
          ? await oauth.processUserInfoResponse(server, client, idClaims.sub, await oauth.userInfoRequest(server, client, tokens.access_token, options))
          : {}
        return { claims: merged(idClaims, more), idToken: tokens.id_token }
      }, 'invalid')
    },

    async signOutUrl(idToken, returnTo) {
      const { end_session_endpoint } = await discover()
      if (end_session_endpoint === undefined) return undefined
      const url = new URL(end_session_endpoint)
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('post_logout_redirect_uri', returnTo)
      if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
      return url.href
    },
  }
}

/** The claims of the ID token, and those that only userinfo has. What it says of another e-mail address does not count. */
function merged(idClaims: Claims, { email_verified, ...more }: Claims): Claims {
  const isSame = idClaims.email === undefined || idClaims.email === more.email
  return { ...(isSame && { email_verified }), ...more, ...idClaims }
}

/** Errors of the library as refusals: their causes hold tokens and codes, and are dropped. */
async function guarded<T>(work: () => Promise<T>, reason: 'invalid' | 'unavailable'): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignInRefusal) throw error
    const { message, code, error: theirs } = error as Error & { code?: unknown; error?: unknown }
    if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR' && theirs === 'access_denied') throw new SignInRefusal('cancelled')
    const known = typeof theirs === 'string' && /^\w{1,60}$/.test(theirs) ? `: ${theirs}` : ''
    const unanswered = typeof code !== 'string' || !code.startsWith('OAUTH_')
    if (unanswered) throw new SignInRefusal('unavailable', `the issuer does not answer: ${reasonOf(error)}`)
    throw new SignInRefusal(reason, `${code}: ${message}${known}`)
  }
}
