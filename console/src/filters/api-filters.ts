import { isObject } from '../data/is-object.ts'
import type { DescribedField } from '../session/session.ts'
import { ANY, conditionsOf, type Filters } from './conditions.ts'
import { type Day, type Days, dayAfter, isDay, localToday, PERIODS, startOf } from './days.ts'

type Operands = { [operator: string]: unknown }

/** One condition on a day as the API takes it; undefined where it is none. A moment is on a day if it is so where the browser is. */
function onDays(type: string, operator: string, value: unknown, today: Day): Operands | undefined {
  const range = rangeOf(operator, value, today)
  if (range) return type === 'date' ? { gte: range[0], lte: range[1] } : { gte: startOf(range[0]), lt: startOf(dayAfter(range[1], 1)) }
  if (type === 'date' || !isDay(value)) return undefined
  switch (operator) {
    case 'eq':
      return { gte: startOf(value), lt: startOf(dayAfter(value, 1)) }
    case 'gte':
    case 'lt':
      return { [operator]: startOf(value) }
    case 'gt':
      return { gte: startOf(dayAfter(value, 1)) }
    case 'lte':
      return { lt: startOf(dayAfter(value, 1)) }
    default:
      return undefined
  }
}

function rangeOf(operator: string, value: unknown, today: Day): Days | undefined {
  if (operator === 'within' && typeof value === 'string' && Object.hasOwn(PERIODS, value)) return PERIODS[value]?.days(today)
  if (operator === 'between' && Array.isArray(value) && value.length === 2 && value.every(isDay)) return value as unknown as Days
  return undefined
}

/** The Filters of the API for those of a view, in which days, `between` and `within` stand for the moments where the browser is. */
export function apiFilters(fields: readonly Pick<DescribedField, 'Name' | 'Type'>[], filters: Filters, today = localToday()): Filters {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => {
      if (name === ANY && Array.isArray(value)) return [name, value.map((one) => (isObject(one) ? apiFilters(fields, one, today) : one))]
      const type = fields.find(({ Name }) => Name === name)?.Type
      if (type !== 'date' && type !== 'timestamp') return [name, value]
      const conditions = conditionsOf({ [name]: value }).map(({ operator, value: operand }) => ({
        operator,
        operand,
        days: onDays(type, operator, operand, today),
      }))
      if (conditions.every(({ days }) => days === undefined)) return [name, value]
      return [name, conditions.reduce<Operands>((all, { operator, operand, days }) => narrowed(all, days ?? { [operator]: operand }), {})]
    }),
  )
}

/** Both conditions: of two bounds the closer one. */
function narrowed(one: Operands, other: Operands): Operands {
  const both = { ...one, ...other }
  for (const operator of Object.keys(other)) {
    const [a, b] = [one[operator], other[operator]]
    if (typeof a !== 'string' || typeof b !== 'string') continue
    const [low, high] = a < b ? [a, b] : [b, a]
    both[operator] = operator.startsWith('g') ? high : operator.startsWith('l') ? low : b
  }
  return both
}
