import { CrmError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'

/** One line of CSV, or several where a cell goes on over them. */
export interface CsvLine {
  readonly line: number
  /** A cell that is nothing at all is undefined, one of nothing but quotes an empty text. */
  readonly cells: readonly (string | undefined)[]
  /** Why it is no line of CSV, where it is none; then its only cell is all of it. */
  readonly fault?: string
}

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a]

/** Whoever forgets to close a quote must not have the rest of the file read into memory. */
const LONGEST = LIMITS.bodyBytes

/**
 * Reads CSV as it comes, as RFC 4180 says it, with any end of line. It is written by hand because it is short, and because what is refused
 * needs the number of its line and an empty cell must be told from a pair of quotes, neither of which the known libraries hand over.
 */
export class CsvReader {
  private readonly delimiter: number
  private text = ''
  private at = 0
  private line = 1

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0)
  }

  /** The lines that are whole by now, blank ones left out; what is not whole yet is kept for the next time. */
  read(more: string, isLast = false): CsvLine[] {
    this.text = this.text.slice(this.at) + more
    this.at = 0
    const lines: CsvLine[] = []
    while (this.at < this.text.length) {
      const line = this.next(isLast)
      if (!line) break
      if (line.cells.length > 1 || line.cells[0] !== undefined) lines.push(line)
    }
    if (this.text.length - this.at > (isLast ? 0 : LONGEST))
      throw new CrmError('invalid_input', `A quote that opens on line ${this.line} is ${isLast ? 'never closed' : 'not closed for a million characters'}.`, {
        hint: 'Close it, or write a quote that belongs to the text twice: "".',
      })
    return lines
  }

  private next(isLast: boolean): CsvLine | undefined {
    const { text, delimiter, line } = this
    const cells: (string | undefined)[] = []
    let at = this.at
    let lines = 1
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        let cell = ''
        for (let from = at + 1; ; ) {
          const close = text.indexOf('"', from)
          if (close < 0 || (close + 1 === text.length && !isLast)) return undefined
          const isDoubled = text.charCodeAt(close + 1) === QUOTE
          cell += text.slice(from, isDoubled ? close + 1 : close)
          from = close + 2
          at = close + 1
          if (!isDoubled) break
        }
        lines += endsIn(cell)
        cells.push(cell)
      } else {
        const from = at
        while (at < text.length && text.charCodeAt(at) !== delimiter && !isEnd(text.charCodeAt(at))) at++
        cells.push(at === from ? undefined : text.slice(from, at))
      }
      if (text.charCodeAt(at) !== delimiter) break
      at++
    }
    const isBroken = at < text.length && !isEnd(text.charCodeAt(at))
    const begin = this.at
    while (at < text.length && !isEnd(text.charCodeAt(at))) at++
    // A carriage return may go on with the line feed that belongs to it.
    if (!isLast && (at === text.length || (at + 1 === text.length && text.charCodeAt(at) === CR))) return undefined
    this.at = at + (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1)
    this.line += lines
    if (!isBroken) return { line, cells }
    return {
      line,
      cells: [text.slice(begin, at)],
      fault: `A quote is closed before cell ${cells.length} ends; a quote that belongs to the text is written twice: "".`,
    }
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
