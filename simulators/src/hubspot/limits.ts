/** The limits that an account keeps: requests in a rolling interval, and searches in a second. */
export interface Limits {
  readonly requests: number
  readonly intervalMs: number
  readonly searches: number
}

/** Unless others are set, only faults refuse calls, so that tests are in control. */
export const NO_LIMITS: Limits = { requests: 1_000_000, intervalMs: 10_000, searches: 1_000_000 }
