import { CrmError } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { type Encoding, type FileSource, textPieces } from './decoding.ts'
import { headed, isUnnamed } from './header.ts'
import { type FileRow, FORMATS, type Format } from './rows.ts'
import { sheetLines } from './sheet.ts'
import { type TextRows, textRows } from './text-rows.ts'

/** A file of rows, read a piece at a time, as often as wanted. */
export interface RowFile extends TextRows {
  readonly name: string
  readonly format: Format
}

export interface HowToRead extends Encoding {
  readonly delimiter?: string | undefined
  readonly sheet?: string | undefined
  /** Whether the texts of a CSV file are taken as they are, instead of as `withoutFormula` has written them. */
  readonly raw?: boolean | undefined
}

export const ENDINGS = Object.keys(FORMATS)

/** Opens a file in the format that its name ends with. */
export async function openRowFile(source: FileSource, how: HowToRead): Promise<RowFile> {
  const { name } = source
  const ending = /\.[^./\\]*$/.exec(name.toLowerCase())?.[0] ?? ''
  if (!Object.hasOwn(FORMATS, ending)) throw unknownEnding(name, ending)
  const format = FORMATS[ending as keyof typeof FORMATS]
  if (format === 'xlsx') return { name, format, read: () => headed(sheetLines(source, how.sheet), { allowsRagged: true }) }
  return { name, format, ...(await textRows(format, () => textPieces(source, how), how.delimiter, how.raw)) }
}

function unknownEnding(name: string, ending: string): CrmError {
  const [near] = nearest(ending, ENDINGS)
  return new CrmError('invalid_input', `${name} has none of the endings that can be read.`, {
    hint: `They are ${ENDINGS.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  })
}

/** The first rows of a file. */
export interface Sample {
  readonly rows: readonly FileRow[]
  /** The columns that the file itself names. */
  readonly names: readonly string[] | undefined
}

/**
 * How many rows the columns, the types of new fields and the preview are taken from. It is the same for every caller: the inferred types are part of the
 * rows' idempotency keys.
 */
const SAMPLE = 1000

export async function sampleOf(file: RowFile): Promise<Sample> {
  const sample: FileRow[] = []
  let columns: readonly string[] | undefined
  try {
    for await (const { rows, names } of file.read()) {
      sample.push(...rows)
      columns ??= names
      if (sample.length >= SAMPLE) break
    }
  } catch (error) {
    // The rows before a fault can be imported; the import reports the fault when it gets there.
    if (sample.length === 0) throw error
  }
  if (sample.length === 0 && columns === undefined)
    throw new CrmError('invalid_input', `${file.name} is empty.`, {
      hint: file.format === 'ndjson' ? 'Every line is a record.' : 'The first line names the columns, and every further line is a record.',
    })
  return { rows: sample.slice(0, SAMPLE), names: columns }
}

/** Every column that the file names or its first rows have, without those that a spreadsheet leaves behind: unnamed and empty. */
export function columnsIn(rows: readonly FileRow[], names: readonly string[] = []): string[] {
  const readable = rows.filter(({ fault }) => fault === undefined)
  const isEmpty = (name: string, i: number) => isUnnamed(name, i) && !readable.some((row) => row.names[i] === name && row.cells[i] !== undefined)
  const empty = new Set(names.filter(isEmpty))
  return [...new Set([...names, ...readable.flatMap((row) => row.names)])].filter((name) => !empty.has(name))
}

/** How many rows can be read, and the fault that ends them, if one does. */
export async function countRows(file: RowFile): Promise<{ readonly count: number; readonly fault?: CrmError }> {
  let count = 0
  try {
    for await (const { rows } of file.read()) count += rows.length
  } catch (error) {
    if (error instanceof CrmError) return { count, fault: error }
    throw error
  }
  return { count }
}
