import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY, LIMITS, VISIBLE } from '../../contract/limits.ts'
import { exactMoney } from '../../contract/money.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { quotedChoice } from '../../contract/visible-text.ts'
import { isDate, utcOf } from '../../helpers/times.ts'
import { countFault, sizeFault } from './sizes.ts'

export const isText = (text: string) => !text.includes('\u0000') && text.isWellFormed()

/** All schemas are our own, so that none is checked against the schema of schemas, which takes a fifth of the time of a command. */
const ajv = new Ajv2020({ allErrors: true, strict: false, strictNumbers: true, verbose: true, messages: false, meta: false, validateSchema: false })
ajv.addFormat('text', isText)
ajv.addFormat('email', (text: string) => isText(text) && /^[^@\s]+@[^@\s]+$/.test(text))
ajv.addFormat('date', isDate)
ajv.addFormat('date-time', (text: string) => utcOf(text) !== undefined)
ajv.addFormat('money', { type: 'number', validate: (amount: number) => exactMoney(amount) !== undefined })

const compiled = new WeakMap<object, ValidateFunction>()

/** All faults of a value by its schema, which is compiled when first used. */
export function faultsOf(schema: TSchema | Record<string, unknown>, value: unknown, at = ''): Fault[] {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  const size = sizeFault(schema, value, at === '' ? [] : [at])
  if (size) return [size]
  if (validate(value)) return []
  return dedupe(
    (validate.errors ?? [])
      .filter((error) => error.propertyName === undefined)
      .slice(0, LIMITS.faults)
      .map((error, i) => faultOf(error, at, i < LIMITS.suggestions)),
  )
}

/** One fault per field: the first, so that a wrong type comes before a wrong form. */
function dedupe(faults: readonly Fault[]): Fault[] {
  const seen = new Map<string, Fault>()
  for (const fault of faults) if (!seen.has(fault.field)) seen.set(fault.field, fault)
  return [...seen.values()]
}

const FORMATS: { readonly [format: string]: { readonly message: string; readonly expected: string } } = {
  text: { message: 'holds a NUL character or broken Unicode', expected: 'a text of whole Unicode characters without NUL' },
  email: { message: 'is not an e-mail address', expected: 'one @ with text on both sides, and no blanks' },
  date: { message: 'is not a day of the calendar', expected: 'a date, YYYY-MM-DD' },
  'date-time': { message: 'is not a moment with a zone', expected: 'a time with a zone, such as 2026-11-15T09:30:00Z' },
  money: { message: 'needs more digits than money is stored with', expected: `at most ${LIMITS.moneyDigits} digits, ${LIMITS.moneyDecimals} of them decimals` },
}

const TYPES: { readonly [type: string]: string } = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

function faultOf(error: ErrorObject, at: string, suggests: boolean): Fault {
  const path = [at, ...error.instancePath.split('/').slice(1).map(unpointed)].filter((part) => part !== '')
  const field = path.join('.') || 'input'
  const params = error.params as Record<string, unknown>
  const inside = (name: unknown) => [...path, String(name)].join('.')
  switch (error.keyword) {
    case 'required':
      return { field: inside(params.missingProperty), code: 'missing', message: `${inside(params.missingProperty)} is required.` }
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {})
      return unknownName(inside(name.length > 60 ? `${name.slice(0, 60)}…` : name), name, known, { suggests })
    }
    case 'type':
      return typeFault(field, error.schema as string | string[], error.data, formOf(error.parentSchema as { format?: string }))
    case 'format': {
      const format = FORMATS[String(params.format)]
      return { field, code: 'form', message: `${field} ${format?.message}.`, expected: format?.expected ?? String(params.format) }
    }
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).filter((value) => typeof value === 'string')
      return valueFault(field, error.data, allowed)
    }
    case 'maxLength':
      return { field, code: 'length', message: `${field} is longer than ${params.limit} characters.`, expected: `at most ${params.limit} characters` }
    case 'minLength':
      return { field, code: 'length', message: `${field} must not be empty.`, expected: 'at least one character' }
    case 'pattern':
      if (params.pattern === VISIBLE) return { field, code: 'form', message: `${field} holds a space or an invisible character.`, expected: IDEMPOTENCY_KEY }
      return params.pattern === '\\S'
        ? { field, code: 'form', message: `${field} must not be blank.`, expected: 'a text that is not blank' }
        : { field, code: 'form', message: `${field} is not a name.`, expected: `a letter, then letters, digits and _, at most ${LIMITS.name} characters` }
    case 'minimum':
    case 'maximum': {
      const bound = `${error.keyword === 'minimum' ? 'at least' : 'at most'} ${params.limit}`
      return { field, code: 'range', message: `${field} must be ${bound}.`, expected: `a number of ${bound}` }
    }
    case 'minProperties':
      return { field, code: 'count', message: `${field} must not be empty.`, expected: 'at least one member' }
    case 'maxProperties':
    case 'maxItems':
      return countFault(field, params.limit)
    case 'uniqueItems':
      return { field, code: 'value', message: `${field} holds the same value twice.`, expected: 'each value once' }
    case 'minItems':
      return { field, code: 'count', message: `${field} must not be empty.`, expected: 'at least one' }
    case 'propertyNames':
      return {
        field: inside(quote(String(params.propertyName)).slice(1, -1)),
        code: 'form',
        message: `${quote(String(params.propertyName))} is not a name.`,
        expected: `a letter, then letters, digits and _, at most ${LIMITS.name} characters`,
      }
    default:
      return { field, code: 'value', message: `${field} is not acceptable.`, expected: error.keyword }
  }
}

/** The form to expect where a date or time was given with another type; for other formats the type alone says enough. */
function formOf({ format }: { format?: string }): string | undefined {
  return format === 'date' || format === 'date-time' ? FORMATS[format]?.expected : undefined
}

export function typeFault(field: string, expected: string | readonly string[], value: unknown, form?: string): Fault {
  const types = (typeof expected === 'string' ? [expected] : expected)
    .filter((type) => type !== 'null' || expected === 'null')
    .map((type) => TYPES[type] ?? type)
  const wanted = form ?? types.join(' or ')
  if (value === null) return { field, code: 'required', message: `${field} may not be null.`, expected: wanted }
  return { field, code: 'type', message: `${field} must be ${wanted}, not ${kindOf(value)}.`, expected: wanted }
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'number') return TYPES[typeof value] ?? typeof value
  return Number.isFinite(value) ? (Number.isInteger(value) ? 'a number' : 'a number with decimals') : 'a number that is not finite'
}

/** The fault of an unknown name, with the nearest known one if it `suggests` one. */
export function unknownName(field: string, name: string, known: readonly string[], { what = 'field', suggests = true } = {}): Fault {
  const near = suggests ? (nearest(name, known)[0] ?? endingIn(name, known)) : undefined
  const shown = `${known.slice(0, 30).map(quotedChoice).join(', ')}${known.length > 30 ? ', …' : ''}`
  return { field, code: 'unknown', message: `There is no ${what} called ${quote(name)}.`, ...(shown && { expected: shown }), ...(near && { didYouMean: near }) }
}

/** The only name that ends in this one: CompanyName for Name, LeadID for id. */
function endingIn(name: string, known: readonly string[]): string | undefined {
  const [first, ...others] = name.length < 2 ? [] : known.filter((one) => one.toLowerCase().endsWith(name.toLowerCase()))
  return others.length > 0 ? undefined : first
}

/** The fault of a field that the contract has and the platform does not. */
export function absentField(field: string, name: string, platform: string): Fault {
  return { field, code: 'unsupported', message: `${platform} has no place for ${name}.` }
}

/** The fault of a value outside a closed set, with the nearest allowed one. */
export function valueFault(field: string, value: unknown, allowed: readonly string[]): Fault {
  const [near] = typeof value === 'string' ? nearest(value, allowed) : []
  return {
    field,
    code: 'value',
    message: `${field} is not one of the allowed values.`,
    expected: allowed.map(quotedChoice).join(', '),
    ...(near && { didYouMean: near }),
  }
}

function unpointed(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
