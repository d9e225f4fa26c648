import { expect, test } from 'vitest'
import { verifyAudit } from '../../src/core/journal/audit.ts'
import { createService } from '../../src/core/service.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { inProcess } from '../support/in-process.ts'

test('a batch of more changes than one call undoes is undone in slices, as one batch that is undone in turn', async () => {
  const store = await openSqlite(':memory:')
  const { signIn, adminKey, close } = await inProcess(store)
  const crm = signIn(adminKey)
  const BatchID = 'import-of-leads'
  const ids: string[] = []
  for (const count of [1000, 200]) {
    const { Results } = await crm.batch({ BatchID, Operations: Array.from({ length: count }, (_, i) => draft(i)) })
    ids.push(...Results.map(({ Result }) => (Result as { LeadID: string }).LeadID))
  }
  // Undone by the first call, before the creation that the second one undoes.
  const [oldest = ''] = ids
  await crm.batch({ BatchID, Operations: [{ Operation: 'update_lead', Input: { LeadID: oldest, FieldsToUpdate: { Phone: '1' } } }] })

  const undo = (batch: string) => crm.changes.undo({ BatchID: batch })
  const first = await undo(BatchID)
  expect(first).toMatchObject({ Undone: 1000, Left: 201, Changes: { 'lead.deleted': 999, 'lead.updated': 1 }, Failed: [] })
  expect((await crm.leads.get({ LeadID: oldest })).Phone).toBeNull()
  expect(await undo(BatchID)).toMatchObject({ UndoneBatchID: BatchID, BatchID: first.BatchID, Undone: 201, Left: 0 })
  expect((await crm.leads.getMany({})).Records).toEqual([])
  await expect(undo(BatchID)).rejects.toMatchObject({ code: 'conflict' })

  const again = [await undo(first.BatchID as string), await undo(first.BatchID as string)]
  expect(again.map(({ Undone, Left }) => [Undone, Left])).toEqual([
    [1000, 201],
    [201, 0],
  ])
  expect((await crm.leads.getMany({ Limit: 1000, Filters: { LeadID: { in: ids.slice(0, 100) } } })).Records.length).toBe(100)
  expect((await crm.leads.get({ LeadID: oldest })).Phone).toBe('1')
  for (const { faults } of await verifyAudit(createService({ platform: store, store }), {})) expect(faults).toEqual([])
  await close()
})

const draft = (i: number) => ({ Operation: 'create_a_lead' as const, Input: { FirstName: 'Ada', LastName: `Lovelace ${i}` } })
