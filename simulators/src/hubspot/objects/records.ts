import { LateRows } from '../../late-rows.ts'

/** The values of a record by property name; unset ones are absent. */
export type Values = { readonly [name: string]: string }

/** When a write happens, and when it shows. */
export interface Moment {
  readonly now: number
  /** The time that it leaves in the record. */
  readonly stamp: number
  /** Earlier versions are kept since then, because searches may lag behind; undefined if they do not. */
  readonly horizon: number | undefined
  /** When lists and searches show it; undefined for at once. */
  readonly showsAt: number | undefined
}

/** An earlier version of a record; undefined before its creation. */
interface Past {
  readonly until: number
  readonly version: Pick<StoredRecord, 'values' | 'updatedAt' | 'archivedAt'> | undefined
}

export interface StoredRecord {
  readonly id: string
  readonly createdAt: number
  updatedAt: number
  archivedAt: number | undefined
  /** Replaced on every write and never mutated, so that the past needs no copy. */
  values: Values
  past: Past[]
}

/** The records of one type, in the order of creation. Earlier versions are kept back to the horizon, if there is one. */
export class Records {
  private readonly byId = new Map<string, StoredRecord>()
  private ordered: StoredRecord[] = []
  private readonly byUnique = new Map<string, StoredRecord>()
  private readonly late = new LateRows<StoredRecord>()
  /** The ids of records that were merged, each with the id of the one that they became. */
  private readonly merged = new Map<string, string>()
  private readonly uniqueNames: () => readonly string[]

  private writes = 0

  constructor(uniqueNames: () => readonly string[]) {
    this.uniqueNames = uniqueNames
  }

  /** Another one after each write; undefined while some do not show yet. */
  get version(): number | undefined {
    return this.late.isEmpty ? this.writes : undefined
  }

  /** Including archived ones. */
  get(id: string): StoredRecord | undefined {
    return this.byId.get(id)
  }

  live(id: string): StoredRecord | undefined {
    const found = this.byId.get(id)
    return found?.archivedAt === undefined ? found : undefined
  }

  /** The id itself, or that of the record that it was merged into. */
  currentId(id: string): string {
    const next = this.merged.get(id)
    return next === undefined ? id : this.currentId(next)
  }

  isMerged(id: string): boolean {
    return this.merged.has(id)
  }

  /** The record with this value in a unique property. */
  holder(property: string, value: string): StoredRecord | undefined {
    return this.byUnique.get(uniqueKey(property, value))
  }

  get count(): number {
    return this.ordered.reduce((live, { archivedAt }) => (archivedAt === undefined ? live + 1 : live), 0)
  }

  /** The records after an id, as lists and searches show them. */
  *shown(now: number, after?: string): Generator<StoredRecord> {
    for (let at = after === undefined ? 0 : positionAfter(this.ordered, (record) => Number(record.id), Number(after)); at < this.ordered.length; at++) {
      const record = this.ordered[at] as StoredRecord
      const version = this.late.isEmpty ? record : this.late.shown(record.id, record, now)
      if (version) yield version
    }
  }

  add(id: string, values: Values, { now, stamp, horizon, showsAt }: Moment, createdAt = stamp): StoredRecord {
    this.writes++
    const record: StoredRecord = {
      id,
      createdAt,
      updatedAt: stamp,
      archivedAt: undefined,
      values,
      past: horizon === undefined ? [] : [{ until: now, version: undefined }],
    }
    this.late.write(id, undefined, showsAt)
    this.byId.set(id, record)
    this.ordered.push(record)
    this.index(record)
    return record
  }

  write(record: StoredRecord, values: Values, moment: Moment): void {
    this.beforeWrite(record, moment)
    this.unindex(record)
    record.values = values
    record.updatedAt = Math.max(record.updatedAt, moment.stamp)
    this.index(record)
  }

  /** Moves the modified date alone. */
  touch(record: StoredRecord, at: number, horizon: number | undefined): void {
    if (record.archivedAt !== undefined || at <= record.updatedAt) return
    this.savePast(record, at, horizon)
    record.updatedAt = at
  }

  /** Leaves the modified date as it is, as HubSpot does. */
  archive(record: StoredRecord, moment: Moment): void {
    this.beforeWrite(record, moment)
    this.unindex(record)
    record.archivedAt = moment.stamp
  }

  /** Archives a record whose id leads to another one from now on. */
  mergeInto(id: string, record: StoredRecord, moment: Moment): void {
    this.archive(record, moment)
    this.merged.set(record.id, id)
  }

  restore(record: StoredRecord, moment: Moment): void {
    this.beforeWrite(record, moment)
    record.archivedAt = undefined
    this.index(record)
  }

  purge(record: StoredRecord): void {
    this.writes++
    this.unindex(record)
    this.byId.delete(record.id)
    this.ordered = this.ordered.filter((one) => one !== record)
  }

  reindex(): void {
    this.byUnique.clear()
    for (const record of this.ordered) if (record.archivedAt === undefined) this.index(record)
  }

  private beforeWrite(record: StoredRecord, { now, horizon, showsAt }: Moment): void {
    this.late.write(record.id, { ...record }, showsAt)
    this.savePast(record, now, horizon)
  }

  private savePast(record: StoredRecord, now: number, horizon: number | undefined): void {
    const { values, updatedAt, archivedAt } = record
    const version = { values, updatedAt, archivedAt }
    this.writes++
    record.past = horizon === undefined ? [] : [...record.past.filter(({ until }) => until > horizon), { until: now, version }]
  }

  private index(record: StoredRecord): void {
    for (const name of this.uniqueNames()) {
      const value = record.values[name]
      if (value !== undefined) this.byUnique.set(uniqueKey(name, value), record)
    }
  }

  private unindex(record: StoredRecord): void {
    for (const name of this.uniqueNames()) {
      const value = record.values[name]
      if (value !== undefined && this.byUnique.get(uniqueKey(name, value)) === record) this.byUnique.delete(uniqueKey(name, value))
    }
  }
}

/** Unique values compare without case. */
export const uniqueKey = (property: string, value: string) => `${property} ${value.toLowerCase()}`

/** A record as it was at a time; undefined if it did not exist. */
export function asOf(record: StoredRecord, time: number): StoredRecord | undefined {
  const then = record.past.find(({ until }) => until > time)
  if (!then) return record
  return then.version && { ...record, ...then.version }
}

/** The index of the first item whose key is larger, in a sorted list (binary search). */
export function positionAfter<T>(items: readonly T[], keyOf: (item: T) => number, key: number): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (keyOf(items[middle] as T) <= key) from = middle + 1
    else to = middle
  }
  return from
}
