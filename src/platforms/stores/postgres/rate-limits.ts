import type { Store } from '../../store.ts'
import type { Ask } from './pool.ts'

/** The time at which the statement has locked the row; `now()` would be the start of the transaction. */
const NOW = 'clock_timestamp()'
const WINDOW = `CAST(? AS DOUBLE PRECISION) * INTERVAL '1 millisecond'`
/** A window that ends too far in the future was begun before the clock was set back, and counts as ended. */
const ENDED = `a."Ends" NOT BETWEEN ${NOW} AND ${NOW} + 2 * ${WINDOW}`
const RESET = `CAST(EXTRACT(EPOCH FROM a."Ends" - ${NOW}) * 1000 AS DOUBLE PRECISION)`

const TAKE = `INSERT INTO "Allowance" AS a ("Name", "Used", "Ends") VALUES (?, ?, ${NOW} + ${WINDOW})
  ON CONFLICT ("Name") DO UPDATE SET
    "Used" = CASE WHEN ${ENDED} THEN 0 ELSE a."Used" END + excluded."Used",
    "Ends" = CASE WHEN ${ENDED} THEN ${NOW} + ${WINDOW} ELSE a."Ends" END
  WHERE ${ENDED} OR a."Used" + excluded."Used" <= ?
  RETURNING a."Used", ${RESET}`
const READ = `SELECT a."Used", ${RESET} FROM "Allowance" a WHERE a."Name" = ? AND NOT (${ENDED})`

/** Rate limits by the clock of the database. When an answer is lost the statement is repeated, so units may be taken twice, but a limit is never exceeded. */
export function createRateLimits(ask: Ask): Store['takeFromRateLimit'] {
  return async (name, wanted, most, windowMs) => {
    const granted = wanted >= 1 && wanted <= most ? await ask(TAKE, [name, wanted, windowMs, windowMs, windowMs, windowMs, windowMs, most]) : []
    const [row] = granted.length > 0 ? granted : await ask(READ, [name, windowMs])
    const [used, resetMs] = (row ?? [0, windowMs]) as [number, number]
    return { granted: granted.length > 0, used, resetMs: Math.max(0, resetMs) }
  }
}
