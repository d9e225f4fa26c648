import { withoutTrailingSlashes } from '../../../helpers/trailing-slashes.ts'
import { DriverError } from '../engine/errors.ts'
import type { Authorization, OpenOptions } from '../engine/kind.ts'
import { scopesToAuthorize } from './scopes.ts'
import { originOf, requestTokens, revokeToken, tokenEndpoint } from './token-endpoint.ts'

/** Where people are. */
export const PEOPLE = 'https://app.hubspot.com'

/** Where a person lets the app in: as the option says, at HubSpot, or at what stands in its place. */
function placeOf({ address, settings: { options } }: OpenOptions): string {
  if (options.authorizeUrl) return withoutTrailingSlashes(options.authorizeUrl)
  const origin = originOf(address)
  return /^https:\/\/api(?:-\w+)?\.hubapi\.com$/.test(origin) ? PEOPLE : origin
}

/** How an account is authorized in a browser. */
export const authorization: Authorization = {
  secrets: { needed: ['clientId', 'clientSecret'], optional: [] },

  address(opening, { redirectUri, state, challenge }) {
    const { required, optional } = scopesToAuthorize(Object.values(opening.tables).map(({ object }) => object))
    const query = new URLSearchParams({
      client_id: opening.secrets.clientId ?? '',
      redirect_uri: redirectUri,
      scope: required.join(' '),
      ...(optional.length > 0 && { optional_scope: optional.join(' ') }),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    return `${placeOf(opening)}/oauth/authorize?${query}`
  },

  async exchange(opening, { redirectUri, code, verifier }) {
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const tokens = await requestTokens(tokenEndpoint(opening), opening.secrets, form)
    if (tokens.refreshToken) return tokens
    throw new DriverError('platform_unavailable', 'HubSpot has let the app in for a short time only: it gave no refresh token.')
  },

  async revoke(opening, { refreshToken }) {
    if (refreshToken) await revokeToken(tokenEndpoint(opening), opening.secrets, refreshToken)
  },
}
