import type { ErrorCode, Fault } from '../../../contract/errors.ts'
import type { Failure, RecordName } from '../../platform.ts'
import { withoutSecrets } from './secrets.ts'

/**
 * How uncertain the outcome of a write is. `done`: the CRM reported it as executed, but the record is not known. `ended`: it may have been executed,
 * and is no longer under way. `open`: it may still be under way.
 */
export type Unknown = 'done' | 'ended' | 'open'

interface Details {
  readonly errors?: readonly Fault[]
  /** The records that a refused write conflicts with. They are named only to callers who may see them, so that no message may. */
  readonly conflicting?: readonly RecordName[]
  /** Nothing was executed, and a retry may succeed. */
  readonly retryable?: boolean
  /** The backoff that the CRM asked for. */
  readonly retryAfterMs?: number
  readonly unknown?: Unknown
  /** The id of a record that was created and could not be read back. */
  readonly createdId?: string
  readonly hint?: string
  readonly cause?: unknown
}

/** A failure of a driver. What it quotes of the CRM's answer shows no secret of ours. */
export class DriverError extends Error {
  /** By name, since a driver in a package of its own comes with its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'DriverError'
  }

  override readonly name = 'DriverError'
  readonly code: ErrorCode
  readonly errors: readonly Fault[] | undefined
  readonly conflicting: readonly RecordName[] | undefined
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly unknown: Unknown | undefined
  readonly createdId: string | undefined
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(withoutSecrets(message || 'The CRM gave no reason.'), details.cause === undefined ? undefined : { cause: withoutSecrets(details.cause) })
    this.code = code
    this.errors = withoutSecrets(details.errors)
    this.conflicting = details.conflicting
    this.retryable = details.retryable ?? false
    this.retryAfterMs = details.retryAfterMs
    this.unknown = details.unknown
    this.createdId = details.createdId
    this.hint = withoutSecrets(details.hint)
  }
}

/** The same failure, marked as retryable or not. */
export const withRetryable = (error: DriverError, retryable: boolean): DriverError => differing(error, { retryable })

/** The same failure, with the records that it conflicts with. */
export const withConflicting = (error: DriverError, conflicting: readonly RecordName[]): DriverError => differing(error, { conflicting })

/** The failure of one step among several: that the CRM has executed the step does not say that it has executed the write. */
export const ofStep = (error: DriverError): DriverError => (error.unknown === 'done' ? differing(error, { unknown: 'ended' }) : error)

function differing(error: DriverError, details: Pick<Details, 'retryable' | 'conflicting' | 'unknown'>): DriverError {
  const { code, message, errors, conflicting, retryable, retryAfterMs, unknown, createdId, hint, cause } = error
  return new DriverError(code, message, {
    retryable,
    ...(errors && { errors }),
    ...(conflicting && { conflicting }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(unknown && { unknown }),
    ...(createdId !== undefined && { createdId }),
    ...(hint !== undefined && { hint }),
    cause,
    ...details,
  })
}

/** A refusal of our credentials that may pass does so within a minute. */
const UNAUTHENTICATED_MS = 60_000

export function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof DriverError)) return undefined
  const { code, message, errors, conflicting, unknown, createdId, hint } = error
  if (code === 'unauthenticated' && !error.retryable)
    return { code: 'platform_unavailable', message, retryable: false, ...(errors && { errors }), ...(hint !== undefined && { hint }) }
  const waitMs = error.retryAfterMs ?? (code === 'unauthenticated' ? UNAUTHENTICATED_MS : undefined)
  return {
    // The caller's key is good; it is the service's credentials that the CRM refuses, which only the admin can change.
    code: code === 'unauthenticated' ? 'platform_unavailable' : code,
    message,
    ...(errors && { errors }),
    ...(conflicting && { conflicting }),
    ...(hint !== undefined && { hint }),
    ...(waitMs !== undefined && { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) }),
    ...(unknown === 'done' && { known: { executed: true, ...(createdId !== undefined && { id: createdId }) } }),
  }
}
