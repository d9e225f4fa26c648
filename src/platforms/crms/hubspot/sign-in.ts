import { DriverError } from '../engine/errors.ts'
import type { OpenOptions, Tokens } from '../engine/kind.ts'
import type { Signed, SignIn } from '../engine/session.ts'
import { storedSignIn } from '../engine/stored-tokens.ts'
import { requestTokens, type TokenEndpoint } from './token-endpoint.ts'

export const SECRETS = {
  token: 'a service key, or the access token of a private app',
  clientId: 'the client id of an app, for OAuth',
  clientSecret: 'the client secret of that app',
  refreshToken: 'a refresh token that the account has granted to that app',
}

/**
 * With the stored tokens where there are some. Otherwise a service key, or the token of a private app, is used as it is; an app of its own exchanges its refresh
 * token for a short-lived one.
 */
export function signIn(endpoint: TokenEndpoint, { tokens: store, secrets }: Pick<OpenOptions, 'tokens' | 'secrets'>): SignIn {
  const { token, refreshToken } = secrets
  if (store) {
    const signedIn = storedSignIn('HubSpot', store, (refresh) => requestTokens(endpoint, secrets, refreshing(refresh)))
    return async (before) => sessionOf(await signedIn(before))
  }
  if (token) return async () => ({ token })
  if (!secrets.clientId || !secrets.clientSecret || !refreshToken) {
    throw new DriverError('unauthenticated', 'HubSpot needs a service key, or a client id, client secret and refresh token.', {
      hint: 'Make a service key in HubSpot (Development, Keys, Service keys) and give it as the secret token, or give the secrets clientId, clientSecret and refreshToken, as docs/platforms/hubspot.md shows.',
    })
  }
  // HubSpot may exchange the refresh token, too.
  let refresh = refreshToken
  return async () => {
    const tokens = await requestTokens(endpoint, secrets, refreshing(refresh))
    refresh = tokens.refreshToken || refresh
    return sessionOf(tokens)
  }
}

const refreshing = (refreshToken: string) => ({ grant_type: 'refresh_token', refresh_token: refreshToken })

const sessionOf = ({ accessToken, expires, stored }: Tokens & { readonly stored?: boolean }): Signed => ({ token: accessToken, expires, stored })
