import { type Crm, clientOf } from '../../contract/client/client.ts'
import { overHttp } from './http.ts'
import { inProcess } from './in-process.ts'
import { checkOptions } from './option-checks.ts'
import type { ConnectOptions } from './options.ts'
import { withRetries } from './retries.ts'

/** The typed client: over HTTP where `baseUrl` is given, in this process where `platform` is. */
export function connect(options: ConnectOptions): Crm {
  checkOptions(options)
  return clientOf(withRetries(options.platform === undefined ? overHttp(options) : inProcess(options), options))
}

export type { Batch, BatchAnswer } from '../../contract/batch.ts'
export type { DryRun } from '../../contract/client/calls.ts'
export type { Crm } from '../../contract/client/client.ts'
export type { Campaign, Case, Comment, CustomObject, Lead, Note, Opportunity, User } from '../../contract/client/groups.ts'
export type { CallOptions, CallOutcome, FollowOptions } from '../../contract/client/transport.ts'
export { CrmError, type ErrorCode, errorOf, type Fault, type Problem } from '../../contract/errors.ts'
export type { KnownEvent as Event } from '../../contract/records/event.ts'
export type { ConnectOptions, Received, Sent, ServiceOptions, StoreOptions } from './options.ts'
