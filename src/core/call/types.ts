import type { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Order, Where } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import type { Binding } from '../binding.ts'
import type { RecordChange } from '../journal/changes.ts'
import type { Call, Caller, Service } from '../service.ts'
import type { CallBudget } from './budget.ts'
import type { Selection } from './filters.ts'

export type Input = { readonly [name: string]: unknown }

/** What a search asks for, read from the input and validated. */
export interface Search {
  readonly where: readonly Where[]
  readonly order: Order
  readonly select: Selection | undefined
}

/** What a verb works with: a call that has been allowed and checked. */
export interface Context {
  readonly service: Service
  readonly caller: Caller
  readonly binding: Binding
  readonly operation: Operation
  readonly input: Input
  readonly search: Search
  readonly budget: CallBudget
}

/** A call that has passed find, allow and check. */
export interface CheckedCall extends Context {
  readonly call: Call
  /** Set on writes that came with a key. */
  readonly idempotency: IdempotencyKey | undefined
}

/** An idempotency key with a digest of the operation and input that it was first used for. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

/** What a write answers, and the change it made; no change where everything already was as requested. */
export interface Written {
  readonly answer: object
  readonly change?: RecordChange
  /** What was changed before it in other records. All of these changes are one group, which is undone as a whole. */
  readonly also?: readonly RecordChange[]
  /** What remains to be done in the store after a write on another platform, in the transaction of its audit line. Resolves to what is answered and recorded. */
  readonly inStore?: (writer: StoreWriter) => Promise<Written>
  /** The batch that its changes are, instead of a group. */
  readonly batchId?: string
  /** The change that an earlier call has made, where this one repeats its answer. */
  readonly changeId?: string
}

/** A write that has been validated as far as is possible before its transaction. */
export interface Prepared {
  /** The record type whose platform this is written to. */
  readonly on: RecordType
  /** May run more than once, so it touches nothing but the writer. Only work in the store may use the journal's part of the writer. */
  work(writer: StoreWriter): Promise<Written>
  /** What has to be done elsewhere once it is committed in the store. Does not throw. */
  afterCommit?(): Promise<void>
  /** What it consists of, each safe to repeat by itself: so it is run where there is no transaction for all. */
  readonly parts?: Parts
  /** The confirmation to mark as used, in the store, before a platform that is not the store is called. */
  readonly confirmation?: UsedConfirmation
}

export interface Parts {
  readonly each: readonly Part[]
  /** What is answered once each part has run, or was refused. */
  answer(ends: ReadonlyMap<Part, Outcome | CrmError>): object
}

export interface Part {
  /** The idempotency key, the same for each attempt. */
  readonly key: string
  readonly input: Input
  /** May refuse. */
  prepare(): Prepared
}

export interface UsedConfirmation {
  readonly planId: string
  /** Refuses a confirmation that is already decided or has expired. */
  use(writer: StoreWriter): Promise<void>
  /** Makes it usable again because the platform refused the write. */
  release(writer: StoreWriter): Promise<void>
}

/** A call that has passed every step before run. */
export interface Ready {
  readonly checked: CheckedCall
  /** Undefined for a read. */
  readonly prepared: Prepared | undefined
  /** Releases the claim on the idempotency key. */
  release(): void
}

/** The steps before run; the verb that allows a confirmation sends the waiting call through them again. */
export type MakeReady = (service: Service, call: Call, binding: Binding, mode: Mode) => Promise<Ready>

export type Prepare = (checked: CheckedCall, makeReady: MakeReady) => Prepared | Promise<Prepared>

/** How the pipeline differs from that of a single call. */
export interface Mode {
  /** Set in an atomic batch: the keys that its calls have claimed so far. */
  readonly atomic?: Set<string>
  /** Whether an admin has allowed the call, so that it needs no confirmation. */
  readonly allowed?: boolean
}

/** How a call ended. */
export interface Outcome {
  readonly result: unknown
  /** The result as JSON, where it has been serialised already. */
  readonly json?: string | undefined
  /** The audit line that a write has left. */
  readonly changeId?: string | undefined
  /** Whether the answer is that of an earlier call with the same key. */
  readonly replayed?: boolean
}
