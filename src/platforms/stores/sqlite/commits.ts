import { FairQueue } from '../../../helpers/fair-queue.ts'
import { Turns } from '../../../helpers/turns.ts'
import type { Budget, Reader } from '../../platform.ts'
import type { StoreWriter } from '../../store.ts'
import type { Parameter } from '../sql/dialect.ts'
import { BUSY, type Connection, sqliteCode } from './connection.ts'
import { KeyIndex } from './key-index.ts'
import { alterationCheck } from './schema-check.ts'
import { queueForSearch } from './search-index.ts'
import { type Clock, type Done, type Transaction, Work } from './work.ts'
import { applyDeltas, SqliteWriter } from './writer.ts'

interface Job {
  readonly workspace: number
  readonly share: string
  readonly budget: Budget | undefined
  readonly work: (piece: Work) => Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** What the store does around a commit. */
interface Hooks {
  /** The error by which the file turned out to be damaged: nothing is written any more, since writing could spread the damage. */
  damage(): unknown
  beforeCommit(): void
  /** Whether reads on another connection can run while a transaction is open, and do not see it. */
  readonly isolated: boolean
  afterCommit(done: Done): void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** How long a group may wait for further writes. */
const GATHER_MS = 2

/** How long a transaction takes further writes once it has those of several callers: none waits much longer than this for the writes of others. */
const GROUP_MS = 5

/** How long a write waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Group commit: writes that arrive together share one transaction and one sync to disk, and each resolves only after the commit. Callers
 * take turns in a group; the writes of one are in the order in which it has sent them. A write
 * that fails before it has changed anything does not affect the others. When one fails later, or the commit fails, the whole group is
 * rolled back and each write is run again in a transaction of its own.
 */
export function createCommits(connection: Connection, reader: (workspace: number) => Reader, clock: Clock, hooks: Hooks) {
  const keys = new KeyIndex()
  const refuseAltered = alterationCheck(connection)
  const waiting = new FairQueue<Job>()
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather()
      await commit()
    }
    running = undefined
  }

  /** Lets further writes join the group, as long as each turn of the event loop brings more of them. */
  async function gather(): Promise<void> {
    const deadline = performance.now() + GATHER_MS
    let before: number
    do {
      before = waiting.length
      await new Promise(setImmediate)
    } while (waiting.length > before && performance.now() < deadline)
  }

  async function commit(): Promise<void> {
    const group: Job[] = []
    const shares = new Set<string>()
    const ends = performance.now() + GROUP_MS
    const next = () => {
      const job = shares.size > 1 && performance.now() >= ends ? undefined : waiting.shift()
      if (job) shares.add(job.share)
      if (job) group.push(job)
      return job
    }
    let outcomes: Outcome[]
    try {
      outcomes = (await transaction(next)) ?? (await oneByOne(group))
    } catch (error) {
      // Where no transaction could begin, because another process has the lock or the file is at fault, all that wait fail with it.
      const couldNotBegin = group.length === 0
      if (couldNotBegin) for (let job = waiting.shift(); job; job = waiting.shift()) group.push(job)
      outcomes = couldNotBegin || group.length === 1 ? group.map(() => ({ error })) : await oneByOne(group)
    }
    for (const [i, job] of group.entries()) {
      const outcome = outcomes[i] as Outcome
      if ('error' in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value)
    }
  }

  async function oneByOne(group: readonly Job[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const job of group) {
      const once = [job]
      try {
        const attempt = await transaction(() => once.pop(), true)
        outcomes.push(attempt?.[0] as Outcome)
      } catch (error) {
        outcomes.push({ error })
      }
    }
    return outcomes
  }

  /** Resolves to undefined when one of several writes failed after it had changed something: the transaction was rolled back. */
  async function transaction(next: () => Job | undefined, single = false): Promise<Outcome[] | undefined> {
    await begin()
    try {
      refuseAltered()
      const outcomes: Outcome[] = []
      const turns = new Turns()
      // Reads have their turn while the transaction is open.
      const pause = () => (hooks.isolated ? turns.pause() : undefined)
      const shared: Transaction = { deltas: new Map(), unindexed: [], heads: new Map(), keys, lastKey: undefined, pause }
      let [touched, access, erased] = [false, false, false]
      const changed = new Set<number>()
      for (let job = next(); job; job = next()) {
        const paused = pause()
        if (paused) await paused
        if (job.budget?.isOver) {
          outcomes.push({ error: job.budget.signal.reason })
          continue
        }
        const piece = new Work(connection, reader, job.workspace, clock, shared)
        try {
          const value = await job.work(piece)
          piece.end()
          outcomes.push({ value })
          touched ||= piece.touched
          access ||= piece.access
          if (piece.changes) changed.add(job.workspace)
          for (const workspace of piece.notified) changed.add(workspace)
          erased ||= piece.erased
        } catch (error) {
          piece.end(error)
          if (piece.touched) {
            rollback()
            return single ? [{ error }] : undefined
          }
          outcomes.push({ error })
        }
      }
      applyDeltas(connection, shared.deltas)
      queueForSearch(connection, shared.unindexed)
      hooks.beforeCommit()
      connection.exec(touched ? 'COMMIT' : 'ROLLBACK')
      if (touched && shared.lastKey !== undefined) keys.committed(shared.lastKey)
      hooks.afterCommit({ access, changed, erased, queued: shared.unindexed.length > 0 })
      return outcomes
    } catch (error) {
      rollback()
      throw error
    }
  }

  /** Waits for other processes without blocking the event loop, as SQLite's own busy timeout would. */
  async function begin(): Promise<void> {
    const damage = hooks.damage()
    if (damage !== undefined) throw damage
    const deadline = Date.now() + BUSY_TIMEOUT_MS
    for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
      try {
        return connection.exec('BEGIN IMMEDIATE')
      } catch (error) {
        if (sqliteCode(error) !== BUSY || Date.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  /** SQLite has rolled back by itself after some errors. */
  function rollback(): void {
    if (connection.database.isTransaction) connection.exec('ROLLBACK')
  }

  function enqueue<T>(workspace: number, work: (piece: Work) => Promise<T>, budget?: Budget): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const share = budget?.share ?? ''
      waiting.push(share, { share, workspace, work, budget, resolve: resolve as (value: unknown) => void, reject })
      running ??= drain()
    })
  }

  return {
    write: <T>(workspace: number, work: (writer: StoreWriter) => Promise<T>, budget?: Budget) =>
      enqueue(workspace, (piece) => work(new SqliteWriter(piece)), budget),
    /** Runs one statement outside of any workspace. Resolves to the number of rows changed. */
    run: (sql: string, bind: readonly Parameter[]) => enqueue(0, async (piece) => piece.run(sql, bind)),
    /** Runs several statements outside of any workspace in one transaction. */
    transaction: <T>(work: (piece: Work) => T) => enqueue(0, async (piece) => work(piece)),
    /** Resolves when no write is pending. */
    async idle(): Promise<void> {
      await running
    },
  }
}
