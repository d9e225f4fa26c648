import type { Connection } from './connection.ts'

const RETRY_MS = 1000

/** How long closing waits for other processes. */
const CLOSE_TIMEOUT_MS = 2000

/**
 * Truncates the write-ahead log after an erasure, since the log still contains what was erased. A concurrent reader or writer prevents
 * that, so it is retried every second. It never throws: the erasure itself is committed.
 */
export function createScrub(connection: Connection) {
  let pending = false
  let retry: NodeJS.Timeout | undefined

  function attempt(): void {
    clearTimeout(retry)
    try {
      pending = connection.get('PRAGMA wal_checkpoint(TRUNCATE)', [])?.busy !== 0
    } catch {
      // A full or failing disk is reported by the next write; a concurrent write ends soon.
    }
    if (pending) retry = setTimeout(attempt, RETRY_MS).unref()
  }

  return {
    afterCommit(erased: boolean): void {
      if (!erased) return
      pending = true
      attempt()
    },

    end(): void {
      clearTimeout(retry)
      if (!pending) return
      connection.exec(`PRAGMA busy_timeout = ${CLOSE_TIMEOUT_MS}`)
      attempt()
      clearTimeout(retry)
    },
  }
}
