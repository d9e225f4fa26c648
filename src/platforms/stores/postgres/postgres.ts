import { CrmError } from '../../../contract/errors.ts'
import { FIRST_WORKSPACE } from '../../../contract/records/workspace.ts'
import { whileUsed } from '../../../helpers/idle-cache.ts'
import { Locks } from '../../../helpers/locks.ts'
import { singleFlight } from '../../../helpers/single-flight.ts'
import type { Budget, SearchQuery } from '../../platform.ts'
import type { Store, Workspace } from '../../store.ts'
import { mirrorOf, withMirror } from '../mirror.ts'
import { withOwnFields } from '../own-fields.ts'
import { createClock } from '../sql/ids.ts'
import { createLongReads } from '../sql/long-reads.ts'
import { addedRemark } from '../sql/missing.ts'
import { WORKSPACES_AT } from '../sql/positions.ts'
import { hitsOf } from '../sql/search-hits.ts'
import { SUPPORTS } from '../sql/supports.ts'
import { quoted } from '../sql/tables.ts'
import { listedIn, namedCells, newWorkspace, TO_ERASE, workspaceOf, workspacesSql } from '../sql/workspaces.ts'
import { BACKGROUND, readAddress } from './address.ts'
import { createAppend } from './append.ts'
import { createErasure } from './erasure.ts'
import { asTooExpensive, isMisconfigured, knownFault, MISCONFIGURED } from './errors.ts'
import { type Lease, startHeartbeat } from './heartbeat.ts'
import { lookUpBatched } from './idempotency-keys.ts'
import { createJournalReader } from './journal.ts'
import { migrate } from './migrations.ts'
import { type Ask, createHosts, createPool, type Pool, WrongServer } from './pool.ts'
import { createRateLimits } from './rate-limits.ts'
import { createReader, getRecord } from './reader.ts'
import { createRecount } from './recount.ts'
import { createReindex } from './reindex.ts'
import { matches } from './search.ts'
import { createSearchIndexer } from './search-indexer.ts'
import { createSequencer } from './sequencer.ts'
import { createSweep } from './sweep.ts'
import { TABLES, tableFor } from './tables.ts'
import { Work } from './work.ts'
import { PostgresWriter } from './writer.ts'

const POOLED =
  'The database is reached through a connection pooler: statements are not prepared, and changes by other processes are seen within a second instead of at once.'

/** Opens a store in a database, and creates or upgrades it as needed. Any number of processes may have it open. */
export async function openPostgres(url: string, now?: () => number): Promise<Store> {
  const address = readAddress(url)
  const hosts = createHosts(address)
  const pool = createPool(address, hosts, address.pool)
  // Not from the calls' pool: a write may hold one of its connections while it waits for numbers.
  const numberingPool = createPool(address, hosts, address.numbering)
  const background = createPool(address, hosts, BACKGROUND)
  const closing = new AbortController()
  const clock = createClock(now)
  const ask: Ask = (sql, bind) => pool.read(sql, bind)
  const inTurn = createLongReads(Math.max(2, Math.floor(address.pool / 4)))
  const askLong = (budget?: Budget): Ask => {
    return (sql, bind) => inTurn(budget, () => pool.read(sql, bind, budget?.signal).catch(asTooExpensive))
  }
  const lease = leaseOn(pool)

  async function workspaces(where?: string, bind: readonly (number | string)[] = []): Promise<Workspace[]> {
    return (await ask(workspacesSql(where), bind)).map((cells) => workspaceOf(namedCells(cells)))
  }

  async function workspace(which: number | string): Promise<Workspace | undefined> {
    return (await workspaces(` WHERE ${typeof which === 'number' ? '"Number"' : '"Name"'} = ?`, [which]))[0]
  }

  const sequence = createSequencer(numberingPool, address.statementMs, closing.signal, (workspace) => heartbeat.numbered(workspace))
  let added: readonly string[] = []
  let secret = ''
  const heartbeat = await begin()

  async function closePools(): Promise<void> {
    await Promise.all([pool.close(), numberingPool.close(), background.close()])
  }

  async function begin() {
    try {
      added = await migrate(pool)
      secret = (await ask('SELECT "Value" FROM "Secret"', []))[0]?.[0] as string
      // Event reads number too: half of the connections are left to them.
      const atOnce = Math.max(1, Math.floor(address.numbering / 2))
      return await startHeartbeat({ address, hosts, pool, background, sequence, atOnce, lease })
    } catch (error) {
      await closePools()
      if (error instanceof WrongServer) throw new CrmError('unsupported', error.message)
      throw isMisconfigured(error) ? new CrmError('invalid_input', (error as Error).message, { cause: error, hint: MISCONFIGURED }) : error
    }
  }

  const indexer = createSearchIndexer(pool, background, lease)
  const readers = whileUsed((workspace: number) => createReader(ask, workspace))
  const shared = whileUsed((workspace: number) => ({ clock, sequence, lookUp: lookUpBatched(ask, workspace), append: createAppend(pool), locks: new Locks() }))

  const store: Store = {
    name: 'postgres',
    supports: { ...SUPPORTS, ordered: false },
    secret,
    remark: pool.isPooled() ? POOLED : addedRemark(added),

    reader: (workspace, { budget } = {}) => {
      const reader = readers(workspace)(askLong(budget))
      const searching = async (query: SearchQuery) => matches(askLong(budget), workspace, query, await indexer.catchUp(workspace))
      return {
        ...reader,
        async find(type, query) {
          if (type === 'Change') await sequence(workspace)
          return reader.find(type, query)
        },
        search: async (query) => hitsOf(await searching(query), query, reader.getAll),
        matches: searching,
      }
    },

    async write(workspace, work) {
      const share = shared(workspace)
      const transaction = new Work(pool, share.append)
      const writer = new PostgresWriter(transaction, workspace, shared)
      try {
        const value = await work(writer)
        writer.finish()
        await transaction.commit()
        heartbeat.committed(workspace, transaction)
        indexer.committed()
        return value
      } catch (error) {
        await transaction.rollback()
        throw error
      } finally {
        writer.end()
      }
    },

    mirror: (workspace, options) => store.reader(mirrorOf(workspace), options),

    eraseMirror: (workspace, signal) => store.eraseRows(mirrorOf(workspace), signal),
    recountMirror: createRecount(background),
    reindexMirror: createReindex(background),

    withOwnFields: (fields) => withOwnFields(store, fields),

    journal: whileUsed((workspace) => createJournalReader(ask, workspace, sequence)),

    watch: heartbeat.watch,
    lease,
    takeFromRateLimit: createRateLimits(ask),
    sweep: singleFlight(createSweep(background)),
    classify: knownFault,

    async ping() {
      await pool.query('SELECT 1 FROM "Pulse" LIMIT 1')
    },

    async keyByDigest(digest) {
      const [place] = await ask('SELECT "Workspace", "KeyID" FROM "KeyPlace" WHERE "Digest" = ?', [digest])
      if (!place) return undefined
      const [number, id] = place as [number, string]
      const key = await getRecord(ask, number, tableFor('Key'), id)
      const user = key && (await getRecord(ask, number, tableFor('User'), key.UserID as string))
      const its = user && (await workspace(number))
      return key && user && its && { workspace: its, key, user }
    },

    async usersBelow(workspace, userId) {
      const rows = await ask(
        `WITH RECURSIVE below(id) AS (
          SELECT "UserID" FROM "User" WHERE "Workspace" = ? AND "ManagerID" = ?
          UNION SELECT u."UserID" FROM below b JOIN "User" u ON u."Workspace" = ? AND u."ManagerID" = b.id
        ) SELECT id FROM below`,
        [workspace, userId, workspace],
      )
      return rows.map(([id]) => id as string)
    },

    accessVersion: heartbeat.accessVersion,
    workspaces: () => workspaces(),
    workspace,

    async workspacesWith(type) {
      return (await ask(listedIn(type), [])).map(([number]) => number as number)
    },

    async workspacesAt(position) {
      return (await ask(WORKSPACES_AT, [position])).map(([number]) => number as number)
    },

    async contents(workspace, mirrored = false) {
      const numbers = mirrored ? withMirror(workspace) : [workspace]
      const counts = TABLES.all.map(async ({ name }) => {
        const [row] = await ask(`SELECT COUNT(*) FROM ${quoted(name)} WHERE "Workspace" IN (${numbers.map(() => '?')})`, numbers)
        return [name, Number(row?.[0])] as const
      })
      return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0))
    },

    async addWorkspace(name) {
      const added = await store.write(FIRST_WORKSPACE, (writer) => writer.addWorkspace(newWorkspace(name, clock.newId())))
      return added && workspace(name)
    },

    async workspacesToErase() {
      return (await ask(TO_ERASE, [new Date().toISOString()])).map(([number, name]) => ({ number: number as number, name: name as string | null }))
    },

    ...createErasure(background, pool, (version) => heartbeat.committed(FIRST_WORKSPACE, version)),

    async close() {
      closing.abort()
      await indexer.end()
      await heartbeat.end()
      await closePools()
    },
  }
  return store
}

/** Takes or renews a lease. A process never waits for another that is doing the same: SKIP LOCKED leaves the lease to that one. */
function leaseOn(pool: Pool): Lease {
  return async (name, holder, ms) => {
    await pool.query('INSERT INTO "Lease" ("Name", "Holder", "Until") VALUES (?, ?, now()) ON CONFLICT DO NOTHING', [name, holder])
    const { count } = await pool.query(
      `UPDATE "Lease" SET "Holder" = ?, "Until" = now() + CAST(? AS DOUBLE PRECISION) * INTERVAL '1 millisecond'
        WHERE "Name" = (SELECT "Name" FROM "Lease" WHERE "Name" = ? AND ("Holder" = ? OR "Until" <= now()) FOR UPDATE SKIP LOCKED)`,
      [holder, ms, name, holder],
    )
    return count > 0
  }
}
