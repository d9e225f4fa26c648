import { ERROR_TEXTS } from './error-texts.ts'
import type { WaitingPlan } from './waiting-plan.ts'

/** Functions, since they make the table of a bundled client shorter. */
const permanent = <S extends number>(status: S) => ({ status, retryable: false }) as const
const temporary = <S extends number>(status: S) => ({ status, retryable: true }) as const

/** All error codes. Programs act on the code; people read the message. */
export const ERRORS = {
  invalid_input: permanent(400),
  unauthenticated: permanent(401),
  forbidden: permanent(403),
  not_found: permanent(404),
  conflict: permanent(409),
  in_progress: temporary(409),
  too_large: permanent(413),
  unsupported: permanent(422),
  too_expensive: permanent(422),
  platform_rejected: permanent(422),
  rate_limited: temporary(429),
  platform_unavailable: temporary(503),
  outcome_unknown: temporary(504),
  internal: permanent(500),
} satisfies Record<string, ErrorRow>

export interface ErrorRow {
  readonly status: number
  readonly retryable: boolean
}

export type ErrorCode = keyof typeof ERRORS

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** One thing wrong with an input. A refusal lists all of them at once. */
export interface Fault {
  /** The input's name, dotted where it is nested: `FieldsToUpdate.Email`. */
  readonly field: string
  readonly code:
    | 'missing'
    | 'unknown'
    | 'type'
    | 'form'
    | 'length'
    | 'range'
    | 'value'
    | 'read_only'
    | 'required'
    | 'operator'
    | 'count'
    | 'not_found'
    | 'conflict'
    | 'unsupported'
  readonly message: string
  readonly expected?: string
  readonly didYouMean?: string
}

export interface ErrorDetails {
  readonly errors?: readonly Fault[]
  /** What to do about it, in a sentence. */
  readonly hint?: string
  /** False where a retry cannot help although it can with most errors of the code. */
  readonly retryable?: boolean
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number
  /** The confirmation that the refused call waits for. */
  readonly plan?: WaitingPlan
  /** The request's id in the log of the service. */
  readonly requestId?: string
  readonly cause?: unknown
}

/** The only error that leaves the core. */
export class CrmError extends Error {
  readonly code: ErrorCode
  readonly errors: readonly Fault[] | undefined
  readonly hint: string | undefined
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  readonly retryAfter: number | undefined
  readonly plan: WaitingPlan | undefined
  readonly requestId: string | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CrmError'
    this.code = code
    this.errors = details.errors
    this.hint = details.hint
    this.retryable = details.retryable ?? ERRORS[code].retryable
    this.retryAfter = details.retryAfter
    this.plan = details.plan
    this.requestId = details.requestId
  }
}

/** An RFC 9457 problem, as it travels over HTTP and inside streams. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly requestId: string
  readonly errors?: readonly Fault[]
  readonly hint?: string
  readonly retryAfter?: number
  readonly plan?: WaitingPlan
}

export function problemOf(error: CrmError, requestId: string): Problem {
  return {
    type: `/docs/errors#${error.code}`,
    title: ERROR_TEXTS[error.code].title,
    status: ERRORS[error.code].status,
    detail: error.message,
    code: error.code,
    retryable: error.retryable,
    requestId,
    ...(error.errors && { errors: error.errors }),
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    ...(error.plan && { plan: error.plan }),
  }
}

/** The error of a problem that a client received; the inverse of `problemOf`. */
export function errorOf(problem: Problem): CrmError {
  return new CrmError(Object.hasOwn(ERRORS, problem.code) ? problem.code : 'internal', problem.detail, problem)
}
