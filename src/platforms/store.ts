import type { WorkspaceState } from '../contract/records/workspace.ts'
import type { OwnStorage, Platform, Reader, ReadOptions, StoredRecord, Supports, WriteOptions, Writer } from './platform.ts'

/** One line of the audit before it is numbered and sealed. Images are JSON. */
export interface AuditLine {
  readonly userId: string
  readonly keyId: string | null
  readonly transport: string
  readonly operation: string
  readonly recordType: string
  readonly recordId: string | null
  readonly before: string | null
  readonly after: string | null
  readonly requestId: string | null
  readonly outcome: string
  readonly eventType: string | null
  readonly idempotencyKey: string | null
  /** The user whose record it is; empty where all users may read it, null where only admins may. */
  readonly owner: string | null
  /** Whether the record has just been assigned to this owner: then earlier lines of the record become visible to the new owner. */
  readonly moved: boolean
  /** Set where the owner is mapped from a user of a CRM: another one of ours may have become that user without a change of the record. */
  readonly mapped?: true | undefined
  /** How many refused calls the line stands for, where that is not one. */
  readonly count?: number
  /** What the lines of one call have in common, where there are several. */
  readonly groupId?: string | null
  /** What the lines of one batch have in common, over any number of calls and requests. */
  readonly batchId?: string | null
  /** The change that this one undid. */
  readonly undoes?: string | null
}

/** The stored state of an idempotency key. */
export interface IdempotencyEntry {
  readonly fingerprint: string
  readonly at: string
  /** `done`, or `open` while the outcome of the call is unknown. */
  readonly state: 'done' | 'open'
  /** The answer as JSON. Written as null it equals the After image of the change; read as null it was erased. For an open key, notes of the core. */
  readonly answer: string | null
  readonly changeId: string | null
}

/** One workspace's journal, for writing: committed in the same transaction as the records. */
export interface JournalWriter {
  /** Finds a user's idempotency key, expired or not. */
  findIdempotencyKey(userId: string, key: string): Promise<IdempotencyEntry | undefined>

  /** Stores a key, and replaces what was stored under it before. */
  putIdempotencyKey(userId: string, key: string, entry: IdempotencyEntry): Promise<void>

  /** Removes a key, so that it can be used again. */
  releaseIdempotencyKey(userId: string, key: string): Promise<void>

  /** Appends a line to the audit, which is also the event. Resolves to its ChangeID. */
  appendAuditLine(line: AuditLine): Promise<string>

  /** How far something has come, by its name; undefined where it has not begun. It is locked until the transaction ends, so that two cannot go on from the same position. */
  position(name: string): Promise<string | undefined>

  /** Moves a position; null removes it. Names that begin with `mirror ` are about the mirror, and like that in no copy of the store. */
  setPosition(name: string, value: string | null): Promise<void>

  /** Erases a record, its child records and every image of it in the journal. Resolves to how many audit lines had an image. */
  erase(type: string, id: string): Promise<number>
}

/** A change as published to event readers and webhooks. Images are JSON. */
export interface StoredEvent {
  readonly number: number
  readonly changeId: string
  readonly at: string
  readonly eventType: string
  readonly recordType: string
  readonly recordId: string
  readonly userId: string
  readonly transport: string
  readonly before: string | null
  readonly after: string | null
  readonly batchId: string | null
  /** The present owner of the record; see AuditLine. */
  readonly owner: string | null
}

export interface EventQuery {
  /** Only events with a higher number. */
  readonly after: number
  readonly limit: number
  readonly eventTypes: readonly string[]
  /** Only events of records that belong to one of these users; undefined means all. */
  readonly owners?: readonly string[]
}

/** The result of verifying a workspace's audit chain. */
export interface AuditReport {
  readonly lines: number
  /** The number and seal of the last line. Noted outside the store, they prove later that no earlier line was replaced. */
  readonly head: { readonly number: number; readonly seal: string }
  /** Lines that are committed but not yet numbered and sealed. */
  readonly unsealed: number
  /** Lines at the beginning of the chain that were removed because of their age. */
  readonly released: number
  readonly faults: readonly { readonly number: number; readonly changeId: string | null; readonly fault: string }[]
}

/** One workspace's journal, for reading. */
export interface JournalReader {
  findIdempotencyKey(userId: string, key: string): Promise<IdempotencyEntry | undefined>

  /**
   * Events in the order of their numbers, and the number up to which the journal was searched: a page may hold fewer events than the
   * limit, or none, although more follow.
   */
  events(query: EventQuery): Promise<{ readonly events: readonly StoredEvent[]; readonly upTo: number }>

  /** The numbers of the last change that was removed because of its age, and of the newest change; 0 where there is none. */
  span(): Promise<{ readonly released: number; readonly newest: number }>

  position(name: string): Promise<string | undefined>

  /** Verifies the whole chain. `progress` is called with the number of lines checked so far; `expected` is an earlier head that the chain must contain. */
  verify(options?: { readonly progress?: ((lines: number) => void) | undefined; readonly expected?: AuditReport['head'] | undefined }): Promise<AuditReport>
}

export interface Workspace {
  readonly number: number
  readonly name: string
  readonly state: WorkspaceState
  /** Null where there is no limit. */
  readonly limits: {
    readonly callsPerMinute: number | null
    readonly users: number | null
    readonly keys: number | null
    readonly webhooks: number | null
  }
}

/** What `sweep` removes. */
export interface Expiry {
  /** Idempotency keys that were last used before this time. */
  readonly keys: string
  /** Changes made before this time; undefined keeps all. */
  readonly changes: string | undefined
}

/** The state of a rate limit. */
export interface RateLimitState {
  /** Whether the requested units were taken. */
  readonly granted: boolean
  /** Units taken in the current window, by all processes. */
  readonly used: number
  /** Milliseconds until the window ends. */
  readonly resetMs: number
}

export interface StoreWriter extends Writer, JournalWriter {
  /** Adds a workspace of this record, with a number that none had before. Resolves to its writer in the same transaction, and to undefined when the name is taken. */
  addWorkspace(record: StoredRecord): Promise<StoreWriter | undefined>

  /**
   * Writes the workspace's mirror in the same transaction. Its rows are counted and indexed as others are; there is no journal of them. May be called
   * any number of times.
   */
  inMirror(): StoreWriter

  /** Has the listeners of `watch` called for another workspace too, once this is committed. */
  notify(workspace: number): void

  /** Lets calls that do not wait for this write run, in the middle of a write that takes long. */
  pause(): Promise<void>
}

/** The fields that a workspace has defined, by record type and name, and those that it has retired. */
export interface OwnFields {
  readonly extras: Supports['extras']
  readonly limits: Supports['fields']
  readonly retired: { readonly [type: string]: { readonly [name: string]: OwnStorage } | undefined }
}

/** A platform that also stores users, API keys, workspaces and the journal. */
export interface Store extends Platform {
  /** A random text that every process of the store has, that lasts as long as it and that copies of it have too. No caller is ever shown it. */
  readonly secret: string

  write<T>(workspace: number, work: (writer: StoreWriter) => Promise<T>, options?: WriteOptions): Promise<T>

  /** Reads the mirror of a workspace. */
  mirror(workspace: number, options?: ReadOptions): Reader

  /** Erases the mirror of a workspace, in small transactions so that others are served, until the signal aborts. */
  eraseMirror(workspace: number, signal?: AbortSignal): Promise<void>

  /** Compares the counters that summaries of a type are answered from with the records of a mirror, and corrects them. Resolves to how many were wrong. */
  recountMirror(workspace: number, type: string): Promise<number>

  /** The same for the words that the records of a mirror are found by. What is still to be indexed is not wrong. */
  reindexMirror(workspace: number, type: string): Promise<number>

  journal(workspace: number): JournalReader

  /** The store as a workspace sees it that has defined these fields: they are members of its records like any other. */
  withOwnFields(fields: OwnFields): Store

  /**
   * Calls the listener whenever changes have been committed, with their workspace where that is known: at once for writes through this
   * store, within a second for those of another process. The returned function stops it.
   */
  watch(listener: (workspace: number | undefined) => void): () => void

  /** Takes or renews a lease for so many milliseconds; false while another holder has it. */
  lease(name: string, holder: string, ms: number): Promise<boolean>

  /**
   * Takes units from a rate limit that all processes share: all of them or none. A window begins with the first units that are taken.
   * Taking 0 only reads the state.
   */
  takeFromRateLimit(name: string, wanted: number, most: number, windowMs: number): Promise<RateLimitState>

  /** Removes what has expired, in small transactions so that writes are not held up, until the signal aborts. Resolves to the number of rows removed. */
  sweep(expiry: Expiry, signal?: AbortSignal): Promise<number>

  /** Finds an API key by its digest, across workspaces. */
  keyByDigest(digest: string): Promise<{ readonly workspace: Workspace; readonly key: StoredRecord; readonly user: StoredRecord } | undefined>

  /** The ids of all users who report to a user, directly or not; the user is not among them. */
  usersBelow(workspace: number, userId: string): Promise<string[]>

  /**
   * Changes whenever a user or API key does, so that access data can be cached until then: at once for changes through this store,
   * within a second for those of another process.
   */
  accessVersion(): number

  /** Another number whenever a record may have changed, whoever changed it, so that answers can be cached until then. Absent where the store cannot tell. */
  version?: (() => number) | undefined

  /** Called when a request has arrived, before it is handled: reads from then on see all that was committed before, also by other processes. */
  refresh?: (() => void) | undefined

  workspaces(): Promise<Workspace[]>

  /** The workspace with this number, or of this name. */
  workspace(which: number | string): Promise<Workspace | undefined>

  /** The numbers of the workspaces that have records of a type, in the workspace itself. It takes as long as there are of these, however many others there are. */
  workspacesWith(type: string): Promise<number[]>

  /** The numbers of the workspaces that have a position of this name. */
  workspacesAt(position: string): Promise<number[]>

  /** How many records of each type a workspace has, where there are any; with `mirrored` those of its mirror count too. */
  contents(workspace: number, mirrored?: boolean): Promise<{ [type: string]: number }>

  /** Creates a workspace without a user. Resolves to undefined when the name is taken. */
  addWorkspace(name: string): Promise<Workspace | undefined>

  /** The workspaces whose rows are to be erased. One that was erased lately has no name any more: a late write may have left something. */
  workspacesToErase(): Promise<readonly { readonly number: number; readonly name: string | null }[]>

  /**
   * Erases every row of a workspace and of its mirror but the workspace's record, in small transactions so that others are served, until the signal aborts. With the
   * number of a mirror, it erases that alone.
   */
  eraseRows(workspace: number, signal?: AbortSignal): Promise<void>

  /** Removes the record of a workspace that is being deleted. Its name can be used again, its number never is. */
  endErasure(workspace: number): Promise<void>
}
