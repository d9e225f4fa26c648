import type { Store } from '../../store.ts'
import { mirrorOf } from '../mirror.ts'
import { type Counters, corrections, REMOVE_EMPTY } from '../sql/recount.ts'
import { ALL_OWNERS, ofSummed } from '../sql/rollups.ts'
import type { Pool } from './pool.ts'
import { tableFor } from './tables.ts'

/** SQL that sums an amount column up in ten-thousandths. */
export const amountSum = (column: string) => `SUM(ROUND(CAST(${column} AS NUMERIC) * 10000)) ${ofSummed(column)}`

/** The counters that a delta is still to be added to; see rollups.ts. */
const PENDING = [
  `'state' AS "Kind", "OwnerID", "State", '' AS "Bucket"`,
  ...['"OwnerID"', `'${ALL_OWNERS}' AS "OwnerID"`].flatMap((owner) => [
    `'month' AS "Kind", ${owner}, '' AS "State", "Month" AS "Bucket"`,
    `'due' AS "Kind", ${owner}, "State", "Due" AS "Bucket"`,
  ]),
]

export const COUNTERS: Counters = {
  sums: (amount) => (amount === undefined ? '0' : `COALESCE(${amountSum(amount)}, 0)`),
  columns: ['Amount'],
  isChanged: 'SUM("Amount") <> 0',
  pending: (where) =>
    PENDING.map(
      (counter) =>
        `SELECT "Workspace", "RecordType", ${counter}, "Count", "Amounts", "Amount" FROM "RollupDelta" WHERE ${where}${counter.includes('"Due"') ? ' AND "Due" IS NOT NULL' : ''}`,
    ),
}

/** One statement counts and corrects: it sees records, counters and deltas as they were at the same moment. */
export const createRecount =
  (background: Pool): Store['recountMirror'] =>
  async (workspace, type) => {
    const mirror = mirrorOf(workspace)
    const table = tableFor(type)
    if (!table.record.state) return 0
    const { count } = await background.query(corrections(table, mirror, COUNTERS).correct, [])
    if (count > 0) await background.query(REMOVE_EMPTY, [mirror, type])
    return count
  }
