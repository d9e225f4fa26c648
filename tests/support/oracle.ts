import type { Family } from '../../src/contract/fields.ts'

export type Value = string | number | boolean | null
export type Row = { readonly [field: string]: Value }
export type Member = Value | { readonly [operator: string]: Value | readonly Value[] }
/** Members are fields; `any` is a list of Filters of which one must hold, `not` Filters that must not. */
export type Filters = { readonly [field: string]: Member | Filters | readonly Filters[] }
export type Families = { readonly [field: string]: Family }

/** The reference implementation of filters, which every platform is compared with. */
export function matches(row: Row, filters: Filters, families: Families): boolean {
  return Object.entries(filters).every(([field, condition]) => {
    if (field === 'any') return (condition as readonly Filters[]).some((one) => matches(row, one, families))
    if (field === 'not') return !matches(row, condition as Filters, families)
    const family = families[field]
    if (!family) throw new Error(`The oracle does not know ${field}`)
    const value = row[field] ?? null
    if (condition === null || typeof condition !== 'object') return same(family, value, condition)
    return Object.entries(condition as { [operator: string]: Value }).every(([operator, operand]) => holds(family, value, operator, operand))
  })
}

function holds(family: Family, value: Value, operator: string, operand: Value | readonly Value[]): boolean {
  if (operator === 'in') return (operand as readonly Value[]).some((one) => same(family, value, one))
  const wanted = operand as Value
  if (operator === 'eq') return same(family, value, wanted)
  if (operator === 'ne') return !same(family, value, wanted)
  if (value === null) return false
  if (operator === 'contains') return lower(value).includes(lower(wanted))
  if (operator === 'startsWith') return lower(value).startsWith(lower(wanted))
  const difference = compare(family, value, wanted)
  if (operator === 'gt') return difference > 0
  if (operator === 'gte') return difference >= 0
  if (operator === 'lt') return difference < 0
  if (operator === 'lte') return difference <= 0
  throw new Error(`The oracle does not know ${operator}`)
}

const same = (family: Family, a: Value, b: Value) => compare(family, a, b) === 0

/** Lower-cases A to Z only. */
const lower = (text: Value) => String(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Null lowest; text by code point, timestamps by their instant. */
export function compare(family: Family, a: Value, b: Value): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  if (family === 'text') return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
  if (family === 'timestamp') return Date.parse(String(a)) - Date.parse(String(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** The rows that match, in order, ties by id in the same direction. */
export function search<R extends Row>(
  rows: readonly R[],
  filters: Filters,
  families: Families,
  order: { field: string; descending: boolean },
  id: string,
): R[] {
  const family = families[order.field]
  if (!family) throw new Error(`The oracle does not know ${order.field}`)
  const sign = order.descending ? -1 : 1
  return rows
    .filter((row) => matches(row, filters, families))
    .sort((a, b) => sign * (compare(family, a[order.field] ?? null, b[order.field] ?? null) || compare('text', a[id] ?? null, b[id] ?? null)))
}
