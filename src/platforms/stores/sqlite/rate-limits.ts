import type { Store } from '../../store.ts'
import type { Connection } from './connection.ts'
import type { Work } from './work.ts'

/** Keeps allowances. One transaction looks and takes, so that nobody takes what another has just taken. */
export function createAllow(reading: Connection, together: <T>(work: (piece: Work) => T) => Promise<T>): Store['takeFromRateLimit'] {
  return async (name, wanted, most, windowMs) => {
    const look = (connection: Connection) => {
      const now = Date.now()
      const { used, ends } = current(connection, name, now, windowMs)
      return { used, ends, resetMs: ends - now }
    }
    if (wanted < 1) {
      const { used, resetMs } = look(reading)
      return { granted: false, used, resetMs }
    }
    return together((piece) => {
      const { used, ends, resetMs } = look(piece.connection)
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

/** The window that is open, or the one that would begin now. One that lasts longer than any does was begun by a clock that has been set back since. */
function current(connection: Connection, name: string, now: number, windowMs: number): { readonly used: number; readonly ends: number } {
  const row = connection.get('SELECT "Used" AS used, "Ends" AS ends FROM "Allowance" WHERE "Name" = ?', [name]) as { used: number; ends: number } | undefined
  return row && row.ends > now && row.ends <= now + 2 * windowMs ? row : { used: 0, ends: now + windowMs }
}
