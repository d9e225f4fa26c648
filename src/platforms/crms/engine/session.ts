/** The result of signing in. */
export interface Signed {
  readonly token: string
  /** Where the account lives, if the CRM says so. */
  readonly origin?: string | undefined
  /** When it will have expired, if the CRM says so. */
  readonly expires?: number | undefined
}

/** A session is renewed this long before it expires. */
const AHEAD_MS = 60_000

/** One sign-in that all requests share. When it has to be renewed, all wait for one renewal. */
export class Session {
  private readonly signIn: () => Promise<Signed>
  private current: Signed | undefined
  private coming: Promise<Signed> | undefined

  constructor(signIn: () => Promise<Signed>) {
    this.signIn = signIn
  }

  async get(): Promise<Signed> {
    const { current } = this
    if (current && (current.expires === undefined || current.expires - AHEAD_MS > Date.now())) return current
    return this.renewed()
  }

  /** Another sign-in than this one, which the CRM no longer accepts. */
  async after(refused: Signed): Promise<Signed> {
    if (this.current && this.current !== refused) return this.current
    return this.renewed()
  }

  private renewed(): Promise<Signed> {
    this.coming ??= this.signIn()
      .then((signed) => {
        this.current = signed
        return signed
      })
      .finally(() => {
        this.coming = undefined
      })
    return this.coming
  }
}
