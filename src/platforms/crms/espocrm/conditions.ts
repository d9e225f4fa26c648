import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, Value } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import { familyOf, theirWordsFor } from '../engine/translation.ts'
import { isChoice, momentOf, NO, truth, YES } from './codec.ts'
import { OPT_OUT } from './tables.ts'
import { any, type Item, isNotNull, isNull, item, lengthOf, NOTHING, numeral } from './where.ts'

/** A condition as EspoCRM filters it: exactly, or roughly so that the engine filters the result once more. */
export interface Narrowed {
  readonly how: 'exactly' | 'roughly'
  /** All of these; none where every record fulfils it. */
  readonly items: readonly Item[]
}

/** A condition whose value makes an address longer than this is not asked. */
const LONGEST = 1_500

/** What ids are made of; anything else is no id. PHP takes `0` for empty. */
export const ID = /^(?!0$)[A-Za-z0-9_-]{1,64}$/

/** A condition as EspoCRM takes it; undefined where it cannot tell, or would leave out what we count in. */
export function narrowed(place: Place | undefined, condition: Condition): Narrowed | undefined {
  if (!place || place.filters === false) return undefined
  const family = familyOf(place)
  // A field of the same name is something else in this object, so that nothing of it compares.
  if (family !== condition.family) return { how: 'exactly', items: [NOTHING] }
  const made = family && FAMILIES[family](place, condition)
  return made?.items.every((one) => isSendable(one) && lengthOf(one) <= LONGEST) ? made : undefined
}

/** A text with half a character or with a zero in it is nothing that a database can be asked about. */
function isSendable({ value }: Item): boolean {
  if (value === undefined) return true
  return typeof value === 'string'
    ? value.isWellFormed() && !value.includes('\0')
    : value.every((one) => isSendable(typeof one === 'string' ? { type: '', value: one } : one))
}

const exactly = (...items: readonly Item[]): Narrowed => ({ how: 'exactly', items })
const roughly = (...items: readonly Item[]): Narrowed => ({ how: 'roughly', items })

type Compare = (place: Place, condition: Condition) => Narrowed | undefined

const FAMILIES: { readonly [family in Condition['family']]: Compare } = {
  text: (place, condition) => (place.kind === 'id' ? id(place.name, condition) : text(place, condition)),
  number: ({ name }, { operator, value }) =>
    compared(
      name,
      operator,
      listed(value, (one) => numeral(one as number)),
    ),
  date: ({ name }, { operator, value }) => compared(name, operator, listed(value, String)),
  timestamp: ({ name }, { operator, value }) => moment(name, operator, value),
  boolean: yesOrNo,
  list: ({ name }, { operator, value }) => listing(name, operator, value),
}

/** The values of a condition, as EspoCRM writes them, and whether null is among them. */
interface Listed {
  readonly values: readonly string[]
  readonly withNull: boolean
}

function listed(value: Condition['value'], write: (value: Value) => string | readonly string[] | undefined): Listed {
  const given = [value].flat() as Value[]
  return { values: given.flatMap((one) => (one === null ? [] : (write(one) ?? []))), withNull: given.includes(null) }
}

const TYPES: { readonly [operator in Condition['operator']]?: string } = {
  gt: 'greaterThan',
  gte: 'greaterThanOrEquals',
  lt: 'lessThan',
  lte: 'lessThanOrEquals',
}

/** Values that compare there just as they do here. */
function compared(name: string, operator: Condition['operator'], { values, withNull }: Listed): Narrowed | undefined {
  const type = TYPES[operator]
  if (type) return exactly(...values.map((value) => item(type, name, value)))
  if (operator === 'ne') {
    if (withNull) return exactly(isNotNull(name))
    return values.length === 0 ? exactly() : exactly(any(item('notIn', name, values), isNull(name)))
  }
  if (operator !== 'eq' && operator !== 'in') return undefined
  return exactly(among(name, values, withNull ? [isNull(name)] : []))
}

/** One of these values, or something else. */
function among(name: string, values: readonly string[], others: readonly Item[]): Item {
  const same = values.length === 0 ? [] : values.length === 1 && others.length === 0 ? [item('equals', name, values[0])] : [item('in', name, values)]
  return same.length + others.length === 0 ? NOTHING : any(...same, ...others)
}

/** An id; the owner `nobody` is stored as null. */
function id(name: string, { operator, value }: Condition): Narrowed | undefined {
  const given = [value].flat().map((one) => (one === NOBODY ? null : one))
  return compared(
    name,
    operator,
    listed(given, (one) => (ID.test(String(one)) ? String(one) : undefined)),
  )
}

/** EspoCRM stores whole seconds, so a time between two of them equals none. */
function moment(name: string, operator: Condition['operator'], value: Condition['value']): Narrowed | undefined {
  const whole = listed(value, (one) => (Date.parse(one as string) % 1000 === 0 ? momentOf(Date.parse(one as string)) : undefined))
  if (!TYPES[operator]) return compared(name, operator, whole)
  const second = Math.floor(Date.parse(value as string) / 1000) * 1000
  // A bound between two seconds is rounded down, so `gte` becomes `gt` and `lt` becomes `lte`.
  const between = second !== Date.parse(value as string)
  const type = between ? (operator === 'gte' ? 'gt' : operator === 'lt' ? 'lte' : operator) : operator
  return compared(name, type, { values: [momentOf(second)], withNull: false })
}

/** Values of lists are in a table of their own, and compared as its database does. */
function listing(name: string, operator: Condition['operator'], value: Condition['value']): Narrowed | undefined {
  if (operator === 'contains') return typeof value === 'string' && value !== '' ? roughly(item('arrayAnyOf', name, [value])) : undefined
  if (value !== null) return undefined
  return operator === 'eq' ? exactly(item('arrayIsEmpty', name)) : operator === 'ne' ? exactly(item('arrayIsNotEmpty', name)) : undefined
}

/** An opt-out is true or false: EspoCRM takes one of a record without an address for false. */
function optOut(name: string, operator: 'eq' | 'ne', value: Condition['value']): Narrowed {
  if (value === null) return operator === 'eq' ? exactly(NOTHING) : exactly()
  return exactly(item((value === true) === (operator === 'eq') ? 'isTrue' : 'isFalse', name))
}

function yesOrNo(place: Place, { operator, value }: Condition): Narrowed | undefined {
  const { name } = place
  if (operator !== 'eq' && operator !== 'ne') return undefined
  if (name === OPT_OUT.name) return optOut(name, operator, value)
  if (value === null) return exactly(operator === 'eq' ? isNull(name) : isNotNull(name))
  const wanted = truth(place, value === true)
  if (isChoice(place)) return compared(name, operator, { values: [wanted === YES ? YES : NO], withNull: false })
  if (operator === 'eq') return exactly(item(wanted ? 'isTrue' : 'isFalse', name))
  return exactly(any(item(wanted ? 'isFalse' : 'isTrue', name), isNull(name)))
}

/** Which letters are the same to it depends on EspoCRM's database, so that it is only asked for what is among what it finds. */
function text(place: Place, { operator, value }: Condition): Narrowed | undefined {
  const { name, kind } = place
  const none = kind === 'email' || kind === 'phone' ? [isNull(name)] : [isNull(name), item('equals', name, '')]
  const { values, withNull } = listed(value, (one) => (one === '' ? undefined : theirWordsFor(place, one).map(String)))
  // An empty text is no value there.
  const withNone = withNull || [value].flat().includes('')
  switch (operator) {
    case 'eq':
    case 'in':
      // E-mail addresses and phone numbers are in tables of their own, which EspoCRM can only compare with one value at a time.
      if (kind === 'email' || kind === 'phone') return roughly(any(...values.map((one) => item('equals', name, one)), ...(withNone ? none : orNothing(values))))
      return roughly(among(name, values, withNone ? none : []))
    case 'ne':
      if (withNull) return roughly(isNotNull(name))
      return withNone ? undefined : otherThan(place, values)
    case 'contains':
    case 'startsWith':
      return isFound(place, value as string) ? roughly(item(operator, name, value as string)) : undefined
    default:
      return undefined
  }
}

const orNothing = (values: readonly string[]) => (values.length === 0 ? [NOTHING] : [])

/** Everything but these. Only words of a closed set that stay different where letters count as the same can be left out. */
function otherThan({ name, closed, allowed = [], values = {} }: Place, theirs: readonly string[]): Narrowed | undefined {
  if (theirs.length === 0) return roughly()
  const words = [...new Set([...allowed, ...Object.values(values)])]
  const folded = words.map((one) => one.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase())
  const told = theirs.filter((one) => words.includes(one))
  return closed && new Set(folded).size === words.length && told.length > 0 ? roughly(any(item('notIn', name, told), isNull(name))) : undefined
}

/** Whether EspoCRM can search a part of the text. Not with a backslash, which its database interprets, nor in fields with mapped words. */
function isFound({ values }: Place, part: string): boolean {
  return part !== '' && !part.includes('\\') && values === undefined
}
