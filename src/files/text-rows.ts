import { CsvReader, delimiterOf } from './csv-reader.ts'
import { headed } from './headed.ts'
import { JsonLineReader, JsonListReader } from './json-reader.ts'
import type { FileRows, Format } from './rows.ts'

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
  if (format !== 'csv') return { read: () => jsonRows(pieces(), format === 'json' ? new JsonListReader() : new JsonLineReader()) }
  const beginning = (await pieces().next()).value?.text ?? ''
  // A spreadsheet may say itself what it has put between.
  const [, said] = /^sep=(.)[\r\n]/.exec(beginning) ?? []
  const between = delimiter ?? said ?? delimiterOf(beginning)
  // Whoever quotes even the name of a column quotes everything, and means nothing by a pair of quotes.
  const isEager = beginning.trimStart().startsWith('"')
  return { delimiter: between, read: () => headed(csvLines(pieces(), between, said !== undefined), { isEager }) }
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
