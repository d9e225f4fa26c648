import { asWritten } from '../exporting/spreadsheet-text.ts'
import { type CsvLine, CsvReader, delimiterOf, holdsText, withoutBlankLines } from './csv-reader.ts'
import { headed } from './header.ts'
import { JsonLineReader, JsonListReader, type JsonRecord } from './json-reader.ts'
import { type FileRow, type FileRows, type Format, unmended } from './rows.ts'

/** A piece of a text. */
export interface Piece {
  readonly text: string
  readonly isLast: boolean
  /** How much of the file has been read, from 0 to 1. */
  readonly part: number
}

/** The rows of a text, read a piece at a time, as often as wanted. */
export interface TextRows {
  /** What separates the cells of CSV. */
  readonly delimiter?: string
  /** Whether its texts are taken as they are. */
  readonly raw?: boolean
  read(): AsyncGenerator<FileRows>
}

/** Reads the rows of a text. The delimiter is the given one, the one that the text names (`sep=;`), or the most frequent one of the first line. */
export async function textRows(format: Exclude<Format, 'xlsx'>, pieces: () => AsyncGenerator<Piece>, delimiter?: string, raw = false): Promise<TextRows> {
  if (format !== 'csv') return { read: () => (format === 'json' ? jsonListRows : jsonLineRows)(pieces()) }
  const beginning = withoutBlankLines((await pieces().next()).value?.text ?? '')
  // Excel names its delimiter in a first line of its own.
  const [, named] = /^sep=(.)[\r\n]/.exec(beginning) ?? []
  const separator = delimiter ?? named ?? delimiterOf(beginning)
  // A file that quotes the names of its columns quotes every cell, so that an empty quoted one is no value.
  const quotesAll = beginning.trimStart().startsWith('"')
  return { delimiter: separator, raw, read: () => headed(csvLines(pieces(), separator, named !== undefined, raw), { quotesAll }) }
}

/** Yields the lines before a fault, then throws it. */
async function* csvLines(pieces: AsyncIterable<Piece>, delimiter: string, namesDelimiter: boolean, raw: boolean) {
  const reader = new CsvReader(delimiter)
  let skipped = !namesDelimiter
  for await (const { text, isLast, part } of pieces) {
    const lines = reader.read(text, isLast).filter(holdsText)
    if (!skipped && lines.length > 0) skipped = lines.shift() !== undefined
    yield { lines: raw ? lines : lines.map(unquoted), part }
    if (reader.fault) throw reader.fault
  }
}

const unquoted = (line: CsvLine): CsvLine => ({ ...line, cells: line.cells.map((cell) => cell && asWritten(cell)) })

async function* jsonLineRows(pieces: AsyncIterable<Piece>): AsyncGenerator<FileRows> {
  const reader = new JsonLineReader()
  for await (const { text, isLast, part } of pieces) yield { rows: reader.read(text, isLast).map(rowOf), part }
}

async function* jsonListRows(pieces: AsyncIterable<Piece>): AsyncGenerator<FileRows> {
  const reader = new JsonListReader()
  for await (const { text, isLast, part } of pieces) {
    const rows = reader.read(text, isLast).map(rowOf)
    // An empty list is a file without rows; an empty text is no list.
    yield { rows, part, ...(reader.isList && { names: [] }) }
    if (reader.fault) throw reader.fault
  }
}

function rowOf({ record, line, fault }: JsonRecord): FileRow {
  const [names, cells] = [Object.keys(record), Object.values(record)]
  const error = fault ?? unmended(names, cells)
  return { line, names, cells, ...(error !== undefined && { fault: error }) }
}
