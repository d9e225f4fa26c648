import { CrmError, type ErrorDetails } from '../../contract/errors.ts'

/** The error codes of RFC 6749, 7591, 8707 and 9207 that are answered here. */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'

/** A refusal in the terms of OAuth. Its message is shown to the client's developer and to the person in the browser. */
export class OAuthError extends CrmError {
  readonly error: OAuthCode

  constructor(error: OAuthCode, message: string, details?: ErrorDetails) {
    super(error === 'invalid_client' ? 'unauthenticated' : 'invalid_input', message, details)
    this.error = error
  }
}
