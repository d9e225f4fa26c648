import type { Connection } from './connection.ts'

/**
 * Lets all reads of one turn of the event loop share a snapshot of the store: a single read spends almost half its time on taking and
 * releasing the lock. It also makes the reads of one call agree with each other. The snapshot must be released before a commit, so that
 * reads after the commit see it.
 */
export function sharingSnapshots(connection: Connection): Connection & { release(): void } {
  let open = false
  let version: number | undefined

  function take(): void {
    if (open) return
    // Left over from a release that failed; if it fails again, the caller that wants to read gets the error.
    if (connection.database.isTransaction) connection.exec('ROLLBACK')
    connection.exec('BEGIN')
    open = true
    version = undefined
    setImmediate(release)
  }

  /** Never throws: it runs outside any call, where an error would end the process. */
  function release(): void {
    if (!open) return
    open = false
    try {
      // An error may have ended the snapshot already. It wrote nothing, so that rolling back loses nothing.
      if (connection.database.isTransaction) connection.exec('ROLLBACK')
    } catch {
      // The next read tries again, and reports it.
    }
  }

  return {
    ...connection,
    get(sql, bind) {
      take()
      return connection.get(sql, bind)
    },
    all(sql, bind) {
      take()
      return connection.all(sql, bind)
    },
    version() {
      take()
      version ??= connection.get('PRAGMA data_version', [])?.data_version as number
      return version
    },
    release,
    close() {
      release()
      connection.close()
    },
  }
}
