import { csvLine } from '../exporting/csv-line.ts'
import { type FileRow, type Format, REJECT_COLUMNS } from '../reading/rows.ts'

/** A row that cannot be imported, and why. */
export interface RejectedRow {
  readonly row: FileRow
  readonly error: string
}

/** What was wrong with a row of rejects that has nothing else; undefined where it has, or is none. Nothing can be made of it, whatever a record needs. */
export function nothingButError(names: readonly string[], cells: readonly unknown[]): string | undefined {
  const error = cells[names.length - 1]
  if (typeof error !== 'string' || !REJECT_COLUMNS.every((name, i) => names.at(i - REJECT_COLUMNS.length) === name)) return undefined
  return cells.slice(0, -REJECT_COLUMNS.length).some((cell) => cell !== undefined && cell !== null && cell !== '') ? undefined : error
}

const isOwn = (name: string) => REJECT_COLUMNS.some((one) => one === name)

/** Rejects as text that can be mended and imported: of the same kind as their file, each with its line and what is wrong. */
export function rejectText(format: Format, delimiter: string | undefined) {
  const isJson = format === 'json' || format === 'ndjson'
  return {
    ending: isJson ? 'ndjson' : 'csv',
    head: (names: readonly string[]) => (isJson ? '' : csvLine([...names.filter((name) => !isOwn(name)), ...REJECT_COLUMNS], delimiter)),
    /** Whatever was rejected before has lines of its own, which are of no use any more. */
    line({ row: { names, cells, line }, error }: RejectedRow): string {
      const kept = names.flatMap((name, i) => (isOwn(name) ? [] : [[name, cells[i]] as const]))
      if (isJson) return `${JSON.stringify({ ...Object.fromEntries(kept), line, error })}\n`
      // More cells than there are columns stand together in the last of them, so that nothing is lost.
      const last = cells.length > names.length ? [cells.slice(names.length - 1).join(delimiter)] : []
      return csvLine([...kept.map(([, cell]) => cell).slice(0, kept.length - last.length), ...last, line, error], delimiter)
    },
  }
}
