import { DriverError } from './errors.ts'

/** The result of signing in. */
export interface Signed {
  readonly token: string
  /** Where the account lives, if the CRM says so. */
  readonly origin?: string | undefined
  /** When it will have expired, if the CRM says so. */
  readonly expires?: number | undefined
  /** Whether it is that of an earlier sign-in, perhaps of another process, so that it may have ended since. */
  readonly stored?: boolean | undefined
}

/** Signs in. `before` is the sign-in that the CRM no longer accepts, or that is about to expire. */
export type SignIn<S extends Signed = Signed> = (before?: Signed) => Promise<S>

/** A session is renewed this long before it expires. */
const AHEAD_MS = 60_000

/** How often a request is sent again with another session where those before were stored ones. */
export const RENEWALS = 3

/** Whether it is not about to expire, as far as the CRM says. */
export const isFresh = ({ expires }: { readonly expires?: number | undefined }) => expires === undefined || expires - AHEAD_MS > Date.now()

/** One sign-in that all requests share. When it has to be renewed, all wait for one renewal. */
export class Session {
  private readonly signIn: SignIn
  private readonly onSignIn: ((refusal: Error | undefined) => void) | undefined
  private current: Signed | undefined
  private coming: Promise<Signed> | undefined
  /** What `onSignIn` was called with last. */
  private reported: { readonly refusal: string | undefined } | undefined

  /** `onSignIn` is called when the CRM has let us in, and with the error when it has refused to; again only when that changes. */
  constructor(signIn: SignIn, onSignIn?: (refusal: Error | undefined) => void) {
    this.signIn = signIn
    this.onSignIn = onSignIn
  }

  async get(): Promise<Signed> {
    const { current } = this
    return current && isFresh(current) ? current : this.renewed(current)
  }

  /** Another sign-in than this one, which the CRM no longer accepts. */
  async after(refused: Signed): Promise<Signed> {
    if (this.current && this.current !== refused) return this.current
    return this.renewed(refused)
  }

  /** Whether the last that the CRM has said of our credentials is that they are good. */
  get isAccepted(): boolean {
    return this.reported !== undefined && this.reported.refusal === undefined
  }

  /** Notes that the CRM has answered a request that had to be authenticated. */
  onAccepted(): void {
    this.report(undefined)
  }

  /** Notes that a sign-in or a request failed; where the credentials were not refused, or only in passing, that says nothing of them. */
  onFailed(error: unknown): void {
    if (error instanceof DriverError && error.code === 'unauthenticated' && !error.retryable) this.report(error)
  }

  private report(refusal: Error | undefined): void {
    if (this.reported && this.reported.refusal === refusal?.message) return
    this.reported = { refusal: refusal?.message }
    this.onSignIn?.(refusal)
  }

  private renewed(before: Signed | undefined): Promise<Signed> {
    this.coming ??= this.signIn(before)
      .then((signed) => {
        this.current = signed
        return signed
      })
      .catch((error: unknown) => {
        this.onFailed(error)
        throw error
      })
      .finally(() => {
        this.coming = undefined
      })
    return this.coming
  }
}
