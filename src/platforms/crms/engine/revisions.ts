import { hash } from 'node:crypto'
import { recordType } from '../../../contract/operations.ts'
import type { StoredRecord } from '../../platform.ts'

/** How many records that were changed through this process are remembered. */
const MOST = 10_000

/** A Revision has a digest of the record in its lower part, and in its upper part a time, in ticks since the epoch below. */
const DIGESTS = 2 ** 25
const TICK_MS = 10_000
const EPOCH = Date.UTC(2020, 0, 1)

/**
 * Gives records a Revision where their CRM has none. A digest of the values decides whether a record has changed, in every process and after a restart. The
 * time of the last change is part of the digest, unless the CRM moves it by itself: it alone would not do, as some count in seconds. The time before the
 * digest, that of the last change as far as it is known, lets Revisions grow; it decides nothing.
 */
export class Revisions {
  private readonly changed = new Recent<number>()
  /** Per type, the fields that are no part of the digest; memoised since every row needs them. */
  private readonly left = new Map<string, ReadonlySet<string>>()
  private readonly areDatesSteady: boolean
  private readonly isDerived: (type: string, field: string) => boolean

  constructor(areDatesSteady: boolean, isDerived: (type: string, field: string) => boolean = () => false) {
    this.areDatesSteady = areDatesSteady
    this.isDerived = isDerived
  }

  /** The Revision of a record as the driver has read it, with all of its fields. */
  of(type: string, record: StoredRecord): number {
    const { id, createdField } = recordType(type)
    const date = record[this.areDatesSteady ? 'UpdatedDate' : createdField] as string
    const ticks = Math.max(this.changed.get(type, record[id] as string) ?? 0, ticksAt(Date.parse(date)))
    return ticks * DIGESTS + this.digestOf(type, record)
  }

  /** Notes that a record has just been changed through us, and gives it a Revision after the one before. */
  after(type: string, id: string, before: StoredRecord, record: StoredRecord): StoredRecord {
    const ticks = Math.max(Math.floor((before.Revision as number) / DIGESTS) + 1, ticksAt(Date.now()))
    this.changed.set(type, id, ticks)
    return { ...record, Revision: ticks * DIGESTS + ((record.Revision as number) % DIGESTS) }
  }

  /** A digest of what callers can see, without what the CRM derives: a formula may change with the day, and a count with other records. A field without a value does not count, so that naming another field in the configuration changes nothing. */
  private digestOf(type: string, record: StoredRecord): number {
    const left = this.leftOf(type)
    const names = Object.keys(record).filter((name) => !isEmpty(record[name]) && !left.has(name) && !this.isDerived(type, name))
    return hash('sha256', JSON.stringify(named(record, names)), 'buffer').readUInt32BE() % DIGESTS
  }

  private leftOf(type: string): ReadonlySet<string> {
    let left = this.left.get(type)
    if (!left) {
      const { id, createdField } = recordType(type)
      left = new Set([id, createdField, 'Revision', ...(this.areDatesSteady ? [] : ['UpdatedDate'])])
      this.left.set(type, left)
    }
    return left
  }
}

/** Whether two Revisions are those of the same record. */
export const isSameRevision = (one: number, other: number) => one % DIGESTS === other % DIGESTS

const ticksAt = (ms: number) => Math.max(1, Math.floor((ms - EPOCH) / TICK_MS) || 0)

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

/** Members in the order of their names. */
const named = (value: object, names: string[]) => names.sort().map((name) => [name, sorted((value as { readonly [name: string]: unknown })[name])])

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return named(
    value,
    Object.entries(value).flatMap(([name, one]) => (isEmpty(one) ? [] : [name])),
  )
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
