import type { WaitingPlan } from './plan.ts'

/** The closed table of everything that can go wrong. Programs act on the code; people read the message. */
export const ERRORS = {
  invalid_input: {
    status: 400,
    exit: 2,
    retryable: false,
    title: 'Invalid input',
    means: 'A required input is missing, a value has the wrong type or form, or a name is unknown.',
  },
  unauthenticated: { status: 401, exit: 3, retryable: false, title: 'Not signed in', means: 'There is no key, or it is unknown, expired or revoked.' },
  forbidden: { status: 403, exit: 3, retryable: false, title: 'Not allowed', means: "The caller's role or the key's scopes do not allow this operation." },
  not_found: {
    status: 404,
    exit: 4,
    retryable: false,
    title: 'Not found',
    means: 'There is no such record, or none that the caller may see; also an unknown operation.',
  },
  conflict: {
    status: 409,
    exit: 5,
    retryable: false,
    title: 'Conflict',
    means: 'The record has changed, a definition disagrees, or a key was used with another input.',
  },
  in_progress: { status: 409, exit: 7, retryable: true, title: 'In progress', means: 'The same key is being carried out right now.' },
  too_large: { status: 413, exit: 2, retryable: false, title: 'Too large', means: 'The body is over the limit.' },
  unsupported: { status: 422, exit: 6, retryable: false, title: 'Unsupported', means: 'This platform cannot do what was asked; nothing was sent to it.' },
  platform_rejected: {
    status: 422,
    exit: 8,
    retryable: false,
    title: 'Rejected by the platform',
    means: 'The platform refused; all of its own errors are listed.',
  },
  rate_limited: {
    status: 429,
    exit: 7,
    retryable: true,
    title: 'Too many calls',
    means: 'There were too many calls, here or at the platform; Retry-After says when to come back.',
  },
  platform_unavailable: { status: 503, exit: 7, retryable: true, title: 'Platform unavailable', means: 'The platform did not answer, or not in time.' },
  outcome_unknown: {
    status: 504,
    exit: 9,
    retryable: true,
    title: 'Outcome unknown',
    means: 'A write was sent and nobody can tell whether it happened; asking again with the same key resolves it.',
  },
  internal: { status: 500, exit: 1, retryable: false, title: 'Internal fault', means: 'A fault of ours; the log has it under the request id.' },
} as const satisfies Record<string, ErrorRow>

export interface ErrorRow {
  readonly status: number
  /** The exit code of the command line. */
  readonly exit: number
  readonly retryable: boolean
  readonly title: string
  readonly means: string
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
  readonly message: string
  readonly expected?: string
  readonly didYouMean?: string
}

export interface ErrorDetails {
  readonly errors?: readonly Fault[]
  /** What to do about it, in a sentence. */
  readonly hint?: string
  /** Seconds until it is worth trying again. */
  readonly retryAfter?: number
  /** What waits to be confirmed. */
  readonly plan?: WaitingPlan
  readonly cause?: unknown
}

/** The only error that leaves the core. */
export class CrmError extends Error {
  readonly code: ErrorCode
  readonly errors: readonly Fault[] | undefined
  readonly hint: string | undefined
  readonly retryAfter: number | undefined
  readonly plan: WaitingPlan | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'CrmError'
    this.code = code
    this.errors = details.errors
    this.hint = details.hint
    this.retryAfter = details.retryAfter
    this.plan = details.plan
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable
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
  const row = ERRORS[error.code]
  return {
    type: `/docs/errors#${error.code}`,
    title: row.title,
    status: row.status,
    detail: error.message,
    code: error.code,
    retryable: row.retryable,
    requestId,
    ...(error.errors && { errors: error.errors }),
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    ...(error.plan && { plan: error.plan }),
  }
}

/** The way back: what a client makes of a problem it received. */
export function errorOf(problem: Problem): CrmError {
  return new CrmError(Object.hasOwn(ERRORS, problem.code) ? problem.code : 'internal', problem.detail, {
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.hint !== undefined && { hint: problem.hint }),
    ...(problem.retryAfter !== undefined && { retryAfter: problem.retryAfter }),
    ...(problem.plan && { plan: problem.plan }),
  })
}
