import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { BUSY, type Connection, connect, sqliteCode, sqliteDriver } from './connection.ts'
import { versionOf } from './migrations.ts'

/** Writes a consistent copy of a store to a file that must not exist yet; writers and readers go on meanwhile. */
export async function backupSqlite(store: string, file: string): Promise<number> {
  if (!existsSync(store)) throw new Error(`There is no store at ${store}.`)
  if (existsSync(file)) throw new Error(`${file} exists already; a backup never overwrites anything.`)
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  const connection = connect(await sqliteDriver(), store, ['busy_timeout = 5000', 'query_only = ON'])
  try {
    refuseEmpty(connection)
    closeSync(openSync(partial, 'wx', 0o600))
    connection.run('VACUUM INTO ?', [partial])
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  } finally {
    connection.close()
  }
  sync(partial)
  renameSync(partial, file)
  sync(dirname(file))
  return statSync(file).size
}

/**
 * Puts a backup in the place of a store that nobody has open. A store that has something in it is replaced only with
 * `force`, and kept beside the new one. Resolves to where it was kept.
 */
export async function restoreSqlite(store: string, file: string, force: boolean): Promise<string | undefined> {
  await refuseUnlessWhole(file)
  const exists = existsSync(store) && statSync(store).size > 0
  if (exists && !force) throw new Error(`There is already a store at ${store}; --force replaces it and keeps it beside the restored one.`)
  if (exists) await refuseIfOpen(store)
  const partial = `${store}.restoring`
  copyFileSync(file, partial)
  sync(partial)
  const kept = exists ? `${store}.before-restore-${new Date().toISOString().replaceAll(':', '-')}` : undefined
  if (kept) renameSync(store, kept)
  for (const side of ['-wal', '-shm']) rmSync(store + side, { force: true })
  renameSync(partial, store)
  sync(dirname(store))
  return kept
}

async function refuseUnlessWhole(file: string): Promise<void> {
  if (!existsSync(file)) throw new Error(`There is no backup at ${file}.`)
  const connection = connect(await sqliteDriver(), file, ['query_only = ON'])
  try {
    refuseEmpty(connection)
    const result = connection.get('PRAGMA integrity_check', [])?.integrity_check
    if (result !== 'ok') throw new Error(`The backup is damaged: ${result}`)
  } finally {
    connection.close()
  }
}

function refuseEmpty(connection: Connection): void {
  if (versionOf(connection) === 0) throw new Error('This file is empty, not a CRM Connector store.')
}

/** Leaving WAL mode needs a store that nobody else has open, and writes what is left in the log into the file. */
async function refuseIfOpen(store: string): Promise<void> {
  const connection = connect(await sqliteDriver(), store, [])
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    throw sqliteCode(error) === BUSY ? new Error(`The store ${store} is in use. Stop the service, then restore.`) : error
  } finally {
    connection.close()
  }
}

function sync(path: string): void {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
