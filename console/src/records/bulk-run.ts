import { type Crm, CrmError, errorOf } from 'crm-connector'
import { LIMITS } from 'crm-connector/contract'
import { createBatches, type Item } from 'crm-connector/files'
import { messageOf } from '../data/error-text.ts'
import { noteOwnWrite } from '../data/own-revisions.ts'
import type { Row } from './record-schema.ts'

export interface BulkOutcome {
  /** What all its changes have in common, and are undone by. */
  readonly batchId: string
  readonly changed: number
  /** Rows that had the new value already. */
  readonly unchanged: number
  readonly refused: readonly { readonly row: Row; readonly message: string }[]
  /** Rows whose deletion waits for approval. */
  readonly waiting: readonly Row[]
  /** Rows that were not sent, because it was stopped or failed. */
  readonly left: readonly Row[]
  readonly fault: unknown
}

export interface BulkWork {
  readonly batchId: string
  readonly rows: readonly Row[]
  /** The name of their id. */
  readonly id: string
  readonly callFor: (row: Row) => Omit<Item, 'Key'>
  /** Whether calls wait for approval: then as few batches as possible do. */
  readonly confirmed: boolean
}

/** Called with how many rows are done, and with what it waits for to pass. */
export type OnProgress = (done: number, waiting?: CrmError) => void

/** Rows in one request: few, so that Stop is soon. */
const STEP = 100

/**
 * Changes rows, step by step, all under one BatchID. A step under way is always completed, so that its outcome is known. Each call has its idempotency key, so
 * that a retry changes nothing twice.
 */
export async function runBulk(
  crm: Crm,
  { batchId, rows, id, callFor, confirmed }: BulkWork,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<BulkOutcome> {
  const send = createBatches(crm, false, signal, batchId, (failure) => onProgress(done, failure))
  const step = confirmed ? LIMITS.batch : STEP
  const [refused, waiting]: [{ row: Row; message: string }[], Row[]] = [[], []]
  let [done, changed, unchanged, fault]: [number, number, number, unknown] = [0, 0, 0, undefined]
  while (done < rows.length && !signal.aborted) {
    const sent = rows.slice(done, done + step)
    try {
      const results = await send(sent.map((row, nth) => ({ ...callFor(row), Key: `${batchId}-${done + nth}` })))
      for (const [nth, { Error: problem, ChangeID, Result }] of results.entries()) {
        const row = sent[nth] as Row
        if (problem?.plan) waiting.push(row)
        else if (problem) refused.push({ row, message: messageOf(errorOf(problem)) })
        else if (ChangeID === undefined) unchanged++
        else {
          changed++
          noteOwnWrite(row[id], row.Revision, Result?.Revision)
        }
      }
    } catch (error) {
      if (!(error instanceof CrmError && error.plan)) {
        if (!signal.aborted) fault = error
        break
      }
      waiting.push(...sent)
    }
    done += sent.length
    onProgress(done)
  }
  return { batchId, changed, unchanged, refused, waiting, left: rows.slice(done), fault }
}
