import type { FileRow } from '../reading/rows.ts'

/** A row that cannot be imported, and why. */
export interface RejectedRow {
  readonly row: FileRow
  readonly error: string
}

/** The calls for a row. */
export interface PlannedRow {
  readonly row: FileRow
  readonly input: { readonly [name: string]: unknown }
  readonly key: string
  /** What only an update can set. */
  readonly changes: { readonly [name: string]: unknown } | undefined
  /** What is attached to the record. */
  readonly attached: { readonly [name: string]: unknown } | undefined
  /** How many characters the input takes. */
  readonly size: number
}
