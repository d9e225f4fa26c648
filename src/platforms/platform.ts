import type { Where } from '../contract/conditions.ts'
import type { ErrorCode, Fault } from '../contract/errors.ts'
import type { Conversion, Converted, ForeseenConversion } from './conversion.ts'
import type { Feed } from './feed.ts'
import type { ExtraField, FieldLimits } from './platform-fields.ts'
import type { Found, Query, SearchHit, SearchMatch, SearchQuery, Tally, TallyQuery } from './query.ts'
import type { StoredRecord } from './stored-record.ts'

export type { Condition, Through, Value, Where } from '../contract/conditions.ts'
export type { Conversion, Converted, ForeseenConversion } from './conversion.ts'
export type { AttachedFeed, AttachedPage, AttachedRecord, CampaignSize, ChangedRecord, DeletedRecord, Feed, LeftOut } from './feed.ts'
export type { ExtraField, FieldLimits, OwnStorage } from './platform-fields.ts'
export type { Found, Order, Query, SearchHit, SearchMatch, SearchQuery, Tally, TallyQuery } from './query.ts'
export type { OwnValues, StoredRecord } from './stored-record.ts'

/** What a platform can do, as data. The core supplies what is missing, or refuses the call before anything is sent. */
export interface Supports {
  /** Whether several writes can be committed atomically. */
  readonly transactions: boolean
  /** Whether writes take effect in the order in which `write` is called, so that the core need not await one before it starts the next. */
  readonly ordered: boolean
  /** Restrictions on fields, by record type and field. */
  readonly fields: { readonly [type: string]: { readonly [field: string]: FieldLimits } | undefined }
  /** Fields that the contract does not have, by record type and name. */
  readonly extras: { readonly [type: string]: { readonly [field: string]: ExtraField } | undefined }
  /** The record types (notes, comments) whose author the platform stores. */
  readonly authors: readonly string[]
  /** Whether a deleted record can be restored under the same id. */
  readonly restores: boolean
  /** How a CRM erases records of a type. Absent where they cannot be erased. */
  readonly erasure?: ((type: string) => Erasure) | undefined
  /** Whether owners are the connector's own users; otherwise a user's PlatformUserID maps to the platform's user. */
  readonly ownUsers: boolean
  /** The resolution of its created and modified timestamps, in milliseconds. */
  readonly tickMs: number
  /** Whether many independent writes should run concurrently, because the platform sends those of one kind in one request. */
  readonly batchesRequests: boolean
  /** The page size for streams. */
  readonly page: number
  /** How long a request may take before it is given up, in milliseconds, with what is done to send it again where it was not executed. */
  readonly requestMs: number
  /** How long after it was given up a write may still become visible, in milliseconds; 0 where writes and idempotency keys are committed together. */
  readonly reconcileMs: number
}

/** How a CRM erases records of a type. */
export interface Erasure {
  /** The types that a record may be known under by its id: in HubSpot, a contact is a lead until it is converted. */
  readonly types: readonly string[]
  /** What the CRM itself still keeps of it, as a sentence for the admin; null where that is nothing. */
  readonly keeps: string | null
}

/** What a call may cost, and with whom it takes turns for what is scarce. */
export interface Budget {
  /** Calls with the same share, as those of one API key, wait behind each other; between different shares turns are taken. */
  readonly share: string
  /** Whether the time is over, or the caller has hung up. */
  readonly isOver: boolean
  /** Aborts once it is over; the reason is the error to answer with. */
  readonly signal: AbortSignal
}

/** Options of a reader. */
export interface ReadOptions {
  /** Maps owners on a platform that has users of its own. */
  readonly userIds?: (() => Promise<UserIds>) | undefined
  /** Without one, a read may take as long as it needs. */
  readonly budget?: Budget | undefined
  /** Set to find what the platform's own searches find, although they may lag behind what was just written, with the platform's own ids of users. */
  readonly asSearched?: boolean | undefined
}

/** A step of an export. */
export interface Exported {
  readonly records: readonly StoredRecord[]
  /** How to go on, in any process; undefined where it has ended. */
  readonly cursor?: string
  /** How long to wait before the next step; where it is set, that is not to be taken before these records are stored. */
  readonly waitMs?: number
}

/** One workspace's records, for reading. */
export interface Reader {
  /** Resolves to undefined, never throws, when there is no such record. */
  get(type: string, id: string): Promise<StoredRecord | undefined>

  /** Like `get`, with the number of child records (notes, tasks, …) by the name of the member that lists them. */
  getWithTotals(type: string, id: string): Promise<{ readonly record: StoredRecord; readonly totals: { readonly [list: string]: number } } | undefined>

  /** Those of these records that there are, in any order. */
  getAll(type: string, ids: readonly string[]): Promise<readonly StoredRecord[]>

  /** Pages are stable: continuing after the last record of each page yields every unchanged match exactly once. */
  find(type: string, query: Query): Promise<Found>

  tally(type: string, query: TallyQuery): Promise<Tally>

  /** How many records match. */
  count(type: string, where: readonly Where[]): Promise<number>

  /**
   * A step of an export of all records of a type, in any order, by a bulk way that the platform has; each takes one request. Undefined where there is none for the type,
   * the account does not allow it, or the export was lost: `find` does then.
   */
  readonly exported?: ((type: string, cursor?: string) => Promise<Exported | undefined>) | undefined

  /** When the oldest of these records was created; undefined when there is none. */
  firstCreated(type: string, owners: readonly string[] | undefined): Promise<string | undefined>

  /** The oldest record whose state is not one of these. */
  oldestNotIn(type: string, owners: readonly string[] | undefined, states: readonly string[]): Promise<StoredRecord | undefined>

  /**
   * Records that contain every word of the text, as a word, the beginning or a part of one, in any case of letters and whatever their accents
   * (`contract/search-text.ts`): at most `limit` of each type, newest first. Types that cannot be searched have none. A CRM decides itself what it finds.
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>

  /**
   * The same without reading the records, where the platform can tell how well each one matches: only those of a page are then read. Some may have been
   * deleted or given to another owner since they were indexed.
   */
  readonly matches?: ((query: SearchQuery) => Promise<readonly SearchMatch[]>) | undefined

  /**
   * For dry runs: the values that the platform itself would add to these of a new record, or of one that is changed, such as defaults. What it only
   * derives, and no call can set, is not among them. Without it there are none.
   */
  readonly foresee?: ((type: string, values: StoredRecord, before?: StoredRecord) => Promise<StoredRecord>) | undefined

  /** For dry runs, where the platform converts leads in a step of its own. */
  readonly foreseeConversion?: ((conversion: Conversion) => Promise<ForeseenConversion>) | undefined
}

/** One workspace's records, for writing. In a store, a record that was read by its id is locked until the write has ended; a CRM cannot guarantee that. */
export interface Writer extends Reader {
  /** Set when an earlier attempt at the same write has an unknown outcome. */
  readonly earlier?: EarlierAttempt | undefined

  /** Set for a dry run, which writes nothing. */
  readonly isDryRun?: true

  /** Reads a record that the write refers to, under a shared lock: others may refer to it too, but it cannot be deleted until the write has ended. */
  getForReference(type: string, id: string): Promise<StoredRecord | undefined>

  /**
   * Takes the workspace's lock until the write has ended, for rules that span several records. Call it before any record is read by
   * its id; in the opposite order two writes can deadlock.
   */
  lockWorkspace(): Promise<void>

  /**
   * Locks a name until the write has ended: writes that look for a value, and then write it, follow each other. Call it before any record is read by its
   * id, and with several names in their order; otherwise two writes can deadlock.
   */
  lockName(name: string): Promise<void>

  /** The id and timestamp of a new record; ids sort by that timestamp. */
  newId(): { readonly id: string; readonly at: string }

  /** The current time, in the format of records. */
  now(): string

  /** Resolves to the record as stored: a platform may assign ids and timestamps of its own. */
  create(type: string, record: StoredRecord, on?: string): Promise<StoredRecord>

  /**
   * Sets these fields. Resolves to the record as stored, or to undefined when there is no such record. `unchanged` lets a CRM that can do so refuse with
   * `conflict` what was changed since this writer has read it; a store has locked it.
   */
  update(type: string, id: string, changes: StoredRecord, unchanged?: boolean): Promise<StoredRecord | undefined>

  /**
   * Deletes the record. Its child records become invisible with it and come back with `restore`. Resolves to false when there is no
   * such record.
   */
  delete(type: string, id: string): Promise<boolean>

  /** Deletes the record in the way that leaves least of it, also where it was deleted before. Absent where `delete` is that way. Resolves to false when there is nothing left to delete. */
  readonly purge?: ((type: string, id: string) => Promise<boolean>) | undefined

  /** Restores a deleted record, with its child records. */
  restore(type: string, record: StoredRecord): Promise<void>

  /** Converts a lead in one step, where the platform has one of its own; the core has checked the records. */
  readonly convertLead?: ((conversion: Conversion) => Promise<Converted>) | undefined
}

/** A record by the name of its type and its id. */
export interface RecordName {
  readonly type: string
  readonly id: string
}

/** A platform's error, translated into the contract's terms. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly errors?: readonly Fault[]
  /** The records that a refused write conflicts with, whether the caller may see them or not. */
  readonly conflicting?: readonly RecordName[]
  /** What the caller or the admin can do about it. */
  readonly hint?: string
  /** False where a retry cannot help until the admin has done something, whatever the code. */
  readonly retryable?: false
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number
  /** Whether an immediate retry is safe and likely to succeed: nothing was written. */
  readonly retryNow?: boolean
  /** Of a write whose outcome is unknown. */
  readonly known?: KnownAttempt
}

/** Names of a platform's own users, by their ids there. */
export type UserNames = ReadonlyMap<string, string>

/** Maps the connector's users to those of a platform that has its own, and back. A user without a counterpart maps to undefined. */
export interface UserIds {
  toPlatform(userId: string): string | undefined
  fromPlatform(platformUserId: string): string | undefined
  /** Whether this is one of the connector's users, mapped or not. */
  has(userId: string): boolean
}

/** Options of a write. Those beside the budget are for CRMs; a store ignores them. */
export interface WriteOptions {
  /** A write that has not begun when it is over is refused. */
  readonly budget?: Budget | undefined
  readonly userIds?: (() => Promise<UserIds>) | undefined
  /** Set when an earlier attempt at the same write has an unknown outcome: reconcile with what is there, and write nothing twice. */
  readonly earlier?: EarlierAttempt | undefined
  /** The same for every attempt at a call with an idempotency key. */
  readonly call?: string | undefined
  /** Whether the journal has this record: then it cannot be what an earlier attempt of unknown outcome has created. */
  readonly isKnown?: ((id: string) => Promise<boolean>) | undefined
  /** Locks a record against writers in other processes, until what it resolves to is called. */
  readonly lock?: ((record: string) => Promise<() => void>) | undefined
  /** Groups concurrent writes, which the platform may send in one request. */
  readonly requestGroup?: RequestGroup | undefined
}

/** An earlier attempt at the same write, whose outcome is unknown. */
export interface EarlierAttempt {
  /** How long ago it was started, in milliseconds. */
  readonly agoMs: number
  /** How long it may still become visible, in milliseconds. Only at 0 may it be written again. */
  readonly waitMs: number
  /** What the platform has reported of it. */
  readonly known?: KnownAttempt | undefined
  /** Later changes of a record by other calls, with this event type, newest first. */
  changesByOthers(eventType: string, recordId: string): Promise<readonly StoredRecord[]>
}

/** What a platform knows of an attempt whose outcome is unknown. It is stored with the idempotency key, for the next call with it. */
export interface KnownAttempt {
  /** The platform has reported it as executed, so that it must never be sent again. */
  readonly executed: true
  /** The id of the record that it has created. */
  readonly id?: string | undefined
}

/** A handle for concurrent writes; opaque to the core. */
export type RequestGroup = object

/**
 * A place where records are stored: one of the connector's own stores, or a CRM.
 *
 * The core has already checked access and input, so a platform stores what it is given and answers in the contract's own names. It may
 * throw whatever its library throws; the core calls `classify` once and wraps the error.
 */
export interface Platform {
  readonly name: string
  readonly supports: Supports
  /** How a CRM itself names the account, the same however its address is spelled; undefined where it does not say. */
  readonly account?: string | undefined
  /** Names what the account was opened with, address and secrets included, where that is to be recognized before it can be asked. It tells nothing of secrets. */
  readonly openedWith?: string | undefined
  /** Whether it could not be opened yet, and what is known of it was kept in the store. */
  readonly isRecalled?: boolean
  /** How it tells what others have changed; undefined where it cannot be watched. */
  readonly feed?: Feed | undefined
  /** A remark for the admin about the connection, shown at start. */
  readonly remark?: string | undefined

  /** Reads committed data only. */
  reader(workspace: number, options?: ReadOptions): Reader

  /**
   * Runs `work` and resolves once its writes are durable. Where transactions are supported, work that throws leaves no trace. Work may
   * be run again after an attempt that left no trace, so it must have no effects except through the writer.
   */
  write<T>(workspace: number, work: (writer: Writer) => Promise<T>, options?: WriteOptions): Promise<T>

  /** An id in the form that the platform itself writes, where it takes others for the same record. Without it, ids have one form. */
  canonicalId?(type: string, id: string): string

  /**
   * The id of an active user of the platform's own, in the form that it writes; undefined where there is no such user. One that the platform does
   * not let us look up is taken as it is. Only platforms with users of their own have it.
   */
  findUser?(platformUserId: string): Promise<string | undefined>

  /** The names of the platform's own users, as far as it shows them. Asked often, so that they have to be cached. */
  userNames?(): Promise<UserNames>

  /** The ids of a workspace's users on a platform that has users of its own. */
  userIds?(workspace: number): Promise<UserIds>

  /** Translates an error; undefined when it is none of the platform's, which the core reports as `internal`. */
  classify(error: unknown): Failure | undefined

  /** Starts a group of concurrent writes. */
  requestGroup?(): RequestGroup

  /** The account's API quota; undefined while it is not known. */
  quota?(): Quota | undefined

  /** Whether a record that had one Revision is unchanged where it has the other now; where this is absent, only equal ones say so. */
  isSameRevision?(one: number, other: number): boolean

  /** Rejects when the platform cannot answer right now. */
  ping(): Promise<void>

  close(): Promise<void>
}

/**
 * Retries an attempt with backoff until the deadline has passed. The core supplies it to CRMs; `classify` says whether an error may be retried, and when. An attempt that takes
 * long reports with `onSlow` what it will fail with, and each request that is sent for it with `onSent`.
 */
export type Retry = <T>(
  attempt: (onSlow?: (error: unknown) => void, onSent?: () => void) => Promise<T>,
  classify: (error: unknown) => { readonly retryable: boolean; readonly afterMs?: number | undefined },
) => Promise<T>

/** An account's API quota of a day. */
export interface Quota {
  /** What is counted, such as `API requests a day`. */
  readonly of: string
  readonly used: number
  readonly most: number
}

/** What an account has granted to our app. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  /** When the access token will have expired, if the CRM says so, in milliseconds since 1970. */
  readonly expires?: number | undefined
  /** Where the account lives, if the CRM says so. */
  readonly origin?: string | undefined
  /** Who has authorized us in which account, as the CRM names them, if it does. */
  readonly identity?: string | undefined
}

/** Where the tokens of an account are stored that was authorized in a browser. All processes share them. */
export interface TokenStore {
  read(): Promise<Tokens | undefined>
  /**
   * Replaces tokens that the CRM no longer accepts. Of all processes one sends the request, with the newest refresh token; the others wait for
   * its result. What the CRM answers is stored before this resolves, so that a token that replaces another is never lost.
   */
  renew(refused: string | undefined, request: (newest: Tokens) => Promise<Tokens>): Promise<Tokens>
}
