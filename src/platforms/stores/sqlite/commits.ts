import type { Reader } from '../../platform.ts'
import type { StoreWriter } from '../../store.ts'
import type { Parameter } from '../sql/dialect.ts'
import { BUSY, type Connection, sqliteCode } from './connection.ts'
import { KeyIndex } from './key-index.ts'
import { type Clock, type Done, type Transaction, Work } from './work.ts'
import { applyDeltas, SqliteWriter } from './writer.ts'

interface Job {
  readonly workspace: number
  readonly work: (piece: Work) => Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** What the store does around a commit. */
interface Hooks {
  /** The error by which the file turned out to be damaged: nothing is written any more, since writing could spread the damage. */
  damage(): unknown
  beforeCommit(): void
  afterCommit(done: Done): void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** How long a group may wait for further writes. */
const GATHER_MS = 2

/** How long a write waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Group commit: writes that arrive together share one transaction and one sync to disk, and each resolves only after the commit. A write
 * that fails before it has changed anything does not affect the others. When one fails later, or the commit fails, the whole group is
 * rolled back and each write is run again in a transaction of its own.
 */
export function createCommits(connection: Connection, reader: (workspace: number) => Reader, clock: Clock, hooks: Hooks) {
  const keys = new KeyIndex()
  let waiting: Job[] = []
  let running: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather()
      const group = waiting
      waiting = []
      await commit(group)
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

  async function commit(group: readonly Job[]): Promise<void> {
    let outcomes: Outcome[]
    try {
      outcomes = (await transaction(group)) ?? (await oneByOne(group))
    } catch (error) {
      // When the transaction could not begin because another process has the lock, separate ones would fail too.
      outcomes = group.length === 1 || sqliteCode(error) === BUSY ? group.map(() => ({ error })) : await oneByOne(group)
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
      try {
        const attempt = await transaction([job], true)
        outcomes.push(attempt?.[0] as Outcome)
      } catch (error) {
        outcomes.push({ error })
      }
    }
    return outcomes
  }

  /** Resolves to undefined when one of several writes failed after it had changed something: the transaction was rolled back. */
  async function transaction(group: readonly Job[], single = false): Promise<Outcome[] | undefined> {
    await begin()
    try {
      const outcomes: Outcome[] = []
      const shared: Transaction = { deltas: new Map(), heads: new Map(), keys, lastKey: undefined }
      let [touched, access, changes, erased] = [false, false, false, false]
      for (const job of group) {
        const piece = new Work(connection, reader(job.workspace), job.workspace, clock, shared)
        try {
          const value = await job.work(piece)
          piece.end()
          outcomes.push({ value })
          touched ||= piece.touched
          access ||= piece.access
          changes ||= piece.changes
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
      hooks.beforeCommit()
      connection.exec(touched ? 'COMMIT' : 'ROLLBACK')
      if (touched && shared.lastKey !== undefined) keys.committed(shared.lastKey)
      hooks.afterCommit({ access, changes, erased })
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

  function enqueue<T>(workspace: number, work: (piece: Work) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({ workspace, work, resolve: resolve as (value: unknown) => void, reject })
      running ??= drain()
    })
  }

  return {
    write: <T>(workspace: number, work: (writer: StoreWriter) => Promise<T>) => enqueue(workspace, (piece) => work(new SqliteWriter(piece))),
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
