import { CrmError } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import { archiveSizes } from './archive-sizes.ts'
import type { FileSource } from './decoding.ts'
import type { Lines } from './header.ts'

/** A workbook is unpacked in memory, where each row takes about four kilobytes. */
const LARGEST = 8 * 1024 * 1024

/** What a workbook may unpack to. Sheets are repetitive, and shrink to a twentieth, seldom to less than a hundredth. */
const UNPACKED = { bytes: 256 * 1024 * 1024, entries: 10_000, ratio: 200, smallBytes: 8 * 1024 * 1024 }

const AT_ONCE = 500

/** What every workbook, a ZIP archive, begins with. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]

/** The rows of a sheet of an Excel workbook, the first sheet unless another is named. The library is loaded when it is first needed. */
export async function* sheetLines({ name, size, whole }: FileSource, sheet: string | undefined): AsyncGenerator<Lines> {
  if (size > LARGEST)
    throw new CrmError('too_large', `${name} is larger than ${LARGEST / 1024 / 1024} MB, which is too much for a workbook.`, {
      hint: 'Save it from Excel as "CSV UTF-8", which can be of any size.',
    })
  const book = await whole()
  if (!ZIP.every((byte, i) => book[i] === byte))
    throw new CrmError('invalid_input', `${name} cannot be read as a workbook: it is not an .xlsx file, whatever its name.`, {
      hint: 'Open it in the program that wrote it, and save it as .xlsx or as CSV UTF-8.',
    })
  refuseBomb(name, book)
  const { readXlsx, streamXlsxRows } = await import('hucre/xlsx')
  let lines: Lines['lines'][number][] = []
  try {
    if (sheet !== undefined) refuseUnknown(name, sheet, (await readXlsx(book, { maxRows: 1 })).sheets)
    for await (const { index, values } of streamXlsxRows(book, sheet === undefined ? {} : { sheet })) {
      lines.push({ line: index + 1, cells: values.map(plain) })
      if (lines.length < AT_ONCE) continue
      yield { lines, part: 0 }
      lines = []
    }
  } catch (error) {
    if (error instanceof CrmError) throw error
    throw new CrmError('invalid_input', `${name} cannot be read as a workbook: ${(error as Error).message}`, { cause: error })
  }
  yield { lines, part: 1 }
}

/** Refuses a workbook that unpacks to far more than it seems, before any of it is unpacked. */
function refuseBomb(name: string, book: Uint8Array): void {
  const sizes = archiveSizes(book)
  if (!sizes)
    throw new CrmError('invalid_input', `${name} cannot be read as a workbook: the directory of the archive is damaged, or lacks the sizes of its parts.`, {
      hint: 'Open it in the program that wrote it, and save it as .xlsx or as CSV UTF-8.',
    })
  const { bytes, entries } = sizes
  const most = Math.min(UNPACKED.bytes, Math.max(UNPACKED.smallBytes, UNPACKED.ratio * book.length))
  if (bytes <= most && entries <= UNPACKED.entries) return
  throw new CrmError(
    'too_large',
    `${name} has ${entries.toLocaleString('en')} parts of ${bytes.toLocaleString('en')} bytes in all, which is too much for a workbook.`,
    {
      hint: 'Save it from Excel as "CSV UTF-8", which can be of any size.',
    },
  )
}

function refuseUnknown(name: string, sheet: string, sheets: readonly { readonly name: string }[]): void {
  const names = sheets.map((one) => one.name)
  if (names.includes(sheet)) return
  throw new CrmError('invalid_input', `${name} has no sheet called ${quote(sheet)}.`, { hint: `It has ${names.map(quote).join(', ')}.` })
}

/** The value of a cell; midnight is a date without a time. */
function plain(value: unknown): unknown {
  if (value === null || value === '') return undefined
  return value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, '') : value
}
