import type { Budget } from '../../platform.ts'
import type { Parameter } from '../sql/dialect.ts'
import { type Connection, isTooLong, type Row } from './connection.ts'
import type { ReaderPool } from './reader-pool.ts'

type Scan<T> = (sql: string, bind: readonly Parameter[], budget: Budget | undefined) => T | Promise<T>

/** Runs statements that may read many rows. */
export interface Scans {
  readonly get: Scan<Row | undefined>
  readonly all: Scan<Row[]>
  /** For statements that cannot be interrupted everywhere: in a thread, where there are any. */
  readonly long: Scan<Row[]>
}

/** Scans on the connection itself, for reads inside a transaction. */
export const scansOn = ({ get, all }: Connection): Scans => ({ get, all, long: all })

/** How long a scan may hold up the event loop. */
const BRIEF_MS = 2

/** How many statements are known to be long. */
const KNOWN = 1000

/**
 * Scans that begin on the event loop, where short ones are quickest, and move to a thread when they turn out long. A statement that was long
 * the last time goes to a thread at once.
 */
export function movingScans(connection: Connection, pool: ReaderPool): Scans {
  const long = new Set<string>()

  async function moved<T>(method: 'get' | 'all', sql: string, bind: readonly Parameter[], budget: Budget | undefined): Promise<T> {
    const { value, ms } = await pool.run<T>(method, sql, bind, budget)
    if (ms < BRIEF_MS) long.delete(sql)
    return value
  }

  function scan<T>(method: 'get' | 'all', sql: string, bind: readonly Parameter[], budget: Budget | undefined): T | Promise<T> {
    if (long.has(sql)) return moved(method, sql, bind, budget)
    try {
      return connection.briefly(BRIEF_MS, () => connection[method](sql, bind) as T)
    } catch (error) {
      if (!isTooLong(error)) throw error
      if (long.size >= KNOWN) long.clear()
      long.add(sql)
      return moved(method, sql, bind, budget)
    }
  }

  return {
    get: (sql, bind, budget) => scan('get', sql, bind, budget),
    all: (sql, bind, budget) => scan('all', sql, bind, budget),
    long: (sql, bind, budget) => moved('all', sql, bind, budget),
  }
}
