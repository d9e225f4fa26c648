/** Escapes in string literals. Control characters and line separators are escaped too, so that no line ends inside a literal. */
const ESCAPES: { readonly [char: string]: string } = { '\\': '\\\\', "'": "\\'", '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' }

const UNPRINTABLE = /[\\'"\p{Cc}\u2028\u2029]/gu

const escaped = (char: string) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text in quotes. */
export function quoted(text: string): string {
  return `'${text.replace(UNPRINTABLE, escaped)}'`
}

const UNSURE = /[\\\p{Cc}\u2028\u2029]+/u

/**
 * A LIKE pattern for texts that contain these words, or begin with them. Backslashes and control characters are documented inconsistently for
 * patterns, so a wildcard replaces them: at worst the pattern matches too much.
 */
export function like(words: string, begins: boolean): string {
  const pattern = words
    .split(UNSURE)
    .map((part) => part.replace(/[%_'"]/g, (char) => `\\${char}`))
    .join('%')
  return `'${begins ? '' : '%'}${pattern}%'`
}

/** A number without an exponent; undefined where it has none such. */
export function numeral(value: number): string | undefined {
  const text = String(value === 0 ? 0 : value)
  return text.includes('e') ? undefined : text
}

/** The days that Salesforce knows. */
const EARLIEST = '1700-12-31'
const LATEST = '4000-12-30'

/** A day; undefined where Salesforce knows no such day. */
export function day(value: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && value >= EARLIEST && value <= LATEST ? value : undefined
}

/** A time in seconds; undefined outside the range of Salesforce. */
export function moment(ms: number): string | undefined {
  if (!Number.isInteger(ms) || ms % 1000 !== 0 || Math.abs(ms) > 8.64e15) return undefined
  const text = new Date(ms).toISOString()
  return day(text.slice(0, 10)) && `${text.slice(0, 19)}Z`
}

/** Matches no record. */
export const NEVER = 'Id = null'

export const all = (parts: readonly string[]) => parts.filter((part) => part !== '').join(' AND ')

export const any = (parts: readonly string[]) => (parts.length > 1 ? `(${parts.join(' OR ')})` : (parts[0] ?? NEVER))

export const list = (literals: readonly string[]) => `(${literals.join(', ')})`
