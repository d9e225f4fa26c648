import type { Connection } from './connection.ts'

/** How long it waits before it tries again. */
const AGAIN_MS = 1000

/** How long it waits for others at the very end. */
const PATIENCE_MS = 2000

/**
 * Empties the log once something was erased: what was erased stands there until the log is written back into the file. Whoever
 * reads or writes at that moment holds it up, so that it is tried again after later commits. It never throws: what was
 * committed is committed.
 */
export function createScrub(connection: Connection) {
  let wanted = false
  let notBefore = 0

  function attempt(): void {
    notBefore = performance.now() + AGAIN_MS
    try {
      wanted = connection.get('PRAGMA wal_checkpoint(TRUNCATE)', [])?.busy !== 0
    } catch {
      // A disk that is full or failing tells those who write.
    }
  }

  return {
    afterCommit(erased: boolean): void {
      wanted ||= erased
      if (wanted && (erased || performance.now() > notBefore)) attempt()
    },

    end(): void {
      if (!wanted) return
      connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
      attempt()
    },
  }
}
