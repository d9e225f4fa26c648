import type { Platform, StoredRecord, Writer } from './platform.ts'

/** One line of the audit before it has its place. Images are JSON. */
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
  /** Whose record it is: empty where it is everyone's, null where only admins may know. */
  readonly owner: string | null
  /** Whether the record has just come to this owner, so that its history follows it. */
  readonly moved: boolean
}

/** What is known of an idempotency key. */
export interface IdempotencyEntry {
  readonly fingerprint: string
  readonly at: string
  /** `done`, or `open` while nobody knows how it ended. */
  readonly state: 'done' | 'open'
  /** The answer as JSON. When it is kept, null means that it is the After of the change; when it is read, that it was erased. Of an open key, what the core noted of it. */
  readonly answer: string | null
  readonly changeId: string | null
}

/** One workspace's journal, for writing, in the same transaction as the records beside it. */
export interface JournalWriter {
  /** What is kept of a user's idempotency key, however old. */
  findIdempotencyKey(userId: string, key: string): Promise<IdempotencyEntry | undefined>

  /** Keeps a key, in the place of what was kept of it before. */
  putIdempotencyKey(userId: string, key: string, kept: IdempotencyEntry): Promise<void>

  /** Forgets a key. */
  releaseIdempotencyKey(userId: string, key: string): Promise<void>

  /** Adds a line to the audit, and with it the event, and resolves to its ChangeID. */
  appendAuditLine(line: AuditLine): Promise<string>

  /** Removes whatever is left of a record: itself, what hangs on it, every image of it in the journal. Resolves to how many lines had one. */
  erase(type: string, id: string): Promise<number>
}

/** A change as it is announced. Images are JSON. */
export interface StoredEvent {
  readonly number: number
  readonly changeId: string
  readonly at: string
  readonly eventType: string
  readonly recordType: string
  readonly recordId: string
  readonly userId: string
  readonly before: string | null
  readonly after: string | null
}

export interface EventQuery {
  /** Everything beyond this number. */
  readonly after: number
  readonly limit: number
  readonly recordTypes: readonly string[]
  /** Whose records' events are wanted; undefined means everyone's. */
  readonly owners?: readonly string[]
}

/** What verifying a chain found. */
export interface AuditReport {
  readonly lines: number
  /** The place and seal of the last line: whoever writes them down elsewhere can tell later that nothing before was exchanged. */
  readonly head: { readonly number: number; readonly seal: string }
  /** Lines that are committed but have no place yet. */
  readonly unsealed: number
  /** Lines that have been let go because of their age, at the beginning of the chain. */
  readonly released: number
  readonly faults: readonly { readonly number: number; readonly changeId: string | null; readonly fault: string }[]
}

/** One workspace's journal, for reading. */
export interface JournalReader {
  findIdempotencyKey(userId: string, key: string): Promise<IdempotencyEntry | undefined>

  /**
   * Events in the order of their numbers, and how far the search has come: fewer than the limit may be found where few of
   * those looked through are wanted.
   */
  events(query: EventQuery): Promise<{ readonly events: readonly StoredEvent[]; readonly upTo: number }>

  /** The numbers of the last change that was let go and of the newest; both 0 where there was none yet. */
  span(): Promise<{ readonly released: number; readonly newest: number }>

  /** Goes through the whole chain. `progress` hears how many lines have been looked at; `expected` is a head that must be part of it. */
  verify(options?: { readonly progress?: ((lines: number) => void) | undefined; readonly expected?: AuditReport['head'] | undefined }): Promise<AuditReport>
}

export interface Workspace {
  readonly number: number
  readonly name: string
}

/** What is old enough to be let go. */
export interface Expiry {
  /** Idempotency keys older than this moment. */
  readonly keys: string
  /** Changes older than this moment; undefined keeps them all. */
  readonly changes: string | undefined
}

/** What is known of an allowance. */
export interface RateLimitState {
  /** Whether what was wanted has been taken. */
  readonly granted: boolean
  /** How much of it has been taken in the current window, by whomever. */
  readonly used: number
  /** How long until it begins anew. */
  readonly resetMs: number
}

export type StoreWriter = Writer & JournalWriter

/** A platform that also keeps users, keys, workspaces and the journal. */
export interface Store extends Platform {
  write<T>(workspace: number, work: (writer: StoreWriter) => Promise<T>): Promise<T>

  journal(workspace: number): JournalReader

  /** Tells whenever changes have been committed: at once when through this store, within a second when by another process. Call the answer to stop. */
  watch(listener: () => void): () => void

  /** Takes on some work, or stays with it, for so long; false where another process has it. */
  lease(name: string, holder: string, ms: number): Promise<boolean>

  /**
   * Takes so many from the allowance of a name, of which all processes together have so many in a window of time: all of them or
   * none. A window begins with the first that are taken. Who wants 0 only looks.
   */
  takeFromRateLimit(name: string, wanted: number, most: number, windowMs: number): Promise<RateLimitState>

  /** Lets go of what has expired, a little at a time, so that writes are not held up, until told to stop. Resolves to how much went. */
  sweep(expiry: Expiry, signal?: AbortSignal): Promise<number>

  /** The key with this digest, in whichever workspace it lives. */
  keyByDigest(digest: string): Promise<{ readonly workspace: Workspace; readonly key: StoredRecord; readonly user: StoredRecord } | undefined>

  /** Everyone below a user, at any depth, without the user. */
  usersBelow(workspace: number, userId: string): Promise<string[]>

  /**
   * A number that changes whenever a user or key does, so that what was read of them may be kept until then: at once when
   * they are changed through this store, within a second when another process changes them.
   */
  accessVersion(): number

  workspaces(): Promise<Workspace[]>

  /** Makes a workspace. Resolves to undefined when the name is taken. */
  addWorkspace(name: string): Promise<Workspace | undefined>
}
