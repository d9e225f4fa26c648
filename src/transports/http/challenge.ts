import type { CrmError } from '../../contract/errors.ts'

const challenges = new WeakMap<CrmError, string>()

/** The WWW-Authenticate of a refusal: `Bearer`, unless it says where clients find out how to sign in. */
export const challengeOf = (error: CrmError): string => challenges.get(error) ?? 'Bearer'

/** Lets the answer to this error name the metadata of the resource (RFC 9728). */
export function challenge(error: CrmError, metadata: string, given: boolean): CrmError {
  challenges.set(error, `Bearer ${given ? 'error="invalid_token", ' : ''}resource_metadata="${metadata}"`)
  return error
}
