import { readFileSync } from 'node:fs'
import { type Connection, connect, sqliteDriver } from '../../src/platforms/stores/sqlite/connection.ts'

/** A connection of our own to a file, past the store. */
export async function openDatabase(path: string): Promise<Connection> {
  return connect(await sqliteDriver(), path, ['busy_timeout = 5000'])
}

/** Asks a file one thing and lets go of it. */
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

/** How many transactions the write-ahead log of a store holds: the last frame of each says how large it leaves the file. */
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
