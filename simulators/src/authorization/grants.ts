import { createHash, randomBytes } from 'node:crypto'

/** What an account has granted to an app. Everything that was issued for it ends with it. */
export interface Grant {
  readonly userId: string
  readonly scopes: readonly string[]
  isRevoked: boolean
}

/** What a code was issued for. */
interface Authorized {
  readonly userId: string
  readonly scopes: readonly string[]
  readonly redirectUri: string
  /** The PKCE challenge, by S256; null where none was sent. */
  readonly challenge: string | null
}

/** What the exchange of a code is refused for. */
export type BadCode = 'unknown' | 'expired' | 'redirect' | 'verifier'

interface RefreshToken {
  readonly grant: Grant
  uses: number
  isReplaced: boolean
  isEnded: boolean
}

/** A refresh token as `GET /simulator/tokens` shows it. */
export interface ShownToken {
  readonly token: string
  /** How often it was presented, accepted or not. */
  readonly uses: number
  readonly replaced: boolean
  readonly valid: boolean
}

/** The codes and refresh tokens of a simulated CRM. */
export class Grants {
  private readonly codes = new Map<string, Authorized & { readonly expires: number; isUsed: boolean }>()
  private readonly tokens = new Map<string, RefreshToken>()
  private readonly now: () => number
  /** What tokens look like, and how long a code can be exchanged. */
  private readonly form: { readonly prefix: string; readonly codeMs: number }

  constructor(now: () => number, form: { readonly prefix: string; readonly codeMs: number }) {
    this.now = now
    this.form = form
  }

  code(authorized: Authorized): string {
    const code = randomBytes(30).toString('base64url')
    this.codes.set(code, { ...authorized, expires: this.now() + this.form.codeMs, isUsed: false })
    return code
  }

  /** Exchanges a code, which is used up thereby, also where the exchange is refused. */
  redeem(code: string, redirectUri: string | null, verifier: string | null): Grant | BadCode {
    const found = this.codes.get(code)
    if (!found) return 'unknown'
    if (found.isUsed || found.expires <= this.now()) return 'expired'
    found.isUsed = true
    if (found.redirectUri !== redirectUri) return 'redirect'
    if (found.challenge !== null && found.challenge !== challengeOf(verifier ?? '')) return 'verifier'
    return this.grant(found.userId, found.scopes)
  }

  grant(userId: string, scopes: readonly string[]): Grant {
    return { userId, scopes, isRevoked: false }
  }

  issue(grant: Grant): string {
    const token = `${this.form.prefix}${randomBytes(30).toString('base64url')}`
    this.tokens.set(token, { grant, uses: 0, isReplaced: false, isEnded: false })
    return token
  }

  /** The grant of a refresh token and the token to use from now on. One that was replaced revokes the grant when it is presented again. */
  use(token: string, rotates: () => boolean): { readonly grant: Grant; readonly refreshToken: string } | undefined {
    const found = this.tokens.get(token)
    if (!found) return undefined
    found.uses++
    if (found.isReplaced) found.grant.isRevoked = true
    if (!isValid(found)) return undefined
    if (!rotates()) return { grant: found.grant, refreshToken: token }
    found.isReplaced = true
    return { grant: found.grant, refreshToken: this.issue(found.grant) }
  }

  grantOf(token: string): Grant | undefined {
    const found = this.tokens.get(token)
    return found && isValid(found) ? found.grant : undefined
  }

  /** Ends a refresh token alone: access tokens last until they expire. */
  end(token: string): boolean {
    const found = this.tokens.get(token)
    if (!found || !isValid(found)) return false
    found.isEnded = true
    return true
  }

  revokeAll(): void {
    for (const { grant } of this.tokens.values()) grant.isRevoked = true
  }

  list(): ShownToken[] {
    return [...this.tokens].map(([token, one]) => ({ token, uses: one.uses, replaced: one.isReplaced, valid: isValid(one) }))
  }

  clear(): void {
    this.codes.clear()
    this.tokens.clear()
  }
}

const isValid = ({ grant, isReplaced, isEnded }: RefreshToken) => !grant.isRevoked && !isReplaced && !isEnded

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
