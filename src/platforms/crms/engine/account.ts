import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Locks } from '../../../helpers/locks.ts'
import type { StoredRecord, UserIds, Value } from '../../platform.ts'
import type { CreatedRecords } from './created-records.ts'
import type { CrmDriver } from './driver.ts'
import type { OpenSearches } from './open-searches.ts'
import type { RecentWrites } from './recent-writes.ts'
import type { Revisions } from './revisions.ts'

/** An account of a CRM, with what this process remembers of it. */
export interface Account {
  readonly driver: CrmDriver
  readonly revisions: Revisions
  readonly recentWrites: RecentWrites
  readonly searches: OpenSearches
  readonly createdRecords: CreatedRecords
  /** One lock for each record that is being changed. */
  readonly locks: Locks
  /** After this long, a write that cannot be found counts as not executed. */
  readonly reconcileMs: number
  /** How long a write whose outcome is unknown is searched for while the caller waits. */
  readonly searchMs?: number | undefined
}

/** Shows a write in every search, also in those that are open. The record is undefined where it was deleted; `object` is what searches are limited to. */
export function noteWrite({ recentWrites, searches }: Account, type: string, id: string, record: StoredRecord | undefined, object?: string): void {
  recentWrites.note(type, id, record, object)
  searches.note(type, id, record)
}

/** Whether a field holds the id of a user. */
export function refersToUser(type: string, field: string): boolean {
  return recordType(type).fields[field]?.refers === 'User'
}

const USER_FIELDS = ['OwnerID', 'AuthorID'] as const

/** A record of a driver as the core expects it: with our users' ids, and with a Revision. */
export function toOurRecord(account: Account, userIds: UserIds, type: string, record: StoredRecord): StoredRecord {
  return toOurRecordInPlace(account, userIds, type, { ...record })
}

/** The same, changing the record itself: pages have thousands, and copying each costs. */
export function toOurRecordInPlace({ revisions }: Account, userIds: UserIds, type: string, ours: StoredRecord): StoredRecord {
  const known = recordType(type)
  if (known.revised && typeof ours.UpdatedDate === 'string') ours.Revision = revisions.of(type, ours)
  // A CRM may have records that lack what the contract requires.
  for (const field of requiredTexts(known)) if (ours[field] === null) ours[field] = ''
  for (const field of USER_FIELDS) {
    if (ours[field] === undefined) continue
    const id = ours[field] as string | null
    ours[field] = id === null ? NOBODY : (userIds.fromPlatform(id) ?? id)
  }
  return ours
}

const texts = new WeakMap<RecordType, readonly string[]>()

/** The required texts of a record type, memoised. */
export function requiredTexts(type: RecordType): readonly string[] {
  let known = texts.get(type)
  if (!known) {
    known = Object.entries(type.fields).flatMap(([name, { kind, required }]) => (required && (kind === 'text' || kind === 'longText') ? [name] : []))
    texts.set(type, known)
  }
  return known
}

/** A user's id in the CRM. An id that is not one of ours is passed on, since it may be the CRM's own. */
export function toPlatformId(userIds: UserIds, id: Value): Value {
  return typeof id === 'string' ? (userIds.toPlatform(id) ?? id) : id
}
