import type { Connection } from './connection.ts'

/** How long it waits before it tries again. */
const AGAIN_MS = 1000

/** How long it waits for others at the very end. */
const PATIENCE_MS = 2000

/**
 * Empties the log once something was erased: what was erased stands there until the log is written back into the file. Whoever
 * reads or writes at that moment holds it up, so that it is tried again every second. It never throws: what was
 * committed is committed.
 */
export function createScrub(connection: Connection) {
  let wanted = false
  let again: NodeJS.Timeout | undefined

  function attempt(): void {
    clearTimeout(again)
    try {
      wanted = connection.get('PRAGMA wal_checkpoint(TRUNCATE)', [])?.busy !== 0
    } catch {
      // A disk that is full or failing tells those who write, and a write under way is soon over.
    }
    if (wanted) again = setTimeout(attempt, AGAIN_MS).unref()
  }

  return {
    afterCommit(erased: boolean): void {
      if (!erased) return
      wanted = true
      attempt()
    },

    end(): void {
      clearTimeout(again)
      if (!wanted) return
      connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
      attempt()
      clearTimeout(again)
    },
  }
}
