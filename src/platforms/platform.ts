import type { ErrorCode, Fault } from '../contract/errors.ts'
import type { Family, FieldKind, Operator } from '../contract/fields.ts'

export type Value = string | number | boolean | null

/** A record in the contract's own names; user-defined values and lists are nested. */
export type StoredRecord = { [field: string]: Value | readonly string[] | { readonly [name: string]: Value } }

/** One comparison. `name` is set where `field` holds user-defined values. */
export interface Condition {
  readonly field: string
  readonly name?: string
  readonly family: Family
  readonly operator: Operator
  readonly value: Value | readonly Value[]
}

export interface Order {
  readonly field: string
  readonly name?: string
  readonly descending: boolean
}

/**
 * Which records are wanted.
 *
 * Conditions are ANDed. Null sorts lowest, text by code point; ties are broken by id in the direction of the order.
 */
export interface Query {
  /** The users whose records count; undefined means everyone's. */
  readonly owners?: readonly string[]
  readonly where: readonly Condition[]
  readonly order: Order
  /** The last record of the page before. */
  readonly after?: { readonly value: Value; readonly id: string }
  readonly limit: number
  /** The fields wanted beside the id and the order's; undefined means all of them. */
  readonly fields?: readonly string[]
  /** The record type that these hang on, where they are looked for by what they hang on. */
  readonly on?: string
}

export interface Found {
  readonly records: readonly StoredRecord[]
  /** Whether more records match beyond these. */
  readonly more: boolean
}

/** Counts and exact sums behind a summary. Amounts are in ten-thousandths. */
export interface Tally {
  readonly states: readonly {
    readonly owner: string
    readonly state: string | null
    readonly count: number
    readonly amounts: number
    readonly amount: bigint
  }[]
  readonly months: readonly { readonly month: string; readonly count: number }[]
  /** By state and whether the due date has passed or is near; only for records that have one. */
  readonly due: readonly { readonly state: string | null; readonly when: 'overdue' | 'soon'; readonly count: number; readonly amount: bigint }[]
}

export interface TallyQuery {
  readonly owners?: readonly string[]
  readonly where: readonly Condition[]
  /** Today and the last day that counts as soon, YYYY-MM-DD. */
  readonly today: string
  readonly soon: string
}

/** What a platform says of a field beyond what the contract says. */
export interface FieldLimits {
  /** The only values that it takes. */
  readonly closed?: readonly string[]
  /** Whether it must have a value. */
  readonly required?: boolean
  /** What a create fills in where nothing was said. */
  readonly atBirth?: Value
  /** The longest text that it keeps, in characters and in bytes. */
  readonly max?: number
  readonly maxBytes?: number
  /** How many decimals of a number it keeps. */
  readonly decimals?: number
  /** Whether the platform has no place for it at all. */
  readonly absent?: boolean
  /** Whether the platform only lets it be read, although the contract lets callers write it. */
  readonly readOnly?: boolean
}

/** A field that a platform has and the contract does not. */
export interface ExtraField {
  readonly kind: FieldKind
  readonly label: string
  readonly readOnly: boolean
}

/** What a platform can do, as data. What it lacks the core supplies, or refuses before anything is sent. */
export interface Supports {
  /** Whether several writes can be made as one. */
  readonly transactions: boolean
  /** Whether writes take effect in the order they are asked for, so that one need not have ended before the next is asked for. */
  readonly ordered: boolean
  /** What it says of fields beyond the contract, by record type and field. */
  readonly fields: { readonly [type: string]: { readonly [field: string]: FieldLimits } | undefined }
  /** Fields that it has beyond the contract, by record type and name. */
  readonly extras: { readonly [type: string]: { readonly [field: string]: ExtraField } | undefined }
  /** The record types, notes and comments, of which it keeps who wrote them. */
  readonly authors: readonly string[]
  /** Whether a deleted record can be brought back under its id. */
  readonly restores: boolean
  /** Whether owners are our own users; where not, a user's PlatformUserID says who they are there. */
  readonly ownUsers: boolean
  /** How finely it tells when a record was created or changed, in milliseconds. */
  readonly tickMs: number
  /** Whether many independent writes can be on their way at once, because it sends those of one kind together. */
  readonly batchesRequests: boolean
  /** Records in a page that streams are best read by. */
  readonly page: number
  /** How long after it was sent a write that is not to be seen will not come any more; 0 where writes and their keys are one. */
  readonly reconcileMs: number
}

/** One workspace's records, for reading. */
export interface Reader {
  /** Resolves to undefined, never throws, when there is no such record. */
  get(type: string, id: string): Promise<StoredRecord | undefined>

  /** The same, with how many of each kind hang on the record, by the member that shows them. */
  getWithTotals(type: string, id: string): Promise<{ readonly record: StoredRecord; readonly totals: { readonly [list: string]: number } } | undefined>

  /** Pages are stable: following the last record of each yields every unchanged match exactly once. */
  find(type: string, query: Query): Promise<Found>

  tally(type: string, query: TallyQuery): Promise<Tally>

  /** When the first of these records was created; undefined where there is none. */
  firstCreated(type: string, owners: readonly string[] | undefined): Promise<string | undefined>

  /** The oldest record whose state is not one of these. */
  oldestNotIn(type: string, owners: readonly string[] | undefined, states: readonly string[]): Promise<StoredRecord | undefined>
}

/** One workspace's records, for writing. Nobody else changes a record that was read by its id until the work is over, unless the platform is not ours. */
export interface Writer extends Reader {
  /** Set where the same work was begun before, and nobody saw how it ended. */
  readonly earlier?: EarlierAttempt | undefined

  /** A record that is only referred to. Others may refer to it too, but nobody deletes it until the work is over. */
  getForReference(type: string, id: string): Promise<StoredRecord | undefined>

  /**
   * Waits until no other work of the workspace that asks for the same is going on: for what must hold across several records. It is
   * asked for before any record is read by its id.
   */
  lockWorkspace(): Promise<void>

  /** The id and moment of a new record; ids sort by that moment. */
  newId(): { readonly id: string; readonly at: string }

  /** The present moment, as records carry it. */
  now(): string

  /** Resolves to the record as it is now, which may differ from what was given where the platform has its own ideas of ids and times. */
  create(type: string, record: StoredRecord, on?: string): Promise<StoredRecord>

  /** Sets these fields, and resolves to the record as it is now; to undefined when there is no such record. */
  update(type: string, id: string, changes: StoredRecord): Promise<StoredRecord | undefined>

  /**
   * Removes the record; what hangs on it goes out of sight with it, and comes back with `restore`. Resolves to false when
   * there is no such record.
   */
  delete(type: string, id: string): Promise<boolean>

  /** Brings a deleted record back, with what hung on it. */
  restore(type: string, record: StoredRecord): Promise<void>
}

/** A failure as a platform understands it. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly errors?: readonly Fault[]
  /** What to do about it. */
  readonly hint?: string
  /** Seconds until it is worth trying again. */
  readonly retryAfter?: number
  /** Whether the same may be tried again at once: nothing has happened yet, and it may well succeed. */
  readonly retryNow?: boolean
}

/** Who our users are on a platform that has its own, and the other way round. Whoever is unknown to the other side has no id there. */
export interface UserIds {
  toPlatform(userId: string): string | undefined
  fromPlatform(platformUserId: string): string | undefined
  /** Whether somebody is one of our users, known there or not. */
  has(userId: string): boolean
}

/** How a write is carried out, where the platform is not the store. */
export interface WriteOptions {
  readonly userIds?: (() => Promise<UserIds>) | undefined
  /** Set where the same work was begun before, and nobody saw how it ended: what is there already is not written again. */
  readonly earlier?: EarlierAttempt | undefined
  /** Whether the journal knows of a record, so that it cannot be what a call has written whose end nobody saw. */
  readonly isKnown?: ((id: string) => Promise<boolean>) | undefined
  /** What is written at the same time, of which the platform may send several as one. */
  readonly requestGroup?: RequestGroup | undefined
}

/** Work that was begun before. */
export interface EarlierAttempt {
  /** When it was. */
  readonly since: string
  /** Whether so much time has passed that what is not there by now will not come: only then is it written. */
  readonly settled: boolean
  /** The changes of a record with this event type that are known to be others' and later, newest first. */
  changesByOthers(eventType: string, recordId: string): Promise<readonly StoredRecord[]>
}

/** Stands for writes that are under way at the same time. Only the platform knows what is in it. */
export type RequestGroup = object

/**
 * A place where records live.
 *
 * The core has already checked access and input, so a platform stores what it is given and answers in the contract's own
 * names. It throws whatever its library throws; the core wraps the error once, asking `classify` what kind it is.
 */
export interface Platform {
  readonly name: string
  readonly supports: Supports
  /** What whoever runs the service should know about how the platform was reached. */
  readonly remark?: string | undefined

  /** Answers from what has been committed. A platform with users of its own is told who ours are. */
  reader(workspace: number, people?: () => Promise<UserIds>): Reader

  /**
   * Carries out the work and resolves once it is durable. Where transactions are supported, work that throws leaves no
   * trace. Work may be carried out a second time when the first attempt left no trace, so it must touch nothing but the writer.
   */
  write<T>(workspace: number, work: (writer: Writer) => Promise<T>, how?: WriteOptions): Promise<T>

  /** What kind of failure this is; undefined when the platform does not know it. */
  classify(error: unknown): Failure | undefined

  /** Begins writes that are under way at the same time. */
  requestGroup?(): RequestGroup

  /** How much of what the account may ask for is left; undefined where nothing is known of it. */
  quota?(): Quota | undefined

  /** Rejects when the platform cannot answer right now. */
  ping(): Promise<void>

  close(): Promise<void>
}

/** Tries something again for as long as it is worth it. The core supplies it to platforms elsewhere. */
export type Retry = <T>(attempt: () => Promise<T>, look: (error: unknown) => { readonly again: boolean; readonly afterMs?: number | undefined }) => Promise<T>

/** How much an account may ask for, and has. */
export interface Quota {
  /** What is counted, such as `API requests a day`. */
  readonly of: string
  readonly used: number
  readonly most: number
}
