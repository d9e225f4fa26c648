import { LateRows } from '../../late-rows.ts'
import type { Value } from './values.ts'

/** A record, replaced on every write and never mutated, so that query results stay stable. Fields without a value are absent. */
export interface Row {
  readonly Id: string
  /** The record whose deletion has deleted this one: itself, or one that it belonged to. No field, as the next. */
  readonly deletedWith?: string
  /** When it was removed from the recycle bin, in milliseconds. */
  readonly emptiedAt?: number
  readonly [field: string]: Value | undefined
}

/** The undo log of the current request. */
export type Undo = (() => void)[]

/** When lists and queries show what the current request writes; undefined if at once. */
export interface Visibility {
  until: number | undefined
  now(): number
}

const RECENT = 10

/** The records of an object, including deleted ones, in the order of creation. */
export class Table {
  readonly rows = new Map<string, Row>()
  recent: string[] = []
  private readonly indexes = new Map<string, Map<string, Set<string>>>()
  private readonly late = new LateRows<Row>()
  private readonly undo: Undo
  private readonly visibility: Visibility
  private last = 0
  private purged = 0

  constructor(undo: Undo, visibility: Visibility) {
    this.undo = undo
    this.visibility = visibility
  }

  next(): number {
    return ++this.last
  }

  /** How many records there have been, including purged ones. */
  get count(): number {
    return this.rows.size + this.purged
  }

  /** Removes a record for good. Cannot be rolled back. */
  purge(row: Row): void {
    this.replace(row.Id, row, undefined)
    this.late.write(row.Id, row, undefined)
    this.purged++
  }

  put(row: Row): void {
    const before = this.rows.get(row.Id)
    this.replace(row.Id, before, row)
    const takeBack = this.late.write(row.Id, before, this.visibility.until)
    this.undo.push(() => {
      this.replace(row.Id, row, before)
      takeBack()
    })
    if (this.recent[0] !== row.Id) this.recent = [row.Id, ...this.recent.filter((id) => id !== row.Id)].slice(0, RECENT)
  }

  /** The records with this value in a field, compared without case, including deleted ones. Builds an index on first use. */
  find(field: string, value: Value): Row[] {
    const ids = this.index(field).get(keyOf(value)) ?? []
    return [...ids].flatMap((id) => this.rows.get(id) ?? [])
  }

  /** All records as lists and queries show them. */
  listed(): Iterable<Row> {
    if (this.late.isEmpty) return this.rows.values()
    const now = this.visibility.now()
    return [...this.rows.values()].flatMap((row) => this.late.shown(row.Id, row, now) ?? [])
  }

  listedAt(id: string): Row | undefined {
    return this.late.shown(id, this.rows.get(id), this.visibility.now())
  }

  /** As `find`, among what lists and queries show. */
  findListed(field: string, value: Value): Row[] {
    if (this.late.isEmpty) return this.find(field, value)
    return [...this.listed()].filter((row) => keyOf(row[field] ?? null) === keyOf(value))
  }

  /** The writes that lists and queries do not show yet. */
  hidden(): Row[] {
    return this.late.hidden((id) => this.rows.get(id), this.visibility.now()).flatMap((row) => row ?? [])
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
