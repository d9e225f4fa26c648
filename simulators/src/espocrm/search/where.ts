import type { Access } from '../access.ts'
import { badRequest, failure, forbidden } from '../errors.ts'
import { linkedRows } from '../links/links.ts'
import { isTrue } from '../records/input.ts'
import { attributeValue, type Seen } from '../records/values.ts'
import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import { timestamp, type Values } from '../store.ts'
import { Calendar, rangeOf } from './calendar.ts'
import { listIn } from './nested-query.ts'
import { asList, column, OPERATORS, type Test } from './operators.ts'

const DEEPEST = 64
const LINK_TYPES = new Set(['isLinked', 'isNotLinked', 'linkedWith', 'notLinkedWith', 'linkedWithAll'])

/** What EspoCRM makes a subquery of, and so refuses from outside. */
const SUBQUERIES = new Set(['not', 'subQueryIn', 'subQueryNotIn'])

/** Compiles the filter of a list. All items are checked first, as in EspoCRM. */
export function whereTest(access: Access, scope: Scope, where: unknown): Test {
  const items = listIn(where) ?? []
  for (const item of items) check(access, scope, item)
  return all(items.map((item) => testOf(access, scope, item)))
}

const all =
  (tests: Test[]): Test =>
  (row) =>
    tests.every((test) => test(row))

function check(access: Access, scope: Scope, item: unknown, depth = 0): void {
  const { type, attribute, value } = Object(item) as Values
  if (depth > DEEPEST) throw failure()
  if (typeof attribute === 'string' && attribute !== '') {
    if (/[.:]/.test(attribute)) throw forbidden('Complex expressions are forbidden in where.')
    if (LINK_TYPES.has(String(type))) {
      if (!Object.hasOwn(scope.links, attribute)) throw badRequest(`Not existing relation '${attribute}' in where.`)
    } else {
      if (!shapeOf(scope).attributes.has(attribute)) throw badRequest(`Not existing attribute '${attribute}' in where.`)
      if (access.hidden(scope, 'read').has(attribute)) throw forbidden(`Forbidden attribute '${attribute}' in where.`)
    }
  }
  if (SUBQUERIES.has(String(type))) throw forbidden('Sub-queries are forbidden in where.')
  if (type === 'or' || type === 'and') for (const inner of listIn(value) ?? []) check(access, scope, inner, depth + 1)
}

function testOf(access: Access, scope: Scope, item: unknown): Test {
  const { type, attribute, value, dateTime, timeZone } = Object(item) as Values
  if (typeof type !== 'string' || type === '') throw badRequest("Bad where item. No 'type'.")
  if (type === 'or' || type === 'and') {
    const inner = listIn(value)
    if (!inner) throw badRequest('Bad where item.')
    const tests = inner.filter((one) => !isForgotten(one)).map((one) => testOf(access, scope, one))
    if (type === 'or') return tests.length === 0 ? () => true : (row) => tests.some((test) => test(row))
    return all(tests)
  }
  if (typeof attribute !== 'string' || attribute === '') throw failure()
  if (LINK_TYPES.has(type)) return linkTest(access, scope, type, attribute, value)
  const zone = typeof timeZone === 'string' && timeZone !== '' ? timeZone : undefined
  const dated = dateTest(access, scope, attribute, { type, value, exact: isTrue(dateTime), zone })
  if (dated) return dated
  const target = shapeOf(scope).attributes.get(attribute)
  const compile = Object.hasOwn(OPERATORS, type) ? OPERATORS[type] : undefined
  if (!compile || !target) throw badRequest(`Unknown where item type '${type}'.`)
  return compile(column(access, target), value)
}

/** PHP takes `0` for empty, and EspoCRM leaves empty comparisons out of groups. */
const isForgotten = (item: unknown) => (Object(item) as Values).value === '0' && COMPARED.has(String((Object(item) as Values).type))
const COMPARED = new Set([
  'equals',
  'notEquals',
  'on',
  'notOn',
  'like',
  'notLike',
  'greaterThan',
  'lessThan',
  'greaterThanOrEquals',
  'lessThanOrEquals',
  'after',
  'before',
])

interface Dated {
  readonly type: string
  readonly value: unknown
  /** Whether the field has a time, which is then read in the zone. */
  readonly exact: boolean
  readonly zone: string | undefined
}

function dateTest(access: Access, scope: Scope, name: string, { type, value, exact, zone }: Dated): Test | undefined {
  const attribute = shapeOf(scope).attributes.get(name)
  if (!attribute) return undefined
  const calendar = new Calendar(access.store.now(), zone)
  const days = rangeOf(type, calendar, typeof value === 'string' || typeof value === 'number' ? Math.trunc(Number(value)) : 0)
  const at = (row: Seen) => {
    const stored = attributeValue(access.store, row, attribute)
    return typeof stored === 'string' ? stored : undefined
  }
  if (days) {
    const [from, to] = days.map((day) => (typeof day === 'string' && exact ? calendar.utc(day) : day))
    const now = timestamp(calendar.now)
    return (row) => {
      const stored = at(row)
      if (stored === undefined) return false
      if (exact && type === 'past') return stored < now
      if (exact && type === 'future') return stored > now
      return (typeof from !== 'string' || stored >= from) && (typeof to !== 'string' || stored < to)
    }
  }
  if (!exact || !['on', 'before', 'after', 'between'].includes(type)) return undefined
  const [from, to = from] = type === 'between' ? (listIn(value) ?? []) : [value]
  if (typeof from !== 'string' || typeof to !== 'string' || from === '') throw badRequest('Bad where item. Empty value.')
  const last = (local: string) => (local.length <= 10 ? calendar.utc(local, 86_399) : calendar.utc(local))
  return (row) => {
    const stored = at(row)
    if (stored === undefined) return false
    if (type === 'before') return stored < calendar.utc(from)
    if (type === 'after') return stored > last(from)
    return stored >= calendar.utc(from) && stored <= last(to)
  }
}

function linkTest({ store }: Access, scope: Scope, type: string, name: string, value: unknown): Test {
  const one = scope.links[name]?.type === 'belongsTo'
  const ids = (row: Seen): unknown[] =>
    one ? [row.values[`${name}Id`]].filter((id): id is string => typeof id === 'string') : linkedRows(store, scope, name, row.id).map(({ id }) => id)
  if (type === 'isLinked') return (row) => ids(row).length > 0
  if (type === 'isNotLinked') return (row) => ids(row).length === 0
  if (value === undefined || value === null || value === '') throw badRequest('Bad where item. Empty value.')
  const wanted = asList(value)
  if (type === 'linkedWithAll') return (row) => wanted.every((id) => ids(row).includes(id))
  const linked: Test = (row) => ids(row).some((id) => wanted.includes(id))
  return type === 'linkedWith' ? linked : (row) => !linked(row)
}
