import type { CallOptions } from '../../contract/client/transport.ts'
import type { Extending } from '../../core/call/extension.ts'
import type { Access, Narrowing } from './narrowing.ts'

/** Where the calls of one client go. */
export interface Backend {
  /** Carries out an operation, or throws CrmError. */
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** What the caller may do by now. */
  access(): Access | Promise<Access>
  /** What the platform has beyond the contract. */
  platform(): Extending | Promise<Extending>
  /** What the log calls the request, where it has a name. */
  readonly requestId?: string
}

/** A client, and what it is offered. */
export interface Session {
  readonly backend: Backend
  readonly narrowing: Narrowing
  readonly version: string
}
