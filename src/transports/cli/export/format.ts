import { extname } from 'node:path'
import { CrmError } from '../../../contract/errors.ts'
import { csvLine } from '../../../files/exporting/csv-line.ts'
import { harmless } from '../../../files/exporting/spreadsheet-text.ts'
import type { Row } from '../cells.ts'

export const FORMATS = ['csv', 'ndjson', 'json', 'xlsx'] as const
export type Format = (typeof FORMATS)[number]

const ENDINGS: { readonly [ending: string]: Format } = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.json': 'json', '.xlsx': 'xlsx' }

/** The format that was said, or that the name of the file ends with. */
export function formatFor(path: string | undefined, said: Format | undefined): Format {
  if (path === undefined && said === 'xlsx')
    throw new CrmError('invalid_input', 'A workbook is written to a file only.', { hint: 'Say which with --to, such as --to leads.xlsx.' })
  if (said !== undefined) return said
  if (path === undefined) return 'csv'
  const format = ENDINGS[extname(path).toLowerCase()]
  if (format === undefined)
    throw new CrmError('invalid_input', `${path} does not end like any format there is.`, {
      hint: `It may end with ${Object.keys(ENDINGS).join(', ')}; or say --format.`,
    })
  return format
}

/** Whether records stand in columns. */
export const hasColumns = (format: Format) => format === 'csv' || format === 'xlsx'

/** Pages of records as what a file of a format holds, piece by piece. */
export type Writer = (pages: AsyncIterable<readonly Row[]>) => AsyncIterable<string | Uint8Array>

export async function* ndjsonOf(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

export async function* jsonOf(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const rows of pages) {
    if (rows.length === 0) continue
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n')
    before = ',\n'
  }
  yield `${before === '[\n' ? '[' : '\n'}]\n`
}

export const csvOf = (columns: readonly string[], flat: (row: Row) => Row, forSpreadsheets: boolean): Writer =>
  async function* csv(pages) {
    const cell = forSpreadsheets ? harmless : (value: unknown) => value
    const lineOf = (row: Row) => csvLine(columns.map((name) => cell(row[name])))
    let head = csvLine(columns)
    for await (const rows of pages) {
      yield head + rows.map((row) => lineOf(flat(row))).join('')
      head = ''
    }
    yield head
  }
