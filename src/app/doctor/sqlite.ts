import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Connection, connect, isDamage, sqliteDriver } from '../../platforms/stores/sqlite/connection.ts'
import { isCurrent, MIGRATIONS, versionOf } from '../../platforms/stores/sqlite/migrations.ts'
import type { Finding } from '../../transports/cli/app.ts'
import { sqlitePath } from '../open.ts'
import { auditFindings } from './audit.ts'
import { bytes, type DoctorInput, findingsIn } from './findings.ts'
import { modeOpenToOthers } from './permissions.ts'

/** Less than this is soon full. */
const LITTLE_SPACE = 512 * 1024 ** 2
const NO_SPACE = 16 * 1024 ** 2
/** A log this large tells of a reader that never lets go. */
const LARGE_LOG = 128 * 1024 ** 2
/** Beyond this, looking through all of it takes too long to be done unasked. */
const LARGE_STORE = 256 * 1024 ** 2

const RESTORE = 'Stop the service, and restore the last backup: crm restore FILE --force'

/** A store in a file. It is opened only for reading, and where nobody has it open without even a lock. */
export async function* examineSqlite(url: string, area: string, patient: DoctorInput): AsyncGenerator<Finding> {
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
  yield* inside(area, file, patient)
  yield* key(area, file)
}

function* place(area: string, path: string, file: string): Generator<Finding> {
  const { good, doubtful } = findingsIn(area)
  yield good('Place', `${path}, ${bytes(statSync(file).size)}`)
  const mode = modeOpenToOthers(file)
  if (mode !== undefined) yield doubtful('Rights', `Others have rights on ${path} (mode ${mode}), which holds personal data.`, `chmod 600 ${path}`)
  const folder = modeOpenToOthers(dirname(file))
  if (folder !== undefined)
    yield doubtful('Folder', `Others may look into ${dirname(path)} (mode ${folder}).`, `chmod 700 ${dirname(path)}, if it is only for the store`)
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (log > LARGE_LOG)
    yield doubtful('Log', `${path}-wal has grown to ${bytes(log)}.`, 'Somebody keeps reading: look for a process that has the store open, and restart it.')
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
    // Not every file system tells.
  }
}

async function* inside(area: string, file: string, { deep }: DoctorInput): AsyncGenerator<Finding> {
  const { good, doubtful, bad, failed } = findingsIn(area)
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
    const { size } = statSync(file)
    if (size > LARGE_STORE && !deep) yield good('Integrity', `not looked at, as it is large; crm doctor --deep does`)
    else {
      const verdict = String(store.get(`PRAGMA ${deep ? 'integrity_check(1)' : 'quick_check(1)'}`, [])?.[deep ? 'integrity_check' : 'quick_check'])
      yield verdict === 'ok' ? good('Integrity', 'sound') : bad('Integrity', verdict, 'internal', RESTORE)
    }
    if (current) {
      const { all } = store as Connection
      yield* auditFindings(area, async (sql, bind) => all(sql, bind), deep)
    }
  } catch (error) {
    yield isDamage(error)
      ? bad('Integrity', (error as Error).message, 'internal', RESTORE)
      : failed('Store', error, 'Is it a store, and may this user read and write it?')
  } finally {
    store?.close()
  }
}

/** Where a log lies beside the file somebody has it open, and locks must be kept; elsewhere nothing at all is to be made. */
const reading = (file: string) => (existsSync(`${file}-wal`) ? file : `file:${encodeURI(file).replace(/[?#]/g, encodeURIComponent)}?immutable=1`)

/** The admin's key that is kept beside the store. */
function* key(area: string, file: string): Generator<Finding> {
  const { good, bad } = findingsIn(area)
  const kept = join(dirname(file), 'admin-key')
  if (!existsSync(kept)) return
  const mode = modeOpenToOthers(kept)
  yield mode === undefined
    ? good('Admin key', `in ${kept}, for its owner only`)
    : bad(
        'Admin key',
        `Others can read ${kept} (mode ${mode}).`,
        'forbidden',
        `chmod 600 ${kept}, and exchange it where somebody may have seen it: crm create_key, then crm revoke_key`,
      )
}

function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
}
