import { FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'

/** The formats of numbers and dates in a file, each named by an example. */
export const NUMBERS = {
  '1234.5': { pattern: /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i, plain: (text: string) => text },
  '1,234.5': { pattern: /^[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/, plain: (text: string) => text.replaceAll(',', '') },
  '1.234,5': { pattern: /^[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$/, plain: (text: string) => text.replaceAll('.', '').replace(',', '.') },
} as const

export const DATES = {
  '2026-12-31': { pattern: /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/ },
  '31.12.2026': { pattern: /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})$/ },
  '31/12/2026': { pattern: /^(?<day>\d\d?)\/(?<month>\d\d?)\/(?<year>\d{4})$/ },
  '12/31/2026': { pattern: /^(?<month>\d\d?)\/(?<day>\d\d?)\/(?<year>\d{4})$/ },
} as const

export interface CellFormats {
  readonly numbers: keyof typeof NUMBERS
  readonly dates: keyof typeof DATES
  /** Whether a number is taken where the field is a text: a spreadsheet stores whatever looks like a number as one. */
  readonly numbersAsText: boolean
}

/** A format that would read a value which the chosen one does not. */
export interface OtherFormat {
  readonly setting: 'numbers' | 'dates'
  readonly example: string
}

/** The value of a cell that cannot be read as its field's kind. */
export class Unreadable {
  readonly expected: string
  readonly otherFormat: OtherFormat | undefined

  constructor(expected: string, otherFormat?: OtherFormat) {
    this.expected = expected
    this.otherFormat = otherFormat
  }
}

const BOOLEANS: { readonly [word: string]: boolean } = { true: true, false: false, yes: true, no: false, 1: true, 0: false }

/**
 * The value of a cell, read as the kind of its field; undefined where the cell is empty. A text field keeps leading zeros and blanks. Values that are not
 * texts, as in JSON, are returned as they are, for the contract to check.
 */
export function readCell(kind: FieldKind, cell: unknown, formats: CellFormats): unknown {
  if (cell === undefined || cell === null) return undefined
  const family = FIELD_KINDS[kind]
  if (typeof cell !== 'string') return formats.numbersAsText && family === 'text' ? String(cell) : cell
  // An empty text is a value only where the field can hold one.
  if (cell === '' && (family !== 'text' || kind === 'email' || kind === 'choice' || kind === 'id')) return undefined
  const text = cell.trim()
  switch (family) {
    case 'number':
      return text === '' ? undefined : readNumber(text, formats)
    case 'boolean':
      return text === '' ? undefined : (BOOLEANS[text.toLowerCase()] ?? new Unreadable('true or false'))
    case 'date':
      return text === '' ? undefined : readDate(text, formats)
    case 'timestamp':
      return text === '' ? undefined : text
    case 'list':
      return text === '' ? undefined : readList(text)
    default:
      return kind === 'email' || kind === 'id' ? text || undefined : cell
  }
}

/** The values of a list: as JSON, as an export writes them, or between semicolons, as CRMs do. */
function readList(text: string): unknown {
  if (!text.startsWith('['))
    return text
      .split(';')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  try {
    return JSON.parse(text)
  } catch {
    return new Unreadable('values between semicolons')
  }
}

/** Any JSON; a text that is none is the value itself. */
export function readJson(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell ?? undefined
  if (cell.trim() === '') return undefined
  try {
    return JSON.parse(cell) ?? undefined
  } catch {
    return cell
  }
}

function readNumber(text: string, { numbers }: CellFormats): number | Unreadable {
  const { pattern, plain } = NUMBERS[numbers]
  if (pattern.test(text)) return Number(plain(text))
  return new Unreadable(`a number such as ${numbers}`, otherFormat('numbers', text, NUMBERS))
}

function readDate(text: string, { dates }: CellFormats): string | Unreadable {
  const { year, month = '', day = '' } = (DATES[dates].pattern.exec(text) ?? DATES['2026-12-31'].pattern.exec(text))?.groups ?? {}
  if (year !== undefined) return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return new Unreadable(`a date such as ${dates}`, otherFormat('dates', text, DATES))
}

function otherFormat(
  setting: OtherFormat['setting'],
  text: string,
  formats: { readonly [example: string]: { readonly pattern: RegExp } },
): OtherFormat | undefined {
  const [example] = Object.entries(formats).find(([, { pattern }]) => pattern.test(text)) ?? []
  return example === undefined ? undefined : { setting, example }
}

/** The formats that read all values of the first rows, the default ones where none does. */
export function guessFormats(cellsOf: (...kinds: readonly FieldKind[]) => readonly unknown[]): Pick<CellFormats, 'numbers' | 'dates'> {
  const fitting = <F extends string>(formats: { readonly [format in F]: { readonly pattern: RegExp } }, cells: readonly unknown[]) => {
    const texts = cells.filter((cell): cell is string => typeof cell === 'string' && cell.trim() !== '')
    return (Object.keys(formats) as F[]).find((format) => texts.every((text) => formats[format].pattern.test(text.trim())))
  }
  return { numbers: fitting(NUMBERS, cellsOf('number', 'integer', 'money')) ?? '1234.5', dates: fitting(DATES, cellsOf('date')) ?? '2026-12-31' }
}
