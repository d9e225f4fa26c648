import { request } from 'undici'
import { agentWith } from '../engine/agents.ts'
import { DriverError } from '../engine/errors.ts'
import type { OpenOptions, Tokens } from '../engine/kind.ts'
import { hideSecrets, hideTokens } from '../engine/secrets.ts'
import { userAgent } from '../engine/user-agent.ts'
import { isTrusted, originOf } from './address.ts'

export type Form = { readonly [name: string]: string }

interface Token {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly instance_url?: string
  readonly id?: string
  readonly error?: string
  readonly error_description?: string
}

const ADDRESS = 'Check the address of the account, such as https://acme.my.salesforce.com, and the option `loginUrl`.'

/** Where the account is signed in to. */
export const loginOf = ({ address, settings: { options } }: OpenOptions) => originOf(options.loginUrl ?? address)

/** Exchanges what a form has for tokens. Their origin is checked when they are used: a refresh token that replaces another is not lost for it. */
export async function requestTokens(opening: OpenOptions, form: Form): Promise<Tokens> {
  hideSecrets(opening.secrets)
  hideTokens(form.assertion, form.refresh_token, form.code, form.code_verifier)
  const origin = loginOf(opening)
  const { status, text } = await posted(opening, `${origin}/services/oauth2/token`, form)
  const token = tokenIn(text)
  hideTokens(token.access_token, token.refresh_token)
  if (status >= 400) throw refusedBy(status, token, origin)
  const { access_token: accessToken, refresh_token: refreshToken, id: identity, instance_url } = token
  if (!accessToken)
    throw new DriverError('platform_unavailable', `The answer of ${origin} to the sign-in has no token.`, { retryable: isCut(text), hint: ADDRESS })
  return { accessToken, refreshToken, identity, origin: instance_url }
}

/** Where the account lives, checked: its token is sent there, so that no other than Salesforce and what is configured may be named. */
export function instanceAt(opening: OpenOptions, given: string | undefined): string {
  const origin = loginOf(opening)
  const instance = given === undefined ? origin : originOf(given)
  if (!isTrusted(instance, [origin, originOf(opening.address)])) {
    throw new DriverError('platform_unavailable', `The sign-in sends us to ${instance}, which is not an address of Salesforce.`, {
      hint: 'Check the address of the platform and the option `loginUrl`. Nothing was sent there.',
    })
  }
  if (origin.startsWith('https:') && !instance.startsWith('https:')) {
    throw new DriverError('platform_unavailable', 'Salesforce sends us to an address that is not encrypted.')
  }
  return instance
}

/** Ends a token; with a refresh token, everything that was granted with it. One that Salesforce no longer knows has ended. */
export async function revokeToken(opening: OpenOptions, token: string): Promise<void> {
  hideTokens(token)
  const { status } = await posted(opening, `${loginOf(opening)}/services/oauth2/revoke`, { token })
  if (status >= 500 || status === 429) throw unavailable(status)
}

const unavailable = (status: number, reason = `status ${status}`) =>
  new DriverError('platform_unavailable', `Salesforce cannot sign anybody in right now (${reason}).`, { retryable: true })

/** One that was waited for as long as it may take is not sent again. */
const isLate = (error: unknown) => (error as Error).name === 'TimeoutError'

async function posted({ lookup, settings }: OpenOptions, url: string, form: Form): Promise<{ status: number; text: string }> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', 'user-agent': userAgent() },
      body: new URLSearchParams(form).toString(),
      signal: AbortSignal.timeout(settings.timeoutMs),
      dispatcher: agentWith(lookup),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  } catch (error) {
    if (error instanceof DriverError) throw error
    throw new DriverError('platform_unavailable', `Salesforce cannot be reached at ${new URL(url).origin}: ${(error as Error).message}`, {
      retryable: !isLate(error),
    })
  }
}

/** Whether it is no JSON, as where the answer was cut off or is the page of a proxy. */
function isCut(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}

function tokenIn(text: string): Token {
  return isCut(text) ? {} : ((JSON.parse(text) as Token | null) ?? {})
}

/** What to check, by what Salesforce says of a sign-in it refuses. */
const CHECKS: readonly (readonly [RegExp, string])[] = [
  [/redirect_uri/i, 'Add the callback address of this service to the callback URLs of the app, letter by letter.'],
  [/authorization code|code verifier/i, 'A code is good once and for some minutes, in the browser that asked for it: connect the account again.'],
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

/** Errors that are no refusal, whatever the status. */
const PASSING = /^(?:temporarily_unavailable|server_error|unknown_error)$/

function refusedBy(status: number, { error = '', error_description = '' }: Token, origin: string): DriverError {
  const reason = [error, error_description].filter((part) => part !== '').join(': ') || `status ${status}`
  if (status >= 500 || status === 408 || PASSING.test(error)) return unavailable(status, reason)
  if (status === 429 || /rate|limit exceeded/i.test(error_description)) {
    return new DriverError('rate_limited', `Salesforce refuses sign-ins for a while: ${reason}`, {
      retryable: !/API request/i.test(reason),
      retryAfterMs: BUSY_MS,
    })
  }
  // Salesforce says what it refuses a sign-in for; what does not is a proxy, or another server.
  if (error === '') {
    return new DriverError('platform_unavailable', `Nothing at ${origin} signs in: it answers with status ${status}, without a reason.`, { hint: ADDRESS })
  }
  const [, hint = 'Check the client id, the secrets and the address of the account.'] = CHECKS.find(([pattern]) => pattern.test(reason)) ?? []
  return new DriverError('unauthenticated', `Salesforce at ${origin} refuses the sign-in: ${reason}`, { hint })
}
