import type { Family } from '../../../contract/fields.ts'

/** A value that is bound to a statement. */
export type Parameter = string | number | null | readonly string[]

/** The differences between the SQL of SQLite and of PostgreSQL. Values are bound to `?` in both. */
export interface Dialect {
  /** The column types. Text must sort by code point. */
  readonly types: { readonly text: string; readonly real: string; readonly integer: string; readonly boolean: string }
  /** Appended to CREATE TABLE. */
  readonly tableOptions: string
  /** Sorts null lowest, in an index or an order. */
  nullsLowest(descending: boolean): string
  /** A column that the database may not use an index for: on SQLite the query plan names the index. */
  withoutIndex(column: string): string
  /** Like `=` and `<>`, but null equals null. */
  readonly same: string
  readonly differs: string
  /** Whether a text is in the list that is bound to one `?`. */
  among(column: string): string
  /** Whether a text is among the rows of a query with one column. */
  amongRows(column: string, query: string): string
  texts(values: readonly string[]): Parameter
  /** Lower case for A to Z only, so that both databases agree. */
  lower(text: string): string
  /** The 1-based position of a part in a text, or 0. The text is bound first. */
  position(text: string, part: string): string
  readonly never: string
  readonly always: string
  /** Whether a list, as JSON, has the text that is bound. */
  has(list: string): string
  /** A value inside a JSON column: the path consists of names of the contract's form only. */
  inJson(column: string, path: readonly string[], family: Family): string
  /** A user-defined value as stored in the table that indexes them. */
  custom(value: Parameter): Parameter
}
