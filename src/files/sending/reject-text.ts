import { csvLine } from '../exporting/csv-line.ts'
import { withoutFormula } from '../exporting/spreadsheet-text.ts'
import type { RejectedRow } from '../planning/planned-row.ts'
import type { RowFile } from '../reading/row-file.ts'
import { isBlank, REJECT_COLUMNS, UNTIL_MENDED } from '../reading/rows.ts'

const isRejectColumn = (name: string) => REJECT_COLUMNS.some((one) => one === name)

/** Rejected rows as text that can be corrected and imported: in the format of their file, each with its line and its error. */
export function rejectText({ format, delimiter, raw }: Pick<RowFile, 'format' | 'delimiter' | 'raw'>) {
  const isJson = format === 'json' || format === 'ndjson'
  const lineOf = (cells: readonly unknown[]) => csvLine(raw ? cells : cells.map(withoutFormula), delimiter)
  return {
    ending: isJson ? 'ndjson' : 'csv',
    head: (names: readonly string[]) => (isJson ? '' : lineOf([...names.filter((name) => !isRejectColumn(name)), ...REJECT_COLUMNS])),
    /** The line and error of an earlier rejection are dropped. */
    line({ row: { names, cells, line, fault }, error: reason }: RejectedRow): string {
      const others = names.flatMap((name, i) => (isRejectColumn(name) ? [] : [[name, cells[i]] as const]))
      const error = fault === undefined || isBlank(others.map(([, cell]) => cell)) ? reason : `${reason}${UNTIL_MENDED}`
      if (isJson) return `${JSON.stringify({ ...Object.fromEntries(others), line, error })}\n`
      // Surplus cells are joined in the last column, so that nothing is lost.
      const last = cells.length > names.length ? [cells.slice(names.length - 1).join(delimiter)] : []
      return lineOf([...others.map(([, cell]) => cell).slice(0, others.length - last.length), ...last, line, error])
    },
  }
}
