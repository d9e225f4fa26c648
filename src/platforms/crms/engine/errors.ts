import type { ErrorCode, Fault } from '../../../contract/errors.ts'
import type { Failure } from '../../platform.ts'

/**
 * What is not known of a write: with `done` only what has come of it, since the CRM said that it was carried out; with `ended` whether it was
 * carried out, though the CRM is not still at it; with `open` not even that.
 */
export type Unknown = 'done' | 'ended' | 'open'

interface Details {
  readonly errors?: readonly Fault[]
  /** Nothing has happened, and the same may well succeed if it is tried again. */
  readonly again?: boolean
  /** When it is worth trying again. */
  readonly retryAfterMs?: number
  readonly unknown?: Unknown
  readonly hint?: string
  readonly cause?: unknown
}

/** A request to a CRM that did not do what it should. */
export class DriverError extends Error {
  override readonly name = 'WireError'
  readonly code: ErrorCode
  readonly errors: readonly Fault[] | undefined
  readonly again: boolean
  readonly retryAfterMs: number | undefined
  readonly unknown: Unknown | undefined
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.errors = details.errors
    this.again = details.again ?? false
    this.retryAfterMs = details.retryAfterMs
    this.unknown = details.unknown
    this.hint = details.hint
  }
}

/** The same, as something that is worth trying again or not. */
export function worthTrying(error: DriverError, again: boolean): DriverError {
  const { code, message, errors, retryAfterMs, unknown, hint, cause } = error
  return new DriverError(code, message, {
    again,
    ...(errors && { errors }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(unknown && { unknown }),
    ...(hint !== undefined && { hint }),
    cause,
  })
}

export function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof DriverError)) return undefined
  const { code, message, errors, retryAfterMs, hint } = error
  return {
    // Whoever calls has a good key; it is ours at the CRM that does not work, and only whoever runs the service can do something about it.
    code: code === 'unauthenticated' ? 'platform_unavailable' : code,
    message,
    ...(errors && { errors }),
    ...(hint !== undefined && { hint }),
    ...(retryAfterMs !== undefined && { retryAfter: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
  }
}
