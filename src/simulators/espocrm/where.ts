import type { Access } from './access.ts'
import { type Attribute, shapeOf } from './attributes.ts'
import { Calendar, rangeOf } from './days.ts'
import type { Scope } from './definition.ts'
import { badRequest, failure, forbidden } from './errors.ts'
import { isTrue } from './input.ts'
import { like } from './like.ts'
import { linkedRows } from './links.ts'
import { listIn } from './nested-query.ts'
import type { Values } from './store.ts'
import { type Seen, valueOf } from './values.ts'

export type Test = (row: Seen) => boolean

const DEEPEST = 64
const LINK_TYPES = new Set(['isLinked', 'isNotLinked', 'linkedWith', 'notLinkedWith', 'linkedWithAll'])

/** A test for what a list asks for. What it asks for is checked first, all of it, as EspoCRM does. */
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
  if (type === 'or' || type === 'and' || type === 'not') for (const inner of listIn(value) ?? []) check(access, scope, inner, depth + 1)
}

function testOf(access: Access, scope: Scope, item: unknown): Test {
  const { type, attribute, value, dateTime, timeZone } = Object(item) as Values
  if (typeof type !== 'string' || type === '') throw badRequest("Bad where item. No 'type'.")
  if (type === 'or' || type === 'and' || type === 'not') {
    const inner = listIn(value)
    if (!inner) throw badRequest('Bad where item.')
    const tests = inner.map((one) => testOf(access, scope, one))
    if (type === 'or') return tests.length === 0 ? () => true : (row) => tests.some((test) => test(row))
    const every = all(tests)
    return type === 'and' ? every : (row) => !every(row)
  }
  if (typeof attribute !== 'string' || attribute === '') throw badRequest("Bad where item. No 'attribute'.")
  if (LINK_TYPES.has(type)) return linkTest(access, scope, type, attribute, value)
  const zone = typeof timeZone === 'string' && timeZone !== '' ? timeZone : undefined
  const dated = dateTest(access, scope, attribute, { type, value, exact: isTrue(dateTime), zone })
  if (dated) return dated
  const known = shapeOf(scope).attributes.get(attribute)
  const compile = Object.hasOwn(OPERATORS, type) ? OPERATORS[type] : undefined
  if (!compile || !known) throw badRequest(`Unknown where item type '${type}'.`)
  return compile(column(access, known), value)
}

/** What SQL compares: the value of a row, and the values of a filter in the same form. */
interface Column {
  /** All of them: a record has many e-mail addresses, and one that fits is enough. */
  readonly values: (row: Seen) => unknown[]
  readonly cast: (value: unknown) => unknown
}

function column({ store, user }: Access, attribute: Attribute): Column {
  const { name, type, field } = attribute
  const plain = (row: Seen) => {
    const value = valueOf(store, row, attribute, user.id)
    return value === null ? [] : [value]
  }
  const isReach = name === field && (type === 'email' || type === 'phone')
  if (!isReach) return { values: plain, cast: CASTS[attribute.kind === 'stored' || attribute.kind === 'serial' || attribute.kind === 'converted' ? castType(attribute) : 'text'] ?? String }
  const part = type === 'email' ? 'lower' : 'phoneNumber'
  return {
    values: ({ values }) => ((values[`${name}Data`] as Values[] | undefined) ?? []).map((one) => one[part]),
    cast: (value) => (type === 'email' ? String(value).toLowerCase() : String(value)),
  }
}

function castType({ name, field, type }: Attribute): string {
  return type === 'currency' && name === `${field}Currency` ? 'text' : type
}

/** A value the database cannot make one of the column's type of is an error of the database, and so of the server. */
const number = (value: unknown) => {
  const read = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  if (typeof value === 'object' || Number.isNaN(read)) throw failure()
  return read
}

const CASTS: { readonly [type: string]: (value: unknown) => unknown } = {
  int: number,
  float: number,
  currency: number,
  autoincrement: number,
  bool: (value) => {
    if (/^(true|t|yes|y|on|1)$/i.test(String(value))) return true
    if (/^(false|f|no|n|off|0)$/i.test(String(value))) return false
    throw failure()
  },
  date: (value) => moment(value).slice(0, 10),
  datetime: moment,
}

function moment(value: unknown): string {
  const [, day = '', time = '00:00', seconds = ':00'] = /^\s*(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?\s*$/.exec(String(value)) ?? []
  const at = `${day} ${time}${seconds}`
  const read = Date.parse(`${at.replace(' ', 'T')}Z`)
  if (Number.isNaN(read) || new Date(read).toISOString().slice(0, 10) !== day) throw failure()
  return at
}

type Compile = (column: Column, value: unknown) => Test

/** Nothing is equal to nothing, nor different from it, as in SQL; only e-mail addresses and telephone numbers are looked up. */
const compared =
  (fits: (order: number) => boolean): Compile =>
  ({ values, cast }, value) => {
    const wanted = cast(value ?? '')
    return (row) => values(row).some((one) => fits(order(one, wanted)))
  }

export function order(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : collator.compare(a, b) || (a < b ? -1 : 1)
  return a === b ? 0 : (a as number) < (b as number) ? -1 : 1
}

const collator = new Intl.Collator('en')

const within: Compile = ({ values, cast }, value) => {
  const wanted = new Set((listIn(value) ?? []).map(cast))
  return (row) => values(row).some((one) => wanted.has(one))
}

const equals: Compile = (column, value) => {
  const list = listIn(value)
  if (list) return within(column, list)
  if (value === null || value === undefined) return (row) => column.values(row).length === 0
  const wanted = column.cast(value)
  return (row) => column.values(row).includes(wanted)
}

/** Different is what has a value, and another one. */
const unlike =
  (same: Compile): Compile =>
  (column, value) => {
    const test = same(column, value)
    return (row) => column.values(row).length > 0 && !test(row)
  }

const matching =
  (pattern: (value: string) => string): Compile =>
  ({ values }, value) => {
    if (typeof value === 'object') throw failure()
    const test = like(pattern(String(value ?? '')))
    return (row) => values(row).some((one) => test(String(one)))
  }

const contains = matching((value) => `%${value}%`)
const isNull: Compile = ({ values }) => (row) => values(row).length === 0
const isNotNull: Compile = ({ values }) => (row) => values(row).length > 0
const truth =
  (wanted: boolean): Compile =>
  ({ values }) =>
  (row) =>
    values(row).includes(wanted)

function listed(name: string, compile: Compile): Compile {
  return (column, value) => {
    if (!listIn(value)) throw badRequest(`Bad where item '${name}'.`)
    return compile(column, value)
  }
}

const greaterOrEqual = compared((order) => order >= 0)
const lessOrEqual = compared((order) => order <= 0)

const OPERATORS: { readonly [type: string]: Compile } = {
  equals,
  notEquals: (column, value) => (value === null || value === undefined ? isNotNull(column, value) : unlike(equals)(column, value)),
  on: equals,
  notOn: unlike(equals),
  in: listed('in', within),
  notIn: listed('notIn', (column, value) => (listIn(value)?.length === 0 ? () => true : unlike(within)(column, value))),
  isNull,
  isNotNull,
  ever: isNotNull,
  isTrue: truth(true),
  isFalse: truth(false),
  like: matching((value) => value),
  notLike: unlike(matching((value) => value)),
  contains,
  notContains: unlike(contains),
  startsWith: matching((value) => `${value}%`),
  endsWith: matching((value) => `%${value}`),
  greaterThan: compared((order) => order > 0),
  greaterThanOrEquals: greaterOrEqual,
  lessThan: compared((order) => order < 0),
  lessThanOrEquals: lessOrEqual,
  after: compared((order) => order > 0),
  before: compared((order) => order < 0),
  between: (column, value) => {
    const [from, to, ...rest] = listIn(value) ?? []
    if (from === undefined || to === undefined) throw badRequest("Bad where item 'between'.")
    const tests = [greaterOrEqual(column, from), lessOrEqual(column, to)]
    return rest.length >= 0 ? all(tests) : all([])
  },
  any: () => () => true,
  none: () => () => false,
  arrayAnyOf: (column, value) => arrays(column, (kept) => asList(value).some((one) => kept.includes(one))),
  arrayNoneOf: (column, value) => arrays(column, (kept) => !asList(value).some((one) => kept.includes(one))),
  arrayAllOf: (column, value) => arrays(column, (kept) => asList(value).every((one) => kept.includes(one))),
  arrayIsEmpty: (column) => arrays(column, (kept) => kept.length === 0),
  arrayIsNotEmpty: (column) => arrays(column, (kept) => kept.length > 0),
}

const asList = (value: unknown) => listIn(value) ?? [value]
const arrays =
  ({ values }: Column, test: (kept: unknown[]) => boolean): Test =>
  (row) =>
    test(values(row).flat())

interface Dated {
  readonly type: string
  readonly value: unknown
  /** Whether the field has a time, which then counts in the zone. */
  readonly exact: boolean
  readonly zone: string | undefined
}

function dateTest(access: Access, scope: Scope, name: string, { type, value, exact, zone }: Dated): Test | undefined {
  const attribute = shapeOf(scope).attributes.get(name)
  if (!attribute) return undefined
  const calendar = new Calendar(access.store.now(), zone)
  const days = rangeOf(type, calendar, Math.trunc(Number(value)))
  const at = (row: Seen) => {
    const kept = valueOf(access.store, row, attribute)
    return typeof kept === 'string' ? kept : undefined
  }
  if (days) {
    const [from, to] = days.map((day) => (typeof day === 'string' && exact ? calendar.utc(day) : day))
    const now = calendar.utc(new Date(calendar.now).toISOString().slice(0, 19))
    const [first, end] = exact && type === 'past' ? [undefined, now] : exact && type === 'future' ? [now, undefined] : [from, to]
    return (row) => {
      const kept = at(row)
      return kept !== undefined && (typeof first !== 'string' || kept >= first) && (typeof end !== 'string' || kept < end)
    }
  }
  if (!exact || !['on', 'before', 'after', 'between'].includes(type)) return undefined
  const [from, to = from] = type === 'between' ? (listIn(value) ?? []) : [value]
  if (typeof from !== 'string' || typeof to !== 'string' || from === '') throw badRequest('Bad where item. Empty value.')
  const last = (local: string) => (local.length <= 10 ? calendar.utc(local, 86_399) : calendar.utc(local))
  return (row) => {
    const kept = at(row)
    if (kept === undefined) return false
    if (type === 'before') return kept < calendar.utc(from)
    if (type === 'after') return kept > last(from)
    return kept >= calendar.utc(from) && kept <= last(to)
  }
}

function linkTest({ store }: Access, scope: Scope, type: string, name: string, value: unknown): Test {
  const one = scope.links[name]?.type === 'belongsTo'
  const ids = (row: Seen) => (one ? [row.values[`${name}Id`]].filter((id) => id != null) : linkedRows(store, scope, name, row.id).map(({ id }) => id))
  if (type === 'isLinked') return (row) => ids(row).length > 0
  if (type === 'isNotLinked') return (row) => ids(row).length === 0
  if (value === undefined || value === null || value === '') throw badRequest('Bad where item. Empty value.')
  const wanted = asList(value)
  if (type === 'linkedWithAll') return (row) => wanted.every((id) => ids(row).includes(id))
  const linked: Test = (row) => ids(row).some((id) => wanted.includes(id))
  return type === 'linkedWith' ? linked : (row) => !linked(row)
}
