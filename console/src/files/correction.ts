import { columnOf, type FileRow, type ImportPlan, type RejectedRow, withCell } from 'crm-connector/files'

/** Columns shown at once. */
const SHOWN = 50

/**
 * The columns that are needed to correct rows, in the order of the file: those that go to a field, or all where the cells of a row may be in the
 * wrong ones. Of many it is those that are wrong.
 */
export function columnsToCorrect(plan: ImportPlan, rejected: readonly RejectedRow[]): readonly string[] {
  if (rejected.some(({ row }) => row.fault !== undefined)) return plan.columns.slice(0, SHOWN)
  const wrong = new Set(rejected.flatMap(({ faults }) => faults.map((fault) => columnOf(plan, fault))))
  const mapped = plan.mapping.columns.flatMap(({ column, field }) => (field ? [column] : []))
  const needed = [...mapped.filter((column) => wrong.has(column)), ...mapped.filter((column) => !wrong.has(column))].slice(0, SHOWN)
  return mapped.filter((column) => needed.includes(column))
}

/** Whether the page has the cells of a row: of one that is too long or that is no record it has none. */
export const isCorrectable = ({ fault, names, cells }: FileRow, columns: readonly string[]): boolean =>
  fault === undefined || (cells.length > 0 && columns.every((column) => names.includes(column)))

/** The row with each cell in a column, the surplus ones together in the last. */
export function readable({ fault, ...row }: FileRow, delimiter = ','): FileRow {
  const { names, cells } = row
  if (fault === undefined || cells.length <= names.length) return row
  return { ...row, cells: [...cells.slice(0, names.length - 1), cells.slice(names.length - 1).join(delimiter)] }
}

/** The row with another text in a column; an empty one is no value. */
export const withText = (row: FileRow, column: string, text: string): FileRow => withCell(row, column, text === '' ? undefined : text)

/** What a cell holds, to be edited. */
export function cellText({ names, cells }: FileRow, column: string): string {
  const value = cells[names.indexOf(column)]
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
