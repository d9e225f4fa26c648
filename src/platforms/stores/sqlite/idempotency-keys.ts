import { hash } from 'node:crypto'
import type { IdempotencyEntry } from '../../store.ts'
import type { Connection } from './connection.ts'
import { KeyFilter } from './key-filter.ts'
import type { Work } from './work.ts'

/** Keys in a run, and runs in a segment. */
export const RUN = 2048
const SEGMENT = 16
/** Keys that one filter knows. */
const KNOWN = RUN * SEGMENT

const runOf = (number: number) => Math.floor(number / RUN)
const segmentOf = (number: number) => Math.floor(number / KNOWN)

/**
 * Finds idempotency keys.
 *
 * Keys are random, and an index over all of them would be written to at another place for each: that alone costs as much as all
 * the rest of a write. So they are numbered in the order of their making and indexed in short runs, of which only the last is
 * written to. For each segment of runs a filter in memory says whether a key can be there at all; a segment whose filter is not
 * loaded yet is simply looked through. Filters may know keys that were rolled back, and learn in each transaction of keys that
 * other processes have made.
 */
export class Keys {
  private readonly filters = new Map<number, KeyFilter>()
  private first = 1
  private last = 0
  /** Up to here the filters of the newest segments know every key. */
  private seen = 0

  /** Takes note of what has changed since the last transaction. Answers with the number of the newest key. */
  refresh(connection: Connection): number {
    const { first, last } = endsOf(connection)
    if (last < this.seen || last - this.seen > KNOWN) {
      // Too much has happened meanwhile: the newest segments are learned anew, the others one after the other.
      for (const segment of this.filters.keys()) if (last < this.seen || segment >= segmentOf(this.seen + 1)) this.filters.delete(segment)
      this.seen = Math.max(0, segmentOf(last) * KNOWN - 1)
    }
    for (const segment of this.filters.keys()) if (segment < segmentOf(first)) this.filters.delete(segment)
    this.learn(connection, this.seen + 1, last)
    this.first = first
    this.last = this.seen = last
    // One more of the older segments, so that nobody waits for all of them.
    for (let segment = segmentOf(last) - 1; segment >= segmentOf(first); segment--) {
      if (this.filters.has(segment)) continue
      this.learn(connection, segment * KNOWN, (segment + 1) * KNOWN - 1)
      break
    }
    return last
  }

  private learn(connection: Connection, from: number, to: number): void {
    if (from > to) return
    const row = connection.get('SELECT json_group_array(json_array("Number", "Hash")) AS keys FROM "Once" WHERE "Number" BETWEEN ? AND ?', [from, to])
    for (let segment = segmentOf(from); segment <= segmentOf(to); segment++) this.filterOf(segment)
    for (const [number, hash] of JSON.parse(row?.keys as string) as [number, number][]) this.add(number, hash)
  }

  private filterOf(segment: number): KeyFilter {
    let filter = this.filters.get(segment)
    if (!filter) {
      filter = new KeyFilter(KNOWN)
      this.filters.set(segment, filter)
    }
    return filter
  }

  add(number: number, hash: number): void {
    this.filterOf(segmentOf(number)).add(hash)
    this.last = Math.max(this.last, number)
  }

  /** A transaction has ended with this key as its newest, so that all of its keys are known already. */
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

/** Looks for a key without any filter: for those who do so seldom. */
export function keptIn(connection: Connection, workspace: number, userId: string, key: string): IdempotencyEntry | undefined {
  const { first, last } = endsOf(connection)
  const row = findIn(connection, runOf(first), runOf(last), [hashOf(workspace, userId, key), workspace, userId, key])
  return withAnswer(connection, workspace, row)
}

/** An answer that is kept nowhere else is the After of the change. */
function withAnswer(connection: Connection, workspace: number, row: Row | undefined): IdempotencyEntry | undefined {
  if (!row || row.state === RELEASED) return undefined
  if (row.answer !== null || row.changeId === null) return row
  const change = connection.get('SELECT "After" AS answer FROM "Change" WHERE "Workspace" = ? AND "ChangeID" = ?', [workspace, row.changeId])
  return { ...row, answer: (change?.answer ?? null) as string | null }
}

/** A key that was let go stays where it is, so that numbers are never given twice. */
export const RELEASED = 'released' as IdempotencyEntry['state']

let hashedName = ''
let hashed = 0

/** Remembers the last, since a key is looked for and then kept. */
export function hashOf(workspace: number, userId: string, key: string): number {
  const name = `${workspace} ${userId} ${key}`
  if (name !== hashedName) {
    hashed = hash('sha256', name, 'buffer').readUIntBE(0, 6)
    hashedName = name
  }
  return hashed
}

export function keptOf(work: Work, userId: string, key: string): IdempotencyEntry | undefined {
  const { connection, workspace, transaction } = work
  transaction.lastKey ??= transaction.keys.refresh(connection)
  return withAnswer(connection, workspace, transaction.keys.find(connection, workspace, userId, key))
}

export function keepKey(work: Work, userId: string, key: string, { fingerprint, at, state, answer, changeId }: IdempotencyEntry): void {
  const { connection, workspace, transaction } = work
  const number = (transaction.lastKey ?? transaction.keys.refresh(connection)) + 1
  const hash = hashOf(workspace, userId, key)
  work.run(
    'INSERT INTO "Once" ("Number", "Run", "Hash", "Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    [number, runOf(number), hash, workspace, userId, key, fingerprint, at, state, answer, changeId],
  )
  transaction.lastKey = number
  transaction.keys.add(number, hash)
}

export function releaseKey(work: Work, userId: string, key: string): void {
  const { connection, workspace, transaction } = work
  transaction.lastKey ??= transaction.keys.refresh(connection)
  const row = transaction.keys.find(connection, workspace, userId, key)
  if (row) work.run('UPDATE "Once" SET "State" = ? WHERE "Number" = ?', [RELEASED, row.number])
}

/** Forgets the answers that are kept of a record's changes. */
export function eraseAnswers(work: Work, recordId: string): void {
  const { connection, workspace, transaction } = work
  const changes = connection.all(
    'SELECT "ChangeID" AS changeId, "UserID" AS userId, "IdempotencyKey" AS key FROM "Change" WHERE "Workspace" = ? AND "RecordID" = ? AND "IdempotencyKey" IS NOT NULL',
    [workspace, recordId],
  ) as { changeId: string; userId: string; key: string }[]
  transaction.lastKey ??= transaction.keys.refresh(connection)
  for (const { changeId, userId, key } of changes) {
    const row = transaction.keys.find(connection, workspace, userId, key)
    if (row?.changeId === changeId) work.run('UPDATE "Once" SET "Answer" = NULL WHERE "Number" = ?', [row.number])
  }
}
