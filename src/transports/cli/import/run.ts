import { LIMITS } from '../../../contract/limits.ts'
import type { Watched } from '../progress.ts'
import type { PlannedRow, RejectedRow } from './plan.ts'
import type { Rejects } from './rejects.ts'
import type { FileRow, RowFile } from './row-file.ts'
import type { Sent } from './sender.ts'

/** What became of a file. */
export interface Tally {
  readonly rows: number
  readonly created: number
  readonly known: number
}

/** So many batches are under way at once: the next is read and checked while others are carried out. */
const UNDER_WAY = 3

/** A batch of so many characters is sent although it could have more rows, so that it fits through every door. */
const LARGEST = LIMITS.batchBytes / 8

export interface Parts {
  readonly file: RowFile
  readonly plan: (row: FileRow) => PlannedRow | RejectedRow
  readonly send: (rows: readonly PlannedRow[]) => Promise<Sent>
  readonly rejects: Rejects
  /** What is done with them, and how they are called: imported leads. */
  readonly stage: string
  readonly what: string
}

/** Takes a file through, a batch at a time, in memory that does not grow with it. Stops between two batches when it is told to. */
export async function importFile({ file, plan, send, rejects, stage, what }: Parts, { signal, progress }: Watched): Promise<Tally> {
  const underWay: { readonly sent: Promise<Sent>; readonly bad: readonly RejectedRow[]; readonly part: number }[] = []
  let [rows, created, known, done] = [0, 0, 0, 0]
  let batch: PlannedRow[] = []
  let bad: RejectedRow[] = []
  let size = 0

  async function settle(most: number): Promise<void> {
    while (underWay.length > most) {
      const { sent, bad: unsent, part } = underWay.shift() as (typeof underWay)[number]
      const { created: made, known: there, rejected } = await sent
      rejects.add([...unsent, ...rejected].sort((a, b) => a.row.line - b.row.line))
      created += made
      known += there
      done += made + there
      progress?.({ stage, table: what, done, rows: undefined, part })
    }
  }

  async function pass(part: number): Promise<void> {
    const sent = batch.length > 0 ? send(batch) : Promise.resolve({ created: 0, known: 0, rejected: [] })
    // Whoever fails first is heard first; nobody fails unheard.
    sent.catch(() => {})
    underWay.push({ sent, bad, part })
    ;[batch, bad, size] = [[], [], 0]
    await settle(UNDER_WAY - 1)
  }

  try {
    for await (const { rows: read, part } of file.read()) {
      for (const row of read) {
        rows++
        const planned = plan(row)
        if ('error' in planned) bad.push(planned)
        else {
          batch.push(planned)
          size += planned.size
        }
        if (batch.length === LIMITS.batch || size > LARGEST || bad.length === LIMITS.batch) await pass(part)
        if (signal.aborted) break
      }
      if (signal.aborted) break
    }
    if (!signal.aborted) await pass(1)
  } finally {
    await settle(0)
  }
  return { rows, created, known }
}
