import { expect, test } from 'vitest'
import { apiFilters } from '../../console/src/filters/api-filters.ts'
import { choiceOf, choicesOf, conditionOf, conditionsOf, filtersOf, wordsOf } from '../../console/src/filters/conditions.ts'
import { localToday, PERIODS } from '../../console/src/filters/days.ts'

const FIELDS = [
  { Name: 'CreatedDate', Type: 'timestamp' },
  { Name: 'CloseDate', Type: 'date' },
  { Name: 'LastName', Type: 'text' },
]
const resolved = (filters: object) => apiFilters(FIELDS, { ...filters }, '2028-03-01')
/** The first moment of a day where the tests run. */
const start = (month: number, day: number, year = 2028) => new Date(year, month - 1, day).toISOString()

test('days are resolved in further conditions too', () => {
  expect(resolved({ CreatedDate: { ne: null }, any: [{ CreatedDate: '2028-10-06' }] })).toEqual({
    CreatedDate: { ne: null },
    any: [{ CreatedDate: { gte: start(10, 6), lt: start(10, 7) } }],
  })
})

test('a moment is on a day where the person is', () => {
  expect(resolved({ CreatedDate: '2028-10-06' })).toEqual({ CreatedDate: { gte: start(10, 6), lt: start(10, 7) } })
  expect(resolved({ CreatedDate: { gt: '2028-10-06', lte: '2028-10-08' } })).toEqual({ CreatedDate: { gte: start(10, 7), lt: start(10, 9) } })
  expect(resolved({ CreatedDate: { between: ['2028-02-28', '2028-03-01'] } })).toEqual({ CreatedDate: { gte: start(2, 28), lt: start(3, 2) } })
})

test('a date is compared as it is', () => {
  expect(resolved({ CloseDate: { between: ['2028-02-28', '2028-03-01'] } })).toEqual({ CloseDate: { gte: '2028-02-28', lte: '2028-03-01' } })
  expect(resolved({ CloseDate: '2028-10-06' })).toEqual({ CloseDate: '2028-10-06' })
})

test.each([
  ['today', '2028-03-01', '2028-03-01'],
  ['yesterday', '2028-02-29', '2028-02-29'],
  ['last7Days', '2028-02-24', '2028-03-01'],
  ['last30Days', '2028-02-01', '2028-03-01'],
  ['last12Months', '2027-03-02', '2028-03-01'],
  ['lastMonth', '2028-02-01', '2028-02-29'],
  ['thisMonth', '2028-03-01', '2028-03-31'],
  ['nextMonth', '2028-04-01', '2028-04-30'],
  ['lastYear', '2027-01-01', '2027-12-31'],
  ['next7Days', '2028-03-01', '2028-03-07'],
])('%s is from %s to %s', (within, gte, lte) => {
  expect(resolved({ CloseDate: { within } })).toEqual({ CloseDate: { gte, lte } })
})

test('of two bounds the closer one counts, and what is no day stays as it is', () => {
  expect(resolved({ CloseDate: { within: 'thisMonth', gte: '2028-03-10', lte: '2028-12-31' } })).toEqual({
    CloseDate: { gte: '2028-03-10', lte: '2028-03-31' },
  })
  const others = { CreatedDate: { gte: '2028-01-01T00:00:00.000Z' }, CloseDate: null, LastName: '2028-01-01', Nope: { within: 'today' } }
  expect(resolved(others)).toEqual(others)
  expect(resolved({ CreatedDate: { within: 'someday' } })).toEqual({ CreatedDate: { within: 'someday' } })
})

test('today is that of the person, also shortly before midnight', () => {
  expect(localToday(new Date(2028, 1, 29, 23, 59, 59))).toBe('2028-02-29')
})

test('a period is a choice without a value, which stays relative in the address', () => {
  const created = { Type: 'timestamp', Operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'], Required: true }
  const words = choicesOf(created).map((choice) => wordsOf(choice, 'timestamp'))
  expect(words).toEqual(expect.arrayContaining(['is on', 'is between', 'is today', 'is last month', 'is in the last 30 days']))
  expect(words).not.toContain('is tomorrow')
  for (const name of Object.keys(PERIODS)) {
    const condition = conditionOf('CloseDate', `within:${name}`, undefined)
    expect(choiceOf(condition)).toBe(`within:${name}`)
    expect(conditionsOf(filtersOf([condition]))).toEqual([condition])
  }
})
