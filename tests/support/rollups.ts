import { RECORD_TYPES } from '../../src/contract/operations.ts'
import type { Connection } from '../../src/platforms/stores/sqlite/connection.ts'

/** A counter as one line, for readable differences. */
const line = (...parts: readonly unknown[]) => parts.join(' | ')

/** The counters of a store. */
export function rollupsIn(database: Connection): string[] {
  return database
    .all('SELECT *, CAST("High" AS TEXT) AS high, CAST("Low" AS TEXT) AS low FROM "Rollup"', [])
    .map((row) =>
      line(
        row.Workspace,
        row.RecordType,
        row.Kind,
        row.OwnerID,
        row.State,
        row.Bucket,
        row.Count,
        row.Amounts,
        BigInt(row.high as string) * 10_000_000_000n + BigInt(row.low as string),
      ),
    )
    .sort()
}

/** The expected counters, computed from the records. */
export function recountIn(database: Connection): string[] {
  return RECORD_TYPES.flatMap((type) => {
    if (!type.state) return []
    const month = 'substr("CreatedDate", 1, 7)'
    const state = `coalesce("${type.state}", '')`
    const amount = type.amount ? `"${type.amount}"` : 'NULL'
    const counters = [
      ['state', '"OwnerID"', state, "''"],
      ['month', '"OwnerID"', "''", month],
      ['month', "''", "''", month],
      ...(type.due ? [['due', '"OwnerID"', state, `"${type.due}"`] as const, ['due', "''", state, `"${type.due}"`] as const] : []),
    ]
    return counters.flatMap(([kind, owner, inState, bucket]) =>
      database
        .all(
          `SELECT "Workspace" AS workspace, ${owner} AS owner, ${inState} AS state, ${bucket} AS bucket, COUNT(*) AS n, COUNT(${amount}) AS amounts,
            group_concat(printf('%.4f', ${amount})) FILTER (WHERE ${amount} IS NOT NULL) AS list FROM "${type.name}" GROUP BY 1, 2, 3, 4`,
          [],
        )
        .map((row) => line(row.workspace, type.name, kind, row.owner, row.state, row.bucket, row.n, row.amounts, sumOf(row.list as string | null))),
    )
  }).sort()
}

/** The sum of a list of decimals, in ten-thousandths. */
function sumOf(list: string | null): bigint {
  return (list ?? '')
    .split(',')
    .filter(Boolean)
    .reduce((sum, decimal) => sum + BigInt(decimal.replace('.', '')), 0n)
}
