import type { Condition } from '../contract/conditions.ts'
import type { StoredRecord } from './stored-record.ts'

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
  /** All of it, with the platform's own ids of users. */
  readonly record: StoredRecord
}

/** A note, comment or membership, with the id of its parent record in its own field. */
export interface AttachedRecord {
  readonly record: StoredRecord
  /** When it was changed last, in milliseconds by the platform's clock. */
  readonly at: number
  /** The type of the parent record; undefined where it belongs to no record of these types. */
  readonly on?: string | undefined
}

export interface AttachedPage {
  /** One entry for each parent, so that a note of two records comes twice. */
  readonly records: readonly AttachedRecord[]
  /** How to go on; undefined on the last page. */
  readonly cursor?: string | undefined
}

/** How many members a campaign has at most, and when the last of them was added, in milliseconds by the platform's clock, where that is known. */
export interface CampaignSize {
  readonly size: number
  readonly addedAt?: number | undefined
}

/** How a platform tells of notes, comments and memberships. */
export interface AttachedFeed {
  /** A page of those that were changed since a moment, or of all; undefined where the platform does not list them to us. */
  changedSince(type: string, since: number | undefined, cursor?: string): Promise<AttachedPage | undefined>

  /** Those of these that there are, as they are this moment. */
  get(type: string, ids: readonly string[]): Promise<readonly AttachedRecord[]>

  /** The ids of those that belong to these records of one type. */
  idsOn(type: string, on: string, parents: readonly string[]): Promise<readonly string[]>

  /** Notes and comments, whatever they belong to, by conditions on when they were created; where the platform tells of no deletes. */
  readonly created?:
    | {
        count(type: string, where: readonly Condition[]): Promise<number>
        ids(type: string, where: readonly Condition[]): Promise<readonly string[]>
      }
    | undefined

  /** The members of campaigns, where these are lists that do not tell who came and went. */
  readonly campaigns?:
    | {
        sizes(): Promise<ReadonlyMap<string, CampaignSize>>
        members(campaign: string): Promise<readonly AttachedRecord[]>
      }
    | undefined
}

/** The fields by which a search asks for records of a type that lists leave out otherwise: by any comparison, where null, or by the equality with one of these values. */
export interface LeftOut {
  readonly [type: string]: { readonly [field: string]: readonly string[] | null } | undefined
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

  /** Has the platform send a request to a path at an address whenever a record may have changed, and to that path at no other address. May be called again. */
  subscribe?: ((address: string, path: string) => Promise<void>) | undefined

  /** Who has changed these records last, by the platform's own ids of users. Those of which it does not tell are left out. */
  changedBy?: ((type: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) | undefined

  /** Whether lists leave a record out that was just read, as they do converted leads. A mirror has what lists have. */
  isLeftOut?: ((type: string, id: string) => boolean) | undefined

  /** How a search asks for records that lists leave out otherwise. */
  leftOut?: (() => Promise<LeftOut>) | undefined
  readonly attached?: AttachedFeed | undefined
}
