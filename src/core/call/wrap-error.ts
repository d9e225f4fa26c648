import { CrmError, type ErrorCode, type Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { operationNamed } from '../../contract/operations.ts'
import type { Binding } from '../binding.ts'
import type { Call, Service } from '../service.ts'

/** Codes of errors that may pass within seconds, so that they carry a Retry-After even where the platform gives none. */
const TEMPORARY: readonly ErrorCode[] = ['platform_unavailable', 'rate_limited']

/**
 * Turns what a platform's library has thrown into a CrmError, once. Unclassified errors become `internal`: calling them
 * `platform_unavailable` would make callers retry our bugs.
 */
export function wrapError(service: Service, { operation }: Call, binding: Binding | undefined, error: unknown): CrmError {
  if (error instanceof CrmError) return error
  const failure = binding?.platformForNames.classify(error) ?? service.store.classify(error)
  if (!failure) return new CrmError('internal', 'An unexpected error occurred in the connector; the log has it under the request id.', { cause: error })
  return new CrmError(failure.code, failure.message, {
    cause: error,
    ...(failure.errors && { errors: failure.errors.map((fault) => inInput(fault, operationNamed(operation))) }),
    ...(failure.retryable === false
      ? { retryable: false }
      : (TEMPORARY.includes(failure.code) || failure.retryAfter !== undefined) && { retryAfter: failure.retryAfter ?? 1 }),
    ...(failure.code === 'outcome_unknown' && {
      hint: 'Repeat the call with the same Idempotency-Key. Without one, check whether it was written before you repeat it.',
    }),
    ...(failure.hint !== undefined && { hint: failure.hint }),
  })
}

/** A platform names a field; the caller has to find it in the input. */
function inInput(fault: Fault, operation: Operation | undefined): Fault {
  return operation?.verb === 'update' && !fault.field.includes('.') && fault.field !== operation.record.id
    ? { ...fault, field: `FieldsToUpdate.${fault.field}` }
    : fault
}
