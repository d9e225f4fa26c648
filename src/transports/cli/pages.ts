import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { words } from '../../contract/record.ts'
import { csvLine } from '../../files/exporting/csv-line.ts'
import type { Asked } from './answers.ts'
import { columnsOf, type Row } from './cells.ts'
import { inputsOf } from './flags.ts'
import { type Io, write } from './io.ts'
import { csvText, jsonText, viewOf, writeLines } from './output.ts'
import type { Schema } from './schema.ts'
import { headLine, type Layout, layOut, rowLine } from './table.ts'

/** A page of an answer. */
export interface Page {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** The member of an answer that is a page of records; undefined where it is none. */
export function listOf({ output }: Operation): 'Records' | 'Events' | undefined {
  const { properties = {} } = output as Schema
  return (['Records', 'Events'] as const).find((name) => Object.hasOwn(properties, name) && Object.hasOwn(properties, 'NextCursor'))
}

/** Whether all of it can be had, page after page. */
export const isPaged = (operation: Operation) => listOf(operation) === 'Records' && Object.hasOwn(inputsOf(operation), 'Cursor')

export const pageOf = (operation: Operation, answer: Row): Page => ({
  rows: answer[listOf(operation) ?? ''] as readonly Row[],
  next: answer.NextCursor as string | null,
})

/** Every page from here on, one at a time. */
export async function* allPages(crm: Crm, operation: Operation, input: Row, signal: AbortSignal): AsyncGenerator<Page> {
  const { Limit = LIMITS.page, ...rest } = input
  let Cursor = rest.Cursor
  do {
    const page = pageOf(operation, (await crm.call(operation.id, { ...rest, Limit, ...(Cursor !== undefined && { Cursor }) }, { signal })) as Row)
    yield page
    Cursor = page.next
  } while (Cursor !== null && !signal.aborted)
}

/** Prints pages as they come, in as much memory as one of them takes. */
export async function printPages(
  { io, operation, input, format }: Pick<Asked, 'io' | 'operation' | 'input' | 'format'>,
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

/** The first page says how wide the columns are. */
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

/** The columns of a file are those of the record type, whatever the records at hand have; or those that were selected. */
function columnNames(operation: Operation, { Select }: Row): readonly string[] {
  const { properties = {} } = operation.output as Schema
  const all = Object.keys(properties[listOf(operation) ?? '']?.items?.properties ?? {})
  const [id] = all
  return Array.isArray(Select) && !operation.record.userDefined ? all.filter((name) => name === id || Select.includes(name)) : all
}

/** How many there are, in words. */
export function counted(operation: Operation, count: number): string {
  const name = listOf(operation) === 'Events' ? 'event' : words(operation.record.name).toLowerCase()
  const many = listOf(operation) === 'Events' ? 'events' : words(operation.record.plural).toLowerCase()
  return `${count === 0 ? 'No' : count.toLocaleString('en')} ${count === 1 ? name : many}`
}
