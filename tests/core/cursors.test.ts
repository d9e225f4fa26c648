import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { Opportunity } from '../../src/contract/records/opportunity.ts'
import { localAdmin } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { readCursor, type Searched, writeCursor } from '../../src/core/call/cursors.ts'
import { execute } from '../../src/core/call/execute.ts'
import { createService } from '../../src/core/service.ts'
import type { StoredRecord, Value } from '../../src/platforms/platform.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'

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

test('a cursor that is too long has one fault', async () => {
  const store = await openSqlite(':memory:')
  onTestFinished(() => store.close())
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const call = { operation: 'get_many_leads', input: { Cursor: 'x'.repeat(LIMITS.cursor + 1) }, caller: await localAdmin(service) }
  await expect(execute(service, call)).rejects.toMatchObject({ code: 'invalid_input', errors: [{ field: 'Cursor', code: 'length' }] })
})
