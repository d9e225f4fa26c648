import { CrmError } from '../../../contract/errors.ts'
import { Locks } from '../../../helpers/locks.ts'
import { memoise } from '../../../helpers/memoise.ts'
import { singleFlight } from '../../../helpers/single-flight.ts'
import type { Budget, SearchQuery } from '../../platform.ts'
import type { Store, Workspace } from '../../store.ts'
import { withOwnFields } from '../own-fields.ts'
import { createClock } from '../sql/ids.ts'
import { createLongReads } from '../sql/long-reads.ts'
import { addedRemark } from '../sql/missing.ts'
import { hitsOf } from '../sql/search-hits.ts'
import { SUPPORTS } from '../sql/supports.ts'
import { BACKGROUND, readAddress } from './address.ts'
import { createAppend } from './append.ts'
import { asTooExpensive, isMisconfigured, isRefusal, knownFault, MISCONFIGURED } from './errors.ts'
import { type Lease, startHeartbeat } from './heartbeat.ts'
import { lookUpBatched } from './idempotency-keys.ts'
import { createJournalReader } from './journal.ts'
import { migrate } from './migrations.ts'
import { type Ask, createHosts, createPool, type Pool, WrongServer } from './pool.ts'
import { createRateLimits } from './rate-limits.ts'
import { createReader, getRecord } from './reader.ts'
import { matches } from './search.ts'
import { createSearchIndexer } from './search-indexer.ts'
import { createSequencer } from './sequencer.ts'
import { createSweep } from './sweep.ts'
import { tableFor } from './tables.ts'
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
  const numbers = async () => (await workspaces()).map(({ number }) => number)

  async function workspaces(): Promise<Workspace[]> {
    return (await ask('SELECT "Number", "Name" FROM "Workspace" ORDER BY "Number"', [])).map(([number, name]) => ({
      number: number as number,
      name: name as string,
    }))
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
      return await startHeartbeat({ address, hosts, pool, background, sequence, atOnce, lease, workspaces: numbers })
    } catch (error) {
      await closePools()
      if (error instanceof WrongServer) throw new CrmError('unsupported', error.message)
      throw isMisconfigured(error) ? new CrmError('invalid_input', (error as Error).message, { cause: error, hint: MISCONFIGURED }) : error
    }
  }

  const indexer = createSearchIndexer(pool, background, lease, numbers)
  const readers = memoise((workspace: number) => createReader(ask, workspace))
  const shared = memoise((workspace: number) => ({ clock, sequence, lookUp: lookUpBatched(ask, workspace), append: createAppend(pool), locks: new Locks() }))

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
      const writer = new PostgresWriter(transaction, workspace, share)
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

    withOwnFields: (fields) => withOwnFields(store, fields),

    journal: memoise((workspace) => createJournalReader(ask, workspace, sequence)),

    watch: heartbeat.watch,
    lease,
    takeFromRateLimit: createRateLimits(ask),
    sweep: singleFlight(createSweep(background, numbers)),
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
      const workspace = (await workspaces()).find((one) => one.number === number)
      return key && user && workspace && { workspace, key, user }
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
    workspaces,

    async addWorkspace(name) {
      for (;;) {
        const all = await workspaces()
        if (all.some((one) => one.name === name)) return undefined
        const number = Math.max(0, ...all.map((one) => one.number)) + 1
        const work = new Work(pool)
        try {
          work.run('INSERT INTO "Workspace" ("Number", "Name", "CreatedDate") VALUES (?, ?, ?)', [number, name, clock.now()])
          work.run('INSERT INTO "Chain" ("Workspace") VALUES (?)', [number])
          await work.commit()
          return { number, name }
        } catch (error) {
          // Another process has just taken the number or the name.
          if (!(isRefusal(error) && knownFault(error)?.retryNow)) throw error
        }
      }
    },

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
