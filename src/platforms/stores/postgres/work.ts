import type { Parameter } from '../sql/dialect.ts'
import { CommitUnknown, isLost, isRefusal } from './errors.ts'
import { insertsOf, type Row, type Statement } from './inserts.ts'
import type { Answer, Pool, Rows, Session } from './pool.ts'

/** Commits rows that depend on nothing, together with others'. */
export type Append = (rows: readonly Row[]) => Promise<void>

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'
const OVER = 'This write is over: it did not wait for all that it does.'

/**
 * One transaction. What it writes waits until something is asked or all is committed, and then goes to the database in one go:
 * a write that asks nothing takes one round trip.
 */
export class Work {
  /** Whether a user or key was written, and whether a change was recorded. */
  access = false
  changes = false
  private readonly pool: Pool
  private readonly append: Append | undefined
  private session: Session | undefined
  private waiting: (Statement | Row)[] = []
  private last: Row[] = []
  /** Why nothing of this can be committed any more. */
  private failure: unknown
  private begun = false
  private over = false

  constructor(pool: Pool, append?: Append) {
    this.pool = pool
    this.append = append
  }

  /** Whether nothing was asked or written yet. */
  get isUntouched(): boolean {
    return this.session === undefined && this.waiting.length + this.last.length === 0
  }

  /** Adds a row, sooner or later. */
  add(row: Row): void {
    if (this.over) throw new Error(OVER)
    this.waiting.push(row)
  }

  /** Adds a row after all others: which of two transactions adds its own first shall say, as nearly as can be, which of them commits first. */
  addLast(row: Row): void {
    if (this.over) throw new Error(OVER)
    this.last.push(row)
  }

  /** From here on the rows that come last are no longer put off. */
  bringForward(): void {
    this.waiting.push(...this.last)
    this.last = []
  }

  /** Writes something, sooner or later. */
  run(sql: string, bind: readonly Parameter[]): void {
    if (this.over) throw new Error(OVER)
    this.waiting.push({ sql, bind })
  }

  /** Asks something, after all that was written before. */
  async ask(sql: string, bind: readonly Parameter[]): Promise<Rows> {
    return (await this.now(sql, bind)).rows
  }

  /** Writes something at once, to learn how many rows it was. */
  async now(sql: string, bind: readonly Parameter[]): Promise<Answer> {
    if (this.over) throw new Error(OVER)
    const ends = await this.send({ sql, bind })
    const last = ends.at(-1)
    if (last?.status === 'fulfilled') return last.value
    this.failure = reasonOf(ends)
    throw this.failure
  }

  private async send(last: Statement): Promise<PromiseSettledResult<Answer>[]> {
    this.session ??= await this.pool.session()
    const { session } = this
    const statements = [...(this.begun ? [] : [{ sql: BEGIN, bind: [] }]), ...statementsOf(this.waiting), last]
    this.waiting = []
    this.begun = true
    return Promise.allSettled(statements.map(({ sql, bind }) => session.query(sql, bind)))
  }

  async commit(): Promise<void> {
    this.bringForward()
    this.over = true
    if (this.failure !== undefined) {
      await this.rollback()
      throw this.failure
    }
    if (!this.begun && this.waiting.length === 0) return
    if (this.append && !this.begun && this.waiting.every(isRow)) return this.append(this.waiting as Row[])
    const ends = await this.send({ sql: 'COMMIT', bind: [] })
    const last = ends.at(-1)
    const { session } = this
    // Whatever has become of it, there is nothing left to roll back, and the connection is for others.
    this.session = undefined
    if (last?.status === 'fulfilled' && last.value.command === 'COMMIT') return session?.release()
    const error = reasonOf(ends)
    session?.release(error)
    // What the database has refused before the commit is not committed; of what was lost on the way nobody knows.
    const refused = ends.slice(0, -1).some((end) => end.status === 'rejected' && isRefusal(end.reason))
    throw refused || !isLost(error) ? error : new CommitUnknown('The outcome of the commit is unknown.', { cause: error })
  }

  async rollback(): Promise<void> {
    this.over = true
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

/** The first failure is the reason for all that follow. */
function reasonOf(ends: readonly PromiseSettledResult<Answer>[]): unknown {
  const failed = ends.find((end) => end.status === 'rejected')
  return failed ? failed.reason : new Error('The database did not commit.')
}

const isRow = (one: Statement | Row): one is Row => 'into' in one

/** In order; rows that follow each other are added in as few statements as there are tables. */
function statementsOf(waiting: readonly (Statement | Row)[]): Statement[] {
  const statements: Statement[] = []
  let rows: Row[] = []
  for (const one of waiting) {
    if (isRow(one)) rows.push(one)
    else {
      statements.push(...insertsOf(rows), one)
      rows = []
    }
  }
  return [...statements, ...insertsOf(rows)]
}
