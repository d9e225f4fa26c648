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

test('conditions on one field with one operator all apply, as alternatives with one member', () => {
  const contains = (value: string) => ({ field: 'Email', operator: 'contains', value })
  const conditions = [contains('a'), contains('.example'), contains('lab')]
  const filters = filtersOf(conditions)
  expect(filters).toEqual({ Email: { contains: 'a' }, any: [{ Email: { contains: '.example' }, any: [{ Email: { contains: 'lab' } }] }] })
  expect(conditionsOf(filters)).toEqual(conditions)
  const beside = { not: FILTERS.not, Email: { contains: 'a' }, any: [{ any: FILTERS.any, Email: { contains: 'b' } }] }
  expect(filtersOf(conditionsOf(beside))).toEqual(beside)
})

test('combined filters stay as they are while others are edited', () => {
  expect(filtersOf(conditionsOf(FILTERS))).toEqual(FILTERS)
})
