const LETTER = /[\p{L}\p{N}]/u

/** Whether a position is a word boundary. */
function isEdge(text: string, at: number): boolean {
  return at <= 0 || at >= text.length || !LETTER.test(text[at - 1] as string) || !LETTER.test(text[at] as string)
}

/**
 * Matches whole words without case, with `*` as wildcard. Linear in the length of the text, for any number of wildcards.
 */
export function tokenMatcher(query: string): (text: string) => boolean {
  const pattern = query.trim().toLowerCase()
  const parts = pattern.split(/\*+/)
  const openStart = parts.length > 1 && parts[0] === ''
  const openEnd = parts.length > 1 && parts.at(-1) === ''
  const words = parts.filter((part) => part !== '')
  if (words.length === 0) return () => pattern !== ''
  return (given) => {
    const text = given.toLowerCase()
    let from = 0
    for (const [index, word] of words.entries()) {
      const first = index === 0 && !openStart
      const last = index === words.length - 1 && !openEnd
      let at = text.indexOf(word, from)
      while (at >= 0 && ((first && !isEdge(text, at)) || (last && !isEdge(text, at + word.length)))) at = text.indexOf(word, at + 1)
      if (at < 0) return false
      from = at + word.length
    }
    return true
  }
}
