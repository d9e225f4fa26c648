import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'

/** One row of CSV; a quoted cell may span several lines. */
export interface CsvLine {
  readonly line: number
  /** An empty cell is undefined, an empty quoted one an empty text. */
  readonly cells: readonly (string | undefined)[]
  /** Why the row is malformed. Then its only cell is the raw text, and it has none if that is too long. */
  readonly fault?: string
}

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a]

/** Limits the buffer: a line without an end or an unclosed quote would load the rest of the file into memory. */
const LONGEST = LIMITS.bodyBytes

const TOO_LONG = 'It is longer than a million characters, which no record is. It is not repeated here: mend it in the file that it comes from.'

/**
 * A streaming parser for CSV (RFC 4180) with any end of line. Written by hand because errors need line numbers and an empty cell differs from
 * an empty quoted one; the known libraries report neither.
 */
export class CsvReader {
  /** Set when the rest cannot be parsed. */
  fault: CrmError | undefined
  private readonly delimiter: number
  private text = ''
  private at = 0
  private line = 1
  /** The number of the line that is too long and being skipped. */
  private longSince: number | undefined
  /** Whether the buffer starts inside a cell of such a line. */
  private isInside = false

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0)
  }

  /** Returns the complete lines except blank ones, which may have separators; the rest is buffered for the next call. */
  read(more: string, isLast = false): CsvLine[] {
    this.text = this.text.slice(this.at) + more
    this.at = 0
    const lines: CsvLine[] = []
    while (this.at < this.text.length || (isLast && this.longSince !== undefined)) {
      const line = this.next(isLast)
      if (!line) break
      if (line.cells.some((cell) => cell !== undefined) || line.fault !== undefined) lines.push(line)
    }
    return lines
  }

  private next(isLast: boolean): CsvLine | undefined {
    const { text, delimiter, at: begin } = this
    const cells: (string | undefined)[] = []
    let at = begin
    let from = begin
    let ends = 0
    for (;;) {
      from = at
      if (text.charCodeAt(at) === QUOTE && !(at === begin && this.isInside)) {
        let cell = ''
        for (let rest = at + 1; ; ) {
          const close = text.indexOf('"', rest)
          if (close < 0 || (close + 1 === text.length && !isLast)) return this.openQuote(from, ends, isLast)
          const isDoubled = text.charCodeAt(close + 1) === QUOTE
          cell += text.slice(rest, isDoubled ? close + 1 : close)
          rest = close + 2
          at = close + 1
          if (!isDoubled) break
        }
        ends += endsIn(cell)
        cells.push(cell)
      } else {
        while (at < text.length && text.charCodeAt(at) !== delimiter && !isEnd(text.charCodeAt(at))) at++
        cells.push(at === from ? undefined : text.slice(from, at))
      }
      if (text.charCodeAt(at) !== delimiter) break
      at++
    }
    const isBroken = at < text.length && !isEnd(text.charCodeAt(at))
    while (at < text.length && !isEnd(text.charCodeAt(at))) at++
    // The line feed of a CRLF may come with the next chunk.
    if (!isLast && (at === text.length || (at + 1 === text.length && text.charCodeAt(at) === CR))) return this.unfinished(at, ends, at > from)
    const line = this.longSince ?? this.line
    const isLong = this.longSince !== undefined || at - begin > LONGEST
    this.at = at + (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1)
    this.line += ends + 1
    this.longSince = undefined
    this.isInside = false
    if (isLong) return { line, cells: [], fault: TOO_LONG }
    if (!isBroken) return { line, cells }
    return {
      line,
      cells: [text.slice(begin, at)],
      fault: `A quote is closed before cell ${cells.length} ends; a quote that belongs to the text is written twice: "".`,
    }
  }

  /** The buffer ends inside a quoted cell. */
  private openQuote(from: number, ends: number, isLast: boolean): undefined {
    if (!isLast && this.text.length - from <= LONGEST) return this.unfinished(from, ends, false)
    this.fault = new CrmError(
      'invalid_input',
      `A quote that opens on line ${this.line + ends} is ${isLast ? 'never closed' : 'not closed for a million characters'}.`,
      {
        hint: 'Close it, or write a quote that belongs to the text twice: "".',
      },
    )
  }

  /** The buffer ends inside a line. If the line is too long, all before `from` is dropped. */
  private unfinished(from: number, ends: number, isInside: boolean): undefined {
    if (this.longSince === undefined && this.text.length - this.at <= LONGEST) return
    this.longSince ??= this.line
    this.line += ends
    this.at = from
    this.isInside = isInside
  }
}

const isEnd = (code: number) => code === LF || code === CR

/** The number of line ends in a cell. */
function endsIn(cell: string): number {
  let count = 0
  for (let at = 0; at < cell.length; at++) {
    const code = cell.charCodeAt(at)
    if (code === LF || (code === CR && cell.charCodeAt(at + 1) !== LF)) count++
  }
  return count
}

const DELIMITERS = [',', ';', '\t', '|'] as const

/** Whether a line has more than separators, blanks and quotes, also separators of other files than this one. One whose text is not known has. */
export const holdsText = ({ cells }: CsvLine) => cells.length === 0 || cells.some((cell) => cell !== undefined && /[^\s",;|]/.test(cell))

/** A text from the first line on that has more than separators, blanks and quotes. */
export const withoutBlankLines = (text: string) => text.replace(/^(?:[\s,;|]|"[\s,;|]*")*[\r\n]/, '')

/** The delimiter: the most frequent candidate outside quotes in the first line, by default a comma. */
export function delimiterOf(text: string): string {
  const [first = ''] = text
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1)
  const count = (delimiter: string) => first.split(delimiter).length
  return DELIMITERS.reduce<string>((best, one) => (count(one) > count(best) ? one : best), ',')
}
