import type { FileRow } from '../reading/rows.ts'

/** One thing that is wrong with a row. */
export interface RowFault {
  /** The input that it is about, dotted where it is nested: `FieldsToUpdate.Status`. */
  readonly field?: string
  readonly message: string
}

/** A row that cannot be imported, and why. */
export interface RejectedRow {
  readonly row: FileRow
  /** All of its faults as one text. */
  readonly error: string
  readonly faults: readonly RowFault[]
}

export const rejectedRow = (row: FileRow, faults: readonly RowFault[]): RejectedRow => ({
  row,
  faults,
  error: faults.map(({ message }) => message).join(' '),
})

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
