import type { Where } from '../contract/conditions.ts'

/** A record that others have deleted, and the record that it was merged into. */
export interface DeletedRecord {
  readonly id: string
  /** When, in milliseconds by the platform's clock. */
  readonly at: number
  readonly mergedInto?: string | undefined
}

/** A record that was changed, and the version that it was found in. */
export interface ChangedRecord {
  readonly id: string
  readonly Revision: number
}

/** How a platform tells what others have changed in it. */
export interface Feed {
  /** The present moment by the platform's own clock, as far as it is known. */
  now(): number

  /** For how long searches may not know what was written. */
  readonly lagMs: number

  /** What was changed since a moment, page by page. Absent where UpdatedDate tells of every change, also of a restore or of a reference to what was deleted. */
  changedSince?: ((type: string, since: number) => AsyncGenerator<readonly ChangedRecord[]>) | undefined

  /** What was deleted since a moment; undefined where the platform's log does not go back that far. Absent where it has none. */
  deletedSince?: ((type: string, since: number) => Promise<readonly DeletedRecord[] | undefined>) | undefined

  /** Who has changed these records last, by the platform's own ids of users. Those of which it does not tell are left out. */
  changedBy?: ((type: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) | undefined

  /** Whether lists leave a record out that was just read, as they do converted leads. A mirror has what lists have. */
  isLeftOut?: ((type: string, id: string) => boolean) | undefined

  /** Whether a search asks for records that lists leave out otherwise. */
  asksForLeftOut?: ((type: string, where: readonly Where[]) => Promise<boolean>) | undefined
}
