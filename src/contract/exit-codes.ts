import type { ErrorCode } from './errors.ts'

/** The exit code of the command line for each error. Apart from the table of codes, so that a bundled client leaves it out. */
export const EXIT_CODES: { readonly [code in ErrorCode]: number } = {
  invalid_input: 2,
  unauthenticated: 3,
  forbidden: 3,
  not_found: 4,
  conflict: 5,
  in_progress: 7,
  too_large: 2,
  unsupported: 6,
  too_expensive: 2,
  platform_rejected: 8,
  rate_limited: 7,
  platform_unavailable: 7,
  outcome_unknown: 9,
  internal: 1,
}
