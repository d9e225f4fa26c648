import type { Value } from './values.ts'

/** A record, replaced on every write and never mutated, so that query results stay stable. Fields without a value are absent. */
export interface Row {
  readonly Id: string
  readonly [field: string]: Value | undefined
}

/** The undo log of the current request. */
export type Undo = (() => void)[]

const RECENT = 10

/** The records of an object, including deleted ones, in the order of creation. */
export class Table {
  readonly rows = new Map<string, Row>()
  recent: string[] = []
  private readonly indexes = new Map<string, Map<string, Set<string>>>()
  private readonly undo: Undo
  private last = 0

  constructor(undo: Undo) {
    this.undo = undo
  }

  next(): number {
    return ++this.last
  }

  put(row: Row): void {
    const before = this.rows.get(row.Id)
    this.replace(row.Id, before, row)
    this.undo.push(() => this.replace(row.Id, row, before))
    if (this.recent[0] !== row.Id) this.recent = [row.Id, ...this.recent.filter((id) => id !== row.Id)].slice(0, RECENT)
  }

  /** The records with this value in a field, compared without case, including deleted ones. Builds an index on first use. */
  find(field: string, value: Value): Row[] {
    const ids = this.index(field).get(keyOf(value)) ?? []
    return [...ids].flatMap((id) => this.rows.get(id) ?? [])
  }

  private index(field: string): Map<string, Set<string>> {
    const existing = this.indexes.get(field)
    if (existing) return existing
    const made = new Map<string, Set<string>>()
    for (const row of this.rows.values()) enter(made, row[field], row.Id)
    this.indexes.set(field, made)
    return made
  }

  private replace(id: string, before: Row | undefined, after: Row | undefined): void {
    if (after) this.rows.set(id, after)
    else this.rows.delete(id)
    for (const [field, index] of this.indexes) {
      if (before?.[field] === after?.[field] && before && after) continue
      if (before) index.get(keyOf(before[field] ?? null))?.delete(id)
      if (after) enter(index, after[field], id)
    }
  }
}

const keyOf = (value: Value) => String(value).toLowerCase()

function enter(index: Map<string, Set<string>>, value: Value | undefined, id: string): void {
  const key = keyOf(value ?? null)
  const ids = index.get(key)
  if (ids) ids.add(id)
  else index.set(key, new Set([id]))
}
