import type { FieldDefinition } from '../../../contract/records/custom-object.ts'
import type {
  CampaignSize,
  Condition,
  Conversion,
  Converted,
  DeletedRecord,
  Exported,
  ForeseenConversion,
  LeftOut,
  Order,
  Quota,
  StoredRecord,
  Supports,
  Tally,
  TallyQuery,
  UserNames,
  Value,
  Where,
} from '../../platform.ts'
import type { DriverError } from './errors.ts'
import type { Page } from './translated-page.ts'

/** What one field of a custom object is. */
export interface Definition extends FieldDefinition {
  readonly ObjectName: string
  readonly FieldName: string
}

/** A query, reduced to what the CRM can evaluate. */
export interface DriverQuery {
  /** The users of the CRM whose records count; undefined means all users. */
  readonly owners?: readonly string[]
  /** Only conditions that `narrows` has not answered with `not`. */
  readonly where: readonly Condition[]
  /** Conditions that are combined, or follow a reference: only those that `narrowsTree` has not answered with `not`. */
  readonly trees?: readonly Where[]
  /** Only an order that `orders` has agreed to; any order will do where it is undefined. Ties may come in any order. */
  readonly order?: Order
  /** Where to begin: at this value of the order's field, itself included, in the order's direction. Null is lower than everything. */
  readonly from?: { readonly value: Value }
  /** The fields wanted beside the id and the order's; undefined means all of them. */
  readonly fields?: readonly string[]
  /** How many are worth having in one answer; there may be fewer or more. */
  readonly size: number
  /** The CRM's own cursor, where this goes on from a page before. */
  readonly cursor?: string
  /**
   * Whether what was written by now must be among the answers. Where searches lag, the driver reads the records themselves, or throws `outcome_unknown`
   * where it cannot tell.
   */
  readonly current?: boolean
  /** The type of the parent record, for notes and comments. */
  readonly on?: string
  /** The custom object, for records of one. */
  readonly object?: string
  /** Whether it is also about records that lists leave out, where the CRM has such. */
  readonly leavesNoneOut?: boolean
}

export type DriverPage = Page<StoredRecord>

/** A page of what was changed, oldest change first. */
export interface ChangeQuery {
  /**
   * Only what was created or changed at or after this moment, in milliseconds of the CRM's clock; everything where it is undefined. Where the CRM keeps
   * seconds, it begins with the second.
   */
  readonly since?: number
  /** How many are worth having in one answer; there may be fewer or more. */
  readonly size: number
  readonly cursor?: string
  /** The custom object, for records of one. */
  readonly object?: string
}

export interface Changed {
  readonly record: StoredRecord
  /** When it was changed last, in milliseconds of the CRM's clock. */
  readonly at: number
  /** The type of the parent record, for notes, comments and memberships. */
  readonly on?: string
  /** Set where lists leave the record out, as they do converted leads. */
  readonly leftOut?: true
}

export interface ChangedPage {
  readonly records: readonly Changed[]
  /** How to go on; undefined on the last page. */
  readonly cursor?: string
}

/** A page of notes, comments or memberships. */
export interface AttachedPage extends ChangedPage {
  /** Those that belong to no record of these types, where the CRM has such. */
  readonly unattached?: readonly Changed[]
}

/** Types whose records belong to another. */
export type AttachedType = 'Note' | 'Comment' | 'Membership'

/** A record that was created: as it is now, or, where the CRM does not say, its id alone. */
export type Created = StoredRecord | { readonly id: string }

/** The outcome of one write of several. */
export type PerItem<T> = T | DriverError

/**
 * What differs between CRMs; the engine makes a platform of it. Records are in the contract's own names and values, without Revision; ids and owners are the
 * CRM's. Types are Lead, Opportunity, Case, Campaign, Note (RecordID), Comment (CaseID), Membership (MembershipID is `lead:campaign`)
 * and CustomObject. Every failure is thrown as a DriverError.
 */
export interface CrmDriver {
  readonly name: string
  /** How the CRM itself names the account, the same however its address is spelled; undefined where it does not say. */
  readonly account?: string | undefined
  readonly supports: Pick<Supports, 'fields' | 'extras' | 'authors' | 'tickMs'> & {
    /** Records in a page at most. */
    readonly page: number
    /** Writes of one kind that can be sent as one; 1 where there is no such thing. */
    readonly together: number
    /** Set where modified dates move by themselves, so that Revision is made of the values alone. */
    readonly movesDates?: true
    /** For how long searches may not know what was written yet. */
    readonly lagMs: number
  }

  /** Whether a condition can be left to the CRM: it compares just as the contract says, or lets too many through, or cannot tell. */
  narrows(type: string, condition: Condition): 'exactly' | 'roughly' | 'not'

  /** The same for conditions that are combined, or follow a reference. Without it, or where it answers `not`, the engine reads more and compares itself. */
  narrowsTree?(type: string, where: Where): 'exactly' | 'roughly' | 'not'

  /** Whether the CRM sorts just as the contract says: null lowest, text by code point. */
  orders(type: string, order: Order): boolean

  /** Those of these records that there are, in any order. One that cannot be an id is not there. */
  get(type: string, ids: readonly string[]): Promise<StoredRecord[]>

  /** A record, and how many child records it has, by their types; where the CRM tells that in fewer requests than `get` and `count` take. */
  getWithCounts?(type: string, id: string): Promise<{ readonly record: StoredRecord; readonly counts: { readonly [child: string]: number } } | undefined>

  find(type: string, query: DriverQuery): Promise<DriverPage>

  /**
   * The records with this value in a field that the CRM keeps unique, read by it: unlike a search, that knows what was written just now. Undefined where it
   * cannot be read so.
   */
  getUnique?(type: string, field: string, value: string): Promise<StoredRecord[] | undefined>

  /** The CRM's own search: records of these types that contain all words of the text, at most `limit` of each. Where there is none, nothing is found. */
  search?(text: string, types: readonly string[], limit: number): Promise<readonly { readonly type: string; readonly record: StoredRecord }[]>

  /** A step of an export, as in `Reader.exported`; only where the CRM has a bulk way to read all records of a type. */
  exported?(type: string, cursor?: string): Promise<Exported | undefined>

  /** How many there are. It is given only conditions that are narrowed exactly. */
  count(type: string, query: Pick<DriverQuery, 'owners' | 'where' | 'on' | 'object'>): Promise<number>

  /**
   * The records of a type that were changed since a moment. Only for CRMs that change records without moving UpdatedDate, such as a reference to what was
   * deleted; with all others `find` by UpdatedDate does.
   */
  changed?(type: string, query: ChangeQuery): Promise<ChangedPage>

  /**
   * The notes, comments or memberships of all parent records: one entry for each parent, so that a note of two records comes twice. Undefined where the
   * CRM does not list them to us.
   *
   * - Salesforce does not tell that a modern note was linked to a further record.
   * - HubSpot does not tell that a note was associated with a further record. Memberships come campaign by campaign, oldest first in each, and are never
   *   changed.
   * - EspoCRM lists notes and comments to administrators alone, and does not keep since when a lead is in a campaign: memberships come campaign by campaign,
   *   all of them whatever `since` is.
   */
  attached?(type: AttachedType, query: ChangeQuery): Promise<AttachedPage | undefined>

  /** Those of these notes, comments or memberships that there are, in the same way. */
  getAttached?(type: AttachedType, ids: readonly string[]): Promise<AttachedPage>

  /** A page of those that belong to these records of one type; no more than their ids need be read. */
  attachedTo?(type: AttachedType, on: string, parents: readonly string[], query: Pick<DriverQuery, 'size' | 'cursor'>): Promise<DriverPage>

  /** How many notes or comments there are, and which, attached or not. It is given conditions on CreatedDate alone. */
  countAttached?(type: AttachedType, where: readonly Condition[]): Promise<number>
  findAttached?(type: AttachedType, query: DriverQuery): Promise<DriverPage>

  /** How many leads are in each campaign, where campaigns are lists. */
  campaignSizes?(): Promise<ReadonlyMap<string, CampaignSize>>

  /**
   * What was deleted since a moment, in milliseconds of the CRM's clock. Undefined where the CRM's log does not go back that far, or no longer says what the
   * records were. HubSpot has no such log: it lists archived records by their ids alone, however long ago they were archived. EspoCRM has none either.
   */
  deletedSince?(type: string, since: number, object?: string): Promise<readonly DeletedRecord[] | undefined>

  /** Has the CRM send a request to a path at an address whenever a record of ours may have changed, and to that path at no other address. May be called again. */
  subscribe?(address: string, path: string): Promise<void>

  /** Who has changed these records last, by the CRM's ids of records and users. Those of which it does not tell are left out. */
  changedBy?(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>

  /** Whether lists leave a record out that was just read, as they do converted leads. */
  isLeftOut?(type: string, id: string): boolean

  /** How a search asks for records that lists leave out otherwise. */
  leftOut?(): Promise<LeftOut>

  /** Counts and sums, where the CRM can group; only with conditions that are narrowed exactly. Undefined where there are too many groups. */
  tally?(type: string, query: Omit<TallyQuery, 'where'> & Pick<DriverQuery, 'where' | 'trees'>): Promise<Tally | undefined>

  /** What was created comes back in the same order. `on` is the type of the parent record of notes and comments. */
  create(type: string, records: readonly StoredRecord[], on?: string): Promise<PerItem<Created>[]>

  /**
   * Resolves, in the same order, to the records as they are now, to true where the CRM does not say, and to false where there is none. Where the CRM can
   * tell, what was to be unchanged and differs from `before` is a `conflict`.
   */
  update(
    type: string,
    changes: readonly { readonly id: string; readonly changes: StoredRecord; readonly before: StoredRecord; readonly unchanged?: boolean }[],
  ): Promise<PerItem<StoredRecord | boolean>[]>

  /** Resolves to false for those that are not there. */
  delete(type: string, ids: readonly string[]): Promise<PerItem<boolean>[]>

  /** How the CRM itself erases a record of a type for good, also one that was deleted before; undefined where it can only be deleted. */
  erasing?(type: string): ((id: string) => Promise<boolean>) | undefined

  /** What the CRM still keeps of a record that was erased, as a sentence; null where that is nothing. Without it, records cannot be erased. */
  keepsErased?(type: string): string | null

  /** Every custom object there is, by the names that the contract knows them by. */
  objects(): Promise<readonly string[]>

  /** The fields of every custom object, by the names that the contract knows them by. */
  definitions(): Promise<readonly Definition[]>

  /** Adds fields to a custom object, which is made where there is none. `fresh` may be empty. */
  define(objectName: string, fresh: readonly Definition[]): Promise<void>

  /**
   * Makes a company, a contact and, where its fields are given, an opportunity of a lead, in one step of the CRM's own. Ids that are given are of records that
   * are there already. Without it the engine creates and updates the records one by one.
   */
  convertLead?(conversion: Conversion): Promise<Converted>

  /** What `convertLead` would do; a driver has both or neither. */
  foreseeConversion?(conversion: Conversion): Promise<ForeseenConversion>

  /** The values that the CRM itself would add to these of a new record, or of one that is changed. What no call can set is not among them. */
  foresee?(type: string, values: StoredRecord, before?: StoredRecord): Promise<StoredRecord>

  /** An id in the form that the CRM itself writes, where it takes others for the same record. */
  canonicalId?(type: string, id: string): string

  /** The id of an active user, in the form that the CRM writes; undefined where there is none. One that may not be looked up is taken as it is. */
  findUser?(id: string): Promise<string | undefined>

  /** The names of the CRM's users by their ids, in few requests. The engine caches them. */
  userNames?(): Promise<UserNames>

  quota(): Quota | undefined

  /** The present moment by the CRM's clock, as far as it is known. */
  now(): number

  /** Rejects when the CRM cannot be reached or does not let us in. */
  ping(): Promise<void>

  close(): Promise<void>
}
