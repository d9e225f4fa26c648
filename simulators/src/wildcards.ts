/** `%` of a LIKE pattern: any number of characters. */
export const ANY = Symbol('any')
/** `_` of a LIKE pattern: one character. */
export const ONE = Symbol('one')

export type Wildcards = readonly (string | typeof ANY | typeof ONE)[]

/** Whether characters match a pattern. Backtracks to the last ANY only, so that no pattern takes long. */
export function matchesWildcards(text: ArrayLike<string>, parts: Wildcards): boolean {
  let part = 0
  let lastAny = -1
  let from = 0
  for (let at = 0; at < text.length; ) {
    if (parts[part] === ANY) {
      lastAny = part++
      from = at
    } else if (part < parts.length && (parts[part] === ONE || parts[part] === text[at])) {
      part++
      at++
    } else if (lastAny >= 0) {
      part = lastAny + 1
      at = ++from
    } else return false
  }
  while (parts[part] === ANY) part++
  return part === parts.length
}
