const CHECKS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'

/**
 * Whether a text is an id as Salesforce answers with it: fifteen letters and digits, and three that say which of them are capitals. Other
 * spellings of the same id are none, so that two ids are the same record only where they are the same text.
 */
export function isId(text: string): boolean {
  return /^[0-9A-Za-z]{18}$/.test(text) && [0, 5, 10].every((from, at) => checkOf(text.slice(from, from + 5)) === text[15 + at])
}

function checkOf(five: string): string {
  const bits = [...five].reduce((sum, char, at) => sum + (char >= 'A' && char <= 'Z' ? 1 << at : 0), 0)
  return CHECKS.charAt(bits)
}

/** An id as Salesforce answers with it: the fifteen characters that people copy from addresses are the same record. */
export function longId(text: string): string {
  if (!/^[0-9A-Za-z]{15}$/.test(text)) return text
  return text + [0, 5, 10].map((from) => checkOf(text.slice(from, from + 5))).join('')
}

/** The three characters that tell of which object a record is. */
export const prefixOf = (id: string) => id.slice(0, 3)
