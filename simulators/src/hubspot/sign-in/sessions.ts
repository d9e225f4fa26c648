import { randomUUID } from 'node:crypto'
import { type Grant, Grants } from '../../authorization/grants.ts'
import { SECRET } from '../../simulated.ts'
import { Refusal } from '../errors.ts'
import { instant } from '../properties/values.ts'

export const LIFETIME_S = 1800

/** How long a code can be exchanged. */
const CODE_MS = 60_000

export type Access = 'private-app' | 'oauth'

/** Access tokens with their expiry, and what they were granted by. */
export class Sessions {
  readonly grants: Grants
  private readonly expiries = new Map<string, number>()
  private readonly granted = new Map<string, Grant>()
  private readonly people = new Map<string, number>()
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
    this.grants = new Grants(now, { prefix: 'na1-sim-', codeMs: CODE_MS })
  }

  begin(grant?: Grant): string {
    const token = `CSim${randomUUID().replaceAll('-', '')}`
    this.expiries.set(token, this.now() + LIFETIME_S * 1000)
    if (grant) this.granted.set(token, grant)
    return token
  }

  /** A token of a person, by user id; it does not expire. */
  beginFor(userId: number): string {
    const token = `CSim${randomUUID().replaceAll('-', '')}`
    this.people.set(token, userId)
    return token
  }

  /** The person whom a token was issued for; undefined for an app. */
  userOf(authorization: string | undefined): number | undefined {
    return this.people.get(tokenIn(authorization) ?? '')
  }

  /** What an access token was granted by; undefined for that of a service key or of the fixed refresh token. */
  grantOf(token: string): Grant | undefined {
    return this.granted.get(token)
  }

  /** Expires all access tokens. */
  expireAll(): void {
    for (const token of this.expiries.keys()) this.expiries.set(token, this.now())
  }

  /** Seconds until a token expires; undefined for an unknown token. */
  secondsLeft(token: string): number | undefined {
    const expiry = this.expiries.get(token)
    return expiry === undefined || this.grantOf(token)?.isRevoked ? undefined : Math.floor((expiry - this.now()) / 1000)
  }

  /** Refuses a call without a valid token. */
  check(authorization: string | undefined): Access {
    const token = tokenIn(authorization)
    if (token === undefined) throw unauthenticated()
    if (token === SECRET || this.people.has(token)) return 'private-app'
    const expiry = this.expiries.get(token)
    if (expiry === undefined || this.grantOf(token)?.isRevoked) throw unauthenticated()
    if (expiry <= this.now()) throw expired(expiry, this.now())
    return 'oauth'
  }

  /**
   * Expires a token. That of a private app cannot be renewed, so it is refused for this call only.
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
