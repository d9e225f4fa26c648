/** The score of a text for what was typed, higher is better. Undefined unless every typed word matches. */
export function fit(typed: string, text: string): number | undefined {
  const words = normalized(typed).split(' ').filter(Boolean)
  const target = normalized(text)
  const parts = target.split(' ')
  let sum = 0
  for (const word of words) {
    const score = wordFit(word, target, parts)
    if (score === 0) return undefined
    sum += score
  }
  return sum
}

/** Best to worst: a whole word, the start of a word, within the text, initials, letters in order. */
function wordFit(word: string, target: string, parts: readonly string[]): number {
  if (parts.includes(word)) return 5
  if (parts.some((part) => part.startsWith(word))) return 4
  if (target.includes(word)) return 3
  if (
    parts
      .map((part) => part[0])
      .join('')
      .includes(word)
  )
    return 2
  return word.length > 2 && parts.some((part) => isSubsequence(word, part)) ? 1 : 0
}

function isSubsequence(word: string, part: string): boolean {
  let at = 0
  for (const letter of part) if (letter === word[at]) at++
  return at === word.length && part[0] === word[0]
}

const normalized = (text: string) =>
  text
    .normalize('NFKD')
    // Marks, and what keeps a name apart.
    .replace(/[\p{M}\u2068\u2069]/gu, '')
    .toLowerCase()
    .replace(/[_./]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
