import { isObject, type Members } from './shorten.ts'

/** Of a record in a list so much is said, beginning with its id. */
const FIELDS_IN_A_LINE = 6
const LONGEST_IN_A_LINE = 80

/** An answer as a short text, for clients that show nothing else: a line a member, and a line a record of a list. */
export function wordsOf(answer: Members): string {
  return Object.entries(answer)
    .map(([name, value]) => (name === 'LeftOut' ? String(value) : Array.isArray(value) && value.some(isObject) ? list(name, value) : `${name}: ${plain(value)}`))
    .join('\n')
}

function list(name: string, items: readonly unknown[]): string {
  return [`${name} (${items.length}):`, ...items.map((item) => `- ${isObject(item) ? line(item) : plain(item)}`)].join('\n')
}

function line(record: Members): string {
  const members = Object.entries(record).filter(([name]) => name !== 'CreatedDate' && name !== 'UpdatedDate')
  return members
    .slice(0, FIELDS_IN_A_LINE)
    .map(([name, value]) => `${name}: ${clipped(plain(value))}`)
    .join(', ')
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ')
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const members = Object.entries(value)
  return members.length === 0 ? 'none' : members.map(([name, one]) => `${name} ${isObject(one) ? `(${plain(one)})` : plain(one)}`).join(', ')
}

const clipped = (text: string) => {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= LONGEST_IN_A_LINE ? line : `${line.slice(0, LONGEST_IN_A_LINE).toWellFormed()}…`
}
