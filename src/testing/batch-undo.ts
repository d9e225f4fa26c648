import assert from 'node:assert/strict'
import type { Batch } from '../contract/batch.ts'
import type { UndoChangeAnswer } from '../contract/client/groups.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { beginning } from './everything.ts'
import { ADA, GRACE, phone, type Row } from './records.ts'
import { careful, lastChange, planned } from './writes.ts'

type Calls = Batch['Operations']

const created = (Input: Row): Calls[number] => ({ Operation: 'create_a_lead', Input })
const called = (LeadID: string, FieldsToUpdate: Row): Calls[number] => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate } })

/** Executes calls as one batch, and answers with its id and the ids of the leads. */
async function batchOf(crm: Client, Operations: Calls, BatchID?: string) {
  const answer = await crm.batch({ Operations, ...(BatchID !== undefined && { BatchID }) })
  assert.deepEqual(
    answer.Results.map(({ Status }) => Status),
    Operations.map(() => 200),
  )
  assert.ok(answer.BatchID)
  return { BatchID: answer.BatchID, ids: answer.Results.map(({ Result }) => (Result as Row).LeadID as string), answer }
}

const linesOf = async ({ crm }: Pick<Context, 'crm'>, BatchID: string) => (await crm.changes.getMany({ Filters: { BatchID }, Limit: 1000 })).Records

/** Undoes a batch with as many calls as that takes: of a CRM that did not answer, changes may be left that can be undone all the same. */
export async function undoneWhole(undo: () => Promise<object>) {
  const Changes: Record<string, number> = {}
  for (let Undone = 0; ; ) {
    const answer = (await undo()) as UndoChangeAnswer
    Undone += answer.Undone ?? 0
    for (const [type, count] of Object.entries(answer.Changes ?? {})) Changes[type] = (Changes[type] ?? 0) + count
    if (!answer.Failed?.some(({ Code }) => ERRORS[Code as ErrorCode].retryable)) return { ...answer, Undone, Changes }
  }
}

const undo = (crm: Client, input: { readonly BatchID: string; readonly Atomic?: boolean }) => undoneWhole(() => crm.changes.undo(input))

const phoneOf = async (crm: Client, LeadID: string) => (await crm.leads.get({ LeadID })).Phone

export const batchUndo = theme('batches and their undo', [
  behaviour('the changes and events of a batch have its id, and no other changes have', async (context) => {
    const { crm } = context
    const { cursor } = await beginning(context)
    const { BatchID, ids, answer } = await batchOf(crm, [created(ADA), created(GRACE)])
    const { LeadID } = await crm.leads.create(ADA)
    assert.deepEqual((await linesOf(context, BatchID)).map(({ ChangeID }) => ChangeID).sort(), answer.Results.map((one) => one.ChangeID).sort())
    assert.equal((await lastChange(context, LeadID)).BatchID, null)
    const { Events } = await crm.events.getMany({ After: cursor, Limit: 1000 })
    assert.deepEqual(
      [...ids, LeadID].map((id) => Events.find(({ RecordID }) => RecordID === id)?.BatchID),
      [BatchID, BatchID, null],
    )
  }),

  behaviour('a repeated batch has the id of the first time', async ({ crm, unique }) => {
    const idempotencyKey = unique('batch')
    const Operations = [created(ADA)]
    const first = await crm.batch({ Operations }, { idempotencyKey })
    const again = await crm.batch({ Operations }, { idempotencyKey })
    assert.deepEqual([again.Results[0]?.Replayed, again.BatchID], [true, first.BatchID])
    assert.notEqual((await crm.batch({ Operations })).BatchID, first.BatchID)
  }),

  behaviour('a dry run and a batch of reads have no id', async ({ crm }) => {
    assert.equal((await crm.batch({ Operations: [created(ADA)] }, { dryRun: true })).BatchID, undefined)
    assert.equal((await crm.batch({ Operations: [{ Operation: 'get_current_user' }] })).BatchID, undefined)
  }),

  behaviour('several requests are one batch, which is undone as one, and the undo in turn', async (context) => {
    const { crm, unique, refused } = context
    const { LeadID } = await crm.leads.create({ ...ADA, Phone: phone(1) })
    const { BatchID, ids } = await batchOf(crm, [created(GRACE), called(LeadID, { Phone: phone(2) })], unique('import'))
    const [made = ''] = ids
    await batchOf(crm, [called(made, { Phone: phone(3) }), called(LeadID, { Phone: phone(4) })], BatchID)
    const before = (await linesOf(context, BatchID)).length

    const would = (await crm.changes.undo({ BatchID }, { dryRun: true })) as unknown as { DryRun: true; WouldWrite: Row }
    assert.deepEqual([would.DryRun, would.WouldWrite.Undone], [true, 4])
    assert.deepEqual([await phoneOf(crm, LeadID), await phoneOf(crm, made)], [phone(4), phone(3)])

    const undone = await undo(crm, { BatchID })
    assert.deepEqual(
      [undone.UndoneBatchID, undone.Undone, undone.Left, undone.Failed, undone.Changes],
      [BatchID, 4, 0, [], { 'lead.updated': 3, 'lead.deleted': 1 }],
    )
    assert.equal(await phoneOf(crm, LeadID), phone(1))
    await refused(crm.leads.get({ LeadID: made }), 'not_found')
    assert.equal((await linesOf(context, BatchID)).length, before)
    const lines = await linesOf(context, undone.BatchID as string)
    assert.deepEqual(new Set(lines.map(({ Undoes }) => Undoes)), new Set((await linesOf(context, BatchID)).map(({ ChangeID }) => ChangeID)))
    await refused(crm.changes.undo({ BatchID }), 'conflict')
  }),

  behaviour('the undo of a batch is undone as one', async (context) => {
    const { crm } = context
    const { LeadID } = await crm.leads.create({ ...ADA, Phone: phone(1) })
    const { BatchID } = await batchOf(crm, [called(LeadID, { Phone: phone(2) }), called(LeadID, { Phone: phone(3) })])
    const undone = await undo(crm, { BatchID })
    assert.equal(await phoneOf(crm, LeadID), phone(1))
    const redone = await undo(crm, { BatchID: undone.BatchID as string })
    assert.deepEqual([redone.Undone, redone.Left], [2, 0])
    assert.equal(await phoneOf(crm, LeadID), phone(3))
  }),

  behaviour('deletes of a batch are undone as one', async (context) => {
    const { crm, lacks, refused } = context
    const { ids } = await batchOf(crm, [created(ADA), created(GRACE)])
    const { BatchID } = await batchOf(
      crm,
      ids.map((LeadID) => ({ Operation: 'delete_lead', Input: { LeadID } })),
    )
    if (lacks('restore')) return void (await refused(crm.changes.undo({ BatchID }), 'unsupported'))
    assert.equal((await undo(crm, { BatchID })).Undone, 2)
    assert.equal((await crm.leads.getMany({ Filters: { LeadID: { in: ids } } })).Records.length, ids.length)
  }),

  behaviour('what has changed since is not undone: in a store nothing is, on a CRM all the rest', async (context) => {
    const { crm, lacks, refused } = context
    const { BatchID, ids } = await batchOf(crm, [created(ADA), created(GRACE)])
    const [first = '', second = ''] = ids
    await crm.leads.update({ LeadID: second, FieldsToUpdate: { Phone: phone(2) } })
    if (lacks('atomic')) {
      const { Undone, Left, Failed } = await undo(crm, { BatchID })
      assert.deepEqual([Undone, Left, Failed?.map(({ RecordID, Code }) => [RecordID, Code])], [1, 1, [[second, 'conflict']]])
      await refused(crm.leads.get({ LeadID: first }), 'not_found')
      await refused(crm.changes.undo({ BatchID }), 'conflict')
    } else {
      const { message } = await refused(crm.changes.undo({ BatchID }), 'conflict')
      assert.ok(message.includes(second))
      assert.equal((await crm.leads.get({ LeadID: first })).LeadID, first)
      await crm.changes.undo({ ChangeID: (await lastChange(context, second)).ChangeID })
      await refused(crm.changes.undo({ BatchID }), 'conflict')
    }
    assert.equal((await crm.leads.get({ LeadID: second })).LeadID, second)
  }),

  behaviour('with Atomic false, what has changed since is left and the rest is undone', async (context) => {
    const { crm, lacks, refused } = context
    const { BatchID, ids } = await batchOf(crm, [created(ADA), created(GRACE)])
    const [first = '', second = ''] = ids
    await crm.leads.update({ LeadID: second, FieldsToUpdate: { Phone: phone(2) } })
    const would = (await crm.changes.undo({ BatchID, Atomic: false }, { dryRun: true })) as unknown as { WouldWrite: Row }
    const { Undone, Left, Failed } = await undo(crm, { BatchID, Atomic: false })
    assert.deepEqual([Undone, Left, Failed?.map(({ RecordID, Code }) => [RecordID, Code])], [1, 1, [[second, 'conflict']]])
    assert.deepEqual([would.WouldWrite.Undone, would.WouldWrite.Left], [1, 1])
    await refused(crm.leads.get({ LeadID: first }), 'not_found')
    await refused(crm.changes.undo({ BatchID, Atomic: false }), 'conflict')
    assert.equal(await phoneOf(crm, second), phone(2))
    if (lacks('atomic')) return void (await refused(crm.changes.undo({ BatchID, Atomic: true }), 'unsupported'))
    await crm.changes.undo({ ChangeID: (await lastChange(context, second)).ChangeID })
  }),

  behaviour('references that a delete has emptied come back with its record, and stay empty where it does not', async (context) => {
    const { crm, lacks, unique } = context
    if (lacks('restore')) return
    const ExternalID = unique('company')
    const { CompanyID } = await crm.companies.create({ CompanyName: 'Analytical Engines', ExternalID })
    const { ContactID } = await crm.contacts.create({ LastName: 'Lovelace', CompanyID })
    const companyOf = async () => (await crm.contacts.get({ ContactID })).CompanyID
    const deleted = () => batchOf(crm, [{ Operation: 'delete_company', Input: { CompanyID } }])
    await crm.changes.undo({ BatchID: (await deleted()).BatchID })
    assert.equal(await companyOf(), CompanyID)

    const { BatchID } = await deleted()
    await crm.companies.create({ CompanyName: 'Difference Engines', ExternalID })
    const { Failed } = await crm.changes.undo({ BatchID, Atomic: false })
    assert.deepEqual(
      Failed?.map(({ RecordID, Code }) => [RecordID, Code]),
      [[CompanyID, 'conflict']],
    )
    assert.equal(await companyOf(), null)
  }),

  behaviour('an undo with a key is done once', async ({ crm, unique }) => {
    const { BatchID } = await batchOf(crm, [created(ADA)])
    const idempotencyKey = unique('undo')
    const first = await crm.changes.undo({ BatchID }, { idempotencyKey })
    assert.equal(first.Undone, 1)
    assert.deepEqual(await crm.changes.undo({ BatchID }, { idempotencyKey }), first)
  }),

  behaviour('a batch is undone by those who see all of it and may do what it takes', async (context) => {
    const { crm, as, signIn, refused, unique } = context
    const me = await as()
    const { BatchID } = await batchOf(me.crm, [created(ADA)], unique('mine'))
    await refused((await as()).crm.changes.undo({ BatchID }), 'not_found', { field: 'BatchID' })
    const { Key } = await crm.keys.create({ UserID: me.userId, Scopes: ['read', 'write'] })
    await refused(signIn(Key).changes.undo({ BatchID }), 'forbidden')
    await refused(crm.batch({ Operations: [created(ADA)], BatchID }), 'conflict', { field: 'BatchID' })
    assert.equal((await me.crm.changes.undo({ BatchID })).Undone, 1)
  }),

  behaviour('the undo of creates is one confirmation', async (context) => {
    const { crm } = await careful(context)
    const { BatchID, ids } = await batchOf(crm, [created(ADA), created(GRACE)])
    const plan = await planned(context, crm.changes.undo({ BatchID }))
    assert.deepEqual((plan.Preview.WouldWrite as Row).Changes, { 'lead.deleted': 2 })
    assert.equal((await context.crm.leads.getMany({ Filters: { LeadID: { in: ids } } })).Records.length, 2)
    assert.equal((await crm.changes.undo({ BatchID }, { confirmation: plan.Token })).Undone, 2)

    const other = await batchOf(crm, [created(ADA), created(GRACE)])
    const { PlanID } = await planned(context, crm.changes.undo({ BatchID: other.BatchID }))
    const { Result } = await context.crm.plans.allow({ PlanID })
    assert.equal(Result.Undone, 2)
    assert.equal((await context.crm.leads.getMany({ Filters: { LeadID: { in: other.ids } } })).Records.length, 0)
  }),

  behaviour('an undo names a change or a batch', async ({ crm, refused }) => {
    await refused(crm.changes.undo({}), 'invalid_input', { field: 'ChangeID' })
    await refused(crm.changes.undo({ ChangeID: 'a', BatchID: 'b' }), 'invalid_input', { field: 'BatchID' })
    await refused(crm.changes.undo({ ChangeID: 'a', Atomic: false }), 'invalid_input', { field: 'Atomic' })
    await refused(crm.changes.undo({ BatchID: 'nothing' }), 'not_found', { field: 'BatchID' })
    await refused(crm.batch({ Operations: [created(ADA)], BatchID: 'not an id' }), 'invalid_input', { field: 'BatchID' })
  }),
])
