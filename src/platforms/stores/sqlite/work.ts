import type { Reader, Writer } from '../../platform.ts'
import type { Parameter } from '../sql/conditions.ts'
import type { Deltas } from '../sql/rollups.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './idempotency-keys.ts'
import type { Heads } from './journal.ts'

export type Clock = Pick<Writer, 'newId' | 'now'>

/** What all work of one transaction shares: what it does to the counters, to be applied before the commit, the ends of the chains, and the idempotency keys. */
export interface Transaction {
  readonly deltas: Deltas
  readonly heads: Heads
  readonly keys: Keys
  /** The number of the newest idempotency key, once somebody has asked for one. */
  lastKey: number | undefined
}

/** What a transaction has done. */
export interface Done {
  /** Whether a user or key was written. */
  readonly access: boolean
  /** Whether a change was recorded. */
  readonly changes: boolean
  /** Whether a record was erased. */
  readonly erased: boolean
}

/** One piece of work inside a transaction. A class, because one is made for every write. */
export class Work {
  readonly connection: Connection
  readonly reader: Reader
  readonly workspace: number
  readonly clock: Clock
  readonly transaction: Transaction
  /** Whether anything was written that only a rollback can take back. */
  touched = false
  access = false
  changes = false
  erased = false
  private over = false
  private fault: unknown

  constructor(connection: Connection, reader: Reader, workspace: number, clock: Clock, transaction: Transaction) {
    this.connection = connection
    this.reader = reader
    this.workspace = workspace
    this.clock = clock
    this.transaction = transaction
  }

  /** How many rows changed. */
  run(sql: string, bind: readonly Parameter[]): number {
    if (this.over) throw this.fault ?? new Error('This write is over: it did not wait for all that it does.')
    this.touched = true
    try {
      return this.connection.run(sql, bind)
    } catch (error) {
      // The store may have rolled back by itself, so that what follows would be written on its own.
      this.over = true
      this.fault = error
      throw error
    }
  }

  /** From here on nothing can be written: it would fall into another's transaction, or into none. Throws a fault that the work has passed over. */
  end(error?: unknown): void {
    const passedOver = error === undefined ? this.fault : undefined
    this.over = true
    this.fault ??= error
    if (passedOver !== undefined) throw passedOver
  }
}
