import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Value } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import { familyOf, theirWordsFor } from '../engine/translation.ts'
import type { SalesforcePlace } from './codec.ts'
import { isId } from './ids.ts'
import { all, any, day, like, list, moment, NEVER, numeral, quoted } from './soql.ts'

/** A condition as Salesforce can be asked about it. An empty text is true of everything. */
export interface Narrowed {
  readonly how: 'exactly' | 'roughly'
  readonly soql: string
}

/** A text in a query may not be longer than this, and neither may one condition. */
const LONGEST_TEXT = 1000
const LONGEST = 20_000

/** From here on Salesforce keeps more digits than a JavaScript number, so numbers that are equal here may differ there. */
const EXACT = 1e15

/** What one condition is in SOQL; undefined where Salesforce cannot tell, or would leave out what the contract lets in. */
export function narrowed(place: Place | undefined, condition: Pick<Condition, 'operator' | 'value'>, longest = LONGEST): Narrowed | undefined {
  const found = valuesOf(condition).some((value) => typeof value === 'number' && Math.abs(value) >= EXACT) ? undefined : inSoql(place, condition)
  return found && found.soql.length <= longest ? found : undefined
}

function inSoql(place: Place | undefined, condition: Pick<Condition, 'operator' | 'value'>): Narrowed | undefined {
  if (!place || place.filters === false) return undefined
  return place.kind === 'id' ? ofIds(place, condition) : OF_FAMILY[familyOf(place) ?? 'none']?.(place, condition)
}

type Narrowing = (place: Place, condition: Pick<Condition, 'operator' | 'value'>) => Narrowed | undefined

const exactly = (soql: string): Narrowed => ({ how: 'exactly', soql })
const roughly = (soql: string): Narrowed => ({ how: 'roughly', soql })

const valuesOf = ({ operator, value }: Pick<Condition, 'operator' | 'value'>) => (operator === 'in' ? (value as readonly Value[]) : [value as Value])

/** Ids; a value that is not an id matches no record. */
const ofIds: Narrowing = ({ name }, condition) => {
  const { operator } = condition
  const values = valuesOf(condition).map((value) => (value === NOBODY ? null : value))
  const ids = values.filter((value): value is string => typeof value === 'string' && isId(value)).map(quoted)
  const orNull = values.includes(null)
  if (operator === 'ne') return exactly(orNull ? `${name} != null` : ids[0] === undefined ? '' : `(${name} != ${ids[0]} OR ${name} = null)`)
  const comparison = COMPARISONS[operator]
  if (comparison !== undefined) return ids[0] === undefined ? undefined : exactly(`${name} ${comparison} ${ids[0]}`)
  if (operator !== 'eq' && operator !== 'in') return undefined
  return exactly(any([...(ids.length > 0 ? [`${name} ${equals(ids)}`] : []), ...(orNull ? [`${name} = null`] : [])]))
}

/** Salesforce ignores case: most conditions match too much, and `ne` too little, except for words that have only one spelling. */
const ofText: Narrowing = (place: SalesforcePlace, condition) => {
  const { name, values: words = {} } = place
  const { operator, value } = condition
  if (operator === 'ne') return value === null ? exactly(hasText(place)) : otherThan(place, value as string)
  const values = valuesOf(condition)
  const texts = values.filter((one): one is string => typeof one === 'string')
  if (texts.some((text) => text.length > LONGEST_TEXT)) return undefined
  if (operator === 'contains' || operator === 'startsWith') {
    return Object.keys(words).length > 0 ? undefined : roughly(`${name} LIKE ${like(value as string, operator === 'startsWith')}`)
  }
  const theirs = texts.flatMap((text) => theirWordsFor(place, text) as string[]).map(quoted)
  const parts = [...(theirs.length > 0 ? [`${name} ${equals(theirs)}`] : []), ...(values.includes(null) ? [hasNoText(place)] : [])]
  return texts.length > 0 ? roughly(any(parts)) : exactly(any(parts))
}

const hasText = ({ name, placeholder }: SalesforcePlace) =>
  placeholder === undefined ? `${name} != null` : `(${name} != null AND ${name} != ${quoted(placeholder)})`

const hasNoText = ({ name, placeholder }: SalesforcePlace) =>
  placeholder === undefined ? `${name} = null` : `(${name} = null OR ${name} = ${quoted(placeholder)})`

/** `ne` with a word of ours. Only values that the picklist has in exactly this spelling can be excluded. */
function otherThan(place: SalesforcePlace, ours: string): Narrowed | undefined {
  const { name, words = [] } = place
  const theirs = theirWordsFor(place, ours) as string[]
  if (theirs.length === 0) return exactly('')
  const listed = theirs.filter((one) => words.includes(one))
  if (listed.length === 0) return undefined
  const [only, ...rest] = listed.map(quoted)
  const soql = `(${name} ${rest.length === 0 ? `!= ${only}` : `NOT IN ${list(listed.map(quoted))}`} OR ${name} = null)`
  return listed.length === theirs.length ? exactly(soql) : roughly(soql)
}

const ofNumbers: Narrowing = (place, condition) =>
  place.kind === 'integer' && valuesOf(condition).some((value) => typeof value === 'number' && !Number.isInteger(value))
    ? undefined
    : compared(place.name, condition, (value) => numeral(value as number))

const ofDays: Narrowing = (place, condition) => compared(place.name, condition, (value) => day(value as string))

/** Salesforce stores seconds, so a time between two seconds is rounded up for the comparison. */
const ofMoments: Narrowing = ({ name }, condition) => {
  const { operator, value } = condition
  const times = valuesOf(condition).map((one) => (one === null ? null : Date.parse(one as string)))
  const [only] = times
  if (typeof only === 'number' && only % 1000 !== 0 && operator !== 'in') {
    const next = moment(Math.ceil(only / 1000) * 1000)
    if (operator === 'eq') return exactly(NEVER)
    if (operator === 'ne') return exactly('')
    return next === undefined ? undefined : exactly(`${name} ${operator.startsWith('g') ? '>=' : '<'} ${next}`)
  }
  const wholeSeconds = operator === 'in' ? times.filter((time) => time === null || time % 1000 === 0) : (only ?? null)
  return compared(name, { operator, value: operator === 'in' ? (wholeSeconds as Value[]) : value }, (one) =>
    moment(typeof one === 'number' ? one : Date.parse(one as string)),
  )
}

const ofBooleans: Narrowing = ({ name }, { operator, value }) =>
  typeof value !== 'boolean' ? undefined : operator === 'eq' ? exactly(`${name} = ${value}`) : operator === 'ne' ? exactly(`${name} != ${value}`) : undefined

/** Several values of a picklist. A semicolon in an operand would ask for records that have all of its parts, and no value has one. */
const ofLists: Narrowing = ({ name }, { operator, value }) => {
  if (operator === 'eq' || operator === 'ne') return value === null ? exactly(`${name} ${operator === 'eq' ? '=' : '!='} null`) : undefined
  if (operator !== 'contains' || typeof value !== 'string' || value.length > LONGEST_TEXT) return undefined
  return value === '' || value.includes(';') ? exactly(NEVER) : roughly(`${name} INCLUDES (${quoted(value)})`)
}

const OF_FAMILY: { readonly [family: string]: Narrowing } = {
  text: ofText,
  number: ofNumbers,
  date: ofDays,
  timestamp: ofMoments,
  boolean: ofBooleans,
  list: ofLists,
}

const COMPARISONS: { readonly [operator: string]: string } = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

const equals = (literals: readonly string[]) => (literals.length === 1 ? `= ${literals[0]}` : `IN ${list(literals)}`)

/** A comparison of what is compared just as the contract says. */
function compared(name: string, condition: Pick<Condition, 'operator' | 'value'>, literal: (value: Value) => string | undefined): Narrowed | undefined {
  const { operator } = condition
  const values = valuesOf(condition)
  const literals = values.filter((value) => value !== null).map(literal)
  if (!literals.every((one) => one !== undefined)) return undefined
  const orNull = values.includes(null)
  const comparison = COMPARISONS[operator]
  if (comparison !== undefined) return exactly(`${name} ${comparison} ${literals[0]}`)
  if (operator === 'ne') return exactly(orNull ? `${name} != null` : `(${name} != ${literals[0]} OR ${name} = null)`)
  if (operator !== 'eq' && operator !== 'in') return undefined
  return exactly(any([...(literals.length > 0 ? [`${name} ${equals(literals)}`] : []), ...(orNull ? [`${name} = null`] : [])]))
}

/** Everything from a value on, itself included, in the direction of the order. Null is lower than everything. */
export function fromValue(place: Place, value: Value, descending: boolean): Narrowed | undefined {
  if (value === null) return descending ? exactly(`${place.name} = null`) : exactly('')
  const found = inSoql(place, { operator: descending ? 'lte' : 'gte', value })
  return found && descending ? { ...found, soql: any([found.soql, `${place.name} = null`]) } : found
}

/** Everything beyond one record, where records of one value are in the order of their ids. */
export function beyond(place: Place | undefined, value: Value, id: string, descending: boolean): string | undefined {
  const sign = descending ? '<' : '>'
  const after = `Id ${sign} ${quoted(id)}`
  if (!place || place.name === 'Id') return after
  const same = inSoql(place, { operator: 'eq', value })
  if (!same) return undefined
  const tie = `(${all([same.soql, after])})`
  if (value === null) return descending ? tie : any([tie, `${place.name} != null`])
  const further = inSoql(place, { operator: descending ? 'lt' : 'gt', value })
  return further && any([further.soql, tie, ...(descending ? [`${place.name} = null`] : [])])
}
