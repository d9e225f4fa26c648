import { createHash } from 'node:crypto'
import type { AuditReport } from '../../store.ts'
import { COPIED, type CopiedTable, EVERYTHING, keyOf, type Range, type Row } from './rows.ts'

/** Rows of a store, as they are the same in every store. */
export interface Rows {
  count(table: CopiedTable): Promise<number>
  /** The first of the rows in a range, in the order of their keys. */
  read(table: CopiedTable, range: Range, limit: number): Promise<readonly Row[]>
  /** What the audit says of each workspace. */
  audit(): Promise<readonly Audited[]>
}

export type Audited = AuditReport & { readonly workspace: string }

/** A store that is read. All of it is as it was at one moment, whoever writes to it meanwhile. */
export interface Source extends Rows {
  /** From here on everything is as it is now. */
  refresh(): Promise<void>
  close(): Promise<void>
}

/** A store that is being filled, and that nobody can use before it is finished. */
export interface Target extends Rows {
  /** Puts these rows in the place of all that are in the range, in one transaction. */
  replace(table: CopiedTable, range: Range, rows: readonly Row[]): Promise<void>
  /** Makes what follows from the rows: counters, indexes of our own, ends of chains. */
  settle(): Promise<void>
  /** Makes a store of it. Resolves to where the one is that was there before. */
  finish(): Promise<string | undefined>
  /** Lets go of it, finished or not; what was copied stays for the next attempt. */
  close(): Promise<void>
}

export interface Progress {
  readonly stage: 'copied' | 'verified'
  readonly table: string
  /** Rows of this table that are done, and how many it has. */
  readonly done: number
  readonly rows: number
  /** How much of the whole is done, from 0 to 1. */
  readonly part: number
}

export interface How {
  readonly progress?: ((progress: Progress) => void) | undefined
  /** Stops between two pages. */
  readonly signal?: AbortSignal | undefined
}

export interface Compared {
  readonly table: string
  readonly rows: number
  readonly checksum: string
  /** What is different in the other store; undefined where nothing is. */
  readonly other: { readonly rows: number; readonly checksum: string } | undefined
}

/** A page has at most so many rows, and about so many bytes: large ones come in smaller pages. */
const MOST_ROWS = 1_000
const PAGE_BYTES = 4_000_000
const FIRST_PAGE = 100

interface Page {
  readonly range: Range
  readonly rows: readonly Row[]
  readonly lines: readonly string[]
}

/** All rows of a table, page by page; the next page is read while one is being dealt with. */
async function* pagesOf(rows: Rows, table: CopiedTable, signal: AbortSignal | undefined): AsyncGenerator<Page> {
  let limit = FIRST_PAGE
  let after: Row | undefined
  let next = rows.read(table, EVERYTHING, limit)
  for (;;) {
    // Where all of this is done at once, whoever wants it stopped is heard between two pages.
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
      // Whoever stops here never asks for it.
      next.catch(() => {})
    }
    yield { range: { after, upTo }, rows: page, lines }
    if (!upTo) return
    after = upTo
  }
}

/** How much there is to do, and tells about it. */
async function reporter(from: Rows, { progress }: How): Promise<(stage: Progress['stage'], table: string, done: number) => void> {
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
 * Makes the rows of one store those of another. Each page is looked at in both and written only where it differs, so that whoever
 * was interrupted just begins again.
 */
export async function copyRows(from: Rows, to: Target, how: How = {}): Promise<{ readonly copied: number; readonly skipped: number }> {
  const report = await reporter(from, how)
  let copied = 0
  let skipped = 0
  for (const table of COPIED) {
    const there = await to.count(table)
    let done = 0
    report('copied', table.name, 0)
    for await (const { range, rows, lines } of pagesOf(from, table, how.signal)) {
      if (there > 0 && (await isThere(to, table, range, lines))) skipped += rows.length
      else {
        if (rows.length > 0 || there > 0) await to.replace(table, range, rows)
        copied += rows.length
      }
      done += rows.length
      report('copied', table.name, done)
    }
  }
  return { copied, skipped }
}

async function isThere(to: Rows, table: CopiedTable, range: Range, lines: readonly string[]): Promise<boolean> {
  const rows = await to.read(table, range, lines.length + 1)
  return rows.length === lines.length && rows.every((row, i) => JSON.stringify(row) === lines[i])
}

/** Counts all rows of both stores and makes a checksum of them, table by table. */
export async function compareRows(one: Rows, other: Rows, how: How = {}): Promise<Compared[]> {
  const report = await reporter(one, how)
  const found: Compared[] = []
  for (const table of COPIED) {
    const told = (done: number) => report('verified', table.name, done)
    const [here, there] = await bothOf(checksumOf(one, table, how.signal, told), checksumOf(other, table, how.signal))
    found.push({ table: table.name, ...here, other: here.checksum === there.checksum && here.rows === there.rows ? undefined : there })
  }
  return found
}

/** Both, once neither is under way any more. */
async function bothOf<T>(one: Promise<T>, other: Promise<T>): Promise<[T, T]> {
  const [first, second] = await Promise.allSettled([one, other])
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return [first.value, second.value]
}

async function checksumOf(from: Rows, table: CopiedTable, signal: AbortSignal | undefined, told?: (done: number) => void) {
  const hash = createHash('sha256')
  let rows = 0
  for await (const { lines } of pagesOf(from, table, signal)) {
    for (const line of lines) hash.update(line).update('\n')
    rows += lines.length
    told?.(rows)
  }
  return { rows, checksum: hash.digest('hex') }
}

/** Whether the tables of two stores have as many rows each: quickly said, and enough to tell most stores apart. */
export async function countsAgree(one: Rows, other: Rows): Promise<boolean> {
  for (const table of COPIED) if ((await one.count(table)) !== (await other.count(table))) return false
  return true
}
