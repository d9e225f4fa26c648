/** One row of a file. */
export interface FileRow {
  /** The line it begins on; in a workbook its row. */
  readonly line: number
  /** The columns that it has, and what is in them: texts in CSV, any value elsewhere, undefined where there is nothing. */
  readonly names: readonly string[]
  readonly cells: readonly unknown[]
  /** Why it cannot be read, where it cannot. */
  readonly fault?: string
}

/** Rows that were read together, and how much of the file that makes, from 0 to 1. */
export interface FileRows {
  readonly rows: readonly FileRow[]
  readonly part: number
  /** The columns that the file itself names before its rows; undefined where it has not, or not yet. */
  readonly names?: readonly string[]
}

/** The kinds of file there are, by what their names end with. */
export const FORMATS = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.xlsx': 'xlsx',
} as const

export type Format = (typeof FORMATS)[keyof typeof FORMATS]

/** What the rejects of an earlier import have beside the columns of the original. */
export const REJECT_COLUMNS = ['line', 'error'] as const
