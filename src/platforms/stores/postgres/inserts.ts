import type { Parameter } from '../sql/dialect.ts'
import { quoted } from '../sql/tables.ts'

/** An insertion into a table, or what follows from one. */
export interface Into {
  readonly table: string
  /** Writes any number of rows with one statement: one array is bound per column. */
  readonly sql: string
}

/** A row to insert, its values in the order of the columns. */
export interface Row {
  readonly into: Into
  readonly values: readonly Parameter[]
}

type Columns = readonly (readonly [name: string, type: string])[]

function partsOf(table: string, columns: Columns): { readonly target: string; readonly given: string } {
  const names = columns.map(([name]) => quoted(name)).join(', ')
  const lists = columns.map(([, type]) => `CAST(? AS ${type.replace(/ COLLATE "C"$/, '')}[])`).join(', ')
  return { target: `INSERT INTO ${quoted(table)} (${names})`, given: `SELECT * FROM unnest(${lists})` }
}

export function into(table: string, columns: Columns): Into {
  const { target, given } = partsOf(table, columns)
  return { table, sql: `${target} ${given}` }
}

/**
 * For rows that must not get lost: where the database takes fewer than were given, as a trigger can arrange without an error, the statement
 * fails with a division by zero, and the transaction with it. The COMMIT may be under way before a count could be read.
 */
export function allInto(table: string, columns: Columns): Into {
  const { target, given } = partsOf(table, columns)
  const isComplete = '(SELECT count(*) FROM given) = (SELECT count(*) FROM stored)'
  return { table, sql: `WITH given AS (${given}), stored AS (${target} SELECT * FROM given RETURNING 1) SELECT 1 / CAST(${isComplete} AS INTEGER)` }
}

export const CUSTOM_VALUES = into('CustomValue', [
  ['Workspace', 'INTEGER'],
  ['ObjectID', 'TEXT'],
  ['FieldName', 'TEXT'],
  ['Value', 'TEXT'],
])

export const OWN_VALUES = into('OwnValue', [
  ['Workspace', 'INTEGER'],
  ['RecordType', 'TEXT'],
  ['FieldName', 'TEXT'],
  ['Value', 'TEXT'],
  ['RecordID', 'TEXT'],
])

/** Adds to the numbers of child records that records have: rows of workspace, id and how many. */
export function totalsOf(table: string, id: string, total: string): Into {
  const given = 'unnest(CAST(? AS INTEGER[]), CAST(? AS TEXT[]), CAST(? AS INTEGER[])) AS g("Workspace", id, count)'
  const sums = `(SELECT "Workspace", id, SUM(count) AS count FROM ${given} GROUP BY 1, 2) AS n`
  return {
    table,
    sql: `UPDATE ${quoted(table)} p SET ${quoted(total)} = ${quoted(total)} + n.count FROM ${sums} WHERE p."Workspace" = n."Workspace" AND p.${quoted(id)} = n.id`,
  }
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
