import { Refusal, unparsable, wrongField } from '../errors.ts'
import { type Field, TEXT } from '../objects/fields.ts'
import { readId } from './ids.ts'
import { readDate, readTime, writeTime } from './times.ts'

export type Value = string | number | boolean | null

/** Converts a sent value to what the field stores, or refuses it. */
export function readValue(field: Field, given: unknown): Value {
  if (given === null || given === undefined) return field.type === 'boolean' ? unreadable(field, given) : null
  if (TEXT.has(field.type) || field.type === 'base64') return readText(field, given)
  switch (field.type) {
    case 'boolean':
      if (given === true || given === 'true' || given === '1') return true
      if (given === false || given === 'false' || given === '0') return false
      return unreadable(field, given)
    case 'int':
    case 'double':
    case 'currency':
    case 'percent':
      return readNumber(field, given)
    case 'date': {
      if (given === '') return null
      const day = typeof given === 'string' ? (readDate(given) ?? (readTime(given) === undefined ? undefined : given.slice(0, 10))) : undefined
      return day ?? unreadable(field, given)
    }
    case 'datetime': {
      if (given === '') return null
      const moment = typeof given === 'string' ? readTime(given) : undefined
      return moment === undefined ? unreadable(field, given) : writeTime(moment)
    }
    case 'reference': {
      if (given === '') return null
      if (typeof given !== 'string') return unreadable(field, given)
      const id = readId(trim(given))
      if (id === undefined) throw wrongField('MALFORMED_ID', `${field.label}: id value of incorrect type: ${given}`, field.name)
      return id
    }
    default:
      return unreadable(field, given)
  }
}

function unreadable(field: Field, given: unknown): never {
  const seen =
    given === null || given === undefined
      ? 'VALUE_NULL value null'
      : Array.isArray(given)
        ? 'START_ARRAY value ['
        : typeof given === 'object'
          ? 'START_OBJECT value {'
          : typeof given === 'string'
            ? `VALUE_STRING value ${given}`
            : typeof given === 'boolean'
              ? `VALUE_${String(given).toUpperCase()} value ${given}`
              : `VALUE_NUMBER_${Number.isInteger(given) ? 'INT' : 'FLOAT'} value ${given}`
  const type = TEXT.has(field.type) ? 'string' : field.type === 'currency' || field.type === 'percent' ? 'double' : field.type
  throw unparsable(`Cannot deserialize instance of ${type} from ${seen} or request may be missing a required field at [line:1, column:1]`)
}

function readText(field: Field, given: unknown): string | null {
  if (typeof given !== 'string' && typeof given !== 'number') return unreadable(field, given)
  const text = trim(String(given))
  if (text === '') return null
  const long = field.inBytes ? Buffer.byteLength(text) : text.length
  if (field.length > 0 && long > field.length) {
    throw wrongField('STRING_TOO_LONG', `${field.label}: data value too large: ${text.slice(0, 1000)} (max length=${field.length})`, field.name)
  }
  if (field.type === 'email' && !isEmail(text)) throw wrongField('INVALID_EMAIL_ADDRESS', `${field.label}: invalid email address: ${text}`, field.name)
  if (field.type === 'multipicklist') return readChoices(field, text)
  if (field.restricted && !field.picklist.includes(text)) {
    throw wrongField('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', `${field.label}: bad value for restricted picklist field: ${text}`, field.name)
  }
  if (field.type === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new Refusal(400, 'INVALID_BASE64', `Value for field ${field.name} is not valid base64.`)
  }
  // E-mail addresses are stored in lower case.
  return field.type === 'email' ? text.toLowerCase() : text
}

/** Several values, each once, in the order of the picklist. */
function readChoices(field: Field, text: string): string {
  const given = [...new Set(text.split(';').map(trim))].filter((value) => value !== '')
  const unknown = given.filter((value) => !field.picklist.includes(value))
  if (field.restricted && unknown.length > 0) {
    const message = `${field.label}: bad value for restricted picklist field: ${unknown.join(';')}`
    throw wrongField('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message, field.name)
  }
  return [...field.picklist.filter((value) => given.includes(value)), ...unknown].join(';')
}

/** Removes blanks and control characters at both ends. */
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text.charCodeAt(start) <= 32) start++
  while (end > start && text.charCodeAt(end - 1) <= 32) end--
  return text.slice(start, end)
}

export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1).split('.')
  return (
    /^[\w!#$%&'*+/=?^`{|}~-][\w!#$%&'*+/=?^`{|}~.-]*$/.test(text.slice(0, Math.max(at, 0))) &&
    text.charAt(at - 1) !== '.' &&
    domain.length > 1 &&
    domain.every((part) => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(part)) &&
    /^[A-Za-z][A-Za-z0-9-]+$/.test(domain.at(-1) ?? '')
  )
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function readNumber(field: Field, given: unknown): number | null {
  if (given === '') return null
  const number = typeof given === 'number' ? given : typeof given === 'string' && NUMBER.test(given.trim()) ? Number(given) : Number.NaN
  if (Number.isNaN(number) || (field.type === 'int' && !Number.isInteger(number))) return unreadable(field, given)
  const rounded = field.type === 'int' || !Number.isFinite(number) ? number : round(number, field.scale)
  const most = field.type === 'int' ? 2 ** 31 : 10 ** (field.precision - field.scale)
  if (!(Math.abs(rounded) < most)) {
    throw wrongField('NUMBER_OUTSIDE_VALID_RANGE', `${field.label}: value outside of valid range on numeric field: ${given}`, field.name)
  }
  return rounded
}

/** Rounds the decimal notation, half away from zero: 1.005 becomes 1.01, although the binary number is a little less. */
export function round(number: number, scale: number): number {
  const [mantissa = '', exponent = '0'] = Math.abs(number).toString().split('e')
  const whole = Math.round(Number(`${mantissa}e${Number(exponent) + scale}`))
  return (Math.sign(number) || 1) * Number(`${whole}e-${scale}`) || 0
}
