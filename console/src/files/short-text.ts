/** Characters of a value that a table shows. */
const LONGEST = 200

/** What a cell holds, to be looked at; nothing where it is empty. */
export function shortText(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
