import type { Dispatcher } from 'undici'
import { request } from 'undici'
import { withoutTrailingSlashes } from '../../../helpers/trailing-slashes.ts'
import { agentWith } from '../engine/agents.ts'
import { DriverError } from '../engine/errors.ts'
import type { OpenOptions, Tokens } from '../engine/kind.ts'
import { hideSecrets, hideTokens } from '../engine/secrets.ts'
import { userAgent } from '../engine/user-agent.ts'
import { pathsOf } from './paths.ts'

/** The API, unless the address says otherwise. */
const ORIGIN = 'https://api.hubapi.com'

/** Where tokens were exchanged and revoked before, until February 2027. */
const BEFORE = '/oauth/v1/token'
const REVOKED_BEFORE = '/oauth/v1/refresh-tokens'

/** Where an account is signed in to. */
export interface TokenEndpoint {
  readonly origin: string
  /** The path. */
  readonly tokens: string
  readonly timeoutMs: number
  readonly dispatcher: Dispatcher
}

export const originOf = (address: string) => withoutTrailingSlashes(address || ORIGIN)

export const tokenEndpoint = ({ address, settings: { options, timeoutMs }, lookup }: OpenOptions): TokenEndpoint => ({
  origin: originOf(address),
  tokens: pathsOf(options.apiVersion).tokens,
  timeoutMs,
  dispatcher: agentWith(lookup),
})

/** Exchanges a code or a refresh token for tokens. */
export async function requestTokens(endpoint: TokenEndpoint, secrets: OpenOptions['secrets'], given: { readonly [name: string]: string }): Promise<Tokens> {
  const { clientId = '', clientSecret = '' } = secrets
  hideSecrets(secrets)
  hideTokens(given.refresh_token, given.code, given.code_verifier)
  const form = new URLSearchParams({ ...given, client_id: clientId, client_secret: clientSecret })
  const { access_token: accessToken, refresh_token: refreshToken, expires_in } = await exchanged(endpoint, form)
  hideTokens(accessToken, refreshToken)
  return { accessToken, refreshToken: refreshToken || undefined, expires: expires_in === undefined ? undefined : Date.now() + expires_in * 1000 }
}

/** Ends a refresh token. One that HubSpot no longer knows has ended. */
export async function revokeToken(endpoint: TokenEndpoint, { clientId = '', clientSecret = '' }: OpenOptions['secrets'], token: string) {
  hideTokens(token)
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, token, token_type_hint: 'refresh_token' })
  const present = await sent(endpoint, `${endpoint.tokens}/revoke`, 'POST', form)
  if (present.status < 300 || isRefusal(parsed(present.text))) return
  const { status } = isPassing(present.status) ? present : await sent(endpoint, `${REVOKED_BEFORE}/${encodeURIComponent(token)}`, 'DELETE')
  if (isPassing(status)) throw unavailable(status)
}

interface Granted {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in?: number
}

async function exchanged(endpoint: TokenEndpoint, form: URLSearchParams): Promise<Granted> {
  const { status, text } = await answered(endpoint, form)
  const granted = parsed(text)
  if (isPassing(status) || PASSING.test(granted.error ?? '')) throw unavailable(status)
  if (status >= 400) throw refusedBy(status, granted)
  if (!granted.access_token) throw new DriverError('platform_unavailable', 'HubSpot answered a sign-in with something else.', { retryable: true })
  return granted as Granted
}

const unavailable = (status: number) =>
  new DriverError('platform_unavailable', `HubSpot answered ${status} to a sign-in.`, { retryable: true, retryAfterMs: 1000 })

/** Statuses and errors that are no refusal. */
const isPassing = (status: number) => status === 408 || status === 429 || (status >= 500 && status !== 501)
const PASSING = /^(?:temporarily_unavailable|server_error)$/

function refusedBy(status: number, answer: Answer): DriverError {
  const { status: code = answer.error ?? status, message = answer.error_description ?? 'without a reason' } = answer
  const why = `HubSpot does not let this app in: ${code}, ${message}.`
  // HubSpot says what it refuses; what does not is a proxy, or another server.
  if (!isRefusal(answer) && status !== 401) return new DriverError('platform_unavailable', why, { hint: 'Check the address of the platform.' })
  const hint = /REDIRECT/.test(`${code}`)
    ? 'Add the callback address of this service to the redirect addresses of the app, letter by letter.'
    : /CODE/.test(`${code}`)
      ? 'A code is good once and for a short time, in the browser that asked for it: connect the account again.'
      : 'Check the client id, the client secret and the refresh token; a new one comes from installing the app in the account again.'
  return new DriverError('unauthenticated', why, { hint })
}

/** The answer of the present path, or a token of the one before where HubSpot, or what stands in its place, does not have the present one yet. */
async function answered(endpoint: TokenEndpoint, form: URLSearchParams): Promise<{ status: number; text: string }> {
  const present = await sent(endpoint, endpoint.tokens, 'POST', form)
  if (present.status < 400 || isPassing(present.status) || isRefusal(parsed(present.text))) return present
  const before = await sent(endpoint, BEFORE, 'POST', form)
  return before.status < 300 ? before : present
}

/** Whether HubSpot has looked at what was sent: it then says what is wrong with it. */
const isRefusal = ({ status, error, message }: Answer) => error !== undefined || (status !== undefined && status !== 'error' && message !== undefined)

/** One that was waited for as long as it may take is not sent again. */
const isLate = (error: unknown) => (error as Error).name === 'TimeoutError'

async function sent(
  { origin, timeoutMs, dispatcher }: TokenEndpoint,
  path: string,
  method: 'POST' | 'DELETE',
  form?: URLSearchParams,
): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': userAgent() }
    const answer = await request(`${origin}${path}`, {
      method,
      headers,
      ...(form && { body: form.toString() }),
      signal: AbortSignal.timeout(timeoutMs),
      dispatcher,
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    if (error instanceof DriverError) throw error
    throw new DriverError('platform_unavailable', `HubSpot cannot be reached to sign in: ${(error as Error).message}`, {
      retryable: !isLate(error),
      cause: error,
    })
  }
}

type Answer = Partial<Granted> & { readonly status?: string; readonly message?: string; readonly error?: string; readonly error_description?: string }

function parsed(text: string): Answer {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
