import type { Store } from '../../store.ts'
import type { Connection } from './connection.ts'
import type { Work } from './work.ts'

/** Reads and updates a rate limit in one transaction, so that two processes never take the same units. */
export function createRateLimits(reading: Connection, transaction: <T>(work: (piece: Work) => T) => Promise<T>): Store['takeFromRateLimit'] {
  return async (name, wanted, most, windowMs) => {
    const stateOn = (connection: Connection) => {
      const now = Date.now()
      const { used, ends } = current(connection, name, now, windowMs)
      return { used, ends, resetMs: ends - now }
    }
    if (wanted < 1) {
      const { used, resetMs } = stateOn(reading)
      return { granted: false, used, resetMs }
    }
    return transaction((piece) => {
      const { used, ends, resetMs } = stateOn(piece.connection)
      const sum = used + wanted
      if (sum > most) return { granted: false, used, resetMs }
      piece.run(
        'INSERT INTO "Allowance" ("Name", "Used", "Ends") VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "Used" = excluded."Used", "Ends" = excluded."Ends"',
        [name, sum, ends],
      )
      return { granted: true, used: sum, resetMs }
    })
  }
}

/** The current window, or a new one. A window that ends too far in the future was begun before the clock was set back, and is discarded. */
function current(connection: Connection, name: string, now: number, windowMs: number): { readonly used: number; readonly ends: number } {
  const row = connection.get('SELECT "Used" AS used, "Ends" AS ends FROM "Allowance" WHERE "Name" = ?', [name]) as { used: number; ends: number } | undefined
  return row && row.ends > now && row.ends <= now + 2 * windowMs ? row : { used: 0, ends: now + windowMs }
}
