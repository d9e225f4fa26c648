import { LIMITS } from '../../contract/limits.ts'
import type { PlannedRow } from '../planning/planned-row.ts'
import type { RejectedRow } from './reject-text.ts'
import type { FileRow, FileRows } from '../reading/rows.ts'
import type { Sent } from './sender.ts'

/** What became of a file. */
export interface Tally {
  readonly rows: number
  readonly created: number
  /** Rows that an earlier run has imported. */
  readonly known: number
  /** What is in the way of reading the rest of it, where something is; all rows before were taken through. */
  readonly fault?: unknown
}

/** So many batches are sent at once: those that arrive together share a transaction, which writes each page of an index once for all of them. */
const TOGETHER = 4

/** A batch of so many characters is sent although it could have more rows, so that it fits through every door. */
const LARGEST = LIMITS.batchBytes / 8

/** How far it has come. */
export interface Reached {
  readonly stage: string
  readonly table: string
  readonly done: number
  readonly rows: undefined
  /** How much of the file is done, from 0 to 1. */
  readonly part: number
}

export interface Parts {
  readonly file: { read(): AsyncIterable<FileRows> }
  readonly plan: (row: FileRow) => PlannedRow | RejectedRow
  readonly send: (rows: readonly PlannedRow[]) => Promise<Sent>
  readonly rejects: { add(rows: readonly RejectedRow[]): void }
  /** What happens to the rows, and what they are called: imported leads. */
  readonly stage: string
  readonly what: string
}

/** Takes a file through, a few batches at a time, in memory that does not grow with it. Stops between two loads when it is told to. */
export async function importFile(
  { file, plan, send, rejects, stage, what }: Parts,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress?: ((reached: Reached) => void) | undefined },
): Promise<Tally> {
  let [rows, created, known] = [0, 0, 0]
  let load = emptyLoad()
  let underWay = Promise.resolve()

  /** Sends what is there once what was sent before has arrived. */
  async function pass(part: number): Promise<void> {
    const { batches, bad } = load
    load = emptyLoad()
    await underWay
    underWay = carry(batches, bad, part)
    // It is waited for before the next, and whatever happens meanwhile must not go unheard.
    underWay.catch(() => {})
  }

  async function carry(batches: readonly (readonly PlannedRow[])[], bad: readonly RejectedRow[], part: number): Promise<void> {
    const sent = await Promise.all(batches.map(send))
    rejects.add([...bad, ...sent.flatMap(({ rejected }) => rejected)].sort((a, b) => a.row.line - b.row.line))
    for (const one of sent) {
      created += one.created
      known += one.known
    }
    progress?.({ stage, table: what, done: created + known, rows: undefined, part })
  }

  let fault: unknown
  async function* readable(): AsyncGenerator<FileRows> {
    try {
      yield* file.read()
    } catch (error) {
      fault = error
    }
  }

  for await (const { rows: read, part } of readable()) {
    for (const row of read) {
      rows++
      if (load.add(plan(row))) await pass(part)
    }
    if (signal.aborted) break
  }
  if (!signal.aborted) await pass(1)
  await underWay
  return { rows, created, known, ...(fault !== undefined && { fault }) }
}

/** Rows that are sent together. */
function emptyLoad() {
  const batches: PlannedRow[][] = []
  const bad: RejectedRow[] = []
  let size = 0
  let batch: PlannedRow[] = []
  return {
    batches,
    bad,
    /** Whether it is full. */
    add(row: PlannedRow | RejectedRow): boolean {
      if ('error' in row) return bad.push(row) >= LIMITS.batch
      if (batch.length === 0) batches.push(batch)
      batch.push(row)
      size += row.size
      if (batch.length < LIMITS.batch && size < LARGEST) return false
      batch = []
      size = 0
      return batches.length >= TOGETHER
    },
  }
}
