import { removeExpiredKeys } from '../access/expired-keys.ts'
import type { Service } from '../service.ts'
import { removeOldAttempts } from '../webhooks/attempts.ts'

const EVERY_MS = 60_000
const FIRST_MS = 5_000

/** Deletes expired idempotency keys, ended sessions and tokens, old changes and old attempts of deliveries periodically, never two sweeps at a time. Call the answer to stop. */
export function startHousekeeping(service: Service, onError: (error: unknown) => void, { firstMs = FIRST_MS, everyMs = EVERY_MS } = {}): () => Promise<void> {
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let timer = setTimeout(work, firstMs)
  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await running
  }

  function work(): void {
    running = sweep(service, stopping.signal)
      .catch(onError)
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(work, everyMs)
      })
  }
}

/** A change is kept at least as long as the idempotency key it was made with, whose stored answer it holds. */
export async function sweep(service: Service, signal?: AbortSignal): Promise<void> {
  const { store, retention, now } = service
  const before = (ms: number) => new Date(now().getTime() - ms).toISOString()
  await store.sweep(
    { keys: before(retention.keyMs), changes: retention.changesMs === undefined ? undefined : before(Math.max(retention.changesMs, retention.keyMs)) },
    signal,
  )
  await removeExpiredKeys(service, signal)
  await removeOldAttempts(service, signal)
}
