import type { Parameter } from '../sql/dialect.ts'
import { CommitUnknown, isLost, isRefusal } from './errors.ts'
import { insertsOf, type Row, type Statement } from './inserts.ts'
import type { Answer, Pool, Rows, Session } from './pool.ts'

/** Commits rows that depend on no read, together with those of other writes. */
export type Append = (rows: readonly Row[]) => Promise<void>

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'
const ENDED = 'This write has ended: it did not await all of its statements.'

/**
 * One transaction. Statements that only write are queued until something is read or the commit, and then sent together: a write that
 * reads nothing takes one round trip.
 */
export class Work {
  /** Whether a user or key was written, and whether a change was recorded. */
  access = false
  changes = false
  /** Further workspaces whose listeners are called. */
  readonly notified = new Set<number>()
  private readonly pool: Pool
  private readonly append: Append | undefined
  private session: Session | undefined
  private queue: (Statement | Row)[] = []
  private last: Row[] = []
  /** The error after which the transaction can no longer be committed. */
  private failure: unknown
  private begun = false
  private ended = false

  constructor(pool: Pool, append?: Append) {
    this.pool = pool
    this.append = append
  }

  /** Whether nothing was read or written yet. */
  get isUntouched(): boolean {
    return this.session === undefined && this.queue.length + this.last.length === 0
  }

  /** Queues the insertion of a row. */
  add(row: Row): void {
    if (this.ended) throw new Error(ENDED)
    this.queue.push(row)
  }

  /** Queues the insertion of a row after all others, so that the order of insertion is as close as possible to the order of commits. */
  addLast(row: Row): void {
    if (this.ended) throw new Error(ENDED)
    this.last.push(row)
  }

  /** Moves the rows of `addLast` into the queue, so that the next read sees them. */
  bringForward(): void {
    this.queue.push(...this.last)
    this.last = []
  }

  /** Queues a statement. */
  run(sql: string, bind: readonly Parameter[]): void {
    if (this.ended) throw new Error(ENDED)
    this.queue.push({ sql, bind })
  }

  /** Sends the queue and then a query, and resolves to its rows. */
  async ask(sql: string, bind: readonly Parameter[]): Promise<Rows> {
    return (await this.now(sql, bind)).rows
  }

  /** Sends the queue and then a statement at once, to learn how many rows it changed. */
  async now(sql: string, bind: readonly Parameter[]): Promise<Answer> {
    if (this.ended) throw new Error(ENDED)
    const results = await this.send({ sql, bind })
    const last = results.at(-1)
    if (last?.status === 'fulfilled') return last.value
    this.failure = reasonOf(results)
    throw this.failure
  }

  private async send(last: Statement): Promise<PromiseSettledResult<Answer>[]> {
    this.session ??= await this.pool.session()
    const { session } = this
    const statements = [...(this.begun ? [] : [{ sql: BEGIN, bind: [] }]), ...statementsOf(this.queue), last]
    this.queue = []
    this.begun = true
    return Promise.allSettled(statements.map(({ sql, bind }) => session.query(sql, bind)))
  }

  async commit(): Promise<void> {
    this.bringForward()
    this.ended = true
    if (this.failure !== undefined) {
      await this.rollback()
      throw this.failure
    }
    if (!this.begun && this.queue.length === 0) return
    if (this.append && !this.begun && this.queue.every(isRow)) return this.append(this.queue as Row[])
    const results = await this.send({ sql: 'COMMIT', bind: [] })
    const last = results.at(-1)
    const { session } = this
    // Whatever the outcome, there is nothing left to roll back, and the connection can be released.
    this.session = undefined
    if (last?.status === 'fulfilled' && last.value.command === 'COMMIT') return session?.release()
    const error = reasonOf(results)
    session?.release(error)
    // A statement that was refused before the COMMIT means that nothing is committed. When the connection was lost, the outcome is unknown.
    const refused = results.slice(0, -1).some((end) => end.status === 'rejected' && isRefusal(end.reason))
    throw refused || !isLost(error) ? error : new CommitUnknown('The outcome of the commit is unknown.', { cause: error })
  }

  async rollback(): Promise<void> {
    this.ended = true
    const { session } = this
    this.session = undefined
    if (!session) return
    if (this.failure !== undefined && isLost(this.failure)) return session.release(this.failure)
    try {
      if (this.begun) await session.query('ROLLBACK')
      session.release()
    } catch (error) {
      session.release(error)
    }
  }
}

/** The first failure is the cause of those that follow. */
function reasonOf(results: readonly PromiseSettledResult<Answer>[]): unknown {
  const failed = results.find((end) => end.status === 'rejected')
  return failed ? failed.reason : new Error('The database did not commit.')
}

const isRow = (one: Statement | Row): one is Row => 'into' in one

/** The queue as statements. Consecutive rows are inserted with one statement per table. */
function statementsOf(queue: readonly (Statement | Row)[]): Statement[] {
  const statements: Statement[] = []
  let rows: Row[] = []
  for (const one of queue) {
    if (isRow(one)) rows.push(one)
    else {
      statements.push(...insertsOf(rows), one)
      rows = []
    }
  }
  return [...statements, ...insertsOf(rows)]
}
