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
  return (text) => fits([...text.toLowerCase()], parts)
}

const ANY = Symbol('any')
const ONE = Symbol('one')

/** Goes back no further than the last `%`, so that no pattern takes long. */
function fits(text: readonly string[], parts: readonly (string | typeof ANY | typeof ONE)[]): boolean {
  let part = 0
  let again = -1
  let from = 0
  for (let at = 0; at < text.length; ) {
    if (parts[part] === ANY) {
      again = part++
      from = at
    } else if (part < parts.length && (parts[part] === ONE || parts[part] === text[at])) {
      part++
      at++
    } else if (again >= 0) {
      part = again + 1
      at = ++from
    } else return false
  }
  while (parts[part] === ANY) part++
  return part === parts.length
}
