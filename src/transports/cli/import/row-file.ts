import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { CrmError } from '../../../contract/errors.ts'
import { nearest } from '../../../contract/names.ts'
import { CsvReader, delimiterOf } from './csv-reader.ts'
import { type Piece, textOf } from './file-text.ts'
import { headed } from './headed.ts'
import { JsonLineReader, JsonListReader } from './json-reader.ts'
import { sheetLines } from './sheet.ts'

/** One row of a file. */
export interface FileRow {
  /** The line it begins on; in a workbook its row. */
  readonly line: number
  /** The columns that it has, and what is in them: texts in CSV, any value elsewhere, undefined where there is nothing. */
  readonly names: readonly string[]
  readonly cells: readonly unknown[]
  /** Why it cannot be read, where it cannot. */
  readonly fault?: string
}

/** Rows that were read together, and how much of the file that makes, from 0 to 1. */
export interface FileRows {
  readonly rows: readonly FileRow[]
  readonly part: number
}

const FORMATS = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.xlsx': 'xlsx',
} as const

/** A file of rows, which can be read again and again, a piece at a time. */
export interface RowFile {
  readonly path: string
  readonly format: (typeof FORMATS)[keyof typeof FORMATS]
  /** What separates the cells, where something does. */
  readonly delimiter?: string
  read(): AsyncGenerator<FileRows>
}

export interface HowToRead {
  readonly encoding?: string | undefined
  readonly delimiter?: string | undefined
  readonly sheet?: string | undefined
}

/** Opens a file by what its name ends with. */
export async function openRowFile(path: string, { encoding, delimiter, sheet }: HowToRead): Promise<RowFile> {
  const ending = extname(path).toLowerCase()
  const format = Object.hasOwn(FORMATS, ending) ? FORMATS[ending as keyof typeof FORMATS] : undefined
  if (!format) throw unknownEnding(path, ending)
  const size = sizeOf(path)
  if (format === 'xlsx') return { path, format, read: () => headed(sheetLines(path, size, sheet), { isRagged: true }) }
  const pieces = () => textOf(path, size, encoding)
  if (format !== 'csv') return { path, format, read: () => jsonRows(pieces(), format === 'json' ? new JsonListReader() : new JsonLineReader()) }
  const beginning = (await pieces().next()).value?.text ?? ''
  // A spreadsheet may say itself what it has put between.
  const [, said] = /^sep=(.)[\r\n]/.exec(beginning) ?? []
  const between = delimiter ?? said ?? delimiterOf(beginning)
  // Whoever quotes even the name of a column quotes everything, and means nothing by a pair of quotes.
  const isEager = beginning.trimStart().startsWith('"')
  return { path, format, delimiter: between, read: () => headed(csvLines(pieces(), between, said !== undefined), { isEager }) }
}

function unknownEnding(path: string, ending: string): CrmError {
  const [near] = nearest(ending, Object.keys(FORMATS))
  return new CrmError('invalid_input', `${path} has none of the endings that can be read.`, {
    hint: `They are ${Object.keys(FORMATS).join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  })
}

function sizeOf(path: string): number {
  let size: number | undefined
  try {
    const file = statSync(path)
    size = file.isFile() ? file.size : undefined
  } catch (error) {
    throw new CrmError('not_found', `${path} cannot be read: ${(error as Error).message}`)
  }
  if (size === undefined)
    throw new CrmError('invalid_input', `${path} is not a file.`, { hint: 'What is imported is read more than once, so that it must be a file.' })
  return size
}

async function* csvLines(pieces: AsyncIterable<Piece>, delimiter: string, saysSo: boolean) {
  const reader = new CsvReader(delimiter)
  let skipped = !saysSo
  for await (const { text, isLast, part } of pieces) {
    const lines = reader.read(text, isLast)
    if (!skipped && lines.length > 0) skipped = lines.shift() !== undefined
    yield { lines, part }
  }
}

async function* jsonRows(pieces: AsyncIterable<Piece>, reader: JsonLineReader | JsonListReader): AsyncGenerator<FileRows> {
  for await (const { text, isLast, part } of pieces) {
    const records = reader.read(text, isLast)
    yield { rows: records.map(({ record, ...row }) => ({ ...row, names: Object.keys(record), cells: Object.values(record) })), part }
  }
}
