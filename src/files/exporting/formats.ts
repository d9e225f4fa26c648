import { csvLine } from './csv-line.ts'
import type { Row } from './pages.ts'
import { withoutFormula } from './spreadsheet-text.ts'

export const EXPORT_FORMATS = ['csv', 'ndjson', 'json', 'xlsx'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Whether records stand in columns. */
export const hasColumns = (format: ExportFormat) => format === 'csv' || format === 'xlsx'

/** Turns pages of records into the content of a file, piece by piece. */
export type Writer<Piece extends string | Uint8Array = string> = (pages: AsyncIterable<readonly Row[]>) => AsyncIterable<Piece>

export const ndjsonOf: Writer = async function* (pages) {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

export const jsonOf: Writer = async function* (pages) {
  let before = '[\n'
  for await (const rows of pages) {
    if (rows.length === 0) continue
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n')
    before = ',\n'
  }
  yield `${before === '[\n' ? '[' : '\n'}]\n`
}

export interface CsvOptions {
  /** Texts that look like formulas are quoted, and read back as they were; `raw` writes them as they are. */
  readonly raw: boolean
  /** Whether it begins with a byte order mark, without which Excel takes UTF-8 for the encoding of the country. */
  readonly bom: boolean
}

export const csvOf = (columns: readonly string[], flat: (row: Row) => Row, { raw, bom }: CsvOptions): Writer =>
  async function* csv(pages) {
    const cell = raw ? (value: unknown) => value : withoutFormula
    const lineOf = (row: Row) => csvLine(columns.map((name) => cell(row[name])))
    let head = `${bom ? '\uFEFF' : ''}${csvLine(columns.map(cell))}`
    for await (const rows of pages) {
      yield head + rows.map((row) => lineOf(flat(row))).join('')
      head = ''
    }
    yield head
  }
