import type { Batch } from '../../contract/batch.ts'
import type { Crm } from '../../contract/client/client.ts'
import { CrmError, errorOf, type Problem } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'

export type Item = Batch['Operations'][number]

/** What became of a call. */
export interface ItemResult {
  readonly Result?: { readonly [member: string]: unknown }
  readonly Error?: Problem
  readonly Replayed?: true
}

/** Whoever does not answer is asked again for so long. */
const PATIENCE_MS = 120_000
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 10_000]

/** Fewer at once are not worth trying before the key may do more again. */
const FEW = 50

/** Carries out calls in order. What may only have come at the wrong moment is sent again: their keys make that safe. */
export function createBatches(crm: Crm, dryRun: boolean, signal: AbortSignal): (items: readonly Item[]) => Promise<ItemResult[]> {
  let most: number = LIMITS.batch

  return async (items) => {
    const results: ItemResult[] = []
    let open = items.map((item, place) => ({ item, place }))
    let [deadline, wait] = [Date.now() + PATIENCE_MS, SHORTEST_PAUSE_MS]

    while (open.length > 0) {
      const sent = open.slice(0, most)
      const failure = await attempt(sent)
      if (!failure) {
        ;[deadline, wait] = [Date.now() + PATIENCE_MS, SHORTEST_PAUSE_MS]
        most = Math.min(LIMITS.batch, 2 * most)
        continue
      }
      if (failure.code === 'rate_limited' && sent.length > FEW) {
        // More at once than a key is allowed in a minute would never be let through.
        most = Math.floor(sent.length / 2)
        continue
      }
      if (Date.now() > deadline) throw failure
      await pause((failure.retryAfter ?? 0) * 1000 || wait, signal)
      wait = Math.min(2 * wait, LONGEST_PAUSE_MS)
    }
    return results

    /** Resolves to what stands in the way for now; throws what does for good. */
    async function attempt(sent: typeof open): Promise<CrmError | undefined> {
      try {
        const { Results } = await crm.batch({ Operations: sent.map(({ item }) => item) }, { dryRun, retries: 0 })
        for (const [i, { place }] of sent.entries()) results[place] = Results[i] as ItemResult
        const again = sent.filter(({ place }) => results[place]?.Error?.retryable)
        open = [...again, ...open.slice(sent.length)]
        const [first] = again
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
