/** A value that is bound to a statement. */
export type Parameter = string | number | null | readonly string[]

/** Where the SQL of our stores differs. Values are bound to `?` in both. */
export interface Dialect {
  /** How the contract's texts, fractions, whole numbers and truth values are kept. Text sorts by code point. */
  readonly types: { readonly text: string; readonly real: string; readonly integer: string; readonly boolean: string }
  /** What follows the columns of a table. */
  readonly tableOptions: string
  /** Makes null the lowest, in an index or an order that goes up or down. */
  nullsLowest(descending: boolean): string
  /** A column that no index may be chosen by, where we choose them. */
  unled(column: string): string
  /** Compares like `=` and `<>`, but null with null as well. */
  readonly same: string
  readonly differs: string
  /** Whether a text is one of those bound to one `?`. */
  among(column: string): string
  texts(values: readonly string[]): Parameter
  /** A text with the letters A to Z made small, and no others. */
  lower(text: string): string
  /** Where a part begins in a text, from 1 on; 0 where it does not. The text is bound first. */
  position(text: string, part: string): string
  readonly never: string
  /** A user-defined value as it is kept in the table that indexes them. */
  custom(value: Parameter): Parameter
}
