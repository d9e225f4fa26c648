import { DriverError } from '../engine/errors.ts'
import type { Authorization } from '../engine/kind.ts'
import { instanceAt, loginOf, requestTokens, revokeToken } from './token-endpoint.ts'

/** The scopes that the app is asked for: the API, and to go on when the person has left. */
const SCOPES = 'api refresh_token'

/** How an account is authorized in a browser. */
export const authorization: Authorization = {
  secrets: { needed: ['clientId'], optional: ['clientSecret'] },

  address(opening, { redirectUri, state, challenge }) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: opening.secrets.clientId ?? '',
      redirect_uri: redirectUri,
      scope: SCOPES,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    return `${loginOf(opening)}/services/oauth2/authorize?${query}`
  },

  async exchange(opening, { redirectUri, code, verifier }) {
    const { clientId = '', clientSecret } = opening.secrets
    const tokens = await requestTokens(opening, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: clientId,
      ...(clientSecret && { client_secret: clientSecret }),
    })
    if (tokens.refreshToken) return { ...tokens, origin: instanceAt(opening, tokens.origin) }
    throw new DriverError('forbidden', 'Salesforce has let the app in for a short time only: it gave no refresh token.', {
      hint: 'Give the app the scope “Perform requests at any time (refresh_token, offline_access)”, and connect the account again.',
    })
  },

  revoke: (opening, { accessToken, refreshToken = accessToken }) => revokeToken(opening, refreshToken),
}
