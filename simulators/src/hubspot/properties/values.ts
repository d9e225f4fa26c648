import { DAY_MS, isCalendarDay } from '../../dates.ts'
import type { Problem } from '../errors.ts'
import type { Property } from './property.ts'

/** A time as HubSpot writes it: without milliseconds if they are 0. */
export function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

const LONGEST = 65_536

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
const EMAIL = /^[^\s@<>()[\],;:"\\]+@[^\s@.<>()[\],;:"\\]+(?:\.[^\s@.<>()[\],;:"\\]+)+$/

/** The time in milliseconds of a date, an ISO time with zone, or milliseconds; undefined for anything else. */
export function timeIn(text: string): number | undefined {
  if (/^-?\d{1,16}$/.test(text)) return Math.abs(Number(text)) <= 8.64e15 ? Number(text) : undefined
  const day = DATE.test(text) ? text : DATE_TIME.exec(text)?.[1]
  if (day === undefined || !isCalendarDay(day)) return undefined
  const ms = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, DATE.test(text) ? '$&' : '$1:$2'))
  return Number.isNaN(ms) ? undefined : ms
}

type Read = { readonly value: string } | { readonly error: string; readonly message: string }

/** Parses a non-empty text by property type. */
const READERS: { readonly [type: string]: (text: string, property: Property) => Read } = {
  string: (text) =>
    text.length > LONGEST
      ? { error: 'VALUE_TOO_LONG', message: `The value is ${text.length} characters long; at most ${LONGEST} are allowed.` }
      : { value: text },
  number: (text) => (NUMBER.test(text) ? { value: text } : { error: 'INVALID_INTEGER', message: `${text} was not a valid number.` }),
  datetime: (text) => {
    const ms = timeIn(text)
    return ms === undefined ? { error: 'INVALID_LONG', message: `${text} was not a valid long.` } : { value: instant(ms) }
  },
  date: (text) => {
    const ms = timeIn(text)
    if (ms === undefined) return { error: 'INVALID_DATE', message: `${text} was not a valid date.` }
    if (ms % DAY_MS !== 0) return { error: 'INVALID_DATE', message: `${ms} is at ${new Date(ms).toISOString().slice(11, -1)} UTC, not midnight!` }
    return { value: new Date(ms).toISOString().slice(0, 10) }
  },
  bool: (text) => (['true', 'false'].includes(text.toLowerCase()) ? { value: text.toLowerCase() } : notAllowed(text, ['true', 'false'])),
  enumeration: (text, { fieldType, options, externalOptions }) => {
    const allowed = options.map(({ value }) => value)
    const chosen = fieldType === 'checkbox' ? text.split(';').filter((one) => one !== '') : [text]
    const wrong = externalOptions ? undefined : chosen.find((one) => !allowed.includes(one))
    return wrong === undefined ? { value: chosen.join(';') } : notAllowed(wrong, allowed)
  },
}

function notAllowed(text: string, allowed: readonly string[]): Read {
  return { error: 'INVALID_OPTION', message: `${text} was not one of the allowed options: [${allowed.join(', ')}]` }
}

/** The value to store, '' to clear it, or the problem. */
export function readValue(property: Property, sent: string): string | Problem {
  const { name } = property
  if (property.readOnly) return { name, error: 'READ_ONLY_VALUE', message: `"${name}" is a read only property; its value cannot be set.` }
  if (sent === '') return ''
  if (property.type !== 'string' && sent !== sent.trim()) {
    return { name, error: 'INVALID_WHITESPACE', message: `${JSON.stringify(sent)} has leading or trailing whitespace.` }
  }
  if (property.check === 'email') {
    const email = sent.trim().toLowerCase()
    return EMAIL.test(email) && email.length <= 254 ? email : { name, error: 'INVALID_EMAIL', message: `Email address ${sent} is invalid` }
  }
  const read = (READERS[property.type] ?? READERS.string)?.(sent, property) ?? { value: sent }
  return 'value' in read ? read.value : { name, ...read }
}
