import { Refusal } from '../errors.ts'

export interface Token {
  readonly kind: 'word' | 'string' | 'number' | 'date' | 'datetime' | 'sign' | 'end'
  /** As written; of a string, its value. */
  readonly text: string
  readonly at: number
  /** Of a string: its value with a mark before each escaped wildcard. */
  readonly pattern?: string
}

/** Marks a wildcard as a plain character. */
export const PLAIN = '\u0000'

const LONGEST = 100_000

const ESCAPES: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '"': '"', "'": "'", '\\': '\\', _: '_', '%': '%' }

const DATETIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})/iy
const DATE = /\d{4}-\d{2}-\d{2}(?![\dT])/iy
const NUMBER = /[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/iy
const WORD = /[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*/y
const SIGN = /!=|<>|<=|>=|[=<>(),:]/y
const BLANK = /\s+/y

export function tokens(soql: string): Token[] {
  if (soql.length > LONGEST) throw new Refusal(400, 'MALFORMED_QUERY', 'SOQL statements cannot be longer than 100,000 characters.')
  const found: Token[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(soql)?.[0]
  }
  while (at < soql.length) {
    const blank = take(BLANK)
    if (blank) {
      at += blank.length
      continue
    }
    if (soql[at] === "'") {
      const token = quoted(soql, at)
      found.push(token.token)
      at = token.end
      continue
    }
    const [kind, text] = first([
      ['datetime', take(DATETIME)],
      ['date', take(DATE)],
      ['number', take(NUMBER)],
      ['word', take(WORD)],
      ['sign', take(SIGN)],
    ])
    if (!kind || !text) throw malformed(soql, at, `unexpected token: '${soql[at]}'`)
    found.push({ kind, text, at })
    at += text.length
  }
  return [...found, { kind: 'end', text: '<EOF>', at: soql.length }]
}

function first(tried: [Token['kind'], string | undefined][]): [Token['kind'] | undefined, string | undefined] {
  return tried.find(([, text]) => text) ?? [undefined, undefined]
}

function quoted(soql: string, start: number): { readonly token: Token; readonly end: number } {
  let text = ''
  let pattern = ''
  let at = start + 1
  while (at < soql.length && soql[at] !== "'") {
    const char = soql.charAt(at)
    if (char !== '\\') {
      text += char
      pattern += char
      at++
      continue
    }
    const letter = soql.charAt(at + 1)
    const hex = letter === 'u' ? /^[0-9a-f]{4}/i.exec(soql.slice(at + 2, at + 6))?.[0] : undefined
    const meaning = hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (ESCAPES[letter] ?? ESCAPES[letter.toLowerCase()])
    if (meaning === undefined) throw malformed(soql, at, `Illegal string literal. Line 1:${at + 1}: the escape \\${letter} is not known`)
    text += meaning
    pattern += letter === '_' || letter === '%' ? PLAIN + meaning : meaning
    at += hex ? 6 : 2
  }
  if (at >= soql.length) throw malformed(soql, start, `line 1:${start + 1} no viable alternative at character '<EOF>'`)
  return { token: { kind: 'string', text, pattern, at: start }, end: at + 1 }
}

/** A refusal that points to the position in the query. */
export function refused(soql: string, at: number, code: string, message: string): Refusal {
  const before = soql.slice(0, at).split('\n')
  const row = before.length
  const column = (before.at(-1) ?? '').length + 1
  const line = soql.split('\n')[row - 1] ?? ''
  const from = line.length > 120 ? Math.max(0, column - 61) : 0
  const shown = line.slice(from, from + 120)
  return new Refusal(400, code, `\n${shown}\n${' '.repeat(column - 1 - from)}^\nERROR at Row:${row}:Column:${column}\n${message}`)
}

export const malformed = (soql: string, at: number, message: string) => refused(soql, at, 'MALFORMED_QUERY', message)
