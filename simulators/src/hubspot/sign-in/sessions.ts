import { randomUUID } from 'node:crypto'
import { Refusal } from '../errors.ts'
import { instant } from '../properties/values.ts'

/** How long an access token is good for. */
export const LIFETIME_S = 1800

/** What stands for everything that a real account would keep secret. */
export const SECRET = 'simulator'

/** Who is signed in, and how. */
export type Access = 'private-app' | 'oauth'

/** Access tokens, and until when they are good. */
export class Sessions {
  private readonly expiries = new Map<string, number>()
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  begin(): string {
    const token = `CSim${randomUUID().replaceAll('-', '')}`
    this.expiries.set(token, this.now() + LIFETIME_S * 1000)
    return token
  }

  /** Seconds that a token is still good for; undefined where there is no such token. */
  secondsLeft(token: string): number | undefined {
    const expiry = this.expiries.get(token)
    return expiry === undefined ? undefined : Math.floor((expiry - this.now()) / 1000)
  }

  /** Refuses a call without a token that is good. */
  check(authorization: string | undefined): Access {
    const token = tokenIn(authorization)
    if (token === undefined) throw unauthenticated()
    if (token === SECRET) return 'private-app'
    const expiry = this.expiries.get(token)
    if (expiry === undefined) throw unauthenticated()
    if (expiry <= this.now()) throw expired(expiry, this.now())
    return 'oauth'
  }

  /**
   * Ends a session before its time. The token of a private app never expires by itself and could not be renewed by anybody, so
   * it is refused this once and is as good as before at the next call.
   */
  end(authorization: string | undefined): Refusal {
    const token = tokenIn(authorization)
    if (token !== undefined && this.expiries.has(token)) this.expiries.set(token, this.now())
    return expired(this.now(), this.now())
  }
}

function tokenIn(authorization = ''): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization)?.[1]
}

function unauthenticated(): Refusal {
  const message =
    'Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview'
  return new Refusal(401, message, { category: 'INVALID_AUTHENTICATION' })
}

function expired(expiry: number, now: number): Refusal {
  const message = `The OAuth token used to make this call expired ${Math.max(0, Math.floor((now - expiry) / 1000))} second(s) ago.`
  return new Refusal(401, message, { category: 'EXPIRED_AUTHENTICATION', context: { 'expire time': [instant(expiry)] } })
}
