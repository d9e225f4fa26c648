import { CrmError } from '../../contract/errors.ts'
import type { RecordType } from '../../contract/record.ts'
import { CUSTOM_TYPES, type CustomType } from '../../contract/records/custom-object.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Writer } from './formats.ts'
import type { Row } from './pages.ts'

/** The limits of Excel: rows of a sheet, characters of a cell. */
const [MOST_ROWS, LONGEST] = [1_048_576, 32_767]

const USE_CSV = { hint: 'Export it as CSV, which can be of any size, or only a part of it, by filters or columns.' }

/** Refuses more records than fit below the line with the names of the columns. */
export function refuseTooMany(records: number): void {
  if (records < MOST_ROWS) return
  throw new CrmError('too_large', `There are more records than a sheet holds, which is ${(MOST_ROWS - 1).toLocaleString('en')}.`, USE_CSV)
}

/** A workbook of one sheet. Numbers, booleans and dates keep their types; a text stays a text, also one that looks like a formula. */
export const workbookOf = (columns: readonly string[], type: RecordType, name: string, flat: (row: Row) => Row): Writer<Uint8Array> =>
  async function* workbook(pages) {
    const { writeXlsxStream } = await import('hucre/xlsx')
    async function* lines() {
      yield columns.map(textCell)
      let count = 0
      for await (const rows of pages) {
        count += rows.length
        refuseTooMany(count)
        for (const row of rows) {
          const values = flat(row)
          yield columns.map((column) => cellOf(column, values[column], isDate(type, row, column)))
        }
      }
    }
    yield* writeXlsxStream(lines(), { name, freezePane: { rows: 1 } })
  }

function isDate(type: RecordType, { Fields }: Row, column: string): boolean {
  const kind = type.fields[column]?.kind
  if (kind !== undefined || !isObject(Fields) || !isObject(Fields[column])) return kind === 'date'
  return CUSTOM_TYPES[Fields[column].Type as CustomType] === 'date'
}

function cellOf(column: string, value: unknown, isDay: boolean): string | number | boolean | Date | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // Excel has no dates before 1900, and counts its first two months wrongly.
  if (isDay && text >= '1900-03-01') return new Date(`${text}T00:00:00.000Z`)
  if (text.length > LONGEST)
    throw new CrmError('too_large', `A ${column} is longer than a cell of a sheet can be, which is ${LONGEST.toLocaleString('en')} characters.`, USE_CSV)
  return textCell(text)
}

/** A workbook reads _x000D_ as an escaped character; a text that contains such a sequence has its underscore escaped. */
const textCell = (text: string) => text.replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
