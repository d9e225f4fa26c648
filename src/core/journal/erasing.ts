import { once } from 'node:events'
import { FIRST_WORKSPACE } from '../../contract/records/workspace.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { Store } from '../../platforms/store.ts'
import { giveAllTokensBack } from '../connections/give-back.ts'
import type { Service } from '../service.ts'

const EVERY_MS = 60_000
/** Soon after the operator's call, which changes the first workspace. */
const AFTER_CHANGE_MS = 200

/**
 * Erases the workspaces that are being deleted, in the background. What is left when the process ends is erased after the next start; several processes may
 * do it at the same time. Call the answer to stop.
 */
export function startErasing(service: Service, onError: (error: unknown) => void, { everyMs = EVERY_MS } = {}): () => Promise<void> {
  const { store } = service
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  const unwatch = store.watch((workspace) => {
    if (workspace === undefined || workspace === FIRST_WORKSPACE) schedule(AFTER_CHANGE_MS)
  })
  schedule(AFTER_CHANGE_MS)

  return async () => {
    unwatch()
    stopping.abort()
    clearTimeout(timer)
    await running
  }

  function schedule(ms: number): void {
    const at = performance.now() + ms
    if (stopping.signal.aborted || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(work, ms)
    timer.unref()
  }

  function work(): void {
    if (running) return
    dueAt = Number.POSITIVE_INFINITY
    running = erase(service, stopping.signal)
      .catch(onError)
      .then(() => {
        running = undefined
        schedule(everyMs)
      })
  }
}

/** Erases what is to be erased now, after the tokens that CRMs have granted to it were given back. */
export async function erase(service: Service, signal?: AbortSignal): Promise<void> {
  const { store } = service
  for (const { number, name } of await store.workspacesToErase()) {
    if (signal?.aborted) return
    if (name !== null) await untilAborted(giveAllTokensBack(service, number), signal)
    if (signal?.aborted) return
    const own = name === null ? undefined : service.platforms.get(name)
    if (own && isStore(own)) await own.eraseRows(number, signal)
    await store.eraseRows(number, signal)
    if (name !== null && !signal?.aborted) await store.endErasure(number)
  }
}

/** A CRM that does not answer does not keep the process from stopping. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work
  const aborted = new AbortController()
  try {
    await Promise.race([work, once(signal, 'abort', { signal: aborted.signal })])
  } finally {
    aborted.abort()
  }
}

/** A workspace can have its records in a store of its own. */
const isStore = (platform: Platform): platform is Store => 'eraseRows' in platform
