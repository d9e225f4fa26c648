import type { RequestId } from '@modelcontextprotocol/server'
import type { Batch, BatchAnswer } from '../../contract/batch.ts'
import type { CallOptions, FollowOptions } from '../../contract/client/transport.ts'
import type { KnownEvent } from '../../contract/records/event.ts'
import type { Extending } from '../../core/call/extension.ts'
import type { ClientSessions } from '../../core/journal/client-sessions.ts'
import type { Reply } from '../../core/journal/questions.ts'
import type { Reading } from '../../core/remarks/reading.ts'
import type { SeenRevisions } from '../../core/remarks/seen-revisions.ts'
import type { Access, ToolFilter } from './tool-filter.ts'

/** What executes the calls of one client. */
export interface Backend {
  /** Executes an operation, or throws CrmError. */
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown>
  /** Executes several calls in one go. */
  batch(batch: Batch, options?: CallOptions): Promise<BatchAnswer>
  /** Events as they are committed, of records that the caller may see at that time. */
  follow(options: FollowOptions): AsyncIterable<KnownEvent>
  /** The role and scopes that the caller has at present. */
  access(): Promise<Access>
  /** The platform's extensions of the contract. */
  platform(): Promise<Extending>
  /** Reads for remarks on the caller's writes, which are neither logged nor counted. */
  reading(): Promise<Reading>
  /** What the caller has seen of records: of one client over stdio, of one key over HTTP. */
  readonly seen: SeenRevisions
  /** The request's id in the log, where it has one. */
  readonly requestId?: string
  /** Set where the replies of a client come in requests of their own, which may reach another process. */
  readonly questions?: Questions
  /** Set likewise: what clients have asked for in earlier requests. */
  readonly sessions?: ClientSessions
  /** Resolves once the client has read most of what was sent to it. */
  drained?(): Promise<void>
}

/** Questions to the person behind the client, each about the plan of a token. */
export interface Questions {
  idOf(token: string): string
  /** Records the reply to a question. Refuses one of another caller, and a second one. */
  record(id: string, reply: Reply): Promise<void>
  /** Resolves to the reply, whichever process it has reached. */
  awaitReply(token: string, signal: AbortSignal): Promise<Reply>
}

/** Where a client is told of the resources that it has subscribed to one by one. */
export interface Subscriptions {
  change(change: (subscribed: readonly string[]) => readonly string[]): Promise<void>
}

export interface Cancellation {
  readonly signal: AbortSignal
  /** Looks now, not only from time to time, and aborts the signal if the request was cancelled. */
  look(): Promise<void>
  /** Stops watching. */
  end(): void
}

/** One client, and the tools that it is offered. */
export interface Session {
  readonly backend: Backend
  readonly filter: ToolFilter
  readonly version: string
  /** Whether the client has said in an earlier request that it can show a form to its user. */
  readonly canElicit?: boolean
  /** The same of a client that can only send its user to an address. */
  readonly asksByAddress?: boolean
  /** Set where the client does not say which earlier request that was. */
  readonly isAnonymous?: boolean
  /** The same of pages that show answers. */
  readonly showsApps?: boolean
  /** Where the client can be told of resources that it subscribes to one by one. */
  readonly subscriptions?: Subscriptions
  /** Tells of a request that the client cancels in another one, which another process may have received. */
  readonly cancellationOf?: (id: RequestId) => Cancellation
  /** The page that shows answers, where it was built. */
  readonly readApp?: () => Promise<string>
}
