import type { Connection } from './connection.ts'

/** How often the file is polled for changes of other processes. */
const POLL_MS = 250

/** Notifies listeners that changes were committed: at once by this process, and by others as soon as the file is seen to have changed. */
export function createWatch(reading: Connection) {
  const listeners = new Set<() => void>()
  let polling: NodeJS.Timeout | undefined
  let version: unknown
  let scheduled = false

  function notify(): void {
    if (scheduled || listeners.size === 0) return
    scheduled = true
    // Callers that wait for the commit are answered first.
    setImmediate(() => {
      scheduled = false
      for (const listener of listeners) listener()
    })
  }

  /** Runs in a timer, where an error would end the process. A failed poll is made up for by the next that succeeds; calls report the error. */
  function poll(): void {
    try {
      const now = reading.get('PRAGMA data_version', [])?.data_version
      if (now !== version) notify()
      version = now
    } catch {
      version = undefined
    }
  }

  return {
    notify,
    add(listener: () => void): () => void {
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
