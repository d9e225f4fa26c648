import { extname } from 'node:path'
import { CrmError } from '../../../contract/errors.ts'
import { csvLine } from '../../../files/csv-line.ts'
import { harmless } from '../../../files/harmless.ts'
import type { Row } from '../cells.ts'

export const FORMATS = ['csv', 'ndjson', 'json'] as const
export type Format = (typeof FORMATS)[number]

const ENDINGS: { readonly [ending: string]: Format } = { '.csv': 'csv', '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.json': 'json' }

/** The format that was said, or that the name of the file ends with. */
export function formatFor(path: string | undefined, said: Format | undefined): Format {
  if (said !== undefined) return said
  if (path === undefined) return 'csv'
  const format = ENDINGS[extname(path).toLowerCase()]
  if (format === undefined)
    throw new CrmError('invalid_input', `${path} does not end like any format there is.`, {
      hint: `It may end with ${Object.keys(ENDINGS).join(', ')}; or say --format.`,
    })
  return format
}

/** Records as text, a page at a time: what comes before them, between and after. */
export interface Writer {
  page(rows: readonly Row[]): string
  end(): string
}

export function writerFor(format: Format, columns: readonly string[], flat: (row: Row) => Row, forSpreadsheets: boolean): Writer {
  if (format === 'ndjson') return { page: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''), end: () => '' }
  if (format === 'json') return jsonWriter()
  let head = csvLine(columns)
  const cell = forSpreadsheets ? harmless : (value: unknown) => value
  return {
    page(rows) {
      const text =
        head +
        rows
          .map(flat)
          .map((row) => csvLine(columns.map((name) => cell(row[name]))))
          .join('')
      head = ''
      return text
    },
    end: () => head,
  }
}

function jsonWriter(): Writer {
  let before = '[\n'
  return {
    page(rows) {
      return rows
        .map((row) => {
          const text = before + JSON.stringify(row)
          before = ',\n'
          return text
        })
        .join('')
    },
    end: () => `${before === '[\n' ? '[' : '\n'}]\n`,
  }
}
