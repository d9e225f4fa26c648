import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches } from '../../../../src/platforms/crms/engine/comparison.ts'
import type { Place } from '../../../../src/platforms/crms/engine/tables.ts'
import { combined, EVERYTHING, type FilterGroups, filterGroupsOf, NOTHING } from '../../../../src/platforms/crms/hubspot/filters.ts'
import type { Condition } from '../../../../src/platforms/platform.ts'
import { all, good, HOSTILE, openAccount } from './open-account.ts'

const NAME: Place = { name: 'dealname', kind: 'text' }
const DAY: Place = { name: 'closedate', kind: 'date' }
const STAGE: Place = { name: 'dealstage', kind: 'choice', closed: true, values: { Prospecting: 'appointmentscheduled', Won: 'closedwon' } }
const condition = (family: Condition['family'], operator: Condition['operator'], value: Condition['value']): Condition => ({
  field: 'X',
  family,
  operator,
  value,
})

describe('a condition in HubSpot', () => {
  test.for<[string, Place, Condition, FilterGroups | undefined]>([
    ['equality of texts', NAME, condition('text', 'eq', `O'Brien "x" \\`), [[{ propertyName: 'dealname', operator: 'EQ', value: `O'Brien "x" \\` }]]],
    ['no value', NAME, condition('text', 'eq', null), [[{ propertyName: 'dealname', operator: 'NOT_HAS_PROPERTY' }]]],
    ['a value', NAME, condition('text', 'ne', null), [[{ propertyName: 'dealname', operator: 'HAS_PROPERTY' }]]],
    ['texts that differ only in case may be meant', NAME, condition('text', 'ne', 'a'), undefined],
    ['parts of texts', NAME, condition('text', 'contains', 'a'), undefined],
    ['beginnings of texts', NAME, condition('text', 'startsWith', 'a'), undefined],
    ['an empty text', NAME, condition('text', 'eq', ''), undefined],
    ['a very long text', NAME, condition('text', 'eq', 'x'.repeat(600)), undefined],
    ['too many texts', NAME, condition('text', 'in', Array.from({ length: 101 }, String)), undefined],
    [
      'a list of texts goes by small letters',
      NAME,
      condition('text', 'in', ['Ada', null]),
      [[{ propertyName: 'dealname', operator: 'IN', values: ['Ada', 'ada'] }], [{ propertyName: 'dealname', operator: 'NOT_HAS_PROPERTY' }]],
    ],
    ['words of ours', STAGE, condition('text', 'eq', 'Won'), [[{ propertyName: 'dealstage', operator: 'EQ', value: 'closedwon' }]]],
    [
      'other words of a closed set',
      STAGE,
      condition('text', 'ne', 'Won'),
      [[{ propertyName: 'dealstage', operator: 'NEQ', value: 'closedwon' }], [{ propertyName: 'dealstage', operator: 'NOT_HAS_PROPERTY' }]],
    ],
    [
      'a day',
      DAY,
      condition('date', 'eq', '2026-12-31'),
      [[{ propertyName: 'closedate', operator: 'BETWEEN', value: String(Date.UTC(2026, 11, 31)), highValue: String(Date.UTC(2027, 0, 1) - 1) }]],
    ],
    ['beyond a day', DAY, condition('date', 'gt', '2026-12-31'), [[{ propertyName: 'closedate', operator: 'GTE', value: String(Date.UTC(2027, 0, 1)) }]]],
    ['until a day', DAY, condition('date', 'lte', '2026-12-31'), [[{ propertyName: 'closedate', operator: 'LT', value: String(Date.UTC(2027, 0, 1)) }]]],
    [
      'a moment',
      { name: 'createdate', kind: 'timestamp' },
      condition('timestamp', 'gte', '2026-01-01T00:00:00.001Z'),
      [[{ propertyName: 'createdate', operator: 'GTE', value: String(Date.UTC(2026, 0, 1) + 1) }]],
    ],
    ['an id that can be none', { name: 'hs_object_id', kind: 'id' }, condition('text', 'eq', 'x'), NOTHING],
    ['anything but an id that can be none', { name: 'hs_object_id', kind: 'id' }, condition('text', 'ne', 'x'), EVERYTHING],
    [
      'nobody',
      { name: 'hubspot_owner_id', kind: 'id' },
      condition('text', 'eq', 'nobody'),
      [[{ propertyName: 'hubspot_owner_id', operator: 'NOT_HAS_PROPERTY' }]],
    ],
    ['what HubSpot cannot search by', { ...NAME, filters: false }, condition('text', 'eq', 'a'), undefined],
  ])('%s', ([, place, asked, filterGroups]) => {
    expect(filterGroupsOf(place, asked)).toEqual(filterGroups)
  })
})

test('as many filters go together as fit, and what must be in is always in', () => {
  const either = (name: string): FilterGroups => [[{ propertyName: name, operator: 'EQ', value: '1' }], [{ propertyName: name, operator: 'NOT_HAS_PROPERTY' }]]
  const must: FilterGroups = [[{ propertyName: 'hs_object_id', operator: 'GT', value: '0' }]]
  const groups = combined([must], ['a', 'b', 'c', 'd'].map(either))
  expect(groups).toHaveLength(4)
  expect(groups.every((group) => group[0]?.propertyName === 'hs_object_id' && group.length === 3)).toBe(true)
  const many = combined(
    [must],
    Array.from({ length: 30 }, (_, i): FilterGroups => [[{ propertyName: `p${i}`, operator: 'EQ', value: '1' }]]),
  )
  expect(many).toEqual([expect.objectContaining({ length: 6 })])
  expect(combined([must], [NOTHING])).toEqual([])
})

test('no search that is narrowed loses a record', async () => {
  const { driver } = await openAccount({ options: { searches: '100000' } })
  const names = [...HOSTILE, 'Ada', 'ada', 'ADA', 'Ada Lovelace']
  const days = ['2026-02-28', '2026-03-01', '2027-01-01']
  const stages = ['Prospecting', 'Negotiation', 'Closed Won', 'Presentation Scheduled']
  const drafts = names.flatMap((OpportunityName, i) =>
    days.map((CloseDate, j) => ({ OpportunityName, CloseDate, Stage: stages[(i + j) % 4] as string, ...(i % 3 > 0 && { Amount: i * j + 0.5 }) })),
  )
  good(await driver.create('Opportunity', drafts))
  const everything = await all(driver, 'Opportunity')
  expect(everything).toHaveLength(drafts.length)

  const text = fc.record({
    field: fc.constantFrom('OpportunityName'),
    family: fc.constant('text' as const),
    operator: fc.constantFrom('eq', 'ne', 'contains', 'startsWith' as const),
    value: fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'binary', minLength: 1, maxLength: 5 })),
  })
  const stage = fc.record({
    field: fc.constant('Stage'),
    family: fc.constant('text' as const),
    operator: fc.constantFrom('eq', 'ne' as const),
    value: fc.oneof(fc.constantFrom(...stages), fc.constant('appointmentscheduled')),
  })
  const listed = fc.record({
    field: fc.constantFrom('OpportunityName', 'Stage'),
    family: fc.constant('text' as const),
    operator: fc.constant('in' as const),
    value: fc.array(fc.constantFrom(null, ...names, ...stages), { maxLength: 4 }),
  })
  const amount = fc.record({
    field: fc.constant('Amount'),
    family: fc.constant('number' as const),
    operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte' as const),
    value: fc.constantFrom(0.5, 1.5, 4.5, -1, 1e21),
  })
  const day = fc.record({
    field: fc.constant('CloseDate'),
    family: fc.constant('date' as const),
    operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte' as const),
    value: fc.constantFrom(...days),
  })
  const nothing = fc.record({
    field: fc.constant('Amount'),
    family: fc.constant('number' as const),
    operator: fc.constantFrom('eq', 'ne' as const),
    value: fc.constant(null),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(text, stage, listed, amount, day, nothing), { minLength: 1, maxLength: 5 }), async (conditions) => {
      const where = (conditions as Condition[]).filter((one) => driver.narrows('Opportunity', one) !== 'not')
      const found = new Set((await all(driver, 'Opportunity', { where })).map(({ OpportunityID }) => OpportunityID))
      const lost = everything.filter((record) => where.every((one) => matches(record, one)) && !found.has(record.OpportunityID as string))
      expect(lost).toEqual([])
    }),
    { numRuns: 150 },
  )
})
