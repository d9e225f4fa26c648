import type { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { mayCall } from '../../contract/scopes.ts'
import type { Caller } from '../../core/service.ts'

const challenges = new WeakMap<CrmError, string>()

/** The WWW-Authenticate of a refusal: of one to sign in `Bearer`, unless it says where clients find out how; of any other undefined, unless a scope is missing. */
export const challengeOf = (error: CrmError): string | undefined => challenges.get(error) ?? (error.code === 'unauthenticated' ? 'Bearer' : undefined)

/** Lets the answer to this error name the metadata of the resource (RFC 9728). */
export function challenge(error: CrmError, metadata: string, given: boolean): CrmError {
  challenges.set(error, `Bearer ${given ? 'error="invalid_token", ' : ''}resource_metadata="${metadata}"`)
  return error
}

/**
 * Lets the answer to this error name the scopes with which the token would be allowed (RFC 6750), so that the client can ask the person for them: those it
 * has, and the one that is missing. False where the error is another one, or no scope would help.
 */
export function challengeScope(error: CrmError, { role, scopes, resource }: Caller, operation: Operation, metadata: string): boolean {
  const wider = [...scopes, operation.tier]
  if (error.code !== 'forbidden' || resource === undefined || mayCall({ role, scopes }, operation) || !mayCall({ role, scopes: wider }, operation)) return false
  challenges.set(error, `Bearer error="insufficient_scope", scope="${wider.join(' ')}", resource_metadata="${metadata}"`)
  return true
}
