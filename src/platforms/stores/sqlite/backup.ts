import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makePrivateFolder } from '../../../config/private-folder.ts'
import { CrmError } from '../../../contract/errors.ts'
import { BUSY, type Connection, connect, isDamage, sqliteCode, sqliteDriver } from './connection.ts'
import { refuseEmpty } from './rows.ts'
import { refuseAltered } from './schema-check.ts'

/** The suffixes of SQLite's files beside a store. */
export const SIDES = ['-wal', '-shm']

export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new CrmError('conflict', `${file} exists already; a backup never overwrites anything.`)
}

/** Writes a consistent copy of a store to a file that must not exist yet; writers and readers go on meanwhile. */
export async function backupSqlite(store: string, file: string): Promise<number> {
  if (!existsSync(store)) throw new CrmError('not_found', `There is no store at ${store}.`)
  refuseExisting(file)
  const partial = await copyOf(store, file, (connection) => {
    refuseEmpty(connection)
    refuseAltered(connection)
  })
  renameSync(partial, file)
  sync(dirname(file))
  return statSync(file).size
}

/**
 * Replaces a store that no process has open with a backup. A store that is not empty is replaced only with `force`, and is renamed, not
 * deleted. Resolves to its new path.
 */
export async function restoreSqlite(store: string, file: string, force: boolean): Promise<string | undefined> {
  if (!existsSync(file)) throw new CrmError('not_found', `There is no backup at ${file}.`)
  if (resolve(file) === resolve(store)) throw new CrmError('conflict', `${file} is the store itself.`)
  const existing = ['', ...SIDES].filter((side) => existsSync(store + side) && statSync(store + side).size > 0)
  if (existing.length > 0 && !force)
    throw new CrmError('conflict', `There is already a store at ${store}.`, { hint: '--force replaces it, and keeps the old store in a file beside it.' })
  const partial = await copyOf(file, store, refuseDamaged)
  try {
    if (existing.includes('')) await refuseOpen(store)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
  const retired = `${store}.before-restore-${new Date().toISOString().replaceAll(':', '-')}`
  // The old store's log is moved too: SQLite would apply it to the restored store.
  for (const side of ['', ...SIDES]) if (existsSync(store + side)) renameSync(store + side, retired + side)
  renameSync(partial, store)
  sync(dirname(store))
  return existing.length > 0 ? retired : undefined
}

/** Checks a store and copies it to `DESTINATION.partial`. SQLite makes the copy, so that content of the write-ahead log is included. */
async function copyOf(store: string, destination: string, check: (connection: Connection) => void): Promise<string> {
  const partial = `${destination}.partial`
  const connection = connect(await sqliteDriver(), store, ['busy_timeout = 5000'])
  try {
    check(connection)
    makePrivateFolder(dirname(destination))
    rmSync(partial, { force: true })
    closeSync(openSync(partial, 'wx', 0o600))
    connection.run('VACUUM INTO ?', [partial])
    sync(partial)
    return partial
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  } finally {
    connection.close()
  }
}

export function refuseDamaged(connection: Connection): void {
  const damaged = (how: unknown) => new CrmError('invalid_input', `The backup is damaged: ${how}`)
  try {
    refuseEmpty(connection)
    const result = connection.get('PRAGMA integrity_check', [])?.integrity_check
    if (result !== 'ok') throw damaged(result)
    refuseAltered(connection)
  } catch (error) {
    throw isDamage(error) ? damaged((error as Error).message) : error
  }
}

/** Leaving WAL mode fails while another process has the store open, and writes the rest of the log into the file. */
async function refuseOpen(store: string): Promise<void> {
  const connection = connect(await sqliteDriver(), store, [])
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    if (sqliteCode(error) === BUSY) throw new CrmError('conflict', `The store ${store} is in use.`, { hint: 'Stop the service, then restore.' })
    // A damaged store may be replaced: that is what backups are for.
    if (!isDamage(error)) throw error
  } finally {
    connection.close()
  }
}

export function sync(path: string): void {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
