import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { CrmError } from '../../contract/errors.ts'
import { nearest } from '../../contract/names.ts'
import { headed } from './header.ts'
import { type FileRow, FORMATS, type Format } from './rows.ts'
import { type TextRows, textRows } from './text-rows.ts'
import { textOf } from './decoding.ts'
import { sheetLines } from './sheet.ts'

/** A file of rows, which can be read again and again, a piece at a time. */
export interface RowFile extends TextRows {
  readonly path: string
  readonly format: Format
}

/** The beginning of a file. */
export interface Sample {
  readonly rows: readonly FileRow[]
  /** The columns that the file itself names. */
  readonly names: readonly string[] | undefined
}

/** Rows that the columns, the types of new fields and the preview are taken from. */
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
    // What is before that can be imported, and whoever imports it is told.
    if (sample.length === 0) throw error
  }
  if (sample.length === 0 && columns === undefined)
    throw new CrmError('invalid_input', `${file.path} is empty.`, {
      hint: file.format === 'ndjson' ? 'Every line is a record.' : 'The first line names the columns, and every further line is a record.',
    })
  return { rows: sample.slice(0, SAMPLE), names: columns }
}

/** How many rows a file has, and what is in the way of reading on after them, where something is. */
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
  return { path, format, ...(await textRows(format, () => textOf(path, size, encoding), delimiter)) }
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
