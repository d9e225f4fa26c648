import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Retry } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { OpenOptions, Tokens } from '../engine/kind.ts'
import type { Signed, SignIn } from '../engine/session.ts'
import { storedSignIn } from '../engine/stored-tokens.ts'
import { audienceOf, originOf } from './address.ts'
import { type Form, instanceAt, requestTokens } from './token-endpoint.ts'

/** What a sign-in has brought beside what every session has. */
export interface SalesforceSession extends Signed {
  /** Who we are there; undefined where Salesforce does not say. */
  readonly userId?: string | undefined
  readonly orgId?: string | undefined
}

/** How long an assertion is good for. Salesforce takes three minutes at most, and clocks differ. */
const ASSERTION_SECONDS = 120

/**
 * Signs in with the stored tokens, or else with the flow that the given secrets are for. It is not retried here: a request that needs the session is, and signs
 * in again. An app may replace a refresh token at each use, and end the one before: the next sign-in uses the new one.
 */
export function signInWith(opening: OpenOptions): SignIn<SalesforceSession> {
  if (opening.tokens) {
    const signIn = storedSignIn('Salesforce', opening.tokens, (refreshToken) => renewed(opening, refreshToken))
    return async (before) => sessionOf(opening, await signIn(before))
  }
  let { secrets } = opening
  return async () => {
    const tokens = await requestTokens(opening, await formOf({ ...opening, secrets }))
    if (tokens.refreshToken) secrets = { ...secrets, refreshToken: tokens.refreshToken }
    return sessionOf(opening, tokens)
  }
}

const renewed = async (opening: OpenOptions, refreshToken: string) =>
  requestTokens(opening, await formOf({ ...opening, secrets: { ...opening.secrets, refreshToken } }))

function sessionOf(opening: OpenOptions, { accessToken, origin, identity, stored }: Tokens & { readonly stored?: boolean }): SalesforceSession {
  const [orgId, userId] = identity?.split('/').slice(-2) ?? []
  return { token: accessToken, origin: instanceAt(opening, origin), userId, orgId, stored }
}

/** Signs in with retries, for an examination, which has no request around it. */
export function signedIn(retry: Retry, get: () => Promise<Signed>): Promise<Signed> {
  return retry(get, (error) => (error instanceof DriverError ? { retryable: error.retryable, afterMs: error.retryAfterMs } : { retryable: false }))
}

/** Which of the three ways of signing in the secrets are for. */
export function flowOf({ clientId, clientSecret, username, privateKey, refreshToken }: OpenOptions['secrets']): 'refresh' | 'jwt' | 'client' {
  if (!clientId) throw unsigned('The client id of the app is missing.')
  if (refreshToken) return 'refresh'
  if (privateKey && username) return 'jwt'
  if (clientSecret) return 'client'
  throw unsigned('Nothing says how to sign in.')
}

const unsigned = (why: string) =>
  new DriverError('unauthenticated', `Salesforce cannot be signed in to. ${why}`, {
    hint: 'Give the client id, and with it the client secret, or a username and the private key, or a refresh token.',
  })

async function formOf(opening: OpenOptions): Promise<Form> {
  const { clientId = '', clientSecret, username = '', privateKey = '', refreshToken = '' } = opening.secrets
  switch (flowOf(opening.secrets)) {
    case 'refresh':
      return { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
    case 'jwt':
      return {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: await assertionOf(privateKey, clientId, username, opening.settings.options.audience ?? audienceOf(originOf(opening.address))),
      }
    case 'client':
      return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret ?? '' }
  }
}

async function assertionOf(privateKey: string, clientId: string, username: string, audience: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  try {
    // A key that came through a variable may have its lines written as one.
    const key = createPrivateKey(privateKey.replaceAll('\\n', '\n'))
    return await new SignJWT({})
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(clientId)
      .setSubject(username)
      .setAudience(audience)
      .setExpirationTime(now + ASSERTION_SECONDS)
      .sign(key)
  } catch {
    // What went wrong might show the key.
    throw new DriverError('unauthenticated', 'The private key for Salesforce cannot be used.', { hint: 'It is an RSA key in PEM, without a passphrase.' })
  }
}
