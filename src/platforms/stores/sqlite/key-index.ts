import { hash } from 'node:crypto'
import type { IdempotencyEntry } from '../../store.ts'
import type { Connection } from './connection.ts'
import { KeyFilter } from './key-filter.ts'

/** Keys in a run, and runs in a segment. */
export const RUN = 2048
const SEGMENT = 16
/** Keys in one filter. */
const FILTERED = RUN * SEGMENT

export const runOf = (number: number) => Math.floor(number / RUN)
const segmentOf = (number: number) => Math.floor(number / FILTERED)

/**
 * Finds idempotency keys.
 *
 * Keys are random, so that an index over all of them would be written to at another place for each: that alone costs as much as the rest
 * of a write. They are numbered in the order of their making instead and indexed in short runs, of which only the last is written to. For
 * each segment of runs a Bloom filter in memory excludes most keys; a segment whose filter is not loaded yet is searched. Filters may
 * contain keys that were rolled back, and are extended in each transaction by the keys of other processes.
 */
export class KeyIndex {
  private readonly filters = new Map<number, KeyFilter>()
  private first = 1
  private last = 0
  /** Up to this number every key of the newest segments is in a filter. */
  private seen = 0

  /** Adds the keys made since the last transaction to the filters. Answers with the number of the newest key. */
  refresh(connection: Connection): number {
    const { first, last } = endsOf(connection)
    if (last < this.seen || last - this.seen > FILTERED) {
      // Too many are new: the newest segments are loaded again, the others one after the other.
      for (const segment of this.filters.keys()) if (last < this.seen || segment >= segmentOf(this.seen + 1)) this.filters.delete(segment)
      this.seen = Math.max(0, segmentOf(last) * FILTERED - 1)
    }
    for (const segment of this.filters.keys()) if (segment < segmentOf(first)) this.filters.delete(segment)
    this.load(connection, this.seen + 1, last)
    this.first = first
    this.last = this.seen = last
    // One of the older segments per transaction, so that none waits for all of them.
    for (let segment = segmentOf(last) - 1; segment >= segmentOf(first); segment--) {
      if (this.filters.has(segment)) continue
      this.load(connection, segment * FILTERED, (segment + 1) * FILTERED - 1)
      break
    }
    return last
  }

  private load(connection: Connection, from: number, to: number): void {
    if (from > to) return
    const row = connection.get('SELECT json_group_array(json_array("Number", "Hash")) AS keys FROM "Once" WHERE "Number" BETWEEN ? AND ?', [from, to])
    for (let segment = segmentOf(from); segment <= segmentOf(to); segment++) this.filterOf(segment)
    for (const [number, hash] of JSON.parse(row?.keys as string) as [number, number][]) this.add(number, hash)
  }

  private filterOf(segment: number): KeyFilter {
    let filter = this.filters.get(segment)
    if (!filter) {
      filter = new KeyFilter(FILTERED)
      this.filters.set(segment, filter)
    }
    return filter
  }

  add(number: number, hash: number): void {
    this.filterOf(segmentOf(number)).add(hash)
    this.last = Math.max(this.last, number)
  }

  /** A transaction was committed with this key as its newest: all of its keys are in the filters already. */
  committed(last: number): void {
    this.seen = last
  }

  /** The newest key with this name. */
  find(connection: Connection, workspace: number, userId: string, key: string): Row | undefined {
    const hash = hashOf(workspace, userId, key)
    for (let segment = segmentOf(this.last); segment >= segmentOf(this.first); segment--) {
      if (this.filters.get(segment)?.mayHave(hash) === false) continue
      const found = findIn(connection, segment * SEGMENT, (segment + 1) * SEGMENT - 1, [hash, workspace, userId, key])
      if (found) return found
    }
    return undefined
  }
}

/** The numbers of the oldest and the newest key; each by itself is one step into the table. */
function endsOf(connection: Connection): { first: number; last: number } {
  const row = connection.get('SELECT (SELECT MIN("Number") FROM "Once") AS first, (SELECT MAX("Number") FROM "Once") AS last', [])
  return { first: (row?.first as number | null) ?? 1, last: (row?.last as number | null) ?? 0 }
}

interface Row extends IdempotencyEntry {
  readonly number: number
}

const FIND = `SELECT "Number" AS number, "Fingerprint" AS fingerprint, "At" AS at, "State" AS state, "Answer" AS answer, "ChangeID" AS changeId FROM "Once" INDEXED BY "Once_Run"
  WHERE "Run" = ? AND "Hash" = ? AND "Workspace" = ? AND "UserID" = ? AND "Key" = ? ORDER BY "Number" DESC LIMIT 1`

function findIn(connection: Connection, from: number, to: number, name: readonly [number, number, string, string]): Row | undefined {
  for (let run = to; run >= from; run--) {
    const row = connection.get(FIND, [run, ...name])
    if (row) return row as unknown as Row
  }
  return undefined
}

/** Finds a key without a filter: slower, for the rare reads outside a transaction. */
export function findKey(connection: Connection, workspace: number, userId: string, key: string): IdempotencyEntry | undefined {
  const { first, last } = endsOf(connection)
  const row = findIn(connection, runOf(first), runOf(last), [hashOf(workspace, userId, key), workspace, userId, key])
  return withAnswer(connection, workspace, row)
}

/** An answer that is not stored with the key is the After of its change. */
export function withAnswer(connection: Connection, workspace: number, row: Row | undefined): IdempotencyEntry | undefined {
  if (!row || row.state === RELEASED) return undefined
  if (row.answer !== null || row.changeId === null) return row
  const change = connection.get('SELECT "After" AS answer FROM "Change" WHERE "Workspace" = ? AND "ChangeID" = ?', [workspace, row.changeId])
  return { ...row, answer: (change?.answer ?? null) as string | null }
}

/** The state of a key that was released. Its row stays, so that no number is used twice. */
export const RELEASED = 'released' as IdempotencyEntry['state']

let hashedName = ''
let hashed = 0

/** Memoises the last, since a key is searched for and then stored. */
export function hashOf(workspace: number, userId: string, key: string): number {
  const name = `${workspace} ${userId} ${key}`
  if (name !== hashedName) {
    hashed = hash('sha256', name, 'buffer').readUIntBE(0, 6)
    hashedName = name
  }
  return hashed
}
