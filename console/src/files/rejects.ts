import { type RejectedRow, type RowFile, rejectText } from 'crm-connector/files'

/** The rows that were not imported. Those beyond the first are handed to the browser as text in pieces, which it may keep out of memory. */
export interface Rejects {
  readonly count: number
  /** The first of them, which can be corrected in the page. */
  readonly first: readonly RejectedRow[]
  readonly lines: ReadonlySet<number>
  add(rows: readonly RejectedRow[]): void
  /** Takes these in place of the rows with the same lines, among the first. */
  replace(rows: readonly RejectedRow[]): void
  /** Takes the first out, to try them again. */
  take(): void
  /** All of them, the first as they are given. */
  file(first: readonly RejectedRow[]): { readonly blob: Blob; readonly name: string }
}

/** How many can be corrected in the page. */
const MOST = 1000
const PIECE = 1024 * 1024

export function createRejects(file: RowFile): Rejects {
  const text = rejectText(file)
  const first: RejectedRow[] = []
  const lines = new Set<number>()
  const pieces: Blob[] = []
  let [head, open] = ['', '']
  return {
    get count() {
      return lines.size
    },
    first,
    lines,
    add(rows) {
      for (const rejected of rows) {
        head ||= text.head(rejected.row.names)
        lines.add(rejected.row.line)
        if (first.length < MOST) {
          first.push(rejected)
          continue
        }
        open += text.line(rejected)
        if (open.length < PIECE) continue
        pieces.push(new Blob([open]))
        open = ''
      }
    },
    replace(rows) {
      const byLine = new Map(rows.map((one) => [one.row.line, one]))
      first.splice(0, first.length, ...first.map((one) => byLine.get(one.row.line) ?? one))
    },
    take() {
      for (const { row } of first.splice(0)) lines.delete(row.line)
    },
    file: (corrected) => ({
      blob: new Blob([head, ...corrected.map((one) => text.line(one)), ...pieces, open], { type: 'text/plain' }),
      name: `${file.name.replace(/(\.rejects(-\d+)?)?\.[^.]*$/, '')}.rejects.${text.ending}`,
    }),
  }
}
