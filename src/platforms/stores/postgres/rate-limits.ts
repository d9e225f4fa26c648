import type { Store } from '../../store.ts'
import type { Ask } from './pool.ts'

/** The moment at which a statement has got hold of the row, which may be later than when it began. */
const NOW = 'clock_timestamp()'
const WINDOW = `CAST(? AS DOUBLE PRECISION) * INTERVAL '1 millisecond'`
/** A window that would last longer than any does was begun by a clock that has been set back since. */
const OVER = `a."Ends" NOT BETWEEN ${NOW} AND ${NOW} + 2 * ${WINDOW}`
const RESET = `CAST(EXTRACT(EPOCH FROM a."Ends" - ${NOW}) * 1000 AS DOUBLE PRECISION)`

const TAKE = `INSERT INTO "Allowance" AS a ("Name", "Used", "Ends") VALUES (?, ?, ${NOW} + ${WINDOW})
  ON CONFLICT ("Name") DO UPDATE SET
    "Used" = CASE WHEN ${OVER} THEN 0 ELSE a."Used" END + excluded."Used",
    "Ends" = CASE WHEN ${OVER} THEN ${NOW} + ${WINDOW} ELSE a."Ends" END
  WHERE ${OVER} OR a."Used" + excluded."Used" <= ?
  RETURNING a."Used", ${RESET}`
const LOOK = `SELECT a."Used", ${RESET} FROM "Allowance" a WHERE a."Name" = ? AND NOT (${OVER})`

/** Keeps allowances, by the clock of the database. Where an answer is lost it is asked again, and then perhaps more is taken than was wanted, never less. */
export function createAllow(ask: Ask): Store['takeFromRateLimit'] {
  return async (name, wanted, most, windowMs) => {
    const granted = wanted >= 1 && wanted <= most ? await ask(TAKE, [name, wanted, windowMs, windowMs, windowMs, windowMs, windowMs, most]) : []
    const [row] = granted.length > 0 ? granted : await ask(LOOK, [name, windowMs])
    const [used, resetMs] = (row ?? [0, windowMs]) as [number, number]
    return { granted: granted.length > 0, used, resetMs: Math.max(0, resetMs) }
  }
}
