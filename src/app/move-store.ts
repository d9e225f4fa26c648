import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CrmError } from '../contract/errors.ts'
import { type Audited, type Compared, compareRows, copyRows, countsAgree, type How, type Source, type Target } from '../platforms/stores/copying/copy.ts'
import { withoutPassword } from '../platforms/stores/postgres/address.ts'
import { isMisconfigured, knownFault, MISCONFIGURED } from '../platforms/stores/postgres/errors.ts'
import { isPostgres, shownStore, sqlitePath } from './open.ts'

export interface Moved {
  readonly from: string
  readonly to: string
  readonly tables: readonly Compared[]
  readonly copied: number
  readonly skipped: number
  readonly audit: readonly Audited[]
}

/** Copies all of a store to where none is yet, and proves that everything has arrived. Who was interrupted just calls it again. */
export async function moveStore(from: string, to: string, how: How): Promise<Moved> {
  const names = { from: shownStore(from), to: shownStore(to) }
  await refuseSame(from, to)
  const source = await openRows(from)
  try {
    const finished = await compareFinished(source, from, to, how)
    if (finished) return { ...names, ...finished }
    const target = await openTarget(to, { source: identified(from), force: false, anew: false })
    try {
      const { copied, skipped } = await copyRows(source, target, how)
      await target.settle()
      // What was written to the source meanwhile must not be lost in silence.
      await source.refresh()
      const tables = await compareRows(source, target, how)
      refuseDifferent(tables)
      const audit = await target.audit()
      await target.finish()
      return { ...names, tables, copied, skipped, audit }
    } catch (error) {
      throw withHint(error, 'What was copied is kept: the same command goes on from there.')
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Writes a store to a file that must not exist yet, as it is at this moment. Resolves to how large it is. */
export async function backupStore(store: string, file: string, how: How): Promise<number> {
  const { backupSqlite, refuseExisting } = await import('../platforms/stores/sqlite/backup.ts')
  const path = sqlitePath(store)
  if (path !== undefined) return saying(undefined, () => backupSqlite(path, file))
  refuseExisting(file)
  const source = await openRows(store)
  try {
    const target = await openTarget(`sqlite:${file}`, { source: identified(store), force: false, anew: true })
    try {
      await copyRows(source, target, how)
      await target.settle()
      refuseDifferent(await compareRows(source, target, how))
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

/** Puts a backup in the place of a store that nobody has open. Resolves to where the one that was there is kept. */
export async function restoreStore(store: string, file: string, force: boolean, how: How): Promise<string | undefined> {
  const { refuseDamaged, restoreSqlite } = await import('../platforms/stores/sqlite/backup.ts')
  const path = sqlitePath(store)
  if (path !== undefined) return saying(undefined, () => restoreSqlite(path, file, force))
  if (!existsSync(file)) throw new CrmError('not_found', `There is no backup at ${file}.`)
  const { openSqliteRows } = await import('../platforms/stores/sqlite/rows.ts')
  const source = guarded(undefined, await saying(undefined, () => openSqliteRows(file, refuseDamaged)))
  try {
    const hint = '--force replaces it and keeps it in a schema of its own.'
    const target = await openTarget(store, { source: identified(`sqlite:${file}`), force, anew: false, hint })
    try {
      await copyRows(source, target, how)
      await target.settle()
      refuseDifferent(await compareRows(source, target, how))
      return await target.finish()
    } catch (error) {
      throw withHint(error, 'What was copied is kept: the same command goes on from there.')
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** What a store is called where it is written down: the same each time, and without a password. */
function identified(url: string): string {
  const path = sqlitePath(url)
  return path === undefined ? withoutPassword(url) : `sqlite:${resolve(path)}`
}

async function openRows(url: string): Promise<Source> {
  const path = fileOf(url)
  const open =
    path === undefined
      ? async () => (await import('../platforms/stores/postgres/rows.ts')).openPostgresRows(url)
      : async () => (await import('../platforms/stores/sqlite/rows.ts')).openSqliteRows(path)
  return guarded(url, await saying(url, open))
}

interface Filling {
  readonly source: string
  readonly force: boolean
  readonly anew: boolean
  readonly hint?: string
}

async function openTarget(url: string, filling: Filling): Promise<Target> {
  const path = fileOf(url)
  const open =
    path === undefined
      ? async () => (await import('../platforms/stores/copying/postgres-target.ts')).fillPostgres(url, filling)
      : async () => (await import('../platforms/stores/copying/sqlite-target.ts')).fillSqlite(path, filling)
  return guarded(url, await saying(url, open))
}

/** The file of a SQLite store, undefined for a PostgreSQL database. */
function fileOf(url: string): string | undefined {
  const path = sqlitePath(url)
  if (path === ':memory:') throw new CrmError('unsupported', 'A store in memory cannot be copied.')
  if (path !== undefined) return path
  if (isPostgres(url)) return undefined
  throw new CrmError('invalid_input', `${JSON.stringify(url.split(':')[0])} is no store.`, {
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
  const { identityOf: ask } = await import('../platforms/stores/postgres/rows.ts')
  return saying(url, () => ask(url))
}

/** Where an earlier call has finished there is nothing to do but to see that nothing has changed since. */
async function compareFinished(source: Source, from: string, to: string, how: How): Promise<Omit<Moved, 'from' | 'to'> | undefined> {
  const there = await openRows(to).catch((error) => {
    // No store is there, or none that is finished; or it is said later what is in the way.
    if (error instanceof CrmError && error.code !== 'platform_unavailable') return undefined
    throw error
  })
  if (!there) return undefined
  try {
    const tables = await storedIn(there)
    if (tables === 0) return undefined
    const compared = (await countsAgree(source, there)) ? await compareRows(source, there, how) : undefined
    if (!compared || compared.some(({ other }) => other))
      throw new CrmError('conflict', `There is already a store at ${shownStore(to)}, and it is no copy of ${shownStore(from)}. Nothing was touched.`)
    return { tables: compared, copied: 0, skipped: compared.reduce((sum, { rows }) => sum + rows, 0), audit: await there.audit() }
  } finally {
    await there.close()
  }
}

async function storedIn(rows: Source): Promise<number> {
  const { COPIED } = await import('../platforms/stores/copying/rows.ts')
  let sum = 0
  for (const table of COPIED) if (table.name === 'Workspace' || table.name === 'User') sum += await rows.count(table)
  return sum
}

function refuseDifferent(tables: readonly Compared[]): void {
  const different = tables.filter(({ other }) => other)
  if (different.length === 0) return
  throw new CrmError('conflict', 'Not everything has arrived as it is: somebody has written to one of the stores meanwhile.', {
    errors: different.map(({ table, rows, other }) => ({
      field: table,
      code: 'conflict',
      message: other?.rows === rows ? `${rows} rows in both, but not the same.` : `${rows} rows, and ${other?.rows} where they were copied to.`,
    })),
    hint: 'Stop the service, then run the same command again: only what differs is copied.',
  })
}

/** Says of each failure which store it was, once. */
function guarded<T extends object>(url: string | undefined, part: T): T {
  return new Proxy(part, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name)
      return typeof value === 'function' ? (...given: unknown[]) => saying(url, () => value.apply(object, given) as Promise<unknown>) : value
    },
  })
}

async function saying<T>(url: string | undefined, work: () => Promise<T>): Promise<T> {
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

/** What is not a refusal of ours is a disk, a network or a database that failed. */
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
