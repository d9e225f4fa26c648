import { type RejectedRow, type RowFile, rejectText } from 'crm-connector/files'

/** The rows that were not imported. Their text is handed to the browser in pieces, which it may keep out of memory. */
export interface Rejects {
  readonly count: number
  /** The first few of them. */
  readonly first: readonly RejectedRow[]
  readonly lines: ReadonlySet<number>
  add(rows: readonly RejectedRow[]): void
  file(): { readonly blob: Blob; readonly name: string }
}

const FEW = 100
const PIECE = 1024 * 1024

export function createRejects(file: RowFile): Rejects {
  const text = rejectText(file)
  const first: RejectedRow[] = []
  const lines = new Set<number>()
  const pieces: Blob[] = []
  let open = ''
  return {
    get count() {
      return lines.size
    },
    first,
    lines,
    add(rows) {
      for (const rejected of rows) {
        if (lines.size === 0) open = text.head(rejected.row.names)
        lines.add(rejected.row.line)
        open += text.line(rejected)
        if (first.length < FEW) first.push(rejected)
        if (open.length < PIECE) continue
        pieces.push(new Blob([open]))
        open = ''
      }
    },
    file: () => ({
      blob: new Blob([...pieces, open], { type: 'text/plain' }),
      name: `${file.name.replace(/(\.rejects(-\d+)?)?\.[^.]*$/, '')}.rejects.${text.ending}`,
    }),
  }
}
