import { clientOf } from '../../contract/client/client.ts'
import type { CrmWith, FurtherFields } from '../../contract/client/further-fields.ts'
import { overHttp } from './http.ts'
import { inProcess } from './in-process.ts'
import { checkOptions } from './option-checks.ts'
import type { ConnectOptions } from './options.ts'
import { withRetries } from './retries.ts'

/**
 * The typed client: over HTTP where `baseUrl` is given, in this process where `platform` is. `F` has the fields that the workspace has beyond the
 * contract, as `crm types` writes them.
 */
export function connect<F extends FurtherFields = Record<never, never>>(options: ConnectOptions): CrmWith<F> {
  checkOptions(options)
  return clientOf(withRetries(options.platform === undefined ? overHttp(options) : inProcess(options), options)) as CrmWith<F>
}

export type { Batch, BatchAnswer } from '../../contract/batch.ts'
export type { DryRun } from '../../contract/client/calls.ts'
export type { Crm } from '../../contract/client/client.ts'
export type { CrmWith, FurtherFields } from '../../contract/client/further-fields.ts'
export type { Campaign, Case, Comment, Company, Contact, CustomObject, Lead, Note, Opportunity, User } from '../../contract/client/groups.ts'
export type { CallOptions, CallOutcome, FollowOptions } from '../../contract/client/transport.ts'
export { CrmError, type ErrorCode, errorOf, type Fault, type Problem } from '../../contract/errors.ts'
export type { KnownEvent as Event } from '../../contract/records/event.ts'
export type { ConnectOptions, Received, Sent, ServiceOptions, StoreOptions } from './options.ts'
