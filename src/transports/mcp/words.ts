import { isObject, type Members } from './shorten.ts'

/** Lists that may be long; of each record in them a line says what it is. */
const LONG = ['Records', 'Events', 'Recent']
const FIELDS_IN_A_LINE = 6
const LONGEST_IN_A_LINE = 80
/** What tells one record from another least. */
const ASIDE = ['OwnerID', 'CreatedDate', 'UpdatedDate', 'Revision', 'Number', 'UserID', 'KeyID', 'Transport', 'RequestID', 'EventID']

/** An answer as a short text, for clients that show nothing else: a line a member, and a line a record. */
export function wordsOf({ LeftOut, ...answer }: Members): string {
  const lines = Object.entries(answer).map(([name, value]) =>
    Array.isArray(value) && (value.some(isObject) || LONG.includes(name)) ? listed(name, value) : `${name}: ${plain(value)}`,
  )
  return [...lines, ...(LeftOut === undefined ? [] : [`Left out: ${LeftOut}`])].join('\n')
}

function listed(name: string, items: readonly unknown[]): string {
  const shown = items.map((item) => `- ${isObject(item) ? (LONG.includes(name) ? lineOf(item) : plain(item)) : plain(item)}`)
  return [`${name} (${items.length})${items.length > 0 ? ':' : ''}`, ...shown].join('\n')
}

function lineOf(record: Members): string {
  const members = Object.entries(record).filter(([name], i) => i === 0 || !ASIDE.includes(name))
  return members
    .slice(0, FIELDS_IN_A_LINE)
    .map(([name, value]) => `${name}: ${clipped(plain(value))}`)
    .join(', ')
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => (isObject(one) ? `(${plain(one)})` : plain(one))).join(', ')
  if (!isObject(value)) return typeof value === 'string' ? value : JSON.stringify(value)
  const members = Object.entries(value).map(([name, one]) => `${name}: ${isObject(one) ? `(${plain(one)})` : plain(one)}`)
  return members.length === 0 ? 'none' : members.join(', ')
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= LONGEST_IN_A_LINE ? line : `${line.slice(0, LONGEST_IN_A_LINE).toWellFormed()}…`
}
