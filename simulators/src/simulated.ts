import type { ShownToken } from './authorization/grants.ts'
import type { Faults } from './faults.ts'

export interface WireRequest {
  readonly method: string
  /** The path as it was sent, percent-encoding and all, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
  /** Where the simulator is reached, such as http://127.0.0.1:4010. */
  readonly origin: string
}

export interface WireAnswer {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  /** Sent as JSON; a string is sent as it is, undefined as an empty body. */
  readonly body?: unknown
}

/** Failures that do not depend on the request. */
export type Failure = 'rate-limit' | 'daily-quota' | 'error' | 'expired-session' | 'lock-row'

/** A CRM as its clients see it. */
export interface Simulated {
  /** Answers a request as the real service would. */
  answer(request: WireRequest): WireAnswer | Promise<WireAnswer>

  /** The service's answer to a failure, with its effect: an expired session is ended. */
  fail(fail: Failure, request: WireRequest): WireAnswer

  /** Whether a request only signs in or renews a session. */
  isSignIn(request: WireRequest): boolean

  /** Whether a request writes. Default: every method but GET and HEAD does. */
  isWrite?(request: WireRequest): boolean

  /** By the CRM's own names. */
  hasField(object: string, field: string): boolean

  /** Deletes everything. */
  reset(): void

  /** Figures for `GET /simulator`, such as record counts by object. */
  state(): { readonly [name: string]: unknown }

  /** The tokens that were granted in a browser, where the CRM has such. */
  readonly tokens?: IssuedTokens

  /** What only this CRM can be made to do, by method and path below `/simulator`, such as `POST recycle-bin/purge`. Throws a FaultError for a wrong input. */
  readonly administration?: { readonly [request: string]: (input: unknown) => unknown }
}

export interface IssuedTokens {
  /** All refresh tokens, in the order in which they were issued. */
  list(): readonly ShownToken[]
  /** Expires all access tokens. */
  expire(): void
  /** Takes back what was granted: refresh tokens and access tokens. */
  revoke(): void
}

/** The clock, the random numbers and the faults that a simulated CRM uses. */
export interface World {
  /** The CRM's clock, with the fault `clock-skew`. */
  now(): Date
  /** The time that a write leaves in a record: now, with the fault `same-stamp`. */
  stamp(): Date
  /** From 0 to 1; the same sequence for the same seed. */
  random(): number
  readonly faults: Faults
  /** Performs a task so many milliseconds later. */
  later(ms: number, task: () => unknown): void
}

/** The value of every secret that a simulated CRM asks for. */
export const SECRET = 'simulator'

export type Simulate = (world: World) => Simulated
