import { expect, test } from 'vitest'
import { conditionsOf, filtersOf, sentenceOf } from '../../console/src/filters/conditions.ts'

const FILTERS = { any: [{ Status: 'Open', Rating: 'Hot' }, { not: { Status: { in: ['Won', 'Lost'] } } }], not: { Email: null }, Amount: { gte: 1, lt: 5 } }

test('combined filters are read in words', () => {
  const one = ({ field, operator, value }: { field: string; operator: string; value: unknown }) => `${field} ${operator} ${value}`
  expect(conditionsOf(FILTERS).map((condition) => sentenceOf(condition, one))).toEqual([
    '(Status eq Open and Rating eq Hot) or not Status in Won,Lost',
    'not Email eq null',
    'Amount gte 1',
    'Amount lt 5',
  ])
})

test('combined filters stay as they are while others are edited', () => {
  expect(filtersOf(conditionsOf(FILTERS))).toEqual(FILTERS)
})
