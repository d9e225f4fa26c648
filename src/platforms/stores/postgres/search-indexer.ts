import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { workspacesIn } from '../sql/workspaces.ts'
import type { Lease } from './heartbeat.ts'
import type { Pool } from './pool.ts'
import type { Unindexed } from './search.ts'
import { backfill, indexQueued, lockIndex, tryLockIndex } from './search-index.ts'
import { Work } from './work.ts'

/** How often each process tries to get or renew the lease of the one that indexes, and how long it lasts. */
const CHECK_MS = 1_000
const LEASE_MS = 10_000

/** Records that are indexed in one transaction, and how many times as long as that the process rests: while it writes, and otherwise. */
const SLICE = 50
const REST_WHILE_WRITING = 40
const REST = 2

/** How much of the queue a search indexes before it begins, and how many of the newest beyond that it compares itself: what its caller has just written is among them. */
const BEFORE_SEARCH = 300

const ANY = 'SELECT 1 FROM "SearchQueue" WHERE "Workspace" = ? LIMIT 1'
const NEWEST = 'SELECT "RecordType", "RecordID" FROM "SearchQueue" WHERE "Workspace" = ? ORDER BY "Arrived" DESC LIMIT ?'
const QUEUES = ['SearchQueue', 'SearchFill'].map((table) => workspacesIn(table))
const HAS_WORK = 'SELECT EXISTS (SELECT 1 FROM "SearchQueue" WHERE "Workspace" = ?) OR EXISTS (SELECT 1 FROM "SearchFill" WHERE "Workspace" = ?)'

/**
 * Indexes in the background what was written, and then what a backfill has yet to do. A slice is one transaction, which takes from the queue what it indexes: a crash
 * leaves both or neither. One process does it, under a lease; a search in any process does what it needs itself.
 */
export function createSearchIndexer(pool: Pool, background: Pool, lease: Lease) {
  const holder = randomUUID()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let ended = false
  let commits = 0

  function schedule(ms: number): void {
    if (ended) return
    timer = setTimeout(() => {
      running = round()
        // The database may be away for a while: calls report that. It is tried again.
        .catch(() => {})
        .finally(() => {
          running = undefined
          schedule(CHECK_MS)
        })
    }, ms).unref()
  }

  async function round(): Promise<void> {
    if (!(await lease('search', holder, LEASE_MS))) return
    const waiting = await Promise.all(QUEUES.map(async (sql) => (await background.query(sql)).rows.map(([number]) => number as number)))
    for (const workspace of new Set(waiting.flat())) {
      let renewAt = performance.now() + LEASE_MS / 2
      while (!ended && (await background.query(HAS_WORK, [workspace, workspace])).rows[0]?.[0] === true) {
        const before = commits
        const began = performance.now()
        await inTransaction(background, async (work) => {
          if (!(await tryLockIndex(work, workspace))) return
          if ((await indexQueued(work, workspace, SLICE)) === 0) await backfill(work, workspace, SLICE)
        })
        await rest((commits > before ? REST_WHILE_WRITING : REST) * (performance.now() - began))
        if (performance.now() < renewAt) continue
        if (!(await lease('search', holder, LEASE_MS))) return
        renewAt = performance.now() + LEASE_MS / 2
      }
    }
  }

  const ending = new AbortController()
  const rest = (ms: number) => pause(Math.min(ms, LEASE_MS / 4), undefined, { ref: false, signal: ending.signal }).catch(() => {})

  schedule(CHECK_MS)

  return {
    /** Called after each commit of this process. */
    committed(): void {
      commits++
    },

    /** Indexes what was written, so that a search finds it, and resolves to the newest of what is left. A store that cannot be written to is searched as it is. */
    async catchUp(workspace: number): Promise<Unindexed> {
      const unindexed = new Map<string, string[]>()
      try {
        if ((await pool.read(ANY, [workspace])).length === 0) return unindexed
        await inTransaction(pool, async (work) => {
          await lockIndex(work, workspace)
          await indexQueued(work, workspace, BEFORE_SEARCH)
        })
      } catch {
        // The search reports it, if it cannot read either.
      }
      for (const [type, id] of await pool.read(NEWEST, [workspace, BEFORE_SEARCH]))
        unindexed.set(type as string, [...(unindexed.get(type as string) ?? []), id as string])
      return unindexed
    },

    async end(): Promise<void> {
      ended = true
      clearTimeout(timer)
      ending.abort()
      await running
    },
  }
}

export async function inTransaction<T>(pool: Pool, work: (work: Work) => Promise<T>): Promise<T> {
  const transaction = new Work(pool)
  try {
    const done = await work(transaction)
    await transaction.commit()
    return done
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
