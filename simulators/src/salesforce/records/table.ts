import type { Value } from './values.ts'

/** A record. It is never changed, only replaced, so that what a query has found stays as it was found. Fields without a value are absent. */
export interface Row {
  readonly Id: string
  readonly [field: string]: Value | undefined
}

/** Where changes leave how they are taken back. */
export type Undo = (() => void)[]

/** So many records are remembered as the latest ones. */
const RECENT = 10

/** The records of an object, deleted ones included, in the order they were created. */
export class Table {
  readonly rows = new Map<string, Row>()
  recent: string[] = []
  private readonly indexes = new Map<string, Map<string, Set<string>>>()
  private readonly undo: Undo
  private last = 0

  constructor(undo: Undo) {
    this.undo = undo
  }

  /** A number that no record has had. */
  next(): number {
    return ++this.last
  }

  put(row: Row): void {
    const before = this.rows.get(row.Id)
    this.replace(row.Id, before, row)
    this.undo.push(() => this.replace(row.Id, row, before))
    if (this.recent[0] !== row.Id) this.recent = [row.Id, ...this.recent.filter((id) => id !== row.Id)].slice(0, RECENT)
  }

  /** The records with this value in a field, whatever its case, deleted ones included. */
  find(field: string, value: Value): Row[] {
    const ids = this.index(field).get(keyOf(value)) ?? []
    return [...ids].flatMap((id) => this.rows.get(id) ?? [])
  }

  private index(field: string): Map<string, Set<string>> {
    const known = this.indexes.get(field)
    if (known) return known
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
