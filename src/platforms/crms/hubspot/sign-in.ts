import { request } from 'undici'
import { DriverError } from '../engine/errors.ts'
import { hideTokens } from '../engine/secrets.ts'
import type { Signed } from '../engine/session.ts'
import { userAgent } from '../engine/user-agent.ts'
import type { Paths } from './paths.ts'

export const SECRETS = {
  token: 'a service key, or the access token of a private app',
  clientId: 'the client id of an app, for OAuth',
  clientSecret: 'the client secret of that app',
  refreshToken: 'a refresh token that the account has granted to that app',
}

/** Where tokens were exchanged before, until February 2027. */
const BEFORE = '/oauth/v1/token'

type Secrets = { readonly [name in keyof typeof SECRETS]?: string | undefined }

/** A service key, or the token of a private app, is used as it is; an app of its own exchanges its refresh token for a short-lived one. */
export function signIn(origin: string, { tokens }: Paths, secrets: { readonly [name: string]: string | undefined }, timeoutMs: number): () => Promise<Signed> {
  const { token, clientId, clientSecret, refreshToken }: Secrets = secrets
  if (token) return async () => ({ token })
  if (!clientId || !clientSecret || !refreshToken) {
    throw new DriverError('unauthenticated', 'HubSpot needs a service key, or a client id, client secret and refresh token.', {
      hint: 'Make a service key in HubSpot (Development, Keys, Service keys) and give it as the secret token, or give the secrets clientId, clientSecret and refreshToken, as docs/platforms/hubspot.md shows.',
    })
  }
  // HubSpot may exchange the refresh token, too.
  let refresh = refreshToken
  return async () => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, client_secret: clientSecret, refresh_token: refresh })
    const granted = await exchanged(origin, tokens, form, timeoutMs)
    refresh = granted.refresh_token || refresh
    hideTokens(granted.access_token, refresh)
    return { token: granted.access_token, ...(granted.expires_in !== undefined && { expires: Date.now() + granted.expires_in * 1000 }) }
  }
}

interface Granted {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in?: number
}

async function exchanged(origin: string, tokens: string, form: URLSearchParams, timeoutMs: number): Promise<Granted> {
  const { status, text } = await answered(origin, tokens, form, timeoutMs)
  if (status === 429 || status >= 500)
    throw new DriverError('platform_unavailable', `HubSpot answered ${status} to a sign-in.`, { retryable: true, retryAfterMs: 1000 })
  const granted = parsed(text)
  if (status >= 400) {
    const { status: code = granted.error ?? status, message = granted.error_description ?? 'without a reason' } = granted
    throw new DriverError('unauthenticated', `HubSpot does not let this app in: ${code}, ${message}.`, {
      hint: 'Check the client id, the client secret and the refresh token; a new one comes from installing the app in the account again.',
    })
  }
  if (!granted.access_token) throw new DriverError('platform_unavailable', 'HubSpot answered a sign-in with something else.', { retryable: true })
  return granted as Granted
}

/** The answer of the present path, or a token of the one before where HubSpot, or what stands in its place, does not have the present one yet. */
async function answered(origin: string, tokens: string, form: URLSearchParams, timeoutMs: number): Promise<{ status: number; text: string }> {
  const present = await sent(`${origin}${tokens}`, form, timeoutMs)
  const passing = present.status === 429 || (present.status >= 500 && present.status !== 501)
  if (present.status < 400 || passing || isRefusal(parsed(present.text))) return present
  const before = await sent(`${origin}${BEFORE}`, form, timeoutMs)
  return before.status < 300 ? before : present
}

/** Whether HubSpot has looked at what was sent: it then says what is wrong with it. */
const isRefusal = ({ status, error, message }: Answer) => error !== undefined || (status !== undefined && status !== 'error' && message !== undefined)

async function sent(url: string, form: URLSearchParams, timeoutMs: number): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': userAgent() }
    const answer = await request(url, { method: 'POST', headers, body: form.toString(), signal: AbortSignal.timeout(timeoutMs) })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    throw new DriverError('platform_unavailable', `HubSpot cannot be reached to sign in: ${(error as Error).message}`, { retryable: true, cause: error })
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
