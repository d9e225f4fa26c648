import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { Note } from '../../../../src/contract/records/note.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { addWorkspace } from '../../../../src/core/access/new-workspace.ts'
import { newRecord } from '../../../../src/core/call/records.ts'
import { sweep } from '../../../../src/core/journal/housekeeping.ts'
import { createService } from '../../../../src/core/service.ts'
import { TABLES } from '../../../../src/platforms/stores/postgres/tables.ts'
import { inProcess } from '../../../support/in-process.ts'
import { temporaryPostgres } from '../../../support/postgres-store.ts'

/** What a distributed database would keep apart by workspace; all else is small and the same everywhere. */
const DISTRIBUTED = [
  ...TABLES.all.map(({ name }) => name).filter((name) => name !== 'Workspace'),
  'CustomValue',
  'Rollup',
  'RollupDelta',
  'Once',
  'Chain',
  'Position',
  'SearchQueue',
  'SearchFill',
  'SearchBlock',
  'SearchRow',
]

/** Whether each table that is kept apart by workspace is entered with one workspace. */
function staysWithin(sql: string): boolean {
  // Background work that looks for the workspaces with something to do: one step into an index for each.
  if (/^WITH RECURSIVE w\(number\)/.test(sql)) return true
  const uses = [...sql.matchAll(/(?:FROM|JOIN|UPDATE|INTO) "(\w+)"(?: (\w+))?/g)].filter(([, table]) => DISTRIBUTED.includes(table ?? ''))
  const bound = [...sql.matchAll(/"Workspace" = (?:\$\d+|\w+\."Workspace"|d\.)/g)].length
  const added = [...sql.matchAll(/INSERT INTO "\w+" \("Workspace"/g)].length
  return uses.length <= bound + added
}

test('no statement reads or writes more than one workspace', async () => {
  const said = new Set<string>()
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const store = await temporaryPostgres()
  const connection = await inProcess(store)
  const crm = connection.signIn(connection.adminKey)
  const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' }, { idempotencyKey: 'a' })
  await Promise.all([1, 2, 3].map((i) => crm.leads.create({ FirstName: 'Ada', LastName: `${i}` }, { idempotencyKey: `b${i}` })))
  await crm.leads.addNote({ LeadID, Note: 'Called.' })
  const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Spring' })
  await crm.leads.addToCampaign({ LeadID, CampaignID })
  await Promise.all([crm.leads.get({ LeadID }), crm.leads.get({ LeadID })])
  await crm.leads.update({ LeadID, FieldsToUpdate: { Status: 'Closed' } })
  await store.reader(1).search({ text: 'love', types: ['Lead', 'Case'], owners: ['someone'], limit: 5 })
  const deal = await crm.opportunities.create({ OpportunityName: 'Deal', Stage: 'Closed Won', CloseDate: '2026-12-31', Amount: 1.5 })
  await crm.opportunities.delete({ OpportunityID: deal.OpportunityID })
  const [gone] = (await crm.changes.getMany({ Filters: { RecordID: deal.OpportunityID } })).Records
  await crm.changes.undo({ ChangeID: gone?.ChangeID ?? '' })
  await crm.cases.create({ Subject: 'Stuck', Description: 'The third column sticks.' })
  const thing = await crm.customObjects.create({ ObjectName: 'Part', Fields: { Size: { Type: 'Number', Label: 'Size', Value: 3 } } })
  await crm.customObjects.update({ ObjectID: thing.ObjectID, FieldsToUpdate: { Size: 4 } })
  await crm.customObjects.getMany({ Filters: { ObjectName: 'Part', Size: { gt: 3 } }, OrderBy: 'Size desc' })
  for (const summary of [crm.leads, crm.opportunities, crm.cases]) {
    await summary.getSummary({})
    await summary.getSummary({ Filters: { CreatedDate: { gt: '2026-01-01T00:00:00Z' } } })
  }
  await store.write(1, async (writer) => {
    await writer.setPosition('mirror Lead', `${Number(await writer.position('mirror Lead')) + 1}`)
    for (const at of [1, 2])
      await writer.inMirror().create('Note', newRecord(Note, { id: `n${at}`, at: writer.now() }, { RecordID: 'l', Note: 'Called.', AuthorID: 'u' }))
  })
  const boss = await crm.users.create({ Name: 'Boss', Role: 'manager' })
  await crm.users.create({ Name: 'Below', ManagerID: boss.UserID })
  const { Key } = await crm.keys.create({ UserID: boss.UserID, Scopes: ['read'] })
  await connection.signIn(Key).leads.getSummary({})
  await connection.signIn(Key).cases.getSummary({})
  await connection.signIn(Key).events.getMany({})
  await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })
  const service = createService({ platform: store, store, retention: { keyMs: 0, changesMs: 0 }, now: () => new Date(Date.now() + 86_400_000) })
  await bootstrap(service)
  await addWorkspace(service, 'third')
  await sweep(service)
  await store.journal(1).verify()
  // What goes on beside the calls has its turn too.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  for (const [config] of query.mock.calls as unknown as [{ text?: string } | string][]) said.add(typeof config === 'string' ? config : (config.text ?? ''))
  await connection.close()

  const statements = [...said].filter((sql) => !/^(CREATE|ALTER|DROP)/.test(sql))
  expect(statements.length).toBeGreaterThan(60)
  expect(statements.filter((sql) => !staysWithin(sql))).toEqual([])
})
