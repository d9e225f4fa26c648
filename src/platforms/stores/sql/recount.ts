import { ALL_OWNERS, ofSummed } from './rollups.ts'
import { quoted, type Table } from './tables.ts'

/** The expressions that sum an amount up, for a store's columns of sums. */
export type Sums = (amount: string | undefined) => string

const KEY = '"Workspace", "RecordType", "Kind", "OwnerID", "State", "Bucket"'

/** Statements that rebuild the counters of summaries from the records. */
export const recountStatements = (tables: readonly Table[], sums: Sums): string[] =>
  tables.flatMap((table) => recounted(table, sums, 'TRUE')).map((select) => `INSERT INTO "Rollup" ${select}`)

/** Selects the counters of summaries, as the records are. */
function recounted({ name, record: { state, amount, due } }: Table, sums: Sums, where: string): string[] {
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
    const counted = `COUNT(*), ${amount ? `COUNT(*) ${ofSummed(quoted(amount))}` : '0'}, ${sums(amount && quoted(amount))}`
    // A record of a mirror may have no due date.
    const dated = kind === 'due' ? ` AND ${bucket} <> ''` : ''
    return `SELECT "Workspace", '${name}', '${kind}', ${owner}, ${of}, ${bucket}, ${counted} FROM ${quoted(name)} WHERE ${where}${dated} GROUP BY ${groups.join(', ')}`
  })
}

/** How a store keeps its counters. */
export interface Counters {
  readonly sums: Sums
  /** The columns of sums. */
  readonly columns: readonly string[]
  /** Whether what they are to be changed by is anything, as an expression. */
  readonly isChanged: string
  /** Selects, as counters, what is still to be added to them. */
  readonly pending?: ((where: string) => readonly string[]) | undefined
}

/** A query for what the counters of a type lack or have too much, and the statement that adds just that, so that writes in between are not lost. */
export function corrections(
  table: Table,
  workspace: number,
  { sums, columns, isChanged, pending }: Counters,
): { readonly find: string; readonly correct: string } {
  const where = `"Workspace" = ${workspace}`
  const counted = ['Count', 'Amounts', ...columns].map(quoted)
  const known = `SELECT ${KEY}, ${counted.map((column) => `-${column} AS ${column}`).join(', ')}`
  const ofType = `${where} AND "RecordType" = '${table.name}'`
  const all = [`${known} FROM "Rollup" WHERE ${ofType}`, ...(pending?.(ofType) ?? []).map((select) => `${known} FROM (${select}) AS p`)]
  const find = `SELECT ${KEY}, ${counted.map((column) => `SUM(${column})`).join(', ')} FROM (${[...all, ...recounted(table, sums, where)].join(' UNION ALL ')}) AS x
    GROUP BY ${KEY} HAVING SUM("Count") <> 0 OR SUM("Amounts") <> 0 OR ${isChanged}`
  const adds = counted.map((column) => `${column} = "Rollup".${column} + excluded.${column}`).join(', ')
  return { find, correct: `INSERT INTO "Rollup" (${KEY}, ${counted.join(', ')}) ${find} ORDER BY ${KEY} ON CONFLICT (${KEY}) DO UPDATE SET ${adds}` }
}

/** Removes counters of nothing. */
export const REMOVE_EMPTY = 'DELETE FROM "Rollup" WHERE "Workspace" = ? AND "RecordType" = ? AND "Count" = 0'
