import { answerConsent, isRedirectUri, redirect } from '../../authorization/consent.ts'
import type { BadCode, Grant } from '../../authorization/grants.ts'
import { SECRET, type WireAnswer, type WireRequest } from '../../simulated.ts'
import type { Org } from '../org.ts'
import { oauthError } from './oauth-error.ts'
import type { Sessions } from './sessions.ts'

/** The scopes of every token. */
export const SCOPES = ['refresh_token', 'api']

/** The page on which a person lets an app in. Nothing is sent to a redirect address that is refused. */
export function authorize(org: Org, { grants }: Sessions, request: WireRequest): WireAnswer {
  const { query } = request
  const redirectUri = query.get('redirect_uri')
  if (query.get('client_id') !== SECRET) return oauthError('invalid_client_id', 'client identifier invalid')
  if (!isRedirectUri(redirectUri)) return oauthError('redirect_uri_mismatch', 'redirect_uri must match configuration')
  if (query.get('response_type') !== 'code')
    return redirect(request, redirectUri, { error: 'unsupported_response_type', error_description: 'response type not supported' })
  // Clients leave the method out: S256 is the only one.
  if ((query.get('code_challenge_method') ?? 'S256') !== 'S256')
    return redirect(request, redirectUri, { error: 'invalid_request', error_description: 'invalid code challenge method' })
  const scopes = query.get('scope')?.split(' ') ?? SCOPES
  const code = () => grants.code({ userId: org.firstUser, scopes, redirectUri, challenge: query.get('code_challenge') })
  return answerConsent(request, { crm: 'Salesforce', scopes, redirectUri, code })
}

const BAD_CODES: { readonly [T in BadCode]: WireAnswer } = {
  unknown: oauthError('invalid_grant', 'invalid authorization code'),
  expired: oauthError('invalid_grant', 'expired authorization code'),
  redirect: oauthError('redirect_uri_mismatch', 'redirect_uri must match configuration'),
  verifier: oauthError('invalid_grant', 'invalid code verifier'),
}

/** What was granted with a code; the fixed one grants everything, again and again. */
export function grantedBy(org: Org, { grants }: Sessions, given: URLSearchParams): Grant | WireAnswer {
  const code = given.get('code') ?? ''
  if (code === SECRET) return grants.grant(org.firstUser, SCOPES)
  const grant = grants.redeem(code, given.get('redirect_uri'), given.get('code_verifier'))
  return typeof grant === 'string' ? BAD_CODES[grant] : grant
}
