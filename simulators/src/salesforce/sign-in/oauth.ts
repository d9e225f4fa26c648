import { createHmac } from 'node:crypto'
import type { Grant } from '../../authorization/grants.ts'
import { isObject, type Json } from '../../json.ts'
import { SECRET, type WireAnswer, type WireRequest } from '../../simulated.ts'
import { invalidSession } from '../errors.ts'
import type { Org } from '../org.ts'
import type { Row } from '../records/table.ts'
import { authorize, grantedBy, SCOPES } from './authorize.ts'
import { oauthError } from './oauth-error.ts'
import { type Sessions, tokenOf } from './sessions.ts'

const PATH = '/services/oauth2/'

export const isOauth = ({ path }: WireRequest) => path.startsWith(PATH) || /^\/id\/[^/]+\/[^/]+\/?$/.test(path)
export const isTokenRequest = ({ path }: WireRequest) => path === `${PATH}token`

export function answerOauth(org: Org, sessions: Sessions, request: WireRequest): WireAnswer {
  const { path, method, query } = request
  if (path.startsWith('/id/')) return identity(org, sessions, request)
  switch (`${method} ${path.slice(PATH.length)}`) {
    case 'POST token':
      return token(org, sessions, request)
    case 'GET token':
      return oauthError('unsupported_grant_type', 'grant type not supported')
    case 'POST revoke':
    case 'GET revoke':
      sessions.end(new URLSearchParams(request.body).get('token') ?? query.get('token') ?? undefined)
      return { status: 200 }
    case 'GET userinfo':
    case 'POST userinfo':
      return userInfo(org, sessions, request)
    case 'GET authorize':
    case 'POST authorize':
      return authorize(org, sessions, request)
    default:
      return oauthError('invalid_request', 'unknown path', 404)
  }
}

/** Who signs in, and by which grant of an account, with its refresh token where one is issued. */
interface SignedIn {
  readonly userId: string
  readonly grant?: Grant
  readonly refreshToken?: string | undefined
}

/** By grant type: who signs in, or the error. An unknown username signs in as the first user. */
const GRANTS: { readonly [type: string]: (org: Org, sessions: Sessions, given: URLSearchParams, request: WireRequest) => SignedIn | WireAnswer } = {
  client_credentials: (org, _sessions, given) => secretOf(given) ?? { userId: org.firstUser },
  password: (org, _sessions, given) =>
    secretOf(given) ??
    (isPassword(given.get('password')) ? asUser(userNamed(org, given.get('username'))) : oauthError('invalid_grant', 'authentication failure')),
  authorization_code(org, sessions, given) {
    const grant = clientOf(given) ?? grantedBy(org, sessions, given)
    return 'status' in grant ? grant : { userId: grant.userId, grant, refreshToken: sessions.grants.issue(grant) }
  },
  refresh_token: (org, sessions, given, request) => clientOf(given) ?? refreshed(org, sessions, given.get('refresh_token') ?? '', request),
  'urn:ietf:params:oauth:grant-type:jwt-bearer': (org, _sessions, given, request) => asUser(userByAssertion(org, given.get('assertion') ?? '', request)),
}

const asUser = (user: string | WireAnswer) => (typeof user === 'string' ? { userId: user } : user)

/** By a refresh token, which is answered only where it is another: the fault `rotation` replaces it. The fixed one is never replaced. */
function refreshed(org: Org, { grants }: Sessions, token: string, request: WireRequest): SignedIn | WireAnswer {
  if (token === SECRET) return { userId: org.firstUser }
  const used = grants.use(token, () => org.world.faults.happens('rotation', request))
  if (!used) return oauthError('invalid_grant', 'expired access/refresh token')
  const { grant, refreshToken } = used
  return { userId: grant.userId, grant, refreshToken: refreshToken === token ? undefined : refreshToken }
}

/** The password, alone or followed by the security token. */
export const isPassword = (password: string | null) => password === SECRET || password === SECRET + SECRET

function clientOf(given: URLSearchParams): WireAnswer | undefined {
  if (given.get('client_id') !== SECRET) return oauthError('invalid_client_id', 'client identifier invalid')
  const secret = given.get('client_secret')
  return secret === null || secret === SECRET ? undefined : oauthError('invalid_client', 'invalid client credentials')
}

const secretOf = (given: URLSearchParams) =>
  clientOf(given) ?? (given.get('client_secret') === SECRET ? undefined : oauthError('invalid_client', 'invalid client credentials'))

export function userNamed(org: Org, username: string | null): string | WireAnswer {
  const [user] = org.table(org.objectAt('User')).find('Username', username)
  if (user && !user.IsActive) return oauthError('invalid_grant', 'inactive user')
  return user?.Id ?? org.firstUser
}

/** An assertion is valid for three minutes at most, plus some clock skew. */
const MOST_ASSERTED_MS = 190_000

/** The JWT bearer grant. The signature is not verified, since there is no certificate. */
function userByAssertion(org: Org, assertion: string, { origin }: WireRequest): string | WireAnswer {
  const [header, claims, signature] = assertion.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'))
  const payload = readJson(claims)
  if (readJson(header)?.alg !== 'RS256' || !payload || !signature) return oauthError('invalid_grant', 'invalid assertion')
  if (payload.iss !== SECRET) return oauthError('invalid_client_id', 'client identifier invalid')
  const host = typeof payload.aud === 'string' && URL.canParse(payload.aud) ? new URL(payload.aud).host : ''
  if (!/(?:^|\.)salesforce\.com$/.test(host) && host !== new URL(origin).host) return oauthError('invalid_grant', 'audience is invalid')
  // Clients use the real clock, even if that of the simulator was advanced.
  if (typeof payload.exp !== 'number' || payload.exp * 1000 < Date.now()) return oauthError('invalid_grant', 'expired authorization code')
  if (payload.exp * 1000 > Date.now() + MOST_ASSERTED_MS) return oauthError('invalid_grant', 'invalid assertion')
  if (typeof payload.sub !== 'string') return oauthError('invalid_grant', "user hasn't approved this consumer")
  return userNamed(org, payload.sub)
}

function readJson(text: string | undefined): Json | undefined {
  try {
    const read: unknown = JSON.parse(text ?? '')
    return isObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

function token(org: Org, sessions: Sessions, request: WireRequest): WireAnswer {
  const given = new URLSearchParams(request.body)
  for (const [name, value] of request.query) if (!given.has(name)) given.set(name, value)
  const [, basic] = /^Basic\s+(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (basic) {
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':')
    given.set('client_id', id)
    given.set('client_secret', secret)
  }
  const grant = given.get('grant_type') ?? ''
  if (!Object.hasOwn(GRANTS, grant)) return oauthError('unsupported_grant_type', 'grant type not supported')
  const signedIn = GRANTS[grant]?.(org, sessions, given, request) ?? oauthError('unsupported_grant_type', 'grant type not supported')
  if ('status' in signedIn) return signedIn
  const { userId, grant: granted, refreshToken } = signedIn
  const id = `${request.origin}/id/${org.id}/${userId}`
  const issued = String(Number(org.world.now()))
  const [other] = org.world.faults.names('other-instance')
  return {
    status: 200,
    headers: { 'cache-control': 'no-cache, no-store' },
    body: {
      access_token: sessions.signIn(org, userId, granted),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      signature: createHmac('sha256', SECRET)
        .update(id + issued)
        .digest('base64'),
      scope: (granted?.scopes ?? SCOPES).join(' '),
      instance_url: other === undefined ? request.origin : `https://${other}`,
      id,
      token_type: 'Bearer',
      issued_at: issued,
    },
  }
}

function userInfo(org: Org, sessions: Sessions, request: WireRequest): WireAnswer {
  const user = org.row(sessions.userOf(org, tokenOf(request))) as Row
  const { origin } = request
  return {
    status: 200,
    body: {
      sub: `${origin}/id/${org.id}/${user.Id}`,
      user_id: user.Id,
      organization_id: org.id,
      preferred_username: user.Username,
      nickname: user.Alias,
      name: user.Name,
      given_name: user.FirstName ?? null,
      family_name: user.LastName,
      email: user.Email,
      email_verified: true,
      active: user.IsActive,
      user_type: 'STANDARD',
      language: user.LanguageLocaleKey,
      locale: user.LocaleSidKey,
      zoneinfo: user.TimeZoneSidKey,
      urls: urlsOf(origin),
    },
  }
}

const urlsOf = (origin: string) => ({
  rest: `${origin}/services/data/v{version}/`,
  sobjects: `${origin}/services/data/v{version}/sobjects/`,
  query: `${origin}/services/data/v{version}/query/`,
  metadata: `${origin}/services/Soap/m/{version}`,
  partner: `${origin}/services/Soap/u/{version}`,
})

function identity(org: Org, sessions: Sessions, request: WireRequest): WireAnswer {
  const [orgId, userId = ''] = request.path.replace(/\/$/, '').split('/').slice(-2)
  sessions.userOf(org, tokenOf(request))
  const user = org.row(userId)
  if (orgId !== org.id || !user) throw invalidSession()
  return {
    status: 200,
    body: {
      id: `${request.origin}/id/${org.id}/${user.Id}`,
      asserted_user: true,
      user_id: user.Id,
      organization_id: org.id,
      username: user.Username,
      nick_name: user.Alias,
      display_name: user.Name,
      email: user.Email,
      first_name: user.FirstName ?? null,
      last_name: user.LastName,
      active: user.IsActive,
      user_type: 'STANDARD',
      language: user.LanguageLocaleKey,
      locale: user.LocaleSidKey,
      urls: urlsOf(request.origin),
    },
  }
}
