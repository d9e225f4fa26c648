import { answerConsent, isRedirectUri } from '../../authorization/consent.ts'
import type { BadCode, Grant } from '../../authorization/grants.ts'
import { SECRET } from '../../simulated.ts'
import type { Call, Handler } from '../call.ts'
import { page, Refusal } from '../errors.ts'

/** Refusals of tokens have their own value of `status`, and what RFC 6749 asks for beside it. */
export const refused = (status: string, message: string, error = 'invalid_request') => new Refusal(400, message, { error, error_description: message, status })

/** The scopes of an account: an app gets those of them that it asks for, a service key all. */
export const SCOPES = [
  ...['contacts', 'companies', 'deals', 'leads', 'custom'].flatMap((object) => [`crm.objects.${object}.read`, `crm.objects.${object}.write`]),
  ...['contacts', 'companies', 'deals', 'custom'].flatMap((object) => [`crm.schemas.${object}.read`, `crm.schemas.${object}.write`]),
  'crm.objects.owners.read',
  'crm.lists.read',
  'crm.lists.write',
  'tickets',
]

/** The page on which a person lets an app in. A scope that the account does not have is refused, unless it is optional. */
export const authorize: Handler = ({ portal, request }) => {
  const { query } = request
  const redirectUri = query.get('redirect_uri')
  if (query.get('client_id') !== SECRET || !isRedirectUri(redirectUri) || (query.get('code_challenge_method') ?? 'S256') !== 'S256')
    return page(400, 'Bad Request')
  const known = ['oauth', ...SCOPES]
  const required = wordsIn(query.get('scope'))
  if (required.length === 0 || !required.every((scope) => known.includes(scope))) return page(400, 'Bad Request')
  const scopes = [...new Set(['oauth', ...required, ...wordsIn(query.get('optional_scope')).filter((scope) => known.includes(scope))])]
  const code = () => portal.sessions.grants.code({ userId: '', scopes, redirectUri, challenge: query.get('code_challenge') })
  return answerConsent(request, { crm: 'HubSpot', scopes, redirectUri, code })
}

const wordsIn = (text: string | null) => text?.split(' ').filter(Boolean) ?? []

const BAD_CODES: { readonly [T in BadCode]: Refusal } = {
  unknown: refused('BAD_AUTH_CODE', 'missing or unknown auth code', 'invalid_grant'),
  expired: refused('EXPIRED_AUTH_CODE', 'the auth code is expired', 'invalid_grant'),
  redirect: refused('MISMATCH_REDIRECT_URI_AUTH_CODE', 'the redirect_uri does not match that of the auth code', 'invalid_grant'),
  verifier: refused('BAD_CODE_VERIFIER', 'missing or invalid code verifier', 'invalid_grant'),
}

/** What was granted with a code; the fixed one grants everything, again and again. */
export function grantedBy({ portal }: Call, form: URLSearchParams): Grant | undefined {
  const code = form.get('code') ?? ''
  if (code === SECRET) return undefined
  const grant = portal.sessions.grants.redeem(code, form.get('redirect_uri'), form.get('code_verifier'))
  if (typeof grant === 'string') throw BAD_CODES[grant]
  return grant
}
