import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makePrivateFolder } from '../../../config/private-folder.ts'
import { CrmError } from '../../../contract/errors.ts'
import { BUSY, type Connection, connect, isDamage, sqliteCode, sqliteDriver } from './connection.ts'
import { refuseEmpty } from './rows.ts'

/** What SQLite keeps beside a store. */
export const SIDES = ['-wal', '-shm']

export function refuseExisting(file: string): void {
  if (existsSync(file)) throw new CrmError('conflict', `${file} exists already; a backup never overwrites anything.`)
}

/** Writes a consistent copy of a store to a file that must not exist yet; writers and readers go on meanwhile. */
export async function backupSqlite(store: string, file: string): Promise<number> {
  if (!existsSync(store)) throw new CrmError('not_found', `There is no store at ${store}.`)
  refuseExisting(file)
  const partial = await copyOf(store, file, refuseEmpty)
  renameSync(partial, file)
  sync(dirname(file))
  return statSync(file).size
}

/**
 * Puts a backup in the place of a store that nobody has open. A store that has something in it is replaced only with
 * `force`, and kept beside the new one. Resolves to where it was kept.
 */
export async function restoreSqlite(store: string, file: string, force: boolean): Promise<string | undefined> {
  if (!existsSync(file)) throw new CrmError('not_found', `There is no backup at ${file}.`)
  if (resolve(file) === resolve(store)) throw new CrmError('conflict', `${file} is the store itself.`)
  const there = ['', ...SIDES].filter((side) => existsSync(store + side) && statSync(store + side).size > 0)
  if (there.length > 0 && !force)
    throw new CrmError('conflict', `There is already a store at ${store}.`, { hint: '--force replaces it and keeps it beside the restored one.' })
  const partial = await copyOf(file, store, refuseDamaged)
  try {
    if (there.includes('')) await refuseOpen(store)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
  const kept = `${store}.before-restore-${new Date().toISOString().replaceAll(':', '-')}`
  // The log of another store must never be taken for that of the restored one.
  for (const side of ['', ...SIDES]) if (existsSync(store + side)) renameSync(store + side, kept + side)
  renameSync(partial, store)
  sync(dirname(store))
  return there.length > 0 ? kept : undefined
}

/** A copy of a store that has been checked, beside the place it is meant for. It is made by SQLite, so that nothing is missed that stands in a log. */
async function copyOf(store: string, place: string, check: (connection: Connection) => void): Promise<string> {
  const partial = `${place}.partial`
  const connection = connect(await sqliteDriver(), store, ['busy_timeout = 5000'])
  try {
    check(connection)
    makePrivateFolder(dirname(place))
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
  } catch (error) {
    throw isDamage(error) ? damaged((error as Error).message) : error
  }
}

/** Leaving WAL mode needs a store that nobody else has open, and writes what is left in the log into the file. */
async function refuseOpen(store: string): Promise<void> {
  const connection = connect(await sqliteDriver(), store, [])
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    if (sqliteCode(error) === BUSY) throw new CrmError('conflict', `The store ${store} is in use.`, { hint: 'Stop the service, then restore.' })
    // A store that is beyond reading is what backups are for.
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
