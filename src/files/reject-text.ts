import { csvLine } from './csv-line.ts'
import { type FileRow, type Format, REJECT_COLUMNS } from './rows.ts'

/** A row that cannot be imported, and why. */
export interface RejectedRow {
  readonly row: FileRow
  readonly error: string
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
