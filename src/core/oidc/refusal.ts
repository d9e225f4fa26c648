import { CrmError } from '../../contract/errors.ts'
import { SIGN_IN_REFUSALS, type SignInReason } from '../../contract/sign-in.ts'

/** A person who is not signed in. */
export class SignInRefusal extends CrmError {
  readonly reason: SignInReason
  /** What the log says of it, without anything that the browser or the issuer has sent. */
  readonly detail: string | undefined

  constructor(reason: SignInReason, detail?: string) {
    const { code, text } = SIGN_IN_REFUSALS[reason]
    super(code, text)
    this.reason = reason
    this.detail = detail
  }
}
