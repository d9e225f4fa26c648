import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Connection, connect, isDamage, sqliteDriver } from '../../platforms/stores/sqlite/connection.ts'
import { isCurrent, MIGRATIONS, versionOf } from '../../platforms/stores/sqlite/migrations.ts'
import { schemaFaults } from '../../platforms/stores/sqlite/schema-check.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { adminKeyFile } from '../key-files.ts'
import { sqlitePath } from '../store-address.ts'
import { type AskStore, auditFindings } from './audit.ts'
import { connectionFindings } from './connections.ts'
import { bytes, type DoctorInput, findingsIn } from './findings.ts'
import { modeOpenToOthers } from './permissions.ts'
import { secretFindings } from './secrets.ts'
import { ruleFindings } from './sign-in-rules.ts'
import { watchFindings } from './watch.ts'

/** Free disk space below which a warning, and below which a failure is reported. */
const LITTLE_SPACE = 512 * 1024 ** 2
const NO_SPACE = 16 * 1024 ** 2
/** A write-ahead log this large means that a reader keeps its transaction open. */
const LARGE_LOG = 128 * 1024 ** 2
/** Larger stores are checked only with --deep, since that takes minutes. */
const LARGE_STORE = 256 * 1024 ** 2

const RESTORE = 'Stop the service, and restore the last backup: crm restore FILE --force'

/** Examines a store in a file. It is opened read-only, and without locks where no other process has it open. */
export async function* examineSqlite(url: string, area: string, input: DoctorInput): AsyncGenerator<Finding> {
  const { good } = findingsIn(area)
  const path = sqlitePath(url) ?? ''
  if (path === ':memory:') return yield good('Place', 'in memory, gone when the process ends')
  const file = resolve(path)
  if (!existsSync(file)) {
    yield good('Place', `${path}, not there yet: the first command makes it`)
    return yield* roomFor(area, existing(dirname(file)))
  }
  yield* place(area, path, file)
  yield* roomFor(area, dirname(file))
  yield* inside(area, url, file, input)
  yield* key(area, url)
}

function* place(area: string, path: string, file: string): Generator<Finding> {
  const { good, doubtful } = findingsIn(area)
  yield good('Place', `${path}, ${bytes(statSync(file).size)}`)
  const mode = modeOpenToOthers(file)
  if (mode !== undefined) yield doubtful('Rights', `Other users can access ${path} (mode ${mode}), which holds personal data.`, `chmod 600 ${path}`)
  const folder = modeOpenToOthers(dirname(file))
  if (folder !== undefined)
    yield doubtful('Folder', `Other users can list ${dirname(path)} (mode ${folder}).`, `chmod 700 ${dirname(path)}, if it holds only the store`)
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (log > LARGE_LOG)
    yield doubtful(
      'Log',
      `${path}-wal has grown to ${bytes(log)}.`,
      'A reader keeps its transaction open: find the process that has the store open, and restart it.',
    )
}

function* roomFor(area: string, folder: string): Generator<Finding> {
  const { good, doubtful, bad } = findingsIn(area)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    return yield bad('Folder', `This user may not write in ${folder}.`, 'platform_unavailable', `Run as its owner, or: chown -R "$(id -un)" ${folder}`)
  }
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    if (free < NO_SPACE)
      yield bad('Disk', `Only ${bytes(free)} are left.`, 'platform_unavailable', 'Make room, or move the store with crm backup and crm restore.')
    else if (free < LITTLE_SPACE) yield doubtful('Disk', `Only ${bytes(free)} are left.`, 'Make room before it is full.')
    else yield good('Disk', `${bytes(free)} free`)
  } catch {
    // Some file systems do not report their free space.
  }
}

async function* inside(area: string, url: string, file: string, input: DoctorInput): AsyncGenerator<Finding> {
  const { good, doubtful, unchecked, bad, failed } = findingsIn(area)
  const { deep } = input
  let store: Connection | undefined
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    store = connect(await sqliteDriver(), reading(file), ['busy_timeout = 2000', 'query_only = ON'])
    const version = versionOf(store)
    if (version === 0) return yield good('Schema', 'an empty file: the first command makes a store of it')
    const current = isCurrent(store)
    yield !current
      ? doubtful(
          'Schema',
          version < MIGRATIONS.length ? `It is at version ${version} of ${MIGRATIONS.length}.` : 'It lacks fields of this version.',
          'The next command or start upgrades it; make a backup before: crm backup before-upgrade.db',
        )
      : good('Schema', `version ${version}`)
    for (const { message, hint } of schemaFaults(store)) yield bad('Schema', message, 'conflict', hint)
    const { size } = statSync(file)
    if (size > LARGE_STORE && !deep) yield unchecked('Integrity', 'The store is large; crm doctor --deep checks it.')
    else {
      const verdict = String(store.get(`PRAGMA ${deep ? 'integrity_check(1)' : 'quick_check(1)'}`, [])?.[deep ? 'integrity_check' : 'quick_check'])
      yield verdict === 'ok' ? good('Integrity', 'sound') : bad('Integrity', verdict, 'internal', RESTORE)
    }
    if (current) {
      const { all } = store as Connection
      const ask: AskStore = async (sql, bind) => all(sql, bind)
      yield* auditFindings(area, ask, deep)
      yield* secretFindings(area, url, ask, input)
      yield* connectionFindings(area, ask)
      yield* watchFindings(area, ask)
      yield* ruleFindings(area, url, ask, input)
    }
  } catch (error) {
    yield isDamage(error)
      ? bad('Integrity', (error as Error).message, 'internal', RESTORE)
      : failed('Store', error, 'Is it a store, and may this user read and write it?')
  } finally {
    store?.close()
  }
}

/** A file with a log beside it may be open in another process, so locks are needed. Otherwise `immutable` keeps SQLite from creating any file. */
export const reading = (file: string) => (existsSync(`${file}-wal`) ? file : `file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}?immutable=1`)

/** The file that holds the admin's API key. */
function* key(area: string, store: string): Generator<Finding> {
  const { good, bad } = findingsIn(area)
  const keyFile = adminKeyFile({ store })
  if (keyFile === undefined || !existsSync(keyFile)) return
  const mode = modeOpenToOthers(keyFile)
  yield mode === undefined
    ? good('Admin key', `in ${keyFile}, for its owner only`)
    : bad(
        'Admin key',
        `Other users can read ${keyFile} (mode ${mode}).`,
        'forbidden',
        `chmod 600 ${keyFile}, and replace the key if others may have read it: crm create_key, then crm revoke_key`,
      )
}

/** The nearest folder above that exists. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
}
