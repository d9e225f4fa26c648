import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { request } from 'undici'
import type { Retry } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { OpenOptions } from '../engine/kind.ts'
import { hideTokens } from '../engine/secrets.ts'
import type { Signed } from '../engine/session.ts'
import { userAgent } from '../engine/user-agent.ts'
import { audienceOf, isTrusted, originOf } from './address.ts'

/** What a sign-in has brought beside what every session has. */
export interface SalesforceSession extends Signed {
  /** Who we are there; undefined where Salesforce does not say. */
  readonly userId?: string | undefined
  readonly orgId?: string | undefined
}

type Form = { readonly [name: string]: string }

interface Token {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly instance_url?: string
  readonly id?: string
  readonly error?: string
  readonly error_description?: string
}

/** How long an assertion is good for. Salesforce takes three minutes at most, and clocks differ. */
const ASSERTION_SECONDS = 120

/**
 * Signs in with the flow that the given secrets are for. It is not retried here: a request that needs the session is, and signs in again. An app may
 * replace a refresh token at each use, and end the one before: the next sign-in uses the new one.
 */
export function signInWith(opening: OpenOptions): () => Promise<SalesforceSession> {
  let { secrets } = opening
  return async () => {
    const token = await tokenFor(opening, await formOf({ ...opening, secrets }))
    if (token.refresh_token) secrets = { ...secrets, refreshToken: token.refresh_token }
    const [orgId, userId] = token.id?.split('/').slice(-2) ?? []
    return { token: token.access_token, origin: token.instance, userId, orgId }
  }
}

/** Signs in with retries, for an examination, which has no request around it. */
export function signedIn(retry: Retry, get: () => Promise<Signed>): Promise<Signed> {
  return retry(get, (error) => (error instanceof DriverError ? { retryable: error.retryable, afterMs: error.retryAfterMs } : { retryable: false }))
}

/** Which of the three ways of signing in it is. */
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

async function tokenFor(opening: OpenOptions, form: Form): Promise<Token & { readonly access_token: string; readonly instance: string }> {
  const { options } = opening.settings
  const origin = originOf(options.loginUrl ?? opening.address)
  const { status, text } = await posted(`${origin}/services/oauth2/token`, form, opening.settings.timeoutMs)
  const token = tokenIn(text)
  const { access_token } = token
  hideTokens(access_token, token.refresh_token, form.assertion)
  if (status >= 500) throw new DriverError('platform_unavailable', `Salesforce cannot sign anybody in right now (status ${status}).`, { retryable: true })
  if (status >= 400) throw refusedBy(status, token, origin)
  if (!access_token) throw new DriverError('platform_unavailable', `The answer of ${origin} to the sign-in has no token.`, { retryable: true })
  const instance = token.instance_url === undefined ? origin : originOf(token.instance_url)
  if (!isTrusted(instance, [origin, originOf(opening.address)])) {
    throw new DriverError('platform_unavailable', `The sign-in sends us to ${instance}, which is not an address of Salesforce.`, {
      hint: 'Check the address of the platform and the option `loginUrl`. Nothing was sent there.',
    })
  }
  if (origin.startsWith('https:') && !instance.startsWith('https:')) {
    throw new DriverError('platform_unavailable', 'Salesforce sends us to an address that is not encrypted.')
  }
  return { ...token, access_token, instance }
}

async function posted(url: string, form: Form, timeoutMs: number): Promise<{ status: number; text: string }> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': userAgent() },
      body: new URLSearchParams(form).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    throw new DriverError('platform_unavailable', `Salesforce cannot be reached at ${new URL(url).origin}: ${(error as Error).message}`, { retryable: true })
  }
}

function tokenIn(text: string): Token {
  try {
    return (JSON.parse(text) as Token | null) ?? {}
  } catch {
    return {}
  }
}

/** What to check, by what Salesforce says of a sign-in it refuses. */
const CHECKS: readonly (readonly [RegExp, string])[] = [
  [
    /approved this consumer/i,
    'Let the user use the app: in its policies, “Admin approved users are pre-authorized”, and a permission set or profile of the user.',
  ],
  [
    /blocked by admin|app_blocked|app_access|app_denied/i,
    'An admin of the account has blocked the app, or the user may not use it: unblock it under “Connected Apps OAuth Usage”, and let the user use it in its policies.',
  ],
  [/expired[ _]password|password (?:has )?expired/i, 'Set a new password for the user in Salesforce, and give them the permission “Password Never Expires”.'],
  [/audience/i, 'Set the option `audience` to https://login.salesforce.com, https://test.salesforce.com for a sandbox, or the My Domain.'],
  [/expired access\/refresh token|refresh_token/i, 'The refresh token was revoked or has expired; authorise the app again.'],
  [
    /no client credentials user|client_credentials|request not supported on this domain/i,
    'Switch the client credentials flow on, choose a user to run as, and use the My Domain as the address.',
  ],
  [/client|app_not_found|oauth_app/i, 'Check the client id and the client secret; a new app takes some minutes to be known.'],
  [/inactive|locked|ip restricted|not within/i, 'Check that the user is active and may sign in from here.'],
]

const BUSY_MS = 5000

function refusedBy(status: number, { error = '', error_description = '' }: Token, origin: string): DriverError {
  const reason = [error, error_description].filter((part) => part !== '').join(': ') || `status ${status}`
  if (status === 429 || /rate|limit exceeded/i.test(error_description)) {
    return new DriverError('rate_limited', `Salesforce refuses sign-ins for a while: ${reason}`, {
      retryable: !/API request/i.test(reason),
      retryAfterMs: BUSY_MS,
    })
  }
  const [, hint = 'Check the client id, the secrets and the address of the account.'] = CHECKS.find(([pattern]) => pattern.test(reason)) ?? []
  return new DriverError('unauthenticated', `Salesforce at ${origin} refuses the sign-in: ${reason}`, { hint })
}
