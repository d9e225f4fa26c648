import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CrmError } from '../contract/errors.ts'
import {
  type Audited,
  type Compared,
  type CopyOptions,
  compareRows,
  copyRows,
  countsAgree,
  type Source,
  type Target,
} from '../platforms/stores/copying/copy.ts'
import { withoutPassword } from '../platforms/stores/postgres/address.ts'
import { isMisconfigured, knownFault, MISCONFIGURED } from '../platforms/stores/postgres/errors.ts'
import { isPostgres, shownStore, sqlitePath } from './store-address.ts'

const RESUME = 'The rows that were copied are still there: run the same command again to resume.'

export interface Moved {
  readonly from: string
  readonly to: string
  readonly tables: readonly Compared[]
  readonly copied: number
  readonly skipped: number
  readonly audit: readonly Audited[]
}

/** Copies a store to an address that has none, and verifies row counts, checksums and audit. After an interruption, the same call resumes the copy. */
export async function moveStore(from: string, to: string, options: CopyOptions): Promise<Moved> {
  const names = { from: shownStore(from), to: shownStore(to) }
  await refuseSame(from, to)
  const source = await openRows(from)
  try {
    const finished = await compareFinished(source, from, to, options)
    if (finished) return { ...names, ...finished }
    const target = await openTarget(to, { source: labelOf(from), force: false, restart: false })
    try {
      const { copied, skipped } = await copyRows(source, target, options)
      await target.rebuild()
      // Compare with the source as it is now: a write that came after the first snapshot must not be lost silently.
      await source.refresh()
      const tables = await compareRows(source, target, options)
      refuseDifferent(tables)
      const audit = await target.audit()
      await target.finish()
      return { ...names, tables, copied, skipped, audit }
    } catch (error) {
      throw withHint(error, RESUME)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Writes a snapshot of a store to a file that must not exist yet. Resolves to its size in bytes. */
export async function backupStore(store: string, file: string, options: CopyOptions): Promise<number> {
  const { backupSqlite, refuseExisting } = await import('../platforms/stores/sqlite/backup.ts')
  const path = sqlitePath(store)
  if (path !== undefined) return explained(undefined, () => backupSqlite(path, file))
  refuseExisting(file)
  const source = await openRows(store)
  try {
    const target = await openTarget(`sqlite:${file}`, { source: labelOf(store), force: false, restart: true })
    try {
      await copyRows(source, target, options)
      await target.rebuild()
      refuseDifferent(await compareRows(source, target, options))
      await target.finish()
    } catch (error) {
      await target.close()
      for (const side of ['', '-wal', '-shm']) rmSync(`${file}.partial${side}`, { force: true })
      throw error
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
  return statSync(file).size
}

/** Replaces a store that no process has open with a backup. Resolves to where the replaced store was moved. */
export async function restoreStore(store: string, file: string, force: boolean, options: CopyOptions): Promise<string | undefined> {
  const { refuseDamaged, restoreSqlite } = await import('../platforms/stores/sqlite/backup.ts')
  const path = sqlitePath(store)
  if (path !== undefined) return explained(undefined, () => restoreSqlite(path, file, force))
  if (!existsSync(file)) throw new CrmError('not_found', `There is no backup at ${file}.`)
  const { openSqliteRows } = await import('../platforms/stores/sqlite/rows.ts')
  const source = guarded(undefined, await explained(undefined, () => openSqliteRows(file, refuseDamaged)))
  try {
    const hint = '--force replaces it, and moves the old store to a schema of its own.'
    const target = await openTarget(store, { source: labelOf(`sqlite:${file}`), force, restart: false, hint })
    try {
      await copyRows(source, target, options)
      await target.rebuild()
      refuseDifferent(await compareRows(source, target, options))
      return await target.finish()
    } catch (error) {
      throw withHint(error, RESUME)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** A store's address for messages and the mark of an unfinished copy: always the same for one store, and without a password. */
function labelOf(url: string): string {
  const path = sqlitePath(url)
  return path === undefined ? withoutPassword(url) : `sqlite:${resolve(path)}`
}

async function openRows(url: string): Promise<Source> {
  const path = fileOf(url)
  const open =
    path === undefined
      ? async () => (await import('../platforms/stores/postgres/rows.ts')).openPostgresRows(url)
      : async () => (await import('../platforms/stores/sqlite/rows.ts')).openSqliteRows(path)
  return guarded(url, await explained(url, open))
}

interface TargetOptions {
  readonly source: string
  readonly force: boolean
  readonly restart: boolean
  readonly hint?: string
}

async function openTarget(url: string, options: TargetOptions): Promise<Target> {
  const path = fileOf(url)
  const open =
    path === undefined
      ? async () => (await import('../platforms/stores/copying/postgres-target.ts')).openPostgresTarget(url, options)
      : async () => (await import('../platforms/stores/copying/sqlite-target.ts')).openSqliteTarget(path, options)
  return guarded(url, await explained(url, open))
}

/** The file of a SQLite store, undefined for a PostgreSQL database. */
function fileOf(url: string): string | undefined {
  const path = sqlitePath(url)
  if (path === ':memory:') throw new CrmError('unsupported', 'A store in memory cannot be copied.')
  if (path !== undefined) return path
  if (isPostgres(url)) return undefined
  throw new CrmError('invalid_input', `${JSON.stringify(url.split(':')[0])} is not a store.`, {
    hint: 'A store is sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE.',
  })
}

async function refuseSame(from: string, to: string): Promise<void> {
  const [one, other] = [fileOf(from), fileOf(to)]
  const same =
    one !== undefined && other !== undefined
      ? real(one) === real(other)
      : one === undefined && other === undefined && (await identityOf(from)) === (await identityOf(to))
  if (same) throw new CrmError('conflict', `${shownStore(from)} and ${shownStore(to)} are the same store.`)
}

const real = (path: string) => (existsSync(path) ? realpathSync(path) : resolve(path))

async function identityOf(url: string): Promise<string> {
  const { identityOf: read } = await import('../platforms/stores/postgres/rows.ts')
  return explained(url, () => read(url))
}

/** After a finished copy there is nothing left to do but to compare: the same command reports the same result again. */
async function compareFinished(source: Source, from: string, to: string, options: CopyOptions): Promise<Omit<Moved, 'from' | 'to'> | undefined> {
  const existing = await openRows(to).catch((error) => {
    // There is no finished store; `openTarget` reports whatever else prevents the copy.
    if (error instanceof CrmError && error.code !== 'platform_unavailable') return undefined
    throw error
  })
  if (!existing) return undefined
  try {
    if ((await usersAndWorkspaces(existing)) === 0) return undefined
    const compared = (await countsAgree(source, existing)) ? await compareRows(source, existing, options) : undefined
    if (!compared || compared.some(({ other }) => other))
      throw new CrmError('conflict', `There is already a store at ${shownStore(to)}, and it is no copy of ${shownStore(from)}. Nothing was changed.`)
    return { tables: compared, copied: 0, skipped: compared.reduce((sum, { rows }) => sum + rows, 0), audit: await existing.audit() }
  } finally {
    await existing.close()
  }
}

async function usersAndWorkspaces(rows: Source): Promise<number> {
  const { COPIED } = await import('../platforms/stores/copying/rows.ts')
  let sum = 0
  for (const table of COPIED) if (table.name === 'Workspace' || table.name === 'User') sum += await rows.count(table)
  return sum
}

function refuseDifferent(tables: readonly Compared[]): void {
  const different = tables.filter(({ other }) => other)
  if (different.length === 0) return
  throw new CrmError('conflict', 'The copy differs from the source: one of the stores was written to meanwhile.', {
    errors: different.map(({ table, rows, other }) => ({
      field: table,
      code: 'conflict',
      message: other?.rows === rows ? `${rows} rows in both, with different content.` : `${rows} rows in the source, ${other?.rows} in the copy.`,
    })),
    hint: 'Stop the service, then run the same command again: only what differs is copied.',
  })
}

/** Wraps all methods in `explained`, so that every error names its store. */
function guarded<T extends object>(url: string | undefined, part: T): T {
  return new Proxy(part, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name)
      return typeof value === 'function' ? (...given: unknown[]) => explained(url, () => value.apply(object, given) as Promise<unknown>) : value
    },
  })
}

async function explained<T>(url: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error
    const where = url !== undefined && isPostgres(url) ? `${shownStore(url)}: ` : ''
    const { code, message, hint, errors } = error instanceof CrmError ? error : failureOf(error, where !== '')
    throw new CrmError(code, where !== '' && message.startsWith(where) ? message : `${where}${message}`, {
      cause: error,
      ...(hint !== undefined && { hint }),
      ...(errors && { errors }),
    })
  }
}

/** Errors that are not the connector's own come from the disk, the network or the database. */
function failureOf(error: unknown, ofDatabase: boolean): CrmError {
  const { code, message } = Object(error) as { code?: string; message?: string }
  if (code === '42501') return new CrmError('forbidden', `The database does not allow it: ${message}`)
  if (ofDatabase && isMisconfigured(error)) return new CrmError('invalid_input', message ?? '', { hint: MISCONFIGURED })
  const known = ofDatabase ? knownFault(error) : undefined
  return new CrmError('platform_unavailable', known ? known.message : (message ?? String(error)))
}

function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof CrmError) || error.code !== 'platform_unavailable' || error.hint !== undefined) return error
  return new CrmError(error.code, error.message, { cause: error, hint })
}
