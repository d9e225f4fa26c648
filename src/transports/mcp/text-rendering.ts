import { isObject } from '../../helpers/is-object.ts'
import type { Members } from './truncate.ts'

/** Lists that may be long, and are rendered as one line for each record. */
const LONG = ['Records', 'Events', 'Recent']
const FIELDS_IN_A_LINE = 6
const LONGEST_IN_A_LINE = 80
/** Left out of a line, since they do not help to tell records apart. */
const OMITTED = ['OwnerID', 'CreatedDate', 'UpdatedDate', 'Revision', 'Number', 'UserID', 'KeyID', 'Transport', 'RequestID', 'EventID']

/** Texts are cut here, as the structured content has them in full; what is useless in part is never cut. */
const LONGEST = 200
const WHOLE = ['NextCursor', 'RecordTypes', 'CustomObjects']

interface Cutting {
  readonly longest: number
  done?: boolean
}

/**
 * An answer as text, for clients that ignore structured content: one line for each member and record. The line of a record has its first fields, and
 * those that were requested.
 */
export function renderText({ LeftOut, ...answer }: Members, requested: readonly string[] = []): string {
  const cutting: Cutting = { longest: LONGEST }
  const lines = Object.entries(answer).map(([name, value]) => {
    const how = WHOLE.includes(name) ? { longest: Number.POSITIVE_INFINITY } : cutting
    return Array.isArray(value) && (value.some(isObject) || LONG.includes(name)) ? listed(name, value, how, requested) : `${name}: ${plain(value, how)}`
  })
  const left = [LeftOut, cutting.done && `what is beyond ${LONGEST} characters of a text here`].filter(Boolean)
  return [...lines, ...(left.length > 0 ? [`Left out: ${left.join('; ')}`] : [])].join('\n')
}

function listed(name: string, items: readonly unknown[], how: Cutting, requested: readonly string[]): string {
  const shown = items.map((item) => `- ${isObject(item) && LONG.includes(name) ? lineOf(item, requested) : plain(item, how)}`)
  return [`${name} (${items.length})${items.length > 0 ? ':' : ''}`, ...shown].join('\n')
}

function lineOf(record: Members, requested: readonly string[] = []): string {
  const telling = Object.keys(record).filter((name, i) => i === 0 || !OMITTED.includes(name))
  const shown = new Set([...telling.slice(0, FIELDS_IN_A_LINE), ...requested])
  return Object.entries(record)
    .flatMap(([name, value]) => (shown.has(name) ? [`${name}: ${requested.includes(name) && isObject(value) ? `(${lineOf(value)})` : inLine(value)}`] : []))
    .join(', ')
}

function inLine(value: unknown): string {
  const how = { longest: LONGEST_IN_A_LINE }
  return clipped(plain(value, how).replace(/\s+/g, ' '), how)
}

function plain(value: unknown, how: Cutting): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => inside(one, how)).join(', ')
  if (!isObject(value)) return typeof value === 'string' ? clipped(value, how) : JSON.stringify(value)
  const members = Object.entries(value).map(([name, one]) => `${name}: ${inside(one, how)}`)
  return members.length === 0 ? 'none' : members.join(', ')
}

const inside = (value: unknown, how: Cutting) => (isObject(value) ? `(${plain(value, how)})` : plain(value, how))

function clipped(text: string, how: Cutting): string {
  if (text.length <= how.longest) return text
  how.done = true
  return `${text.slice(0, how.longest).toWellFormed()}…`
}
