import { LIMITS } from '../../contract/limits.ts'
import type { PlannedRow, RejectedRow } from '../planning/planned-row.ts'
import type { FileRow, FileRows } from '../reading/rows.ts'
import type { Sent } from './sender.ts'

/** The result of an import. */
export interface Tally {
  readonly rows: number
  readonly created: number
  /** Rows that matched a record, which was updated. */
  readonly updated: number
  /** Rows that an earlier import has created. */
  readonly known: number
  /** Why the rest of the file cannot be read; all rows before it were imported. */
  readonly fault?: unknown
}

/** Batches sent at once: those that arrive together share a transaction, which writes each page of an index once for all of them. */
const CONCURRENT_BATCHES = 4

/** Characters after which a batch is sent although it could have more rows, so that it fits every transport's limit. */
const LARGEST_BATCH = LIMITS.batchBytes / 8

export interface ImportProgress {
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
  /** How progress is shown: `imported`, `leads`. */
  readonly stage: string
  readonly what: string
}

/** Imports a file, a few batches at a time, in memory that does not grow with it. Stops between two groups of batches when the signal aborts. */
export async function importFile(
  { file, plan, send, rejects, stage, what }: Parts,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress?: ((progress: ImportProgress) => void) | undefined },
): Promise<Tally> {
  let [rows, created, updated, known] = [0, 0, 0, 0]
  let load = emptyLoad()
  let sending = Promise.resolve()

  /** Sends the load once the one before has been answered. */
  async function sendLoad(part: number): Promise<void> {
    const { batches, bad } = load
    load = emptyLoad()
    await sending
    if (signal.aborted) return
    sending = sendBatches(batches, bad, part)
    // It is awaited before the next load; until then a failure must not count as unhandled.
    sending.catch(() => {})
  }

  async function sendBatches(batches: readonly (readonly PlannedRow[])[], bad: readonly RejectedRow[], part: number): Promise<void> {
    const sent = await Promise.all(batches.map(send))
    rejects.add([...bad, ...sent.flatMap(({ rejected }) => rejected)].sort((a, b) => a.row.line - b.row.line))
    for (const one of sent) {
      created += one.created
      updated += one.updated
      known += one.known
    }
    progress?.({ stage, table: what, done: created + updated + known, rows: undefined, part })
  }

  let fault: unknown
  async function* untilFault(): AsyncGenerator<FileRows> {
    try {
      yield* file.read()
    } catch (error) {
      fault = error
    }
  }

  for await (const { rows: read, part } of untilFault()) {
    for (const row of read) {
      rows++
      if (load.add(plan(row))) await sendLoad(part)
    }
    if (signal.aborted) break
  }
  await sendLoad(1)
  await sending
  return { rows, created, updated, known, ...(fault !== undefined && { fault }) }
}

/** A group of batches that are sent at once. */
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
      if (batch.length < LIMITS.batch && size < LARGEST_BATCH) return false
      batch = []
      size = 0
      return batches.length >= CONCURRENT_BATCHES
    },
  }
}
