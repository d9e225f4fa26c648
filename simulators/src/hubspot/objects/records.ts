/** The values of a record by property name; unset ones are absent. */
export type Values = { readonly [name: string]: string }

/** Earlier values of a record; undefined before its creation. */
interface Past {
  readonly until: number
  readonly values: Values | undefined
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

/** The records of one type, in the order of creation. Earlier values are kept back to the horizon, if there is one. */
export class Records {
  private readonly byId = new Map<string, StoredRecord>()
  private ordered: StoredRecord[] = []
  private readonly byUnique = new Map<string, StoredRecord>()
  private readonly uniqueNames: () => readonly string[]

  constructor(uniqueNames: () => readonly string[]) {
    this.uniqueNames = uniqueNames
  }

  /** Including archived ones. */
  get(id: string): StoredRecord | undefined {
    return this.byId.get(id)
  }

  live(id: string): StoredRecord | undefined {
    const found = this.byId.get(id)
    return found?.archivedAt === undefined ? found : undefined
  }

  /** The record with this value in a unique property. */
  holder(property: string, value: string): StoredRecord | undefined {
    return this.byUnique.get(uniqueKey(property, value))
  }

  get count(): number {
    return this.ordered.reduce((live, { archivedAt }) => (archivedAt === undefined ? live + 1 : live), 0)
  }

  all(): readonly StoredRecord[] {
    return this.ordered
  }

  /** The records after an id. */
  *after(id: string | undefined): Generator<StoredRecord> {
    for (let at = id === undefined ? 0 : positionAfter(this.ordered, (record) => Number(record.id), Number(id)); at < this.ordered.length; at++)
      yield this.ordered[at] as StoredRecord
  }

  add(id: string, now: number, values: Values, horizon: number | undefined): StoredRecord {
    const record: StoredRecord = {
      id,
      createdAt: now,
      updatedAt: now,
      archivedAt: undefined,
      values,
      past: horizon === undefined ? [] : [{ until: now, values: undefined }],
    }
    this.byId.set(id, record)
    this.ordered.push(record)
    this.index(record)
    return record
  }

  write(record: StoredRecord, now: number, values: Values, horizon: number | undefined): void {
    this.savePast(record, now, horizon)
    this.unindex(record)
    record.values = values
    record.updatedAt = now
    this.index(record)
  }

  archive(record: StoredRecord, now: number, horizon: number | undefined): void {
    this.savePast(record, now, horizon)
    this.unindex(record)
    record.archivedAt = now
    record.updatedAt = now
  }

  purge(record: StoredRecord): void {
    this.unindex(record)
    this.byId.delete(record.id)
    this.ordered = this.ordered.filter((one) => one !== record)
  }

  reindex(): void {
    this.byUnique.clear()
    for (const record of this.ordered) if (record.archivedAt === undefined) this.index(record)
  }

  private savePast(record: StoredRecord, now: number, horizon: number | undefined): void {
    record.past = horizon === undefined ? [] : [...record.past.filter(({ until }) => until > horizon), { until: now, values: record.values }]
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

/** The values of a record at a time; undefined if it did not exist or was archived. */
export function asOf({ past, values, archivedAt }: StoredRecord, time: number): Values | undefined {
  const then = past.find(({ until }) => until > time)
  if (then) return then.values
  return archivedAt === undefined ? values : undefined
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
