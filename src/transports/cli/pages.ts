import type { Operation } from '../../contract/operation.ts'
import { words } from '../../contract/record.ts'
import { csvLine } from '../../files/exporting/csv-line.ts'
import { listOf, memberNames, type Page } from '../../files/exporting/pages.ts'
import { columnsOf, type Row } from './cells.ts'
import { type Io, write } from './io.ts'
import { csvText, type Format, jsonText, viewOf, writeLines } from './output.ts'
import { headLine, type Layout, layOut, rowLine } from './table.ts'

/** Prints pages as they come, in as much memory as one of them takes. */
export async function printPages(
  { io, operation, input, format }: { readonly io: Io; readonly operation: Operation; readonly input: Row; readonly format: Format },
  pages: AsyncIterable<Page> | Iterable<Page>,
): Promise<{ readonly count: number; readonly next: string | null; readonly leftOut: readonly string[] }> {
  const print = format === 'csv' ? csvPrinter(io, columnNames(operation, input)) : format === 'json' ? jsonPrinter(io) : tablePrinter(io, operation)
  let count = 0
  let next: string | null = null
  for await (const page of pages) {
    await print.rows(page.rows)
    count += page.rows.length
    next = page.next
    if (io.unread.aborted) break
  }
  return { count, next, leftOut: print.leftOut() }
}

const NONE: readonly string[] = []

/** One record a line, as over HTTP. */
function jsonPrinter(io: Io) {
  return { rows: (rows: readonly Row[]) => write(io, rows.map((row) => jsonText(io, row, false)).join('')), leftOut: () => NONE }
}

function csvPrinter(io: Io, names: readonly string[]) {
  let head = csvLine(names)
  return {
    async rows(rows: readonly Row[]) {
      await write(io, csvText(io, head + rows.map((row) => csvLine(names.map((name) => row[name]))).join('')))
      head = ''
    },
    leftOut: () => NONE,
  }
}

/** The widths of the columns are those of the first page. */
function tablePrinter(io: Io, { record }: Operation) {
  const view = viewOf(io)
  let drawn: { readonly layout: Layout; readonly cells: (row: Row) => string[] } | undefined
  return {
    async rows(rows: readonly Row[]) {
      if (rows.length === 0) return
      if (!drawn) {
        const { columns, cells } = columnsOf(rows, record)
        drawn = { layout: layOut(columns, rows.map(cells), view.width), cells }
        await writeLines(io, [headLine(drawn.layout, view.paint)])
      }
      const { layout, cells } = drawn
      await writeLines(
        io,
        rows.map((row) => rowLine(layout, cells(row), view.paint)),
      )
    },
    leftOut: () => drawn?.layout.leftOut ?? NONE,
  }
}

/** The columns of CSV: the fields of the record type, or the selected ones, whatever the records at hand have. */
function columnNames(operation: Operation, { Select }: Row): readonly string[] {
  const all = memberNames(operation)
  const [id] = all
  return Array.isArray(Select) && !operation.record.userDefined ? all.filter((name) => name === id || Select.includes(name)) : all
}

/** A count with its noun: 3 leads. */
export function counted(operation: Operation, count: number): string {
  const name = listOf(operation) === 'Events' ? 'event' : words(operation.record.name).toLowerCase()
  const many = listOf(operation) === 'Events' ? 'events' : words(operation.record.plural).toLowerCase()
  return `${count === 0 ? 'No' : count.toLocaleString('en')} ${count === 1 ? name : many}`
}
