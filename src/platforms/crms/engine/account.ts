import { recordType } from '../../../contract/operations.ts'
import type { RecordType } from '../../../contract/record.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { StoredRecord, UserIds, Value } from '../../platform.ts'
import type { CreatedRecords } from './created-records.ts'
import type { CursorCache } from './cursor-cache.ts'
import type { CrmDriver } from './driver.ts'
import type { RecentWrites } from './recent-writes.ts'
import type { RecordLocks } from './record-locks.ts'
import type { Revisions } from './revisions.ts'

/** An account of a CRM, and what is remembered of it while the service runs. */
export interface Account {
  readonly wire: CrmDriver
  readonly revisions: Revisions
  readonly recent: RecentWrites
  readonly searches: CursorCache
  readonly births: CreatedRecords
  /** Of those who change the same record. */
  readonly turns: RecordLocks
  /** The longest that one looks for what may have been written before one gives up. */
  readonly settleMs: number
}

/** Whether a field says who somebody is. */
export function namesUser(type: string, field: string): boolean {
  return recordType(type).fields[field]?.refers === 'User'
}

const PEOPLE = ['OwnerID', 'AuthorID'] as const

/** A record as the rest of the service knows it: with our users' ids, and with a Revision. */
export function inward(account: Account, people: UserIds, type: string, record: StoredRecord): StoredRecord {
  return adopt(account, people, type, { ...record })
}

/** The same of a record that nobody else has: it is changed where it stands, since pages have thousands. */
export function adopt({ revisions }: Account, people: UserIds, type: string, ours: StoredRecord): StoredRecord {
  const known = recordType(type)
  // A CRM may have records that lack what the contract requires.
  for (const field of textsOf(known)) if (ours[field] === null) ours[field] = ''
  for (const field of PEOPLE) {
    if (ours[field] === undefined) continue
    const id = ours[field] as string | null
    ours[field] = id === null ? NOBODY : (people.fromPlatform(id) ?? id)
  }
  if (known.revised && typeof ours.UpdatedDate === 'string') ours.Revision = revisions.of(type, ours[known.id] as string, ours.UpdatedDate)
  return ours
}

const texts = new WeakMap<RecordType, readonly string[]>()

/** The texts that a record always has. */
function textsOf(type: RecordType): readonly string[] {
  let known = texts.get(type)
  if (!known) {
    known = Object.entries(type.fields).flatMap(([name, { kind, required }]) => (required && (kind === 'text' || kind === 'longText') ? [name] : []))
    texts.set(type, known)
  }
  return known
}

/** One of our users' ids as the CRM knows it; what is not one of ours may be one of theirs. */
export function theirId(people: UserIds, id: Value): Value {
  return typeof id === 'string' ? (people.toPlatform(id) ?? id) : id
}
