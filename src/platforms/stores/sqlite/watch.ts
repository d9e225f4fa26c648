import type { Connection } from './connection.ts'

/** How long a change made by another process may go unnoticed. */
const LOOK_MS = 250

/** Tells listeners that changes were committed: at once by this process, and by others as soon as the file is seen to have changed. */
export function createWatch(reading: Connection) {
  const listeners = new Set<() => void>()
  let looking: NodeJS.Timeout | undefined
  let version: unknown
  let told = false

  function tell(): void {
    if (told || listeners.size === 0) return
    told = true
    // Whoever waits for the commit is answered first.
    setImmediate(() => {
      told = false
      for (const listener of listeners) listener()
    })
  }

  function look(): void {
    const now = reading.get('PRAGMA data_version', [])?.data_version
    if (now !== version) tell()
    version = now
  }

  return {
    tell,
    add(listener: () => void): () => void {
      listeners.add(listener)
      looking ??= setInterval(look, LOOK_MS).unref()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) end()
      }
    },
    end,
  }

  function end(): void {
    clearInterval(looking)
    looking = undefined
  }
}
