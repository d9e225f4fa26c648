import type { Service } from '../service.ts'

const EVERY_MS = 60_000
const FIRST_MS = 5_000

/** Lets go of expired idempotency keys and old changes from time to time. Call the answer to stop. */
export function startHousekeeping(service: Service, trouble: (error: unknown) => void): () => Promise<void> {
  const ending = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let timer = setTimeout(work, FIRST_MS)
  return async () => {
    ending.abort()
    clearTimeout(timer)
    await running
  }

  function work(): void {
    running = sweep(service, ending.signal).catch(trouble)
    timer = setTimeout(work, EVERY_MS)
  }
}

/** A change is kept at least as long as the key it was made with, whose answer belongs to it. */
export async function sweep({ store, retention: keeping, now }: Service, signal?: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(now().getTime() - ms).toISOString()
  await store.sweep(
    { keys: before(keeping.keyMs), changes: keeping.changesMs === undefined ? undefined : before(Math.max(keeping.changesMs, keeping.keyMs)) },
    signal,
  )
}
