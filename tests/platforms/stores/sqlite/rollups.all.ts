import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { RECORD_TYPES } from '../../../../src/contract/operations.ts'
import type { RecordType } from '../../../../src/contract/record.ts'
import { Opportunity } from '../../../../src/contract/records/opportunity.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'
import type { Store } from '../../../../src/platforms/store.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { openDatabase } from '../../../support/database.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { recountIn, rollupsIn } from '../../../support/rollups.ts'

const LARGEST = 999_999_999_999_999
const SUMMARIZED = RECORD_TYPES.filter(({ state }) => state !== undefined)

const change = fc.record({
  type: fc.constantFrom(...SUMMARIZED),
  kind: fc.constantFrom('create', 'create', 'create', 'update', 'update', 'delete', 'fail', 'refuse'),
  at: fc.nat(),
  workspace: fc.constantFrom(1, 1, 1, 2),
  OwnerID: fc.constantFrom('ada', 'grace', 'edsger'),
  state: fc.constantFrom(null, 'Open', 'Closed', 'constructor', 'é'),
  Amount: fc.constantFrom(null, 0, -0.1, 0.1, 0.0001, 3.3333, -LARGEST, LARGEST, 99_999_999_999.9999),
  CloseDate: fc.constantFrom('2025-12-31', '2026-01-01', '9999-12-31'),
  month: fc.integer({ min: 1, max: 12 }),
})
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

/** What a change sets, as far as its type has it. */
function fieldsOf({ type, OwnerID, state, Amount, CloseDate }: Change): StoredRecord {
  return type === Opportunity ? { OwnerID, Stage: state ?? 'Open', Amount, CloseDate } : { OwnerID, Status: state }
}

function recordIn(type: RecordType, id: string, month: number, given: StoredRecord): StoredRecord {
  const required = Object.fromEntries(Object.entries(type.fields).flatMap(([name, field]) => (field.required ? [[name, 'x']] : [])))
  // What it is born with gives way to what the change says, also where that is nothing.
  return { ...newRecord(type, { id, at: `2026-${String(month).padStart(2, '0')}-01T00:00:00.000Z` }, required), ...given }
}

/** Carries a change out; some fail before they touched anything, some after. */
async function carryOut(store: Store, one: Change, ids: string[]): Promise<void> {
  const { type, kind, workspace, month } = one
  const id = ids[one.at % Math.max(1, ids.length)] ?? 'none'
  const fields = fieldsOf(one)
  await store.write(workspace, async (writer) => {
    if (kind === 'refuse') throw new Error('refused')
    if (kind === 'update') await writer.update(type.name, id, fields)
    else if (kind === 'delete') await writer.delete(type.name, id)
    else {
      const record = recordIn(type, writer.newId().id, month, fields)
      await writer.create(type.name, record)
      if (kind === 'fail') throw new Error('failed after it touched something')
      ids.push(record[type.id] as string)
    }
  })
}

test('the counters are those of a recount after any changes, in any groups, some of which fail', async () => {
  const folder = await temporaryFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 }), async (groups) => {
      const path = join(folder, `${++run}.db`)
      const store = await openSqlite(path)
      const ids: string[] = []
      for (const group of groups) await Promise.allSettled(group.map((one) => carryOut(store, one, ids)))
      const database = await openDatabase(path)
      const [kept, counted] = [rollupsIn(database), recountIn(database)]
      database.close()
      await store.close()
      expect(kept).toEqual(counted)
    }),
    { numRuns: 60 },
  )
})

test('20,000 of the largest amounts add up exactly, kept beside the records as well as counted over them', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  onTestFinished(() => store.close())
  const count = 20_000
  await store.write(1, async (writer) => {
    for (let i = 0; i < count; i++) {
      const given = { OpportunityName: 'x', Stage: 'Open', CloseDate: '2026-01-01', Amount: LARGEST, OwnerID: 'ada' }
      await writer.create(Opportunity.name, newRecord(Opportunity, writer.newId(), given))
    }
  })
  const days = { today: '2026-01-02', soon: '2026-02-01' }
  const kept = await store.reader(1).tally(Opportunity.name, { ...days, where: [] })
  const counted = await store.reader(1).tally(Opportunity.name, { ...days, where: [{ field: 'Amount', family: 'number', operator: 'gt', value: 0 }] })
  const wanted = { count, amount: BigInt(LARGEST) * 10_000n * BigInt(count) }
  for (const { states, due } of [kept, counted]) {
    expect(states).toMatchObject([{ owner: 'ada', state: 'Open', amounts: count, ...wanted }])
    expect(due).toMatchObject([{ when: 'overdue', ...wanted }])
  }
})
