import type { Faults } from './faults.ts'

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string
  /** The path as it was sent, percent-encoding and all, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** By lower-case names. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
  /** Where the simulator is reached, such as http://127.0.0.1:4010. */
  readonly origin: string
}

/** An answer as it goes over the wire. */
export interface WireAnswer {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  /** Sent as JSON; a text is sent as it is, and undefined is an empty body. */
  readonly body?: unknown
}

/** What can be wrong with a service or an account, whatever is asked of it. */
export type Trouble = 'rate-limit' | 'daily-quota' | 'error' | 'expired-session' | 'lock-row'

/** A CRM as its clients see it. */
export interface Simulated {
  /** Answers a request as the real service would. */
  answer(request: WireRequest): WireAnswer | Promise<WireAnswer>

  /** How the real service says that something is wrong, and what that does to it: a session that has expired is of no use any more. */
  trouble(trouble: Trouble, request: WireRequest): WireAnswer

  /** Whether a request only signs in or renews a session. */
  isSignIn(request: WireRequest): boolean

  /** Whether a request writes; all but GET and HEAD do where nothing is said. */
  isWrite?(request: WireRequest): boolean

  /** Whether there is such a field, by the CRM's own names. */
  knows(object: string, field: string): boolean

  /** Forgets everything. */
  reset(): void

  /** What there is, in figures, for whoever looks on: record counts by object, say. */
  state(): { readonly [name: string]: unknown }
}

/** What a simulated CRM lives in. */
export interface World {
  now(): Date
  /** From 0 to 1, the same again for the same seed. */
  random(): number
  readonly faults: Faults
}

export type Simulate = (world: World) => Simulated
