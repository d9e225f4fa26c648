import { createHash } from 'node:crypto'
import type { WireRequest } from '../../simulated.ts'
import { invalidSession, Refusal } from '../errors.ts'
import type { Org } from '../org.ts'

/** What opens every door of a simulator. */
export const SECRET = 'simulator'

/** A session that nobody uses ends after so long. */
const IDLE_MS = 2 * 3_600_000

/** The sessions of an org. */
export class Sessions {
  private readonly open = new Map<string, { readonly userId: string; used: number }>()
  private readonly refreshing = new Map<string, string>()
  /** Whether the token that needs no sign-in has expired, until somebody signs in. */
  private secretDead = false
  private made = 0

  signIn(org: Org, userId: string): string {
    this.secretDead = false
    const token = `${org.id.slice(0, 15)}!AQ${createHash('sha256')
      .update(`${userId} ${++this.made}`)
      .digest('base64url')}.${this.made}`
    this.open.set(token, { userId, used: Number(org.world.now()) })
    return token
  }

  /** A token to sign in again with, which stays good until it is revoked. */
  refreshToken(userId: string): string {
    const token = `5Aep${createHash('sha256')
      .update(`${userId} ${++this.made}`)
      .digest('base64url')}`
    this.refreshing.set(token, userId)
    return token
  }

  /** The user who may sign in again with this token. */
  refreshed(org: Org, token: string): string | undefined {
    return token === SECRET ? org.firstUser : this.refreshing.get(token)
  }

  /** The user of a token, or the refusal of one that is none, or is no longer. */
  userOf(org: Org, token: string | undefined): string {
    if (token === SECRET && !this.secretDead) return org.firstUser
    const session = token === undefined ? undefined : this.open.get(token)
    const now = Number(org.world.now())
    if (!session || now - session.used > IDLE_MS) throw invalidSession()
    session.used = now
    return session.userId
  }

  end(token: string | undefined): void {
    if (token === SECRET) this.secretDead = true
    else if (token !== undefined && !this.open.delete(token)) this.refreshing.delete(token)
  }

  /** Ends everything, without any token ever being given out again. */
  endAll(): void {
    this.open.clear()
    this.refreshing.clear()
    this.secretDead = false
  }
}

/** The token of a request; SOAP has it in the body. */
export function tokenOf({ headers, query, body, path }: WireRequest): string | undefined {
  if (path.startsWith('/services/Soap/')) return /<(?:\w+:)?sessionId[^>]*>([^<]*)</.exec(body)?.[1]
  const said = headers.authorization
  if (said === undefined) return query.get('oauth_token') ?? undefined
  const [, token] = /^(?:Bearer|OAuth)\s+(\S+)$/i.exec(said.trim()) ?? []
  if (token === undefined && !/^(?:Bearer|OAuth)\b/i.test(said)) throw new Refusal(401, 'INVALID_AUTH_HEADER', 'INVALID_HEADER_TYPE')
  return token
}
