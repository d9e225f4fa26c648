/** Characters that mean something in a search. */
const RESERVED = /[?&|!{}[\]()^~*:\\"'+-]/g

/** Words that would be taken for operators. */
const OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'not'])

const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/** Salesforce refuses to look for one letter, except in scripts that have words of one. */
const isTooShort = (word: string) => /^[\x20-\x7e]$/.test(word)

const startsWith = (word: string) => (OPERATORS.has(word.toLowerCase()) ? `"${word}"` : `${word}*`)

/** Searches longer than this are cut, at the end of a word: Salesforce reads 10,000 characters. */
const MOST_WORDS = 40

/**
 * What finds records that have a word beginning with each of these; undefined where there is none to look for. An e-mail address or a number is looked for as a
 * whole and by its parts, since both may be what Salesforce has in its index.
 */
export function termsFor(text: string): string | undefined {
  const terms = text
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .split(/\s/u)
    .flatMap((chunk) => {
      const words = (chunk.match(WORDS) ?? []).filter((word) => !isTooShort(word))
      if (words.length < 2) return words.map(startsWith)
      return [`(${chunk.replace(RESERVED, '\\$&')}* OR (${words.map(startsWith).join(' AND ')}))`]
    })
    .slice(0, MOST_WORDS)
  return terms.length > 0 ? terms.join(' AND ') : undefined
}

/** The search for these terms, in each of these objects. */
export const sosl = (terms: string, returning: readonly string[]) => `FIND {${terms}} IN ALL FIELDS RETURNING ${returning.join(', ')}`
