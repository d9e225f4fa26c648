import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'

type Row = { readonly [member: string]: unknown }

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** One record of a JSON file. */
export interface JsonRecord {
  readonly line: number
  readonly record: Row
  /** Why it is not a record. */
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

/** A streaming parser for NDJSON: one record a line. */
export class JsonLineReader {
  private text = ''
  private line = 1
  /** Whether the rest of a line that is too long is being skipped. */
  private isLong = false

  read(more: string, isLast = false): JsonRecord[] {
    const lines = (this.text + more).split('\n')
    this.text = isLast ? '' : (lines.pop() ?? '')
    const records = lines.flatMap((text) => {
      const [line, isLong] = [this.line++, this.isLong || text.length > LIMITS.batchBytes]
      this.isLong = false
      if (isLong) return [{ line, record: {}, fault: TOO_LONG }]
      return text.trim() === '' ? [] : [recordIn(text, line)]
    })
    if (this.isLong || this.text.length > LIMITS.batchBytes) {
      this.isLong = true
      this.text = ''
    }
    return records
  }
}

const TOO_LONG = 'It is longer than any record can be. It is not repeated here: mend it in the file that it comes from.'

/** A streaming parser for a JSON array of records. */
export class JsonListReader {
  /** Set when the rest cannot be parsed. */
  fault: CrmError | undefined
  private text = ''
  private at = 0
  private line = 1
  private place: 'before' | 'in' | 'after' = 'before'

  /** Whether the opening bracket was read. */
  get isList(): boolean {
    return this.place !== 'before'
  }

  read(more: string, isLast = false): JsonRecord[] {
    this.text = this.text.slice(this.at) + more
    this.at = 0
    const records: JsonRecord[] = []
    this.fault = this.readInto(records, isLast)
    return records
  }

  /** Parses the complete records; returns the error that prevents reading on, if any. */
  private readInto(records: JsonRecord[], isLast: boolean): CrmError | undefined {
    for (;;) {
      const code = this.skipTo(this.place === 'in' ? /[^\s,]/g : /\S/g)
      if (code === undefined) break
      if (this.place === 'after') return this.malformed('Something follows the list')
      if (this.place === 'before') {
        if (code !== '[') return this.malformed('This is not a list of records')
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
    if (this.text.length - this.at > LIMITS.batchBytes) return this.malformed('This is longer than any record can be')
    return isLast && this.place !== 'after' ? this.malformed('The list ends too early') : undefined
  }

  private malformed(what: string): CrmError {
    return new CrmError('invalid_input', `${what}, on line ${this.line}.`, { hint: 'A .json file is one list of objects; .ndjson is one object a line.' })
  }

  /** Moves to the next character that matches, counting lines. */
  private skipTo(wanted: RegExp): string | undefined {
    wanted.lastIndex = this.at
    const found = wanted.exec(this.text)
    const to = found?.index ?? this.text.length
    this.line += this.text.slice(this.at, to).split('\n').length - 1
    this.at = to
    return found?.[0]
  }

  /** The end of the value that starts here; undefined if the buffer ends before it. */
  private endOf(from: number): number | undefined {
    const marks = /"(?:[^"\\]|\\.)*("?)|[{}[\],]/gs
    marks.lastIndex = from
    let depth = 0
    for (let found = marks.exec(this.text); found; found = marks.exec(this.text)) {
      const [mark, closing] = found
      // A string without its closing quote continues in the next chunk.
      if (closing === '') return undefined
      if (mark === '{' || mark === '[') depth++
      else if (mark === '}' || mark === ']') depth--
      if (depth < 0 || (depth === 0 && mark === ',')) return found.index
      if (depth === 0 && mark !== ',' && (mark === '}' || mark === ']')) return marks.lastIndex
    }
    return undefined
  }
}
