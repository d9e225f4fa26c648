import type { Connection } from './connection.ts'

/**
 * Lets all reads of one turn of the event loop share a snapshot of the store: a single read spends almost half its time on taking and
 * releasing the lock. It also makes the reads of one call agree with each other. The snapshot must be released before a commit, so that
 * reads after the commit see it; and once a request has arrived (`refresh`), since its caller may know of a commit by another process that
 * a snapshot from before does not show.
 */
export function sharingSnapshots(connection: Connection): Connection & { release(): void; refresh(): void } {
  let open = false
  /** Whether the snapshot, if one is open, was taken after the requests of this turn had arrived. */
  let current = false
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
    refresh() {
      if (current) return
      release()
      current = true
      setImmediate(() => {
        current = false
      })
    },
    close() {
      release()
      connection.close()
    },
  }
}
