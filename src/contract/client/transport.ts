import type { KnownEvent } from '../records/event.ts'
import type { ConfirmInCall } from '../records/plan.ts'

/** What may accompany a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The idempotency key: a write with the same key is executed once, however often it is sent. */
  readonly idempotencyKey?: string | undefined
  /** Validates a write and answers what it would do, without doing it. */
  readonly dryRun?: boolean | undefined
  /** Makes deletes, or with `updates` those too, wait for a confirmation, also where the key does not ask for it; with `person`, until `allow_plan` allows them. */
  readonly confirm?: boolean | ConfirmInCall | undefined
  /** The token of a plan: confirms the call. */
  readonly confirmation?: string | undefined
  /** How often a call is retried where that is safe; the default is that of `connect`. */
  readonly retries?: number | undefined
  /** How long each attempt may take; the default is that of `connect`. */
  readonly timeoutMs?: number | undefined
  /** Called as the calls of a batch end, where it is executed in this process; with those of one that is all or nothing at once. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** Called with the metadata of the answer. */
  readonly onOutcome?: ((outcome: CallOutcome) => void) | undefined
}

/** The metadata of an answer. */
export interface CallOutcome {
  /** The audit line that a write has left. */
  readonly changeId?: string | undefined
  /** Whether the answer is that of an earlier call with the same key. */
  readonly replayed?: boolean | undefined
}

export interface FollowOptions {
  /** An EventID, a NextCursor or a ChangeID: the stream begins with everything after it. Without it, with new events only. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Takes calls to the service that executes them. Every method throws CrmError when refused. */
export interface Transport {
  call(operation: string, input: unknown, options?: CallOptions): Promise<unknown>
  batch(batch: unknown, options?: CallOptions): Promise<unknown>
  /** Events as they are committed, each once and in order, until the consumer stops or the key ends. */
  follow?(options?: FollowOptions): AsyncIterable<KnownEvent>
  /** Closes what was opened. */
  close?(): Promise<void>
}
