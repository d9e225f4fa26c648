import { createHash } from 'node:crypto'
import { recordType } from '../../../contract/operations.ts'
import type { StoredRecord } from '../../platform.ts'

/** The maximum of cached counts, for records that were changed through this process. */
const MOST = 10_000

/** Gives records a Revision where their CRM has none. */
export interface Revisions {
  /** The Revision of a record as the driver has read it, with all of its fields. */
  of(type: string, record: StoredRecord): number
  /** Notes that a record has just been changed through us, and gives it a Revision after the one before. */
  after(type: string, id: string, before: StoredRecord, record: StoredRecord): StoredRecord
}

/**
 * The time of the last change in milliseconds. With timestamps in seconds two changes within a second would get the same one, so changes through
 * this process are counted.
 */
export class DateRevisions implements Revisions {
  private readonly counts = new Recent<{ readonly at: string; readonly count: number }>()

  of(type: string, record: StoredRecord): number {
    const at = record.UpdatedDate as string
    const counted = this.counts.get(type, record[recordType(type).id] as string)
    return Date.parse(at) + (counted?.at === at ? counted.count : 0)
  }

  after(type: string, id: string, before: StoredRecord, record: StoredRecord): StoredRecord {
    const at = record.UpdatedDate as string
    const count = (before.Revision as number) + 1 - Date.parse(at)
    if (count > 0) this.counts.set(type, id, { at, count })
    return { ...record, Revision: Date.parse(at) + Math.max(0, count) }
  }
}

/** A Revision of values has the digest of the values in its lower part, and in its upper part a time, in ticks since the epoch below. */
const DIGESTS = 2 ** 25
const TICK_MS = 10_000
const EPOCH = Date.UTC(2020, 0, 1)

/**
 * For CRMs whose modified dates move by themselves: a digest of the values decides whether a record has changed, in every process and after a restart.
 * The time before it is that of the creation, or of the last change through this process, so that Revisions grow; it decides nothing.
 */
export class ValueRevisions implements Revisions {
  private readonly changed = new Recent<number>()

  of(type: string, record: StoredRecord): number {
    const { id, createdField } = recordType(type)
    return this.ticksOf(type, record[id] as string, Date.parse(record[createdField] as string)) * DIGESTS + digestOf(type, record)
  }

  after(type: string, id: string, before: StoredRecord, record: StoredRecord): StoredRecord {
    const ticks = Math.max(Math.floor((before.Revision as number) / DIGESTS) + 1, ticksAt(Date.now()))
    this.changed.set(type, id, ticks)
    return { ...record, Revision: ticks * DIGESTS + ((record.Revision as number) % DIGESTS) }
  }

  private ticksOf(type: string, id: string, created: number): number {
    return this.changed.get(type, id) ?? ticksAt(created)
  }
}

/** Whether two Revisions of values are those of the same values. */
export const isSameDigest = (one: number, other: number) => one % DIGESTS === other % DIGESTS

const ticksAt = (ms: number) => Math.max(1, Math.floor((ms - EPOCH) / TICK_MS) || 0)

/** A digest of the values that callers can see. A field without a value does not count, so that naming another field in the configuration changes nothing. */
function digestOf(type: string, record: StoredRecord): number {
  const { id, createdField } = recordType(type)
  const { [id]: _id, [createdField]: _created, UpdatedDate, Revision, ...values } = record
  return (
    createHash('sha256')
      .update(JSON.stringify(sorted(values)))
      .digest()
      .readUInt32BE() % DIGESTS
  )
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== undefined && one !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)])
}

/** What is known of the records that were changed last. */
class Recent<T> {
  private readonly known = new Map<string, T>()

  get(type: string, id: string): T | undefined {
    return this.known.size === 0 ? undefined : this.known.get(`${type} ${id}`)
  }

  set(type: string, id: string, value: T): void {
    const place = `${type} ${id}`
    this.known.delete(place)
    this.known.set(place, value)
    const [oldest] = this.known.keys()
    if (this.known.size > MOST && oldest !== undefined) this.known.delete(oldest)
  }
}
