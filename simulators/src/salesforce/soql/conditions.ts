import { ANY, matchesWildcards, ONE, type Wildcards } from '../../wildcards.ts'
import { type FieldType, NUMERIC, TEXT } from '../objects/fields.ts'
import { readId } from '../records/ids.ts'
import { exactTime, readDate, readTime } from '../records/times.ts'
import type { Value } from '../records/values.ts'
import { spanOf } from './dates.ts'
import type { Column, Scope } from './scope.ts'
import { PLAIN } from './tokens.ts'
import type { Condition, Expression, Literal, Operator, Query } from './tree.ts'

/** How names in a condition are resolved, for records or for groups. */
export interface Terms<T> {
  readonly scope: Scope
  readonly column: (expression: Expression) => Column<T>
  /** The values that a subquery finds. */
  readonly within: (query: Query) => ReadonlySet<Value>
}

export type Test<T> = (from: T) => boolean

/** Compiles a condition. A missing value is unequal to everything. */
export function testOf<T>(terms: Terms<T>, condition: Condition): Test<T> {
  switch (condition.kind) {
    case 'and': {
      const parts = condition.parts.map((part) => testOf(terms, part))
      return (from) => parts.every((part) => part(from))
    }
    case 'or': {
      const parts = condition.parts.map((part) => testOf(terms, part))
      return (from) => parts.some((part) => part(from))
    }
    case 'not': {
      const part = testOf(terms, condition.part)
      return (from) => !part(from)
    }
    case 'within': {
      const { read } = filtered(terms, condition.left)
      const found = terms.within(condition.query)
      return (from) => found.has(read(from)) !== condition.not
    }
    case 'compare': {
      const { field, read } = filtered(terms, condition.left)
      const { operator, values, at } = condition
      const fits = comparison({ ...field, scope: terms.scope, at }, operator, values)
      return (from) => fits(read(from))
    }
  }
}

function filtered<T>({ scope, column }: Terms<T>, expression: Expression): Column<T> {
  const found = column(expression)
  if (!found.field.filterable) throw scope.refused(expression.at, 'INVALID_FIELD', `field '${found.field.name}' can not be filtered in a query call`)
  return found
}

interface Compared {
  readonly name: string
  readonly type: FieldType
  readonly scope: Scope
  readonly at: number
}

function comparison(compared: Compared, operator: Operator, values: readonly Literal[]): (value: Value) => boolean {
  const { scope, at, type } = compared
  switch (operator) {
    case 'in':
    case 'not in': {
      const fits = anyOf(compared, values)
      return operator === 'in' ? fits : (value) => !fits(value)
    }
    case 'includes':
    case 'excludes': {
      if (type === 'multipicklist') {
        const fits = includesTest(values.map((value) => String(literalValue(compared, value))))
        return operator === 'includes' ? fits : (value) => value !== null && !fits(value)
      }
      throw scope.refused(at, 'INVALID_FIELD', `includes or excludes operator only valid on multipicklist field`)
    }
    case 'like': {
      const [literal] = values
      if (!TEXT.has(type) || type === 'multipicklist') throw scope.refused(at, 'INVALID_QUERY_FILTER_OPERATOR', `invalid operator on ${type} field`)
      if (literal?.kind !== 'string') throw wrongType(compared)
      return likeTest(literal.pattern)
    }
    default:
      return compareWith(compared, operator, values[0] as Literal)
  }
}

/** INCLUDES ('a;b', 'c'): both a and b, or c. */
function includesTest(wanted: readonly string[]): (value: Value) => boolean {
  const each = wanted.map((text) => text.toLowerCase().split(';'))
  return (value) => {
    const has = typeof value === 'string' ? value.toLowerCase().split(';') : []
    return each.some((parts) => parts.every((part) => has.includes(part)))
  }
}

/** IN: a set lookup, so that long lists stay fast. */
function anyOf(compared: Compared, values: readonly Literal[]): (value: Value) => boolean {
  const ranges = values.filter(({ kind }) => kind === 'range').map((value) => compareWith(compared, '=', value))
  const known = new Set(values.filter(({ kind }) => kind !== 'range').map((value) => normalized(compared.type, literalValue(compared, value))))
  return (value) => known.has(normalized(compared.type, value)) || ranges.some((fits) => fits(value))
}

function compareWith(compared: Compared, operator: Operator, literal: Literal): (value: Value) => boolean {
  const { type, scope, at } = compared
  if (literal.kind === 'range') return spanComparison(compared, operator, literal)
  const wanted = normalized(type, literalValue(compared, literal))
  if (operator === '=') return (value) => normalized(type, value) === wanted
  if (operator === '!=') return (value) => normalized(type, value) !== wanted
  if (type === 'boolean') throw scope.refused(at, 'INVALID_QUERY_FILTER_OPERATOR', 'invalid operator on boolean field')
  return (value) => {
    const own = normalized(type, value)
    return own !== null && wanted !== null && ORDERED[operator as keyof typeof ORDERED](own, wanted)
  }
}

const ORDERED = {
  '<': (a: Value, b: Value) => (a as string) < (b as string),
  '<=': (a: Value, b: Value) => (a as string) <= (b as string),
  '>': (a: Value, b: Value) => (a as string) > (b as string),
  '>=': (a: Value, b: Value) => (a as string) >= (b as string),
}

/** Texts compare without case, and an empty one is null. */
export function normalized(type: FieldType, value: Value): Value {
  if (typeof value !== 'string' || !TEXT.has(type)) return value
  return value === '' ? null : value.toLowerCase()
}

function spanComparison(compared: Compared, operator: Operator, { name, count }: Literal & { readonly kind: 'range' }): (value: Value) => boolean {
  const span = spanOf(name, count, compared.scope.org.world.now())
  if (!span || (compared.type !== 'date' && compared.type !== 'datetime')) {
    if (span) throw wrongType(compared)
    throw compared.scope.refused(compared.at, 'MALFORMED_QUERY', `unexpected token: '${name}'`)
  }
  const [from, to] = span.map((moment) => (compared.type === 'date' ? exactTime(moment).slice(0, 10) : exactTime(moment))) as [string, string]
  const tests: { readonly [operator: string]: (value: string) => boolean } = {
    '=': (value) => value >= from && value < to,
    '!=': (value) => value < from || value >= to,
    '<': (value) => value < from,
    '<=': (value) => value < to,
    '>': (value) => value >= to,
    '>=': (value) => value >= from,
  }
  const test = tests[operator] ?? (() => false)
  return (value) => (typeof value === 'string' ? test(value) : operator === '!=')
}

/** The value of a literal for a field of this type; refuses a literal of another type. */
function literalValue(compared: Compared, literal: Literal): Value {
  const { type, scope, at } = compared
  if (literal.kind === 'null') return null
  if (literal.kind === 'string' && TEXT.has(type)) return literal.text
  if (literal.kind === 'string' && (type === 'id' || type === 'reference')) {
    if (literal.text === '') return null
    // Definitions are referenced by name.
    const id = readId(literal.text) ?? (compared.name === 'EntityDefinitionId' ? literal.text : undefined)
    if (id === undefined) throw scope.refused(at, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${literal.text}`)
    return id
  }
  if (literal.kind === 'number' && NUMERIC.has(type)) return literal.number
  if (literal.kind === 'boolean' && type === 'boolean') return literal.boolean
  if (literal.kind === 'date' && type === 'date') {
    const day = readDate(literal.text)
    if (day !== undefined) return day
  }
  if (literal.kind === 'datetime' && type === 'datetime') {
    const moment = readTime(literal.text)
    if (moment !== undefined) return exactTime(moment)
  }
  throw wrongType(compared)
}

function wrongType({ name, type, scope, at }: Compared) {
  const quoted = TEXT.has(type) || type === 'id' || type === 'reference'
  const called = TEXT.has(type) ? 'string' : type === 'datetime' ? 'dateTime' : type === 'currency' || type === 'percent' ? 'double' : type
  const message = `value of filter criterion for field '${name}' must be of type ${called} and should ${quoted ? '' : 'not '}be enclosed in quotes`
  return scope.refused(at, 'INVALID_FIELD', message)
}

/** Compiles a LIKE pattern, without case. */
function likeTest(pattern: string): (value: Value) => boolean {
  const parts: Wildcards[number][] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at)
    if (char === PLAIN) parts.push(pattern.charAt(++at))
    else parts.push(char === '%' ? ANY : char === '_' ? ONE : char.toLowerCase())
  }
  return (value) => typeof value === 'string' && matchesWildcards(value.toLowerCase(), parts)
}
