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

/** How long a group may grow. */
const GATHER_MS = 2

/** How long a write waits for another process to finish its own. */
const PATIENCE_MS = 5000

/**
 * Commits in groups: writes that arrive together share one transaction and one sync to disk, and each is answered only
 * after the commit. A write that fails before it touched anything harms nobody. When one fails later, or the commit itself
 * does, the whole group is rolled back and each write is carried out again in a transaction of its own.
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
      await carryOut(group)
    }
    running = undefined
  }

  /** Lets writes that are on their way join the group, as long as each turn of the event loop brings more of them. */
  async function gather(): Promise<void> {
    const deadline = performance.now() + GATHER_MS
    let before: number
    do {
      before = waiting.length
      await new Promise(setImmediate)
    } while (waiting.length > before && performance.now() < deadline)
  }

  async function carryOut(group: readonly Job[]): Promise<void> {
    let outcomes: Outcome[]
    try {
      outcomes = (await transaction(group)) ?? (await oneByOne(group))
    } catch (error) {
      // Whoever could not begin together will not fare better one after the other.
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

  /** Undefined when one write failed after it had touched something, and so spoiled the transaction for the rest. */
  async function transaction(group: readonly Job[], alone = false): Promise<Outcome[] | undefined> {
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
            return alone ? [{ error }] : undefined
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

  /** Waits for other processes without holding up this one's reads. */
  async function begin(): Promise<void> {
    const damage = hooks.damage()
    if (damage !== undefined) throw damage
    const deadline = Date.now() + PATIENCE_MS
    for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
      try {
        return connection.exec('BEGIN IMMEDIATE')
      } catch (error) {
        if (sqliteCode(error) !== BUSY || Date.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  /** Some faults have already rolled back by themselves. */
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
    /** One statement that belongs to no workspace. Resolves to how many rows changed. */
    run: (sql: string, bind: readonly Parameter[]) => enqueue(0, async (piece) => piece.run(sql, bind)),
    /** Several that belong together. */
    together: <T>(work: (piece: Work) => T) => enqueue(0, async (piece) => work(piece)),
    /** Resolves when nothing is waiting to be written. */
    async settled(): Promise<void> {
      await running
    },
  }
}
