import type { CallOptions } from '../../contract/client/transport.ts'
import type { Extending } from '../../core/call/extension.ts'
import type { Access, ToolFilter } from './tool-filter.ts'

/** What executes the calls of one client. */
export interface Backend {
  /** Executes an operation, or throws CrmError. */
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** The role and scopes that the caller has at present. */
  access(): Promise<Access>
  /** The platform's extensions of the contract. */
  platform(): Promise<Extending>
  /** The request's id in the log, where it has one. */
  readonly requestId?: string
}

/** One client, and the tools that it is offered. */
export interface Session {
  readonly backend: Backend
  readonly filter: ToolFilter
  readonly version: string
}
