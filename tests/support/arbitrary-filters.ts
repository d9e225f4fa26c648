import fc from 'fast-check'
import { FAMILIES, type Family } from '../../src/contract/fields.ts'
import type { Families, Filters, Member, Row, Value } from './oracle.ts'

/** A small alphabet, so that random texts collide; each character is special to some platform. */
const LETTERS = ['a', 'A', 'b', 'É', 'é', 'ß', '\u212a', 'k', 'i', 'İ', '%', '_', '\\', "'", '"', '*', ' ', '\n', '0', '\uff5e', '😀', '\u0301']
const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 4 }).map((letters) => letters.join(''))

const MOMENTS = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2025-12-31T23:59:59.999Z', '2026-03-29T01:30:00.000Z', '1999-12-31T00:00:00.000Z']
const ZONES: readonly (readonly [zone: string, hours: number])[] = [
  ['Z', 0],
  ['+02:00', 2],
  ['-05:30', -5.5],
  ['+0000', 0],
  ['+1400', 14],
]
const moment = fc.constantFrom(...MOMENTS)

/** Values of records. */
export const VALUES: { readonly [F in Family]: fc.Arbitrary<string | number | boolean> } = {
  text,
  number: fc.constantFrom(-1, 0, 0.5, 1, 1.0001, 9, 10, 100.25, 0.1, 0.3, 99_999_999_999.9999),
  date: fc.constantFrom('1999-12-31', '2024-02-29', '2026-01-01', '2026-01-31', '2026-02-01'),
  timestamp: moment,
  boolean: fc.boolean(),
  list: text,
}

/** Values of filters: a timestamp may be in another time zone. */
const OPERANDS: typeof VALUES = {
  ...VALUES,
  timestamp: fc
    .tuple(moment, fc.constantFrom(...ZONES))
    .map(([at, [zone, hours]]) => new Date(Date.parse(at) + hours * 3_600_000).toISOString().replace('Z', zone)),
}

/** An operand for a field: half of the time a value that occurs in a row. */
function operandOf(family: Family, seen: readonly Value[]): fc.Arbitrary<Value> {
  const there = seen.filter((value) => value !== null)
  return there.length > 0 ? fc.oneof(OPERANDS[family], fc.constantFrom(...there)) : OPERANDS[family]
}

function operands(value: fc.Arbitrary<Value>, operator: string): fc.Arbitrary<Value | Value[]> {
  const orNull = fc.option(value, { freq: 6 })
  if (operator === 'in') return fc.array(orNull, { maxLength: 4 })
  return operator === 'eq' || operator === 'ne' ? orNull : value
}

function condition(family: Family, seen: readonly Value[]): fc.Arbitrary<Member> {
  const value = operandOf(family, seen)
  const all = [...FAMILIES[family].operators]
  const chosen = fc.subarray(all, { minLength: 1, maxLength: Math.min(3, all.length) })
  const object = chosen.chain((operators) => fc.record(Object.fromEntries(operators.map((operator) => [operator, operands(value, operator)]))))
  return fc.oneof(fc.option(value, { freq: 5 }), object as fc.Arbitrary<{ [operator: string]: Value | Value[] }>)
}

/** Filters on up to two of these fields, and at least so many. */
export function filtersOn(families: Families, rows: readonly Row[], minLength = 0): fc.Arbitrary<Filters> {
  const conditions = Object.fromEntries(
    Object.entries(families).map(([field, family]) => [
      field,
      condition(
        family,
        rows.map((row) => row[field] ?? null),
      ),
    ]),
  )
  return fc
    .subarray(Object.keys(families), { minLength, maxLength: 2 })
    .chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field, conditions[field] ?? fc.constant(null)]))))
}

/** Filters that are combined by `any` and `not`, to this depth. */
export function combinedOn(families: Families, rows: readonly Row[], depth: number): fc.Arbitrary<Filters> {
  const plain = filtersOn(families, rows, 1)
  if (depth === 0) return plain
  const inner = combinedOn(families, rows, depth - 1)
  const any = fc.array(inner, { minLength: 1, maxLength: 3 }).map((list): Filters => ({ any: list }))
  const not = inner.map((one): Filters => ({ not: one }))
  return fc.oneof(
    plain,
    any,
    not,
    fc.tuple(any, not, plain).map((parts): Filters => Object.assign({}, ...parts)),
  )
}

export function orderOn(families: Families): fc.Arbitrary<{ field: string; descending: boolean }> {
  return fc.record({ field: fc.constantFrom(...Object.keys(families)), descending: fc.boolean() })
}
