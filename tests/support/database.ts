import { readFileSync } from 'node:fs'
import { type Connection, connect, sqliteDriver } from '../../src/platforms/stores/sqlite/connection.ts'

/** A direct connection to a database file, bypassing the store. */
export async function openDatabase(path: string): Promise<Connection> {
  return connect(await sqliteDriver(), path, ['busy_timeout = 5000'])
}

/** Runs one query on a database file and closes it. */
export async function ask(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = await openDatabase(path)
  try {
    return database.all(sql, [])
  } finally {
    database.close()
  }
}

const WAL_HEADER = 32
const FRAME_HEADER = 24

/** The number of transactions in a write-ahead log: the last frame of each has the size of the database after it. */
export function commitsIn(path: string): number {
  const log = readFileSync(`${path}-wal`)
  const frame = FRAME_HEADER + log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let commits = 0
  for (let at = WAL_HEADER; at + frame <= log.length && log.subarray(at + 8, at + 16).equals(salt); at += frame) {
    if (log.readUInt32BE(at + 4) !== 0) commits++
  }
  return commits
}
