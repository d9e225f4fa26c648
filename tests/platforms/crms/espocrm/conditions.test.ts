import { expect, test } from 'vitest'
import type { Place } from '../../../../src/platforms/crms/engine/tables.ts'
import { narrowed } from '../../../../src/platforms/crms/espocrm/conditions.ts'
import { NOTHING } from '../../../../src/platforms/crms/espocrm/where.ts'
import type { Condition, Value } from '../../../../src/platforms/platform.ts'

const TEXT: Place = { name: 'lastName', kind: 'text' }
const STATUS: Place = { name: 'status', kind: 'choice', closed: true, values: { Open: 'New' }, allowed: ['Assigned', 'Dead'] }
const AT: Place = { name: 'createdAt', kind: 'timestamp' }
const OWNER: Place = { name: 'assignedUserId', kind: 'id' }
const EMAIL: Place = { name: 'emailAddress', kind: 'email' }
const AMOUNT: Place = { name: 'amount', kind: 'money' }

const asked = (place: Place, family: Condition['family'], operator: Condition['operator'], value: Value | readonly Value[]) =>
  narrowed(place, { field: 'x', family, operator, value })

test('text is asked for roughly, because each database has its own idea of what is the same', () => {
  expect(asked(TEXT, 'text', 'eq', "O'Brien")).toEqual({ how: 'roughly', items: [{ type: 'equals', attribute: 'lastName', value: "O'Brien" }] })
  expect(asked(TEXT, 'text', 'in', ['a', 'b'])?.how).toBe('roughly')
  expect(asked(TEXT, 'text', 'contains', 'a%_b')?.items).toEqual([{ type: 'contains', attribute: 'lastName', value: 'a%_b' }])
})

test('what could leave out a record that counts is not asked', () => {
  expect(asked(TEXT, 'text', 'ne', 'a')).toBeUndefined()
  expect(asked(TEXT, 'text', 'contains', 'a\\b')).toBeUndefined()
  expect(asked(TEXT, 'text', 'eq', 'x'.repeat(2000))).toBeUndefined()
  expect(asked(TEXT, 'text', 'eq', 'a\0b')).toBeUndefined()
  expect(asked(TEXT, 'text', 'eq', '\ud800')).toBeUndefined()
  expect(asked({ ...TEXT, filters: false }, 'text', 'eq', 'a')).toBeUndefined()
  expect(
    asked(
      TEXT,
      'text',
      'in',
      Array.from({ length: 300 }, (_, at) => `${at}`),
    ),
  ).toBeUndefined()
})

test('a closed set is asked for by its own words, and what is not one of them as well', () => {
  expect(asked(STATUS, 'text', 'eq', 'Open')?.items).toEqual([{ type: 'in', attribute: 'status', value: ['New', 'Open'] }])
  expect(asked(STATUS, 'text', 'ne', 'Open')?.items).toEqual([
    {
      type: 'or',
      value: [
        { type: 'notIn', attribute: 'status', value: ['New'] },
        { type: 'isNull', attribute: 'status' },
      ],
    },
  ])
  // Where two words are the same to a database, asking for one of them would lose the other.
  expect(asked({ ...STATUS, allowed: ['dead', 'Dead'] }, 'text', 'ne', 'Dead')).toBeUndefined()
  expect(asked(STATUS, 'text', 'contains', 'pe')).toBeUndefined()
})

test('a word of theirs that is shown as another is the word of no record', () => {
  expect(asked(STATUS, 'text', 'ne', 'New')).toEqual({ how: 'roughly', items: [] })
  expect(asked(STATUS, 'text', 'eq', 'New')?.items).toEqual([NOTHING])
  // Some databases take it for the word in other letters, and would leave its records out.
  expect(asked(STATUS, 'text', 'ne', 'dead')).toBeUndefined()
})

test('an empty text is no value there', () => {
  expect(asked(TEXT, 'text', 'eq', null)?.items).toEqual([
    {
      type: 'or',
      value: [
        { type: 'isNull', attribute: 'lastName' },
        { type: 'equals', attribute: 'lastName', value: '' },
      ],
    },
  ])
})

test('addresses are looked up one by one', () => {
  const [items] = asked(EMAIL, 'text', 'in', ['a@b.c', null])?.items ?? []
  expect(items).toEqual({
    type: 'or',
    value: [
      { type: 'equals', attribute: 'emailAddress', value: 'a@b.c' },
      { type: 'isNull', attribute: 'emailAddress' },
    ],
  })
})

test('moments are whole seconds there, and what lies between two is compared right', () => {
  const one = (operator: Condition['operator'], value: string) => asked(AT, 'timestamp', operator, value)?.items.map(({ type, value }) => [type, value])
  expect(one('gte', '2026-01-01T00:00:00.000Z')).toEqual([['greaterThanOrEquals', '2026-01-01 00:00:00']])
  expect(one('gte', '2026-01-01T00:00:00.500Z')).toEqual([['greaterThan', '2026-01-01 00:00:00']])
  expect(one('gt', '2026-01-01T00:00:00.500Z')).toEqual([['greaterThan', '2026-01-01 00:00:00']])
  expect(one('lt', '2026-01-01T00:00:00.500Z')).toEqual([['lessThanOrEquals', '2026-01-01 00:00:00']])
  expect(one('lte', '2026-01-01T00:00:00.500Z')).toEqual([['lessThanOrEquals', '2026-01-01 00:00:00']])
  expect(one('eq', '2026-01-01T00:00:00.500Z')).toEqual([['isNull', undefined]])
  expect(one('ne', '2026-01-01T00:00:00.500Z')).toEqual([])
})

test('numbers, dates and owners are asked for exactly', () => {
  expect(asked(AMOUNT, 'number', 'gte', 0)).toEqual({ how: 'exactly', items: [{ type: 'greaterThanOrEquals', attribute: 'amount', value: '0' }] })
  expect(asked(AMOUNT, 'number', 'ne', 5)?.how).toBe('exactly')
  expect(asked(OWNER, 'text', 'eq', 'nobody')).toEqual({ how: 'exactly', items: [{ type: 'isNull', attribute: 'assignedUserId' }] })
  expect(asked(OWNER, 'text', 'ne', 'nobody')).toEqual({ how: 'exactly', items: [{ type: 'isNotNull', attribute: 'assignedUserId' }] })
  // What cannot be an id is nobody's.
  expect(asked(OWNER, 'text', 'eq', "a' or 1")).toEqual({ how: 'exactly', items: [{ type: 'isNull', attribute: 'id' }] })
})
