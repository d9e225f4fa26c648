import { createHash } from 'node:crypto'
import { SECRET, type WireRequest } from '../../simulated.ts'
import { invalidSession, Refusal } from '../errors.ts'
import type { Org } from '../org.ts'

const IDLE_MS = 2 * 3_600_000

export class Sessions {
  private readonly open = new Map<string, { readonly userId: string; used: number }>()
  private readonly refreshing = new Map<string, string>()
  /** Whether the fixed token has expired; the next sign-in renews it. */
  private secretExpired = false
  private issued = 0

  signIn(org: Org, userId: string): string {
    this.secretExpired = false
    const token = `${org.id.slice(0, 15)}!AQ${createHash('sha256')
      .update(`${userId} ${++this.issued}`)
      .digest('base64url')}.${this.issued}`
    this.open.set(token, { userId, used: Number(org.world.now()) })
    return token
  }

  /** A refresh token is valid until it is used, when another takes its place, or revoked. */
  refreshToken(userId: string): string {
    const token = `5Aep${createHash('sha256')
      .update(`${userId} ${++this.issued}`)
      .digest('base64url')}`
    this.refreshing.set(token, userId)
    return token
  }

  /** The user of a refresh token, which is thereby used up; the fixed one is not. */
  refreshed(org: Org, token: string): string | undefined {
    if (token === SECRET) return org.firstUser
    const userId = this.refreshing.get(token)
    this.refreshing.delete(token)
    return userId
  }

  /** The user of a valid access token; refuses others. */
  userOf(org: Org, token: string | undefined): string {
    if (token === SECRET && !this.secretExpired) return org.firstUser
    const session = token === undefined ? undefined : this.open.get(token)
    const now = Number(org.world.now())
    if (!session || now - session.used > IDLE_MS) throw invalidSession()
    session.used = now
    return session.userId
  }

  end(token: string | undefined): void {
    if (token === SECRET) this.secretExpired = true
    else if (token !== undefined && !this.open.delete(token)) this.refreshing.delete(token)
  }

  /** Ends all sessions. The counter stays, so that no token is issued twice. */
  endAll(): void {
    this.open.clear()
    this.refreshing.clear()
    this.secretExpired = false
  }
}

/** The token of a request; SOAP has it in the body. */
export function tokenOf({ headers, query, body, path }: WireRequest): string | undefined {
  if (path.startsWith('/services/Soap/')) return /<(?:\w+:)?sessionId[^>]*>([^<]*)</.exec(body)?.[1]
  const header = headers.authorization
  if (header === undefined) return query.get('oauth_token') ?? undefined
  const [, token] = /^(?:Bearer|OAuth)\s+(\S+)$/i.exec(header.trim()) ?? []
  if (token === undefined && !/^(?:Bearer|OAuth)\b/i.test(header)) throw new Refusal(401, 'INVALID_AUTH_HEADER', 'INVALID_HEADER_TYPE')
  return token
}
