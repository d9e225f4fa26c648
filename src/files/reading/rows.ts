/** One row of a file. */
export interface FileRow {
  /** The line that it begins on; in a workbook the number of the row. */
  readonly line: number
  /** Its columns, and their cells: texts in CSV, any value in other formats, undefined where a cell is empty. */
  readonly names: readonly string[]
  readonly cells: readonly unknown[]
  /** Why it cannot be read, where it cannot. */
  readonly fault?: string
}

/** Rows that were read together, and how much of the file has been read, from 0 to 1. */
export interface FileRows {
  readonly rows: readonly FileRow[]
  readonly part: number
  /** The columns that the file itself names before its rows; undefined where it names none, or not yet. */
  readonly names?: readonly string[]
}

/** The formats that can be read, by the ending of the file's name. */
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

/** The cell of a column; undefined in a row that could not be read, whose cells belong to no column. */
export const cellOf = ({ names, cells, fault }: FileRow, column: string): unknown => (fault === undefined ? cells[names.indexOf(column)] : undefined)

/** The row with another cell in a column, which it gets if it has none. */
export function withCell(row: FileRow, column: string, cell: unknown): FileRow {
  const at = row.names.indexOf(column)
  if (at < 0) return { ...row, names: [...row.names, column], cells: [...row.names.map((_, i) => row.cells[i]), cell] }
  return { ...row, cells: row.names.map((_, i) => (i === at ? cell : row.cells[i])) }
}

/** The columns that a file of rejects has beside those of the original. */
export const REJECT_COLUMNS = ['line', 'error'] as const

/** What a file of rejects adds to the error of a row that could not be read, whose cells may be in the wrong columns. */
export const UNTIL_MENDED = ' Delete this error once the row is mended.'

/** The error of a rejected row that nothing can be made of: it has no other cells, or its error says that they are still to be mended. */
export function unmended(names: readonly string[], cells: readonly unknown[]): string | undefined {
  const error = cells[names.length - 1]
  if (typeof error !== 'string' || !REJECT_COLUMNS.every((name, i) => names.at(i - REJECT_COLUMNS.length) === name)) return undefined
  if (error.endsWith(UNTIL_MENDED)) return error.slice(0, -UNTIL_MENDED.length)
  return isBlank(cells.slice(0, -REJECT_COLUMNS.length)) ? error : undefined
}

/** Whether cells have nothing but blanks, as the separators that spreadsheets leave behind. */
export const isBlank = (cells: readonly unknown[]) =>
  cells.every((cell) => cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === ''))
