import { DriverError } from './errors.ts'
import type { TokenStore, Tokens } from './kind.ts'
import { hideTokens } from './secrets.ts'
import { isFresh, type Signed } from './session.ts'

/** For how long a refresh token that was refused is not sent again. */
const PAUSE_MS = 60_000

/** A refusal of the sign-in that does not pass by itself. */
export const isRefusal = (error: unknown): error is DriverError => error instanceof DriverError && error.code === 'unauthenticated' && !error.retryable

export type StoredTokens = Tokens & { readonly stored: boolean }

/**
 * Signs in to an account that was authorized in a browser: with the stored access token while that is good, and by exchanging the refresh token otherwise. The
 * store has what the CRM answers before it is used. A refusal is repeated from memory for a minute, unless another refresh token is stored meanwhile.
 */
export function storedSignIn(crm: string, store: TokenStore, exchange: (refreshToken: string) => Promise<Tokens>): (before?: Signed) => Promise<StoredTokens> {
  let refused: { readonly refreshToken: string; readonly error: DriverError; readonly until: number } | undefined

  async function renewed({ refreshToken, origin, identity }: Tokens): Promise<Tokens> {
    if (!refreshToken) throw unauthorized(crm, 'has expired, and there is no refresh token to renew it with')
    if (refused?.refreshToken === refreshToken && Date.now() < refused.until) throw refused.error
    hideTokens(refreshToken)
    try {
      return { refreshToken, origin, identity, ...given(await exchange(refreshToken)) }
    } catch (error) {
      if (isRefusal(error)) refused = { refreshToken, error, until: Date.now() + PAUSE_MS }
      throw error
    }
  }

  return async (before) => {
    const stored = await store.read()
    if (!stored) throw unauthorized(crm, 'is not there')
    hideTokens(stored.accessToken, stored.refreshToken)
    if (stored.accessToken !== before?.token && isFresh(stored)) return { ...stored, stored: true }
    let isOurs = false
    const tokens = await store.renew(stored.accessToken, (newest) => {
      isOurs = true
      return renewed(newest)
    })
    hideTokens(tokens.accessToken, tokens.refreshToken)
    return { ...tokens, stored: !isOurs }
  }
}

/** What an exchange has answered with: most CRMs do not repeat the refresh token, nor where the account is. */
const given = (tokens: Tokens) =>
  Object.fromEntries(Object.entries(tokens).filter(([, value]) => value !== undefined)) as Pick<Tokens, 'accessToken'> & Partial<Tokens>

const unauthorized = (crm: string, why: string) =>
  new DriverError('unauthenticated', `The authorization of the account of ${crm} ${why}.`, { hint: 'Connect the account again.' })
