import type { Parameter } from '../sql/dialect.ts'
import { quoted } from '../sql/tables.ts'

/** An insertion into a table. */
export interface Into {
  readonly table: string
  /** Inserts any number of rows with one statement: one array is bound per column. */
  readonly sql: string
}

/** A row to insert, its values in the order of the columns. */
export interface Row {
  readonly into: Into
  readonly values: readonly Parameter[]
}

export function into(table: string, columns: readonly (readonly [name: string, type: string])[]): Into {
  const names = columns.map(([name]) => quoted(name)).join(', ')
  const lists = columns.map(([, type]) => `CAST(? AS ${type.replace(/ COLLATE "C"$/, '')}[])`).join(', ')
  return { table, sql: `INSERT INTO ${quoted(table)} (${names}) SELECT * FROM unnest(${lists})` }
}

export interface Statement {
  readonly sql: string
  readonly bind: readonly Parameter[]
}

/** One statement per table, in the order in which the tables first occur. */
export function insertsOf(rows: readonly Row[]): Statement[] {
  const byTable = new Map<Into, (readonly Parameter[])[]>()
  for (const { into, values } of rows) {
    const others = byTable.get(into)
    if (others) others.push(values)
    else byTable.set(into, [values])
  }
  return [...byTable].map(([{ sql }, all]) => ({ sql, bind: (all[0] ?? []).map((_, i) => all.map((values) => values[i] as string)) }))
}
