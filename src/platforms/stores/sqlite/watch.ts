import type { Connection } from './connection.ts'

/** How often the file is polled for changes of other processes. */
const POLL_MS = 250

type Listener = (workspace: number | undefined) => void

/** Notifies listeners that changes were committed: at once by this process, and by others, after `onOthers`, as soon as the file is seen to have changed. */
export function createWatch(reading: Connection, onOthers: () => void) {
  const listeners = new Set<Listener>()
  /** The workspaces with changes that listeners are yet to hear of; undefined stands for any. */
  let changed = new Set<number | undefined>()
  let polling: NodeJS.Timeout | undefined
  let version: unknown

  function notify(workspaces: Iterable<number | undefined>): void {
    if (listeners.size === 0) return
    const scheduled = changed.size > 0
    for (const workspace of workspaces) changed.add(workspace)
    if (scheduled || changed.size === 0) return
    // Callers that wait for the commit are answered first.
    setImmediate(() => {
      const workspaces = changed.has(undefined) ? [undefined] : [...changed]
      changed = new Set()
      for (const workspace of workspaces) for (const listener of listeners) listener(workspace)
    })
  }

  /** Runs in a timer, where an error would end the process. A failed poll is made up for by the next that succeeds; calls report the error. */
  function poll(): void {
    try {
      const now = reading.get('PRAGMA data_version', [])?.data_version
      if (now !== version) {
        onOthers()
        notify([undefined])
      }
      version = now
    } catch {
      version = undefined
    }
  }

  return {
    notify,
    add(listener: Listener): () => void {
      listeners.add(listener)
      polling ??= setInterval(poll, POLL_MS).unref()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) end()
      }
    },
    end,
  }

  function end(): void {
    clearInterval(polling)
    polling = undefined
  }
}
