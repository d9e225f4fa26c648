import type { Reader, Writer } from '../../platform.ts'
import type { Link } from '../sql/chain.ts'
import type { Parameter } from '../sql/dialect.ts'
import type { Deltas } from '../sql/rollups.ts'
import type { Connection } from './connection.ts'
import type { KeyIndex } from './key-index.ts'

/** A record that has to be indexed anew for searches, whether it is there or not. */
export type Unindexed = readonly [workspace: number, type: string, id: string]

export type Clock = Pick<Writer, 'newId' | 'now'>

/** What all writes of one transaction share. */
export interface Transaction {
  /** Changes of the counters, applied before the commit. */
  readonly deltas: Deltas
  /** The records to be indexed anew, queued before the commit. */
  readonly unindexed: Unindexed[]
  /** The heads of the chains, by workspace. They are read again in each transaction, since other processes add to the chains too. */
  readonly heads: Map<number, Link>
  readonly keys: KeyIndex
  /** The number of the newest idempotency key, once one was looked up. */
  lastKey: number | undefined
  /** Gives reads their turn during a long write. */
  readonly pause: () => Promise<void> | undefined
}

/** What a transaction has done. */
export interface Done {
  /** Whether a user or key was written. */
  readonly access: boolean
  /** The workspaces in which changes were recorded. */
  readonly changed: ReadonlySet<number>
  /** Whether a record was erased. */
  readonly erased: boolean
  /** Whether records have to be indexed. */
  readonly queued: boolean
}

/** One write inside a transaction. */
export class Work {
  readonly connection: Connection
  readonly reader: Reader
  readonly workspace: number
  readonly clock: Clock
  readonly transaction: Transaction
  /** Whether anything was written, so that a failure needs a rollback. */
  touched = false
  access = false
  changes = false
  erased = false
  /** Further workspaces that count as changed. */
  readonly notified = new Set<number>()
  private readonly readerOf: (workspace: number) => Reader
  private readonly further: Work[] = []
  private over = false
  private fault: unknown

  constructor(connection: Connection, readerOf: (workspace: number) => Reader, workspace: number, clock: Clock, transaction: Transaction) {
    this.connection = connection
    this.readerOf = readerOf
    this.reader = readerOf(workspace)
    this.workspace = workspace
    this.clock = clock
    this.transaction = transaction
  }

  /** The same write in another workspace or mirror, which ends with it. */
  inWorkspace(number: number): Work {
    const work = new Work(this.connection, this.readerOf, number, this.clock, this.transaction)
    this.further.push(work)
    return work
  }

  /** Returns the number of rows changed. */
  run(sql: string, bind: readonly Parameter[]): number {
    if (this.over) throw this.fault ?? new Error('This write has ended: it did not await all of its statements.')
    this.touched = true
    try {
      return this.connection.run(sql, bind)
    } catch (error) {
      // SQLite may have rolled back by itself, so that later statements would be committed on their own.
      throw this.failed(error)
    }
  }

  private failed(error: unknown): unknown {
    this.over = true
    this.fault = error
    return error
  }

  /** Inserts one row. Throws where the file did not take it, as a trigger could arrange without an error. */
  insert(sql: string, bind: readonly Parameter[]): void {
    if (this.run(sql, bind) !== 1) throw this.failed(new Error('A row was not inserted, although SQLite reported no error. Run crm doctor.'))
  }

  /** Ends the write: a later statement would fall into another transaction, or into none. Throws an error that the work has swallowed. */
  end(error?: unknown): void {
    const swallowed = error === undefined ? this.fault : undefined
    this.over = true
    this.fault ??= error
    for (const one of this.further) {
      one.end(error)
      this.touched ||= one.touched
      this.access ||= one.access
      this.erased ||= one.erased
    }
    if (swallowed !== undefined) throw swallowed
  }
}
