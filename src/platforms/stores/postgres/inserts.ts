import type { Parameter } from '../sql/dialect.ts'
import { quoted } from '../sql/tables.ts'

/** A table that rows are added to. */
export interface Into {
  readonly table: string
  /** Adds any number of rows in one statement: one list is bound for each column. */
  readonly sql: string
}

/** A row on its way into a table, its values in the order of the columns. */
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

/** Rows as statements: one for each table, in the order the tables come up. */
export function insertsOf(rows: readonly Row[]): Statement[] {
  const byTable = new Map<Into, (readonly Parameter[])[]>()
  for (const { into, values } of rows) {
    const others = byTable.get(into)
    if (others) others.push(values)
    else byTable.set(into, [values])
  }
  return [...byTable].map(([{ sql }, all]) => ({ sql, bind: (all[0] ?? []).map((_, i) => all.map((values) => values[i] as string)) }))
}
