import type { Reader, StoreWriter } from '../platform.ts'
import type { Parameter } from '../sql/conditions.ts'
import { BUSY, type Connection, sqliteCode } from './connection.ts'
import type { Log } from './log.ts'
import { type Clock, type Done, type Transaction, Work } from './work.ts'
import { applyDeltas, SqliteWriter } from './writer.ts'

interface Job {
  readonly workspace: number
  readonly work: (piece: Work) => Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Who has to know of a commit. */
interface Told {
  beforeCommit(): void
  afterCommit(done: Done): void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

interface Ended {
  readonly outcomes: readonly Outcome[]
  /** Whether there is anything for the disk to keep. */
  readonly touched: boolean
}

/** How long a group may grow before it begins, and how many writes may join one that waits for the disk. */
const GATHER_MS = 2
const MOST = 2000

/** How long a write waits for another process to finish its own. */
const PATIENCE_MS = 5000

/**
 * Commits in groups: writes that arrive together share one transaction and one sync to disk, and each is answered only once it
 * is safe there. The disk is waited for beside the event loop; meanwhile the next group is carried out, and committed when the
 * one before is safe. A write that fails before it touched anything harms nobody. When one fails later, or the commit itself
 * does, the whole group is rolled back and each write is carried out again in a transaction of its own.
 */
export function createCommits(connection: Connection, reader: (workspace: number) => Reader, clock: Clock, log: Log, tell: Told) {
  let waiting: Job[] = []
  let running: Promise<void> | undefined
  /** The sync of the last group, while it lasts. */
  let syncing: Promise<void> | undefined
  let onArrival = () => {}

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      if (!syncing) await gather()
      await carryOut(arrived())
    }
    running = undefined
  }

  function arrived(): Job[] {
    const jobs = waiting
    waiting = []
    return jobs
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

  /** What arrives while the group before is not safe yet joins this one, which cannot be committed anyhow. */
  async function joining(group: readonly Job[]): Promise<Job[]> {
    if (!syncing || group.length > MOST) return []
    const arrival = new Promise<void>((resolve) => {
      onArrival = resolve
    })
    if (waiting.length === 0) await Promise.race([syncing, arrival])
    return arrived()
  }

  async function carryOut(group: Job[]): Promise<void> {
    let ended: Ended
    try {
      await log.ready()
      ended = (await transaction(group, false)) ?? (await oneByOne(group))
    } catch (error) {
      // Whoever could not begin together will not fare better one after the other.
      ended = group.length === 1 || sqliteCode(error) === BUSY ? { outcomes: group.map(() => ({ error })), touched: false } : await oneByOne(group)
    }
    await syncing
    if (!ended.touched) return answer(group, ended.outcomes)
    syncing = log
      .sync()
      .then(
        () => answer(group, ended.outcomes),
        (error: unknown) =>
          answer(
            group,
            ended.outcomes.map((outcome) => ('error' in outcome ? outcome : { error })),
          ),
      )
      .finally(() => {
        syncing = undefined
      })
  }

  function answer(group: readonly Job[], outcomes: readonly Outcome[]): void {
    for (const [i, job] of group.entries()) {
      const outcome = outcomes[i] as Outcome
      if ('error' in outcome) job.reject(outcome.error)
      else job.resolve(outcome.value)
    }
  }

  async function oneByOne(group: readonly Job[]): Promise<Ended> {
    const outcomes: Outcome[] = []
    let touched = false
    for (const job of group) {
      try {
        const ended = (await transaction([job], true)) as Ended
        outcomes.push(ended.outcomes[0] as Outcome)
        touched ||= ended.touched
      } catch (error) {
        outcomes.push({ error })
      }
    }
    return { outcomes, touched }
  }

  /** Undefined when one write failed after it had touched something, and so spoiled the transaction for the rest. Unless alone, others may join the group. */
  async function transaction(group: Job[], alone: boolean): Promise<Ended | undefined> {
    await begin()
    try {
      const outcomes: Outcome[] = []
      const shared: Transaction = { deltas: new Map(), heads: new Map() }
      let [touched, access, changes, erased] = [false, false, false, false]
      for (let i = 0; i < group.length || (!alone && (await grows(group))); i++) {
        const job = group[i] as Job
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
            return alone ? { outcomes: [{ error }], touched: false } : undefined
          }
          outcomes.push({ error })
        }
      }
      applyDeltas(connection, shared.deltas)
      tell.beforeCommit()
      connection.exec(touched ? 'COMMIT' : 'ROLLBACK')
      tell.afterCommit({ access, changes, erased })
      return { outcomes, touched }
    } catch (error) {
      rollback()
      throw error
    }
  }

  async function grows(group: Job[]): Promise<boolean> {
    const jobs = await joining(group)
    group.push(...jobs)
    return jobs.length > 0
  }

  /** Waits for other processes without holding up this one's reads. */
  async function begin(): Promise<void> {
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
      onArrival()
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
      await syncing
    },
  }
}
