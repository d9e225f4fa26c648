import type { FileRow } from '../reading/rows.ts'

/** What is to be done for a row. */
export interface PlannedRow {
  readonly row: FileRow
  readonly input: { readonly [name: string]: unknown }
  readonly key: string
  /** What only an update can set. */
  readonly changes: { readonly [name: string]: unknown } | undefined
  /** What is hung on the record. */
  readonly attached: { readonly [name: string]: unknown } | undefined
  /** How many characters the input takes. */
  readonly size: number
}

/** The operations that make records of rows, and give them what only a record that is there can be given. */
export interface Making {
  readonly type: { readonly id: string }
  readonly create: { readonly id: string }
  readonly update: { readonly id: string } | undefined
  readonly attach: { readonly id: string } | undefined
}
