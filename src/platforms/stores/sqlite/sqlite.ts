import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../../config/private-folder.ts'
import { FIRST_WORKSPACE } from '../../../contract/records/workspace.ts'
import { whileUsed } from '../../../helpers/idle-cache.ts'
import { singleFlight } from '../../../helpers/single-flight.ts'
import type { Failure } from '../../platform.ts'
import type { Store } from '../../store.ts'
import { mirrorOf, withMirror } from '../mirror.ts'
import { withOwnFields } from '../own-fields.ts'
import { createClock } from '../sql/ids.ts'
import { addedRemark } from '../sql/missing.ts'
import { WORKSPACES_AT } from '../sql/positions.ts'
import { SUPPORTS } from '../sql/supports.ts'
import { quoted } from '../sql/tables.ts'
import { listedIn, newWorkspace, TO_ERASE, type WorkspaceRow, workspaceOf, workspacesSql } from '../sql/workspaces.ts'
import { createCommits } from './commits.ts'
import { type Connection, connect, DURABLE, isDamage, orClosed, READING, setPragmas, sqliteCode, sqliteDriver } from './connection.ts'
import { createErasure } from './erasure.ts'
import { createJournalReader } from './journal.ts'
import { migrate, versionOf } from './migrations.ts'
import { createRateLimits } from './rate-limits.ts'
import { createReader, getRecord, type Searching } from './reader.ts'
import { createReaderPool, type ReaderPool } from './reader-pool.ts'
import { createRecount } from './recount.ts'
import { createReindex } from './reindex.ts'
import { movingScans, scansOn } from './scans.ts'
import { refuseAltered } from './schema-check.ts'
import { createScrub } from './scrub.ts'
import { matches, withUnindexed } from './search.ts'
import { createSearchIndexer } from './search-indexer.ts'
import { sharingSnapshots } from './snapshot.ts'
import { createSweep } from './sweep.ts'
import { TABLES, tableFor } from './tables.ts'
import { createWatch } from './watch.ts'

/** Messages for SQLite's result codes that mean that the store is temporarily unavailable. */
const UNAVAILABLE: { readonly [code: number]: string } = {
  5: 'The store is busy with another write.',
  6: 'The store is busy with another write.',
  8: 'The store cannot be written to.',
  10: 'The disk under the store failed.',
  13: 'The disk under the store is full.',
  14: 'The store cannot be opened.',
}

/** Not retryable, since the damage does not go away by itself: `internal`, and not `platform_unavailable`, which would make callers repeat the call. */
const DAMAGED: Failure = {
  code: 'internal',
  message: 'The store is damaged.',
  hint: 'Run crm doctor --deep to see what is affected, stop the service, and restore the last backup with crm restore FILE --force.',
}

/** Deleted content is overwritten, so that it cannot be recovered from the file. */
const SECURE_DELETE = 'secure_delete = ON'

/** How long the access version is cached: a change by another process is seen after this time at the latest. */
const ACCESS_MS = 20

/** Opens a store in a file, and creates or upgrades it as needed. `:memory:` is a store that ends with the process. `now` is the clock. */
export async function openSqlite(path: string, now?: () => number): Promise<Store> {
  const driver = await sqliteDriver()
  if (path !== ':memory:') createPrivately(path)
  const writing = connect(driver, path, ['busy_timeout = 5000'])
  let added: readonly string[] = []
  orClosed(writing, () => {
    // Nothing is changed, not even the journal mode, before the file is known to be a store of this program.
    versionOf(writing)
    refuseAltered(writing)
    setPragmas(writing, [...DURABLE, SECURE_DELETE, 'cache_size = -32768', 'wal_autocheckpoint = 4000'])
    added = migrate(writing)
    setPragmas(writing, ['busy_timeout = 0'])
  })
  // Two connections cannot share a store in memory: there one connection does both, and its reads also see uncommitted writes.
  if (path === ':memory:') return storeOf({ writing, reading: writing, beforeCommit() {}, now, added })
  const reading = sharingSnapshots(connect(driver, path, READING))
  return storeOf({ writing, reading, pool: createReaderPool(path), beforeCommit: reading.release, refresh: reading.refresh, now, added })
}

interface Parts {
  readonly writing: Connection
  readonly reading: Connection
  /** Threads for long reads; none for a store in memory. */
  readonly pool?: ReaderPool | undefined
  readonly beforeCommit: () => void
  readonly refresh?: (() => void) | undefined
  readonly now: (() => number) | undefined
  readonly added: readonly string[]
}

function storeOf({ writing, reading, pool, beforeCommit, refresh, now, added }: Parts): Store {
  const clock = createClock(now)
  let accessVersion = 0
  let accessReadAt = 0
  const scans = pool ? movingScans(reading, pool) : scansOn(reading)
  const searching: Searching = async (workspace, query, budget) => {
    const unindexed = await indexer.catchUp(workspace, query.types)
    const found = await matches(reading, scans, workspace, query, budget)
    return withUnindexed(found, query, unindexed, (type, id) => getRecord(reading, workspace, tableFor(type), id))
  }
  const reader = whileUsed((workspace: number) => createReader(reading, workspace, scans, searching))
  const watch = createWatch(reading, () => {
    accessReadAt = 0
  })
  const scrub = createScrub(writing)
  const commits = createCommits(
    writing,
    whileUsed((workspace) => createReader(writing, workspace, scansOn(writing), (...query) => matches(writing, scansOn(writing), ...query))()),
    clock,
    {
      damage: () => reading.damage() ?? writing.damage(),
      beforeCommit,
      isolated: reading !== writing,
      afterCommit: ({ access, changed, erased, queued }) => {
        if (access) accessReadAt = 0
        watch.notify(changed)
        scrub.afterCommit(erased)
        indexer.committed(queued)
      },
    },
  )

  const indexer = createSearchIndexer(reading, commits.transaction)

  function workspaceWith(column: string, value: number | string) {
    const row = reading.get(workspacesSql(` WHERE ${column} = ?`), [value])
    return row && workspaceOf(row as WorkspaceRow)
  }

  const store: Store = {
    name: 'sqlite',
    supports: { ...SUPPORTS, ordered: true },
    secret: reading.get('SELECT "Value" AS secret FROM "Secret"', [])?.secret as string,
    remark: addedRemark(added),

    reader: (workspace, { budget } = {}) => reader(workspace)(budget),

    write: (workspace, work, options) => commits.write(workspace, work, options?.budget),

    mirror: (workspace, options) => store.reader(mirrorOf(workspace), options),

    eraseMirror: (workspace, signal) => store.eraseRows(mirrorOf(workspace), signal),
    recountMirror: createRecount(scans, commits.transaction),
    reindexMirror: createReindex(commits.transaction),

    withOwnFields: (fields) => withOwnFields(store, fields),

    journal: whileUsed((workspace) => createJournalReader(reading, workspace)),

    watch: watch.add,

    async lease(name, holder, ms) {
      const now = Date.now()
      const until = new Date(now + ms).toISOString()
      const taken = await commits.run(
        'INSERT INTO "Lease" ("Name", "Holder", "Until") VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "Holder" = excluded."Holder", "Until" = excluded."Until" WHERE "Holder" = excluded."Holder" OR "Until" < ?',
        [name, holder, until, new Date(now).toISOString()],
      )
      return taken > 0
    },

    takeFromRateLimit: createRateLimits(reading, commits.transaction),

    sweep: singleFlight(createSweep(reading, commits.transaction)),

    classify(error) {
      if (isDamage(error)) return DAMAGED
      const message = UNAVAILABLE[sqliteCode(error) ?? -1]
      return message === undefined ? undefined : { code: 'platform_unavailable', message }
    },

    async ping() {
      const damage = reading.damage() ?? writing.damage()
      if (damage !== undefined) throw damage
      reading.get('SELECT 1 AS one FROM "Access"', [])
    },

    async keyByDigest(digest) {
      const found = reading.get('SELECT "Workspace" AS number, "KeyID" AS id FROM "Key" WHERE "Digest" = ?', [digest])
      const workspace = found && workspaceWith('"Number"', found.number as number)
      if (!workspace) return undefined
      const key = getRecord(reading, workspace.number, tableFor('Key'), found.id as string)
      const user = key && getRecord(reading, workspace.number, tableFor('User'), key.UserID as string)
      return key && user && { workspace, key, user }
    },

    async usersBelow(workspace, userId) {
      // CROSS JOIN fixes the join order: from each user found to those who report to them.
      const rows = reading.all(
        `WITH RECURSIVE below(id) AS (
          SELECT "UserID" FROM "User" WHERE "Workspace" = ?1 AND "ManagerID" = ?2
          UNION SELECT u."UserID" FROM below b CROSS JOIN "User" u WHERE u."Workspace" = ?1 AND u."ManagerID" = b.id
        ) SELECT id FROM below`,
        [workspace, userId],
      )
      return rows.map((row) => row.id as string)
    },

    accessVersion() {
      const now = Date.now()
      if (now - accessReadAt > ACCESS_MS) {
        accessVersion = reading.get('SELECT "Version" AS version FROM "Access"', [])?.version as number
        accessReadAt = now
      }
      return accessVersion
    },

    version: reading.version,
    refresh,

    async workspaces() {
      return reading.all(workspacesSql(), []).map((row) => workspaceOf(row as WorkspaceRow))
    },

    async workspace(which) {
      return workspaceWith(typeof which === 'number' ? '"Number"' : '"Name"', which)
    },

    async workspacesWith(type) {
      return reading.all(listedIn(type), []).map(({ number }) => number as number)
    },

    async workspacesAt(position) {
      return reading.all(WORKSPACES_AT, [position]).map(({ number }) => number as number)
    },

    async contents(workspace, mirrored = false) {
      const numbers = mirrored ? withMirror(workspace) : [workspace]
      const where = `"Workspace" IN (${numbers.map(() => '?')})`
      const counts = TABLES.all.map(({ name }) => [name, reading.get(`SELECT COUNT(*) AS n FROM ${quoted(name)} WHERE ${where}`, numbers)?.n])
      return Object.fromEntries(counts.filter(([, n]) => n !== 0))
    },

    async addWorkspace(name) {
      const added = await commits.write(FIRST_WORKSPACE, (writer) => writer.addWorkspace(newWorkspace(name, clock.newId())))
      return added && workspaceWith('"Name"', name)
    },

    async workspacesToErase() {
      return reading.all(TO_ERASE, [new Date().toISOString()]) as { number: number; name: string | null }[]
    },

    ...createErasure(reading, commits.transaction),

    async close() {
      watch.end()
      indexer.end()
      await pool?.close()
      await commits.idle()
      if (reading !== writing) reading.close()
      scrub.end()
      writing.close()
    },
  }
  return store
}

/** Creates the file readable by its owner only, since a store holds personal data. */
function createPrivately(path: string): void {
  makePrivateFolder(dirname(path))
  closeSync(openSync(path, 'a', 0o600))
}
