import { DriverError } from '../engine/errors.ts'
import type { Signed, SignIn } from '../engine/session.ts'
import type { SalesforceSession } from './sign-in.ts'

/** How long a sign-in that does not help is not repeated. */
const PAUSE_MS = 60_000

/** How many sessions in a row no request was answered in before that counts as lasting: a session may also end by chance. */
const USELESS = 3

/**
 * Signs in, but not again and again where that does not help: Salesforce counts sign-ins by the hour and locks users out. A refusal that does
 * not pass by itself, of the sign-in or of each session that it opens, is repeated from memory for a minute.
 */
export class SparingSignIn {
  private readonly signIn: SignIn<SalesforceSession>
  private readonly remembers: boolean
  private refusal: { readonly error: DriverError; readonly until: number } | undefined
  private useless = 0
  private lastRefused: DriverError | undefined

  /** `remembers` is false where `signIn` itself repeats what it was refused with, because other credentials may be stored meanwhile. */
  constructor(signIn: SignIn<SalesforceSession>, remembers = true) {
    this.signIn = signIn
    this.remembers = remembers
  }

  async get(before?: Signed): Promise<SalesforceSession> {
    if (this.refusal && Date.now() < this.refusal.until) throw this.refusal.error
    if (this.useless >= USELESS && this.lastRefused) throw this.remember(this.lastRefused)
    try {
      const session = await this.signIn(before)
      this.useless += 1
      return session
    } catch (error) {
      throw this.remembers && error instanceof DriverError && error.code === 'unauthenticated' ? this.remember(error) : error
    }
  }

  /** Notes that a request was answered, so that its session was of use. */
  onGood(): void {
    this.useless = 0
    this.refusal = undefined
  }

  /** Notes that a request was refused for its session, also for the one that was opened in its place. */
  onRefused(error: DriverError): void {
    this.lastRefused = error
  }

  private remember(error: DriverError): DriverError {
    this.refusal = { error, until: Date.now() + PAUSE_MS }
    this.useless = 0
    return error
  }
}
