import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listIn, type Nested, nestedQuery } from '../../../../simulators/src/espocrm/search/nested-query.ts'
import { all, any, groupedNumeral, type Item, item, numeral, whereIn } from '../../../../src/platforms/crms/espocrm/where.ts'

const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom("O'Brien", '\\', '"', '%', '_', '&', '=', '+', '#', '[0]', '\n', '😀', 'ünï', ' '))
const leaves: fc.Arbitrary<Item> = fc.oneof(
  fc.tuple(texts).map(([value]) => item('equals', 'lastName', value)),
  fc.array(texts, { minLength: 1, maxLength: 4 }).map((values) => item('in', 'lastName', values)),
  fc.constant(item('isNull', 'lastName')),
)
const items: fc.Arbitrary<Item> = fc.oneof(
  leaves,
  fc.tuple(leaves, leaves).map((two) => any(...two)),
  fc.tuple(leaves, leaves, leaves).map(([one, ...rest]) => all(one, any(...rest))),
)

/** What PHP makes of a query, as items again. */
function read(nested: unknown): Item[] {
  return (listIn(nested) ?? []).map((one) => {
    const { type, attribute, value } = one as Nested
    const inner = type === 'or' || type === 'and' ? read(value) : typeof value === 'object' ? (listIn(value) as string[]) : value
    return { type, ...(attribute !== undefined && { attribute }), ...(inner !== undefined && { value: inner }) } as Item
  })
}

test('whatever is compared with arrives to the letter', () => {
  fc.assert(
    fc.property(fc.array(items, { minLength: 1, maxLength: 5 }), (asked) => {
      const query = whereIn(asked)
      expect(query).toMatch(/^[A-Za-z0-9._~!*'()%&=-]*$/)
      expect(read(nestedQuery(new URLSearchParams(query)).where)).toEqual(asked)
    }),
  )
})

test('zero is written as it is, and inside a group so that PHP does not take it for nothing', () => {
  expect([0, -0, 7.5, -3, 1e21].map(numeral)).toEqual(['0', '0', '7.5', '-3', '1e+21'])
  expect([0, -0, 7.5, -3, 1e21].map(groupedNumeral)).toEqual(['-0', '-0', '7.5', '-3', '1e+21'])
})
