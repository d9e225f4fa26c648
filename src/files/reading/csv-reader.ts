import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'

/** One line of CSV, or several where a cell goes on over them. */
export interface CsvLine {
  readonly line: number
  /** A cell that is nothing at all is undefined, one of nothing but quotes an empty text. */
  readonly cells: readonly (string | undefined)[]
  /** Why it is no line of CSV, where it is none; then its only cell is all of it, or it has none where that is too much to keep. */
  readonly fault?: string
}

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a]

/** Neither a line without an end nor a quote that nobody has closed may have the rest of the file read into memory. */
const LONGEST = LIMITS.bodyBytes

const TOO_LONG = 'It is longer than a million characters, which no record is. It is not repeated here: mend it in the file that it comes from.'

/**
 * Reads CSV as it comes, as RFC 4180 says it, with any end of line. It is written by hand because it is short, and because what is refused
 * needs the number of its line and an empty cell must be told from a pair of quotes, neither of which the known libraries hand over.
 */
export class CsvReader {
  /** Why nothing more can be read, where nothing can. */
  fault: CrmError | undefined
  private readonly delimiter: number
  private text = ''
  private at = 0
  private line = 1
  /** Where a line begins that is too long, and of which only the end is looked for. */
  private longSince: number | undefined
  /** Whether the text goes on in the middle of a cell of such a line. */
  private isInside = false

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0)
  }

  /** The lines that are whole by now, blank ones left out; what is not whole yet is kept for the next time. */
  read(more: string, isLast = false): CsvLine[] {
    this.text = this.text.slice(this.at) + more
    this.at = 0
    const lines: CsvLine[] = []
    while (this.at < this.text.length || (isLast && this.longSince !== undefined)) {
      const line = this.next(isLast)
      if (!line) break
      if (line.cells.length > 1 || line.cells[0] !== undefined || line.fault !== undefined) lines.push(line)
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
    // A carriage return may go on with the line feed that belongs to it.
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

  /** A quote opens here, and the text ends before it is closed. */
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

  /** The end of a line is yet to come. Of one that is too long only what begins here is kept. */
  private unfinished(from: number, ends: number, isInside: boolean): undefined {
    if (this.longSince === undefined && this.text.length - this.at <= LONGEST) return
    this.longSince ??= this.line
    this.line += ends
    this.at = from
    this.isInside = isInside
  }
}

const isEnd = (code: number) => code === LF || code === CR

/** How many lines a cell ends. */
function endsIn(cell: string): number {
  let count = 0
  for (let at = 0; at < cell.length; at++) {
    const code = cell.charCodeAt(at)
    if (code === LF || (code === CR && cell.charCodeAt(at + 1) !== LF)) count++
  }
  return count
}

const DELIMITERS = [',', ';', '\t', '|'] as const

/** What the cells are separated by: whatever is most often in the first line outside of quotes, a comma where that says nothing. */
export function delimiterOf(text: string): string {
  const [first = ''] = text
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/[\r\n]/, 1)
  const count = (delimiter: string) => first.split(delimiter).length
  return DELIMITERS.reduce<string>((best, one) => (count(one) > count(best) ? one : best), ',')
}
