import { createHash } from 'node:crypto'
import type { AuditReport } from '../../store.ts'
import { COPIED, type CopiedTable, EVERYTHING, keyOf, type Range, type Row } from './rows.ts'

/** The rows of a store, in a form that is the same for SQLite and PostgreSQL. */
export interface Rows {
  count(table: CopiedTable): Promise<number>
  /** The first of the rows in a range, in the order of their keys. */
  read(table: CopiedTable, range: Range, limit: number): Promise<readonly Row[]>
  /** Verifies the audit of each workspace. */
  audit(): Promise<readonly Audited[]>
}

export type Audited = AuditReport & { readonly workspace: string }

/** A store that is copied from. All rows are read from one snapshot, so concurrent writes are not seen. */
export interface Source extends Rows {
  /** Takes a new snapshot. */
  refresh(): Promise<void>
  close(): Promise<void>
}

/** A store that is copied to. It cannot be opened as a store before `finish`. */
export interface Target extends Rows {
  /** Replaces all rows in the range with these, in one transaction. */
  replace(table: CopiedTable, range: Range, rows: readonly Row[]): Promise<void>
  /** Rebuilds what is derived from the rows: indexes, counters, the heads of the audit chains. */
  rebuild(): Promise<void>
  /** Makes it usable as a store. Resolves to where the store that it replaced was moved. */
  finish(): Promise<string | undefined>
  /** Closes the connections. Rows that were copied before `finish` stay for the next attempt. */
  close(): Promise<void>
}

export interface Progress {
  readonly stage: 'copied' | 'verified'
  readonly table: string
  /** Rows of this table that are done, and its number of rows. */
  readonly done: number
  readonly rows: number
  /** The fraction of the whole copy that is done, from 0 to 1. */
  readonly part: number
}

export interface CopyOptions {
  readonly progress?: ((progress: Progress) => void) | undefined
  /** Stops the copy between two pages. */
  readonly signal?: AbortSignal | undefined
}

export interface Compared {
  readonly table: string
  readonly rows: number
  readonly checksum: string
  /** The figures of the other store where they differ; undefined where both are equal. */
  readonly other: { readonly rows: number; readonly checksum: string } | undefined
}

/** A page has at most so many rows and about so many bytes, so that large rows do not fill the memory. */
const MOST_ROWS = 1_000
const PAGE_BYTES = 4_000_000
const FIRST_PAGE = 100

interface Page {
  readonly range: Range
  readonly rows: readonly Row[]
  readonly lines: readonly string[]
}

/** All rows of a table, page by page. The next page is read ahead while the caller processes the current one. */
async function* pagesOf(rows: Rows, table: CopiedTable, signal: AbortSignal | undefined): AsyncGenerator<Page> {
  let limit = FIRST_PAGE
  let after: Row | undefined
  let next = rows.read(table, EVERYTHING, limit)
  for (;;) {
    // SQLite reads synchronously: without this turn of the event loop a signal would not arrive before the table ends.
    await new Promise(setImmediate)
    signal?.throwIfAborted()
    const page = await next
    const lines = page.map((row) => JSON.stringify(row))
    const last = page.at(-1)
    const upTo = page.length < limit || !last ? undefined : keyOf(table, last)
    if (upTo) {
      const bytes = lines.reduce((sum, line) => sum + line.length, 0)
      limit = Math.max(1, Math.min(MOST_ROWS, 4 * limit, Math.floor((PAGE_BYTES * page.length) / bytes)))
      next = rows.read(table, { after: upTo, upTo: undefined }, limit)
      // The caller may stop before this page is awaited: its error would be unhandled.
      next.catch(() => {})
    }
    yield { range: { after, upTo }, rows: page, lines }
    if (!upTo) return
    after = upTo
  }
}

/** Counts the rows of all tables once, and returns a function that reports progress. */
async function reporter(from: Rows, { progress }: CopyOptions): Promise<(stage: Progress['stage'], table: string, done: number) => void> {
  const counts = new Map<string, number>()
  for (const table of COPIED) counts.set(table.name, await from.count(table))
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const before = new Map<string, number>()
  let sum = 0
  for (const [name, count] of counts) {
    before.set(name, sum)
    sum += count
  }
  return (stage, table, done) => {
    const past = (stage === 'verified' ? all : 0) + (before.get(table) ?? 0) + done
    progress?.({ stage, table, done, rows: Math.max(done, counts.get(table) ?? 0), part: all === 0 ? 1 : Math.min(1, past / (2 * all)) })
  }
}

/**
 * Makes the target's rows equal to the source's. A page is written only where it differs, so an interrupted copy is resumed by running
 * it again.
 */
export async function copyRows(from: Rows, to: Target, options: CopyOptions = {}): Promise<{ readonly copied: number; readonly skipped: number }> {
  const report = await reporter(from, options)
  let copied = 0
  let skipped = 0
  for (const table of COPIED) {
    const existing = await to.count(table)
    let done = 0
    report('copied', table.name, 0)
    for await (const { range, rows, lines } of pagesOf(from, table, options.signal)) {
      if (existing > 0 && (await isCopied(to, table, range, lines))) skipped += rows.length
      else {
        if (rows.length > 0 || existing > 0) await to.replace(table, range, rows)
        copied += rows.length
      }
      done += rows.length
      report('copied', table.name, done)
    }
  }
  return { copied, skipped }
}

async function isCopied(to: Rows, table: CopiedTable, range: Range, lines: readonly string[]): Promise<boolean> {
  const rows = await to.read(table, range, lines.length + 1)
  return rows.length === lines.length && rows.every((row, i) => JSON.stringify(row) === lines[i])
}

/** Compares both stores table by table, by row count and checksum. */
export async function compareRows(one: Rows, other: Rows, options: CopyOptions = {}): Promise<Compared[]> {
  const report = await reporter(one, options)
  const found: Compared[] = []
  for (const table of COPIED) {
    const onRows = (done: number) => report('verified', table.name, done)
    const [left, right] = await bothOf(checksumOf(one, table, options.signal, onRows), checksumOf(other, table, options.signal))
    found.push({ table: table.name, ...left, other: left.checksum === right.checksum && left.rows === right.rows ? undefined : right })
  }
  return found
}

/** Like `Promise.all`, but waits for both even if one fails: a connection must not be closed under a running query. */
async function bothOf<T>(one: Promise<T>, other: Promise<T>): Promise<[T, T]> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return [first.value, second.value]
}

async function checksumOf(from: Rows, table: CopiedTable, signal: AbortSignal | undefined, onRows?: (done: number) => void) {
  const hash = createHash('sha256')
  let rows = 0
  for await (const { lines } of pagesOf(from, table, signal)) {
    for (const line of lines) hash.update(line).update('\n')
    rows += lines.length
    onRows?.(rows)
  }
  return { rows, checksum: hash.digest('hex') }
}

/** Whether both stores have the same number of rows in each table: a cheap test before the checksums. */
export async function countsAgree(one: Rows, other: Rows): Promise<boolean> {
  for (const table of COPIED) if ((await one.count(table)) !== (await other.count(table))) return false
  return true
}
