import { readFileSync } from 'node:fs'
import { CrmError } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import type { Lines } from './header.ts'

/** A workbook is unpacked in memory, where each row takes some four kilobytes. */
const LARGEST = 8 * 1024 * 1024

const AT_ONCE = 500

/** The rows of a sheet of an Excel workbook, the first sheet unless another is named. */
export async function* sheetLines(path: string, size: number, sheet: string | undefined): AsyncGenerator<Lines> {
  if (size > LARGEST)
    throw new CrmError('too_large', `${path} is larger than ${LARGEST / 1024 / 1024} MB, which is too much for a workbook.`, {
      hint: 'Save it from Excel as "CSV UTF-8", which can be of any size.',
    })
  const { readXlsx, streamXlsxRows } = await import('hucre')
  const book = readFileSync(path)
  let lines: Lines['lines'][number][] = []
  try {
    if (sheet !== undefined) refuseUnknown(path, sheet, (await readXlsx(book, { maxRows: 1 })).sheets)
    for await (const { index, values } of streamXlsxRows(book, sheet === undefined ? {} : { sheet })) {
      const cells = values.map(plain)
      if (cells.some((cell) => cell !== undefined)) lines.push({ line: index + 1, cells })
      if (lines.length < AT_ONCE) continue
      yield { lines, part: 0 }
      lines = []
    }
  } catch (error) {
    if (error instanceof CrmError) throw error
    throw new CrmError('invalid_input', `${path} cannot be read as a workbook: ${(error as Error).message}`, { cause: error })
  }
  yield { lines, part: 1 }
}

function refuseUnknown(path: string, sheet: string, sheets: readonly { readonly name: string }[]): void {
  const names = sheets.map(({ name }) => name)
  if (names.includes(sheet)) return
  throw new CrmError('invalid_input', `${path} has no sheet called ${quote(sheet)}.`, { hint: `It has ${names.map(quote).join(', ')}.` })
}

/** What a cell holds; a day without a time is a date. */
function plain(value: unknown): unknown {
  if (value === null || value === '') return undefined
  return value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, '') : value
}
