import { CrmError } from 'crm-connector'
import type { Lines } from 'crm-connector/files'

/** A workbook is unpacked in memory, where each row takes some four kilobytes. */
const LARGEST = 8 * 1024 * 1024

const AT_ONCE = 500

/** A workbook is a ZIP archive, and begins like one. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]

/** The rows of the first sheet of an Excel workbook. What reads it is loaded when it is first needed. */
export async function* sheetLines(file: File): AsyncGenerator<Lines> {
  if (file.size > LARGEST)
    throw new CrmError(
      'too_large',
      `${file.name} is larger than ${LARGEST / 1024 / 1024} MB, which is too much for a workbook. Save it from Excel as CSV UTF-8, which can be of any size.`,
    )
  const beginning = new Uint8Array(await file.slice(0, ZIP.length).arrayBuffer())
  if (!ZIP.every((byte, i) => beginning[i] === byte))
    throw new CrmError(
      'invalid_input',
      `${file.name} is no Excel workbook, whatever its name says. Open it in what has written it, and save it as .xlsx or as CSV UTF-8.`,
    )
  const { streamXlsxRows } = await import('hucre/xlsx')
  let lines: Lines['lines'][number][] = []
  try {
    for await (const { index, values } of streamXlsxRows(new Uint8Array(await file.arrayBuffer()))) {
      const cells = values.map(plain)
      if (cells.some((cell) => cell !== undefined)) lines.push({ line: index + 1, cells })
      if (lines.length < AT_ONCE) continue
      yield { lines, part: 0 }
      lines = []
    }
  } catch (error) {
    throw new CrmError('invalid_input', `${file.name} cannot be read as a workbook: ${(error as Error).message}`, { cause: error })
  }
  yield { lines, part: 1 }
}

/** What a cell holds; a day without a time is a date. */
function plain(value: unknown): unknown {
  if (value === null || value === '') return undefined
  return value instanceof Date ? value.toISOString().replace(/T00:00:00\.000Z$/, '') : value
}
