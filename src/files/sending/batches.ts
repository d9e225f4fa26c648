import type { Batch } from '../../contract/batch.ts'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError, errorOf, type Problem } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'

export type Item = Batch['Operations'][number]

/** The result of one call. */
export interface ItemResult {
  readonly Result?: { readonly [member: string]: unknown }
  readonly Error?: Problem
  readonly ChangeID?: string
  readonly Replayed?: true
}

/** A service that does not answer is retried for so long. */
const DEADLINE_MS = 120_000
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 10_000]

/** A rate-limited batch is halved down to this size; then the rate limit's pause is waited for. */
const SMALLEST_BATCH = 50

/**
 * Runs calls in order, in batches. Calls that failed for the moment are retried, which their idempotency keys make safe; `onWait` is told why before
 * each pause.
 */
export function createBatches(
  crm: Crm,
  dryRun: boolean,
  signal: AbortSignal,
  batchId?: string,
  onWait?: (failure: CrmError) => void,
): (items: readonly Item[]) => Promise<ItemResult[]> {
  let batchSize: number = LIMITS.batch

  return async (items) => {
    const results: ItemResult[] = []
    let open = items.map((item, place) => ({ item, place }))
    let [deadline, wait] = [Date.now() + DEADLINE_MS, SHORTEST_PAUSE_MS]

    while (open.length > 0) {
      const sent = open.slice(0, batchSize)
      const failure = await attempt(sent)
      if (!failure) {
        ;[deadline, wait] = [Date.now() + DEADLINE_MS, SHORTEST_PAUSE_MS]
        batchSize = Math.min(LIMITS.batch, 2 * batchSize)
        continue
      }
      if (failure.code === 'rate_limited' && sent.length > SMALLEST_BATCH) {
        // A batch larger than the key's rate limit would never pass.
        batchSize = Math.floor(sent.length / 2)
        continue
      }
      if (Date.now() > deadline) throw failure
      onWait?.(failure)
      await pause((failure.retryAfter ?? 0) * 1000 || wait, signal)
      wait = Math.min(2 * wait, LONGEST_PAUSE_MS)
    }
    return results

    /** Resolves to an error that may pass, if there is one; throws any other. */
    async function attempt(sent: typeof open): Promise<CrmError | undefined> {
      try {
        const { Results } = await crm.batch(
          { Operations: sent.map(({ item }) => item), ...(batchId !== undefined && { BatchID: batchId }) },
          { dryRun, retries: 0 },
        )
        for (const [i, { place }] of sent.entries()) results[place] = Results[i] as ItemResult
        const failed = sent.filter(({ place }) => results[place]?.Error?.retryable)
        open = [...failed, ...open.slice(sent.length)]
        const [first] = failed
        return first && errorOf(results[first.place]?.Error as Problem)
      } catch (error) {
        if (error instanceof CrmError && error.retryable) return error
        throw error
      }
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
