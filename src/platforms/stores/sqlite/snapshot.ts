import type { Connection } from './connection.ts'

/**
 * Lets all reads of one turn of the event loop share a snapshot of the store: one read by itself spends almost half its time
 * on taking and giving back the lock. It also makes the reads of one call agree with each other. The snapshot must be
 * released before a commit, so that whoever reads after it sees it.
 */
export function sharingSnapshots(connection: Connection): Connection & { release(): void } {
  let open = false

  function take(): void {
    if (open) return
    connection.exec('BEGIN')
    open = true
    setImmediate(release)
  }

  function release(): void {
    if (!open) return
    open = false
    // A fault may have ended the snapshot by itself.
    if (connection.database.isTransaction) connection.exec('COMMIT')
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
    release,
    close() {
      release()
      connection.close()
    },
  }
}
