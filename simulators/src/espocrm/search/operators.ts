import { isCalendarTime } from '../../dates.ts'
import type { Access } from '../access.ts'
import { badRequest, failure } from '../errors.ts'
import { like } from '../like.ts'
import { attributeValue, type Seen } from '../records/values.ts'
import type { Attribute } from '../scopes/attributes.ts'
import type { Values } from '../store.ts'
import { listIn } from './nested-query.ts'

export type Test = (row: Seen) => boolean

/** A column for comparisons as in SQL. */
export interface Column {
  /** All values: one matching e-mail address of several is enough. */
  readonly values: (row: Seen) => unknown[]
  readonly cast: (value: unknown) => unknown
  /** How its texts are compared. */
  readonly fold: (value: unknown) => unknown
  readonly order: Order
  /** Whether the values are in another table, so that a record without any counts as different. */
  readonly isPolledUp: boolean
  /** Whether it is a flag of an e-mail address or telephone number. */
  readonly isFlag: boolean
}

export function column({ store, user }: Access, attribute: Attribute): Column {
  const { name, type, field, kind } = attribute
  if (name === field && (type === 'email' || type === 'phone')) {
    const part = type === 'email' ? 'lower' : 'phoneNumber'
    return {
      values: ({ values }) => ((values[`${name}Data`] as Values[] | undefined) ?? []).map((one) => one[part]),
      cast: (value) => (type === 'email' ? text(value).toLowerCase() : text(value)),
      fold: asIs,
      order: collated,
      isPolledUp: true,
      isFlag: false,
    }
  }
  if (kind === 'numeric') {
    const numbers = ({ values }: Seen) => ((values[`${field}Data`] as Values[] | undefined) ?? []).map((one) => String(one.phoneNumber).replace(/\D/g, ''))
    return { values: numbers, cast: text, fold: asIs, order: collated, isPolledUp: true, isFlag: false }
  }
  const read = (row: Seen) => attributeValue(store, row, attribute, user.id)
  const cast = castOf(attribute)
  const fold = store.database === 'MariaDB' && !cast ? folded : asIs
  return {
    values(row) {
      const value = read(row)
      return value === null ? [] : [fold(value)]
    },
    cast: cast ?? ((value) => fold(text(value))),
    fold,
    order: orderOf(attribute),
    isPolledUp: false,
    isFlag: kind === 'flag',
  }
}

const asIs = (value: unknown) => value

/** A text as MariaDB compares it: without case and accents. */
const folded = (value: unknown) => (typeof value === 'string' ? value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase() : value)

const TYPED = new Set(['stored', 'serial', 'converted'])

const castOf = (attribute: Attribute) => (TYPED.has(attribute.kind) ? CASTS[castType(attribute)] : undefined)

function castType({ name, field, type }: Attribute): string {
  return type === 'currency' && name === `${field}Currency` ? 'text' : type
}

/** A value that the database cannot cast is a 500. */
function text(value: unknown): string {
  const read = typeof value === 'object' ? '\0' : String(value)
  if (read.includes('\0')) throw failure()
  return read
}

const number = (value: unknown) => {
  const read = text(value).trim() === '' ? Number.NaN : Number(value)
  if (Number.isNaN(read)) throw failure()
  return read
}

const CASTS: { readonly [type: string]: (value: unknown) => unknown } = {
  int: number,
  float: number,
  currency: number,
  autoincrement: number,
  bool: (value) => {
    if (/^(true|t|yes|y|on|1)$/i.test(text(value))) return true
    if (/^(false|f|no|n|off|0)$/i.test(text(value))) return false
    throw failure()
  },
  date: (value) => moment(value).slice(0, 10),
  datetime: moment,
}

function moment(value: unknown): string {
  const [, day = '', time = '00:00', seconds = ':00'] =
    /^\s*(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?\s*$/.exec(text(value)) ?? []
  const at = `${day} ${time}${seconds}`
  if (!isCalendarTime(`${at.replace(' ', 'T')}Z`)) throw failure()
  return at
}

export type Compile = (column: Column, value: unknown) => Test

/** As in SQL, null is neither more nor less than a value. */
const compared =
  (fits: (order: number) => boolean): Compile =>
  ({ values, cast, order }, value) => {
    const wanted = cast(value ?? '')
    return (row) => values(row).some((one) => fits(order(one, wanted)))
  }

export type Order = (a: unknown, b: unknown) => number

/** How values of an attribute are sorted: texts by their collation, times and numbers as they are. */
export const orderOf = (attribute: Attribute): Order => (castOf(attribute) ? plain : collated)

const plain: Order = (a, b) => (a === b ? 0 : (a as number) < (b as number) ? -1 : 1)

const collated: Order = (a, b) => (typeof a === 'string' && typeof b === 'string' && a !== b ? collator.compare(a, b) || plain(a, b) : plain(a, b))

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

/** As in SQL, only a non-null value can be different. */
const unlike =
  (same: Compile): Compile =>
  (column, value) => {
    const test = same(column, value)
    return (row) => (column.isPolledUp || column.values(row).length > 0) && !test(row)
  }

const matching =
  (pattern: (value: string) => string): Compile =>
  ({ values, fold }, value) => {
    const test = like(pattern(String(fold(text(value ?? '')))))
    return (row) => values(row).some((one) => test(String(one)))
  }

const contains = matching((value) => `%${value}%`)
const isNull: Compile =
  ({ values }) =>
  (row) =>
    values(row).length === 0
const isNotNull: Compile =
  ({ values }) =>
  (row) =>
    values(row).length > 0
const truth =
  (wanted: boolean): Compile =>
  ({ values, isFlag }) =>
  (row) => {
    const found = values(row)
    // A flag of an address counts as false where there is no address.
    return isFlag && found.length === 0 ? !wanted : found.includes(wanted)
  }

function listed(name: string, compile: Compile): Compile {
  return (column, value) => {
    if (!listIn(value)) throw badRequest(`Bad where item '${name}'.`)
    return compile(column, value)
  }
}

const greaterOrEqual = compared((order) => order >= 0)
const lessOrEqual = compared((order) => order <= 0)

export const OPERATORS: { readonly [type: string]: Compile } = {
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
    const [from, to] = listIn(value) ?? []
    if (from === undefined || to === undefined) throw badRequest("Bad where item 'between'.")
    const [least, most] = [greaterOrEqual(column, from), lessOrEqual(column, to)]
    return (row) => least(row) && most(row)
  },
  any: () => () => true,
  none: () => () => false,
  arrayAnyOf: (column, value) => arrays(column, (stored) => asList(value).some((one) => stored.includes(one))),
  arrayNoneOf: (column, value) => arrays(column, (stored) => !asList(value).some((one) => stored.includes(one))),
  arrayAllOf: (column, value) => arrays(column, (stored) => asList(value).every((one) => stored.includes(one))),
  arrayIsEmpty: (column) => arrays(column, (stored) => stored.length === 0),
  arrayIsNotEmpty: (column) => arrays(column, (stored) => stored.length > 0),
}

export const asList = (value: unknown) => listIn(value) ?? [value]
const arrays =
  ({ values }: Column, test: (stored: unknown[]) => boolean): Test =>
  (row) =>
    test(values(row).flat())
