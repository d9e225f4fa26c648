import { DriverError } from '../engine/errors.ts'
import { SIGN_IN_PERIOD_MS } from './errors.ts'

/**
 * Keeps wrong credentials from locking out this address, and with it every good one that is used from here. Requests wait for one that proves the
 * credentials. Once they have been refused without having been accepted before, none is sent for as long as EspoCRM counts failed sign-ins.
 */
export class SignInGate {
  private isGood = false
  private proof: Promise<unknown> | undefined
  private refused: { readonly error: DriverError; readonly until: number } | undefined

  async send<T>(request: () => Promise<T>): Promise<T> {
    if (this.proof) await this.proof
    if (this.isGood) return this.watched(request)
    const proving = this.watched(request)
    this.proof ??= proving.then(
      () => this.proven(),
      () => this.proven(),
    )
    return proving
  }

  private proven(): void {
    this.proof = undefined
  }

  private async watched<T>(request: () => Promise<T>): Promise<T> {
    if (this.refused && Date.now() < this.refused.until) throw this.refused.error
    try {
      const answer = await request()
      this.isGood = true
      return answer
    } catch (error) {
      if (error instanceof DriverError && error.code === 'unauthenticated') {
        // Credentials that were good may have been refused in passing.
        if (!this.isGood) this.refused = { error, until: Date.now() + SIGN_IN_PERIOD_MS }
        this.isGood = false
      }
      throw error
    }
  }
}
