import { ANY, matchesWildcards, ONE } from '../wildcards.ts'
import { failure } from './errors.ts'

/** Compiles a LIKE pattern of PostgreSQL, without case; a backslash escapes a wildcard. */
export function like(pattern: string): (text: string) => boolean {
  const parts: (string | typeof ANY | typeof ONE)[] = []
  const signs = [...pattern.toLowerCase()]
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at] as string
    if (sign === '\\') {
      const next = signs[++at]
      // PostgreSQL refuses a pattern that ends in the middle of an escape.
      if (next === undefined) throw failure()
      parts.push(next)
    } else if (sign === '%') {
      if (parts.at(-1) !== ANY) parts.push(ANY)
    } else parts.push(sign === '_' ? ONE : sign)
  }
  return (text) => matchesWildcards([...text.toLowerCase()], parts)
}
