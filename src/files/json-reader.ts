import { CrmError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'

type Row = { readonly [member: string]: unknown }

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** One record of a file of JSON. */
export interface JsonRecord {
  readonly line: number
  readonly record: Row
  /** Why it is none, where it is none. */
  readonly fault?: string
}

function recordIn(text: string, line: number): JsonRecord {
  try {
    const record: unknown = JSON.parse(text)
    return isRow(record) ? { line, record } : { line, record: { text }, fault: 'This is JSON, and not an object.' }
  } catch (error) {
    return { line, record: { text }, fault: `This is not JSON: ${(error as Error).message}` }
  }
}

/** Reads one record a line. */
export class JsonLineReader {
  private text = ''
  private line = 1

  read(more: string, isLast = false): JsonRecord[] {
    const lines = (this.text + more).split('\n')
    this.text = isLast ? '' : (lines.pop() ?? '')
    if (this.text.length > LIMITS.batchBytes) throw new CrmError('invalid_input', `Line ${this.line + lines.length} is longer than any record can be.`)
    return lines.flatMap((text) => {
      const line = this.line++
      return text.trim() === '' ? [] : [recordIn(text, line)]
    })
  }
}

/** Reads the records of one list, as they come. */
export class JsonListReader {
  private text = ''
  private at = 0
  private line = 1
  private place: 'before' | 'in' | 'after' = 'before'

  read(more: string, isLast = false): JsonRecord[] {
    this.text = this.text.slice(this.at) + more
    this.at = 0
    const records: JsonRecord[] = []
    for (;;) {
      const code = this.skipTo(this.place === 'in' ? /[^\s,]/g : /\S/g)
      if (code === undefined) break
      if (this.place === 'after') throw this.strange('Something follows the list')
      if (this.place === 'before') {
        if (code !== '[') throw this.strange('This is not a list of records')
        this.place = 'in'
        this.at++
      } else if (code === ']') {
        this.place = 'after'
        this.at++
      } else {
        const end = this.endOf(this.at)
        if (end === undefined) break
        const text = this.text.slice(this.at, end)
        records.push(recordIn(text, this.line))
        this.line += text.split('\n').length - 1
        this.at = end
      }
    }
    if (this.text.length - this.at > LIMITS.batchBytes) throw this.strange('This is longer than any record can be')
    if (isLast && this.place !== 'after') throw this.strange('The list ends too early')
    return records
  }

  private strange(what: string): CrmError {
    return new CrmError('invalid_input', `${what}, on line ${this.line}.`, { hint: 'A .json file is one list of objects; .ndjson is one object a line.' })
  }

  /** Goes on to the next character of this kind, counting lines. */
  private skipTo(wanted: RegExp): string | undefined {
    wanted.lastIndex = this.at
    const found = wanted.exec(this.text)
    const to = found?.index ?? this.text.length
    this.line += this.text.slice(this.at, to).split('\n').length - 1
    this.at = to
    return found?.[0]
  }

  /** Where the value that begins here ends; undefined where that is yet to come. */
  private endOf(from: number): number | undefined {
    const marks = /"(?:[^"\\]|\\.)*"|[{}[\],"]/gs
    marks.lastIndex = from
    let depth = 0
    for (let found = marks.exec(this.text); found; found = marks.exec(this.text)) {
      const [mark] = found
      // A quote by itself opens a text that has not come to its end.
      if (mark === '"') return undefined
      if (mark === '{' || mark === '[') depth++
      else if (mark === '}' || mark === ']') depth--
      if (depth < 0 || (depth === 0 && mark === ',')) return found.index
      if (depth === 0 && mark !== ',' && (mark === '}' || mark === ']')) return marks.lastIndex
    }
    return undefined
  }
}
