import { createHash } from 'node:crypto'
import { type Grant, Grants } from '../../authorization/grants.ts'
import { SECRET, type WireRequest } from '../../simulated.ts'
import { invalidSession, Refusal } from '../errors.ts'
import type { Org } from '../org.ts'

const IDLE_MS = 2 * 3_600_000
const CODE_MS = 15 * 60_000

export class Sessions {
  readonly grants: Grants
  private readonly open = new Map<string, { readonly userId: string; readonly grant: Grant | undefined; used: number }>()
  /** Whether the fixed token has expired; the next sign-in renews it. */
  private secretExpired = false
  private issued = 0

  constructor(now: () => number) {
    this.grants = new Grants(now, { prefix: '5Aep', codeMs: CODE_MS })
  }

  signIn(org: Org, userId: string, grant?: Grant): string {
    this.secretExpired = false
    const token = `${org.id.slice(0, 15)}!AQ${createHash('sha256')
      .update(`${userId} ${++this.issued}`)
      .digest('base64url')}.${this.issued}`
    this.open.set(token, { userId, grant, used: Number(org.world.now()) })
    return token
  }

  /** The user of a valid access token; refuses others. */
  userOf(org: Org, token: string | undefined): string {
    if (token === SECRET && !this.secretExpired) return org.firstUser
    const session = token === undefined ? undefined : this.open.get(token)
    const now = Number(org.world.now())
    if (!session || session.grant?.isRevoked || now - session.used > IDLE_MS) throw invalidSession()
    session.used = now
    return session.userId
  }

  /** Ends an access token; with a refresh token, everything that was granted with it. */
  end(token: string | undefined): void {
    if (token === SECRET) this.secretExpired = true
    else if (token !== undefined && !this.open.delete(token)) {
      const grant = this.grants.grantOf(token)
      if (grant) grant.isRevoked = true
    }
  }

  /** Ends all access tokens, and leaves refresh tokens valid. */
  expireAll(): void {
    this.open.clear()
  }

  /** Ends all sessions. The counter stays, so that no token is issued twice. */
  endAll(): void {
    this.open.clear()
    this.grants.clear()
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
