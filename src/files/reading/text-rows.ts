import { CsvReader, delimiterOf } from './csv-reader.ts'
import { headed } from './header.ts'
import { JsonLineReader, JsonListReader, type JsonRecord } from './json-reader.ts'
import { nothingButError } from '../sending/reject-text.ts'
import type { FileRow, FileRows, Format } from './rows.ts'

/** A piece of a text. */
export interface Piece {
  readonly text: string
  readonly isLast: boolean
  /** How much of the file has been read, from 0 to 1. */
  readonly part: number
}

/** The rows of a text, which can be read again and again, a piece at a time. */
export interface TextRows {
  /** What separates the cells, where something does. */
  readonly delimiter?: string
  read(): AsyncGenerator<FileRows>
}

/** Reads rows out of a text of which the pieces can be had as often as wanted. Cells are separated by what the text itself says or shows, unless told. */
export async function textRows(format: Exclude<Format, 'xlsx'>, pieces: () => AsyncGenerator<Piece>, delimiter?: string): Promise<TextRows> {
  if (format !== 'csv') return { read: () => (format === 'json' ? jsonListRows : jsonLineRows)(pieces()) }
  const beginning = (await pieces().next()).value?.text ?? ''
  // A spreadsheet may say itself what it has put between.
  const [, said] = /^sep=(.)[\r\n]/.exec(beginning) ?? []
  const between = delimiter ?? said ?? delimiterOf(beginning)
  // Whoever quotes even the name of a column quotes everything, and means nothing by a pair of quotes.
  const isEager = beginning.trimStart().startsWith('"')
  return { delimiter: between, read: () => headed(csvLines(pieces(), between, said !== undefined), { isEager }) }
}

/** What was read before a text goes wrong is handed over before that is told. */
async function* csvLines(pieces: AsyncIterable<Piece>, delimiter: string, saysSo: boolean) {
  const reader = new CsvReader(delimiter)
  let skipped = !saysSo
  for await (const { text, isLast, part } of pieces) {
    const lines = reader.read(text, isLast)
    if (!skipped && lines.length > 0) skipped = lines.shift() !== undefined
    yield { lines, part }
    if (reader.fault) throw reader.fault
  }
}

async function* jsonLineRows(pieces: AsyncIterable<Piece>): AsyncGenerator<FileRows> {
  const reader = new JsonLineReader()
  for await (const { text, isLast, part } of pieces) yield { rows: reader.read(text, isLast).map(rowOf), part }
}

async function* jsonListRows(pieces: AsyncIterable<Piece>): AsyncGenerator<FileRows> {
  const reader = new JsonListReader()
  for await (const { text, isLast, part } of pieces) {
    const rows = reader.read(text, isLast).map(rowOf)
    // A list says that there is nothing in it, which a text that is empty does not.
    yield { rows, part, ...(reader.isList && { names: [] }) }
    if (reader.fault) throw reader.fault
  }
}

function rowOf({ record, line, fault }: JsonRecord): FileRow {
  const [names, cells] = [Object.keys(record), Object.values(record)]
  const wrong = fault ?? nothingButError(names, cells)
  return { line, names, cells, ...(wrong !== undefined && { fault: wrong }) }
}
