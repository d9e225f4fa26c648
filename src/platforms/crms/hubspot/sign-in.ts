import { request } from 'undici'
import { DriverError } from '../engine/errors.ts'
import { hideTokens } from '../engine/secrets.ts'
import type { Signed } from '../engine/session.ts'
import { userAgent } from '../engine/user-agent.ts'

export const SECRETS = {
  token: 'the access token of a private app',
  clientId: 'the client id of an app, for OAuth',
  clientSecret: 'the client secret of that app',
  refreshToken: 'a refresh token that the account has granted to that app',
}

/** Where refresh tokens are exchanged. HubSpot has announced the end of the first for February 2027. */
const EXCHANGES = ['/oauth/v1/token', '/oauth/2026-03/token'] as const

type Secrets = { readonly [name in keyof typeof SECRETS]?: string | undefined }

/** The token of a private app is used as it is; a public app exchanges its refresh token for a short-lived one. */
export function signIn(origin: string, secrets: { readonly [name: string]: string | undefined }, timeoutMs: number): () => Promise<Signed> {
  const { token, clientId, clientSecret, refreshToken }: Secrets = secrets
  if (token) return async () => ({ token })
  if (!clientId || !clientSecret || !refreshToken) {
    throw new DriverError('unauthenticated', 'HubSpot needs the token of a private app, or a client id, client secret and refresh token.', {
      hint: 'Give the secret token, or the secrets clientId, clientSecret and refreshToken, as docs/platforms/hubspot.md shows.',
    })
  }
  // HubSpot may exchange the refresh token, too.
  let refresh = refreshToken
  return async () => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, client_secret: clientSecret, refresh_token: refresh })
    const granted = await exchanged(origin, form, timeoutMs)
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

async function exchanged(origin: string, form: URLSearchParams, timeoutMs: number): Promise<Granted> {
  let { status, text } = await sent(`${origin}${EXCHANGES[0]}`, form, timeoutMs)
  if (status === 404 || status === 410) ({ status, text } = await sent(`${origin}${EXCHANGES[1]}`, form, timeoutMs))
  if (status === 429 || status >= 500)
    throw new DriverError('platform_unavailable', `HubSpot answered ${status} to a sign-in.`, { retryable: true, retryAfterMs: 1000 })
  const granted = parsed(text)
  if (status >= 400) {
    throw new DriverError('unauthenticated', `HubSpot does not let this app in: ${granted.status ?? status}, ${granted.message ?? 'without a reason'}.`, {
      hint: 'Check the client id, the client secret and the refresh token; a new one comes from installing the app in the account again.',
    })
  }
  if (!granted.access_token) throw new DriverError('platform_unavailable', 'HubSpot answered a sign-in with something else.', { retryable: true })
  return granted as Granted
}

async function sent(url: string, form: URLSearchParams, timeoutMs: number): Promise<{ status: number; text: string }> {
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': userAgent() }
    const answer = await request(url, { method: 'POST', headers, body: form.toString(), signal: AbortSignal.timeout(timeoutMs) })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    throw new DriverError('platform_unavailable', `HubSpot cannot be reached to sign in: ${(error as Error).message}`, { retryable: true, cause: error })
  }
}

function parsed(text: string): Partial<Granted> & { readonly status?: string; readonly message?: string } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
