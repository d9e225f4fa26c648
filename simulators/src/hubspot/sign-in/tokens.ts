import type { Grant } from '../../authorization/grants.ts'
import { isObject } from '../../json.ts'
import { SECRET, type WireAnswer } from '../../simulated.ts'
import { bodyOf, type Call, type Handler, nothing, ok, textIn } from '../call.ts'
import { Refusal } from '../errors.ts'
import { grantedBy, refused, SCOPES } from './authorize.ts'
import { LIFETIME_S } from './sessions.ts'

/** The parameters: a form, the query or, in the newest version, JSON. */
function formOf({ request }: Call): URLSearchParams {
  const form = new URLSearchParams(request.query)
  if (/[/+]json\b/i.test(request.headers['content-type'] ?? '')) {
    try {
      const body: unknown = JSON.parse(request.body)
      if (isObject(body)) for (const [name, value] of Object.entries(body)) form.set(name, String(value))
    } catch {
      throw refused('BAD_REQUEST', 'The body is not valid JSON.')
    }
    return form
  }
  for (const [name, value] of new URLSearchParams(request.body)) form.set(name, value)
  return form
}

function checkApp(form: URLSearchParams): void {
  if (form.get('client_id') !== SECRET) throw refused('BAD_CLIENT_ID', 'missing or unknown client id', 'invalid_client')
  if (form.get('client_secret') !== SECRET) throw refused('BAD_CLIENT_SECRET', 'missing or invalid client secret', 'invalid_client')
}

/** Exchanges a code or a refresh token for an access token. */
export const createToken: Handler = (call) => {
  const form = formOf(call)
  const grant = form.get('grant_type')
  if (grant !== 'refresh_token' && grant !== 'authorization_code') throw refused('BAD_GRANT_TYPE', 'missing or unknown grant type', 'unsupported_grant_type')
  checkApp(form)
  return grant === 'refresh_token' ? refreshed(call, form.get('refresh_token') ?? '') : exchanged(call, form)
}

function exchanged(call: Call, form: URLSearchParams): WireAnswer {
  const grant = grantedBy(call, form)
  return issued(call, grant, grant ? call.portal.sessions.grants.issue(grant) : SECRET)
}

/** By a refresh token, which the fault `rotation` replaces; the fixed one is never replaced. */
function refreshed(call: Call, token: string): WireAnswer {
  const { sessions, world } = call.portal
  if (token === SECRET) return issued(call, undefined, SECRET)
  const used = sessions.grants.use(token, () => world.faults.happens('rotation', call.request))
  if (!used) throw refused('BAD_REFRESH_TOKEN', 'missing or invalid refresh token', 'invalid_grant')
  return issued(call, used.grant, used.refreshToken)
}

const issued = ({ portal }: Call, grant: Grant | undefined, refresh_token: string): WireAnswer =>
  ok({ token_type: 'bearer', refresh_token, access_token: portal.sessions.begin(grant), expires_in: LIFETIME_S })

/** Ends a refresh token; access tokens last until they expire. */
export const revokeToken: Handler = (call) => {
  const form = formOf(call)
  checkApp(form)
  call.portal.sessions.grants.end(form.get('token') ?? '')
  return ok({})
}

export const deleteRefreshToken: Handler = (call) => {
  const token = call.param('token')
  if (!call.portal.sessions.grants.end(token)) throw new Refusal(404, `token ${token} not found`)
  return nothing
}

const tokenOwner = ({ portal }: Call) => ({
  user: portal.owners[0]?.email,
  hub_domain: 'simulator.example',
  hub_id: portal.id,
  app_id: 1,
  user_id: portal.owners[0]?.userId,
})

const scopesOf = ({ portal }: Call, token: string) => portal.sessions.grantOf(token)?.scopes ?? ['oauth', ...SCOPES]

/** The state of an access token, for the app that it was granted to. */
export const introspectToken: Handler = (call) => {
  const form = formOf(call)
  checkApp(form)
  const token = form.get('token') ?? ''
  const left = call.portal.sessions.secondsLeft(token) ?? 0
  return ok(left > 0 ? { active: true, token_use: 'access_token', scopes: scopesOf(call, token), expires_in: left, ...tokenOwner(call) } : { active: false })
}

export const getAccessToken: Handler = (call) => {
  const token = call.param('token')
  const left = call.portal.sessions.secondsLeft(token)
  if (left === undefined || left <= 0) throw new Refusal(404, `token ${token} not found`)
  return ok({ token, scopes: scopesOf(call, token), expires_in: left, token_type: 'access', ...tokenOwner(call) })
}

export const getRefreshToken: Handler = (call) => {
  const token = call.param('token')
  const grant = call.portal.sessions.grants.grantOf(token)
  if (token !== SECRET && !grant) throw new Refusal(404, `token ${token} not found`)
  return ok({
    token,
    scopes: grant?.scopes ?? ['oauth', ...SCOPES],
    client_id: SECRET,
    token_type: 'refresh',
    ...tokenOwner(call),
  })
}

/** Private app tokens are sent in the body. */
export const getPrivateToken: Handler = (call) => {
  const { portal } = call
  if (textIn(bodyOf(call, ['tokenKey']), 'tokenKey') !== SECRET) throw new Refusal(404, 'The private app access token was not found.')
  return ok({ userId: portal.owners[0]?.userId, hubId: portal.id, appId: 1, scopes: SCOPES })
}
