import { expect, test } from 'vitest'
import { Opportunity } from '../../src/contract/records/opportunity.ts'
import { readCursor, type Searched, writeCursor } from '../../src/core/call/cursors.ts'
import type { StoredRecord, Value } from '../../src/platforms/platform.ts'

const by = (field: string): Searched => ({ workspace: 1, type: Opportunity, query: { where: [], order: { field, descending: false } } })
const forged = (field: string, value: Value, id = 'a') => writeCursor({ [field]: value, OpportunityID: id } as StoredRecord, by(field))

test.each<[field: string, value: Value]>([
  ['Amount', 'many'],
  ['Amount', '\u0000'],
  ['Amount', true],
  ['Revision', '1'],
  ['OpportunityName', 5],
  ['OpportunityName', 'a\u0000'],
  ['OpportunityName', '\ud800'],
  ['CloseDate', 'tomorrow'],
  ['CloseDate', 20260101],
  ['UpdatedDate', '2026-01-01'],
])('a cursor whose %s is %j is refused, although its digest fits', (field, value) => {
  expect(() => readCursor(forged(field, value), by(field))).toThrow('Cursor is not one that this service has answered with.')
})

test('so is one with an endless number, or an id that no database takes', () => {
  const endless = Buffer.from(Buffer.from(forged('Amount', 5), 'base64url').toString().replace(',5,', ',1e999,')).toString('base64url')
  for (const cursor of [endless, forged('Amount', 5, 'a\u0000'), forged('Amount', 5, '\udfff')])
    expect(() => readCursor(cursor, by('Amount'))).toThrow('Cursor')
})

test.each<[field: string, value: Value]>([
  ['Amount', -0.5],
  ['Amount', null],
  ['OpportunityName', "'; --"],
  ['CloseDate', '2026-02-28'],
  ['UpdatedDate', '2026-01-01T00:00:00.000Z'],
])('a cursor whose %s is %j is read', (field, value) => {
  expect(readCursor(forged(field, value), by(field))).toMatchObject({ value, id: 'a' })
})
