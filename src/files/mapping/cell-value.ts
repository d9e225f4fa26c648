import { FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'

/** How numbers and dates are written in a file, each way by an example of it. */
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

export interface HowWritten {
  readonly numbers: keyof typeof NUMBERS
  readonly dates: keyof typeof DATES
  /** Whether a number may stand for a text: a spreadsheet makes numbers of whatever looks like one. */
  readonly isLoose: boolean
}

export interface Way {
  readonly setting: 'numbers' | 'dates'
  readonly example: string
}

/** What is in a cell cannot be what its field holds. */
export class Unreadable {
  readonly expected: string
  /** The way of writing that would fit, where one would. */
  readonly way: Way | undefined

  constructor(expected: string, way?: Way) {
    this.expected = expected
    this.way = way
  }
}

const TRUTHS: { readonly [word: string]: boolean } = { true: true, false: false, yes: true, no: false, 1: true, 0: false }

/**
 * What a cell says, as the kind of its field holds it; undefined where it says nothing. Only the field decides, never the look: a text stays
 * what it is, with its zeros and blanks. What is no text to begin with is left for the contract to judge.
 */
export function readCell(kind: FieldKind, cell: unknown, how: HowWritten): unknown {
  if (cell === undefined || cell === null) return undefined
  const family = FIELD_KINDS[kind]
  if (typeof cell !== 'string') return how.isLoose && family === 'text' ? String(cell) : cell
  // Whoever has left a cell empty on purpose can only have meant a text.
  if (cell === '' && (family !== 'text' || kind === 'email' || kind === 'choice' || kind === 'id')) return undefined
  const text = cell.trim()
  switch (family) {
    case 'number':
      return text === '' ? undefined : numberIn(text, how)
    case 'boolean':
      return text === '' ? undefined : (TRUTHS[text.toLowerCase()] ?? new Unreadable('true or false'))
    case 'date':
      return text === '' ? undefined : dateIn(text, how)
    case 'timestamp':
      return text === '' ? undefined : text
    default:
      return kind === 'email' || kind === 'id' ? text || undefined : cell
  }
}

function numberIn(text: string, { numbers }: HowWritten): number | Unreadable {
  const { pattern, plain } = NUMBERS[numbers]
  if (pattern.test(text)) return Number(plain(text))
  return new Unreadable(`a number such as ${numbers}`, wayFor('numbers', text, NUMBERS))
}

function dateIn(text: string, { dates }: HowWritten): string | Unreadable {
  const { year, month = '', day = '' } = (DATES[dates].pattern.exec(text) ?? DATES['2026-12-31'].pattern.exec(text))?.groups ?? {}
  if (year !== undefined) return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return new Unreadable(`a date such as ${dates}`, wayFor('dates', text, DATES))
}

/** Which way of writing would fit. */
function wayFor(setting: Way['setting'], text: string, ways: { readonly [example: string]: { readonly pattern: RegExp } }): Way | undefined {
  const [example] = Object.entries(ways).find(([, { pattern }]) => pattern.test(text)) ?? []
  return example === undefined ? undefined : { setting, example }
}
