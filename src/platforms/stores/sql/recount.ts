import { ALL_OWNERS } from './rollups.ts'
import { quoted, type Table } from './tables.ts'

/** Statements that rebuild the counters of summaries from the records. `sums` returns the expressions for a store's columns of sums. */
export function recountStatements(tables: readonly Table[], sums: (amount: string | undefined) => string): string[] {
  return tables.flatMap(({ name, record: { state, amount, due } }) => {
    if (!state) return []
    const inState = `COALESCE(${quoted(state)}, '')`
    const month = 'substr("CreatedDate", 1, 7)'
    const allOwners = `'${ALL_OWNERS}'`
    const counters: readonly (readonly [kind: string, owner: string, state: string, bucket: string])[] = [
      ['state', '"OwnerID"', inState, "''"],
      ['month', '"OwnerID"', "''", month],
      ['month', allOwners, "''", month],
      ...(due ? [['due', '"OwnerID"', inState, quoted(due)] as const, ['due', allOwners, inState, quoted(due)] as const] : []),
    ]
    return counters.map(([kind, owner, of, bucket]) => {
      // PostgreSQL refuses to group by a literal.
      const groups = ['"Workspace"', owner, of, bucket].filter((expression) => !expression.startsWith("'"))
      const counted = `COUNT(*), ${amount ? `COUNT(${quoted(amount)})` : '0'}, ${sums(amount && quoted(amount))}`
      return `INSERT INTO "Rollup" SELECT "Workspace", '${name}', '${kind}', ${owner}, ${of}, ${bucket}, ${counted} FROM ${quoted(name)} GROUP BY ${groups.join(', ')}`
    })
  })
}
