import { csvLine } from '../exporting/csv-line.ts'
import type { RejectedRow } from '../planning/planned-row.ts'
import { type Format, REJECT_COLUMNS } from '../reading/rows.ts'

const isRejectColumn = (name: string) => REJECT_COLUMNS.some((one) => one === name)

/** Rejected rows as text that can be corrected and imported: in the format of their file, each with its line and its error. */
export function rejectText(format: Format, delimiter: string | undefined) {
  const isJson = format === 'json' || format === 'ndjson'
  return {
    ending: isJson ? 'ndjson' : 'csv',
    head: (names: readonly string[]) => (isJson ? '' : csvLine([...names.filter((name) => !isRejectColumn(name)), ...REJECT_COLUMNS], delimiter)),
    /** The line and error of an earlier rejection are dropped. */
    line({ row: { names, cells, line }, error }: RejectedRow): string {
      const others = names.flatMap((name, i) => (isRejectColumn(name) ? [] : [[name, cells[i]] as const]))
      if (isJson) return `${JSON.stringify({ ...Object.fromEntries(others), line, error })}\n`
      // Surplus cells are joined in the last column, so that nothing is lost.
      const last = cells.length > names.length ? [cells.slice(names.length - 1).join(delimiter)] : []
      return csvLine([...others.map(([, cell]) => cell).slice(0, others.length - last.length), ...last, line, error], delimiter)
    },
  }
}
