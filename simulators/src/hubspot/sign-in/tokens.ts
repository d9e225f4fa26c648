import { isObject } from '../../json.ts'
import { SECRET } from '../../simulated.ts'
import { bodyOf, type Call, type Handler, ok, textIn } from '../call.ts'
import { Refusal } from '../errors.ts'
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

/** Refusals of these paths have their own value of `status`. */
const refused = (status: string, message: string) => new Refusal(400, message, { status })

/** Exchanges a code or a refresh token for an access token. */
export const createToken: Handler = (call) => {
  const form = formOf(call)
  const grant = form.get('grant_type')
  if (grant !== 'refresh_token' && grant !== 'authorization_code') throw refused('BAD_GRANT_TYPE', 'missing or unknown grant type')
  if (form.get('client_id') !== SECRET) throw refused('BAD_CLIENT_ID', 'missing or unknown client id')
  if (form.get('client_secret') !== SECRET) throw refused('BAD_CLIENT_SECRET', 'missing or invalid client secret')
  if (grant === 'refresh_token' && form.get('refresh_token') !== SECRET) throw refused('BAD_REFRESH_TOKEN', 'missing or invalid refresh token')
  if (grant === 'authorization_code' && form.get('code') !== SECRET) throw refused('BAD_AUTH_CODE', 'missing or unknown auth code')
  return ok({ token_type: 'bearer', refresh_token: SECRET, access_token: call.portal.sessions.begin(), expires_in: LIFETIME_S })
}

/** The scopes of every token. */
const SCOPES = [
  ...['contacts', 'companies', 'deals', 'leads', 'custom'].flatMap((object) => [`crm.objects.${object}.read`, `crm.objects.${object}.write`]),
  ...['contacts', 'companies', 'deals', 'custom'].flatMap((object) => [`crm.schemas.${object}.read`, `crm.schemas.${object}.write`]),
  'crm.objects.owners.read',
  'crm.lists.read',
  'crm.lists.write',
  'tickets',
]

const tokenOwner = ({ portal }: Call) => ({
  user: portal.owners[0]?.email,
  hub_domain: 'simulator.example',
  hub_id: portal.id,
  app_id: 1,
  user_id: portal.owners[0]?.userId,
})

/** The state of an access token, for the app that it was granted to. */
export const introspectToken: Handler = (call) => {
  const form = formOf(call)
  if (form.get('client_id') !== SECRET) throw refused('BAD_CLIENT_ID', 'missing or unknown client id')
  if (form.get('client_secret') !== SECRET) throw refused('BAD_CLIENT_SECRET', 'missing or invalid client secret')
  const left = call.portal.sessions.secondsLeft(form.get('token') ?? '') ?? 0
  return ok(left > 0 ? { active: true, token_use: 'access_token', scopes: ['oauth', ...SCOPES], expires_in: left, ...tokenOwner(call) } : { active: false })
}

export const getAccessToken: Handler = (call) => {
  const token = call.param('token')
  const left = call.portal.sessions.secondsLeft(token)
  if (left === undefined || left <= 0) throw new Refusal(404, `token ${token} not found`)
  return ok({ token, scopes: ['oauth', ...SCOPES], expires_in: left, token_type: 'access', ...tokenOwner(call) })
}

export const getRefreshToken: Handler = (call) => {
  if (call.param('token') !== SECRET) throw new Refusal(404, `token ${call.param('token')} not found`)
  return ok({
    token: SECRET,
    scopes: ['oauth', ...SCOPES],
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
