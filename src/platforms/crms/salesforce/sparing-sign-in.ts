import { DriverError } from '../engine/errors.ts'
import type { SalesforceSession } from './sign-in.ts'

/** How long a sign-in that does not help is not repeated. */
const PAUSE_MS = 60_000

/** How many fresh sessions in a row are refused before that counts as lasting: a session may also end by chance. */
const USELESS = 2

/**
 * Signs in, but not again and again where that does not help: Salesforce counts sign-ins by the hour and locks users out. A refusal that does
 * not pass by itself, or of sessions that were just opened, is repeated from memory for a minute.
 */
export class SparingSignIn {
  private readonly signIn: () => Promise<SalesforceSession>
  private refusal: { readonly error: DriverError; readonly until: number } | undefined
  private useless = 0

  constructor(signIn: () => Promise<SalesforceSession>) {
    this.signIn = signIn
  }

  async get(): Promise<SalesforceSession> {
    if (this.refusal && Date.now() < this.refusal.until) throw this.refusal.error
    try {
      return await this.signIn()
    } catch (error) {
      if (error instanceof DriverError && error.code === 'unauthenticated') this.remember(error)
      throw error
    }
  }

  /** Notes that a request was answered, so that the session is good. */
  onGood(): void {
    this.useless = 0
    this.refusal = undefined
  }

  /** Notes that a request was refused for its session, although that had just been opened. */
  onRefused(error: DriverError): void {
    this.useless += 1
    if (this.useless >= USELESS) this.remember(error)
  }

  private remember(error: DriverError): void {
    this.refusal = { error, until: Date.now() + PAUSE_MS }
  }
}
