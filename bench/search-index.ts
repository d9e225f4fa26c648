import { readAddress } from '../src/platforms/stores/postgres/address.ts'
import { createHosts, createPool } from '../src/platforms/stores/postgres/pool.ts'
import { indexQueued, lockIndex } from '../src/platforms/stores/postgres/search-index.ts'
import { Work } from '../src/platforms/stores/postgres/work.ts'
import { connect, DURABLE, sqliteDriver } from '../src/platforms/stores/sqlite/connection.ts'
import { indexRecord } from '../src/platforms/stores/sqlite/search-index.ts'
import type { Work as SqliteWork } from '../src/platforms/stores/sqlite/work.ts'

/** Records that are indexed in one transaction: a service takes fewer, so that calls need not wait for it. */
const BATCH = 1000

/** Indexes all that is queued in a SQLite store, and resolves to the number of records. */
export async function indexSqlite(path: string): Promise<number> {
  const connection = connect(await sqliteDriver(), path, ['busy_timeout = 60000', ...DURABLE])
  const work = { connection, run: connection.run, insert: connection.run } as unknown as SqliteWork
  try {
    for (let done = 0; ; ) {
      connection.exec('BEGIN IMMEDIATE')
      const rows = connection.all(`SELECT * FROM "SearchQueue" ORDER BY "Workspace", "RecordType", "RecordID" LIMIT ${BATCH}`, [])
      for (const { Workspace, RecordType, RecordID } of rows as { Workspace: number; RecordType: string; RecordID: string }[]) {
        indexRecord(work, Workspace, RecordType, RecordID)
        connection.run('DELETE FROM "SearchQueue" WHERE "Workspace" = ? AND "RecordType" = ? AND "RecordID" = ?', [Workspace, RecordType, RecordID])
      }
      connection.exec('COMMIT')
      done += rows.length
      if (rows.length === 0) return done
    }
  } finally {
    connection.close()
  }
}

/** The same in a PostgreSQL store. */
export async function indexPostgres(url: string, workspace: number): Promise<number> {
  const address = readAddress(url)
  const pool = createPool(address, createHosts(address), 1)
  try {
    for (let done = 0; ; ) {
      const work = new Work(pool)
      await lockIndex(work, workspace)
      const some = await indexQueued(work, workspace, BATCH)
      await work.commit()
      done += some
      if (some === 0) return done
    }
  } finally {
    await pool.close()
  }
}
