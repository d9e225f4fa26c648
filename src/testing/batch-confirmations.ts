import assert from 'node:assert/strict'
import { LIMITS } from '../contract/limits.ts'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { ADA, email, GRACE, JAM, phone } from './records.ts'
import { careful, planned } from './writes.ts'

const deletes = (ids: readonly string[]) => ids.map((LeadID) => ({ Operation: 'delete_lead', Input: { LeadID } }))

async function leads({ crm }: Pick<Context, 'crm'>): Promise<[string, string]> {
  return [(await crm.leads.create(ADA)).LeadID, (await crm.leads.create(GRACE)).LeadID]
}

const thereOf = async ({ crm }: Pick<Context, 'crm'>, ids: readonly string[]) =>
  (await crm.leads.getMany({ Filters: { LeadID: { in: [...ids] } } })).Records.map(({ LeadID }) => LeadID).sort()

const nothingIsThere = async (context: Context, ids: readonly string[]) => assert.deepEqual(await thereOf(context, ids), [])
const allAreThere = async (context: Context, ids: readonly string[]) => assert.deepEqual(await thereOf(context, ids), [...ids].sort())

const linesOf = async ({ crm }: Pick<Context, 'crm'>, BatchID: string) => (await crm.changes.getMany({ Filters: { BatchID }, Limit: 1000 })).Records

/** Takes a whole batch back, where deleted records can be restored. */
async function undone(context: Context, crm: Client, BatchID: string, ids: readonly string[]): Promise<void> {
  if (context.lacks('restore')) {
    await context.refused(crm.changes.undo({ BatchID }), 'unsupported')
    return
  }
  const { Undone, Left } = (await crm.changes.undo({ BatchID })) as { readonly Undone: number; readonly Left: number }
  assert.deepEqual([Undone, Left], [ids.length, 0])
  await allAreThere(context, ids)
}

const statusesOf = ({ Results }: { readonly Results: readonly { readonly Status: number }[] }) => Results.map(({ Status }) => Status)

export const batchConfirmations = theme('confirmations of batches', [
  behaviour('a batch with deletes waits as a whole for one plan, which counts and names what goes', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    await context.crm.leads.addNote({ LeadID: ids[0], Note: 'Called.' })
    const Subject = context.unique('jam')
    const Operations = [...deletes(ids), { Operation: 'create_case', Input: { ...JAM, Subject } }]
    const plan = await planned(context, crm.batch({ Operations }))
    const { Preview } = plan
    assert.deepEqual([plan.Operation, plan.RecordType, plan.RecordID], ['batch', 'Lead', ids[0]])
    assert.deepEqual([Preview.Calls, Preview.Deletes, Preview.Removed], [{ delete_lead: 2, create_case: 1 }, 2, { Notes: 1 }])
    assert.deepEqual(Preview.Names, { [ids[0]]: `${ADA.FirstName} ${ADA.LastName}`, [ids[1]]: `${GRACE.FirstName} ${GRACE.LastName}` })
    assert.equal(Preview.Undoable, !context.lacks('restore'))
    await allAreThere(context, ids)
    assert.equal((await context.crm.cases.getMany({ Filters: { Subject } })).Records.length, 0)
    assert.equal((await context.crm.plans.getMany({ Filters: { PlanID: plan.PlanID } })).Records[0]?.State, 'waiting')
  }),

  behaviour('the same batch with the token of its plan is executed, once, and is undone as one', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    const { Token, PlanID } = await planned(context, crm.batch({ Operations: deletes(ids) }))
    const answer = await crm.batch({ Operations: deletes(ids) }, { confirmation: Token })
    assert.deepEqual(statusesOf(answer), [200, 200])
    await nothingIsThere(context, ids)
    assert.equal((await context.crm.plans.getMany({ Filters: { PlanID } })).Records[0]?.State, 'done')
    assert.deepEqual(
      (await linesOf(context, answer.BatchID as string)).map(({ Operation, RecordID }) => [Operation, RecordID]).sort(),
      ids.map((id) => ['delete_lead', id]).sort(),
    )
    await undone(context, context.crm, answer.BatchID as string, ids)
    await context.refused(crm.batch({ Operations: deletes(ids) }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
  }),

  behaviour('a token is for this batch, this caller and the records as they were planned', async (context) => {
    const [me, other] = [await careful(context), await careful(context)]
    const ids = await leads(context)
    const Operations = deletes(ids)
    const { Token: confirmation, PlanID } = await planned(context, me.crm.batch({ Operations }))
    const again = await planned(context, me.crm.batch({ Operations }))
    assert.equal(again.PlanID, PlanID)
    const field = 'ConfirmationToken'
    await context.refused(me.crm.batch({ Operations }, { confirmation }), 'not_found', { field })
    await context.refused(other.crm.batch({ Operations }, { confirmation: again.Token }), 'not_found', { field })
    await context.refused(me.crm.batch({ Operations: [...Operations].reverse() }, { confirmation: again.Token }), 'conflict', { field })
    await context.refused(me.crm.leads.delete({ LeadID: ids[0] }, { confirmation: again.Token }), 'conflict', { field })
    await context.refused(context.crm.batch({ Operations }, { confirmation: 'x' }), 'not_found', { field })
    await context.crm.leads.update({ LeadID: ids[1], FieldsToUpdate: { Phone: phone(1) } })
    const { Results } = await me.crm.batch({ Operations }, { confirmation: again.Token })
    assert.equal(Results[1]?.Error?.code, 'conflict')
    assert.match(String(Results[1]?.Error?.detail), /has changed since this was planned/)
    await (context.lacks('atomic') ? allAreThere(context, [ids[1]]) : allAreThere(context, ids))
  }),

  behaviour('a record that refers to several of those that a batch deletes is counted once', async (context) => {
    const { crm } = await careful(context)
    const { CompanyID } = await context.crm.companies.create({ CompanyName: context.unique('Engines') })
    const { ContactID } = await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })
    await context.crm.cases.create({ ...JAM, CompanyID, ContactID })
    const Operations = [
      { Operation: 'delete_contact', Input: { ContactID } },
      { Operation: 'delete_company', Input: { CompanyID } },
    ]
    const { Preview, Token } = await planned(context, crm.batch({ Operations }))
    assert.deepEqual(Preview.WouldWrite, { Emptied: { Case: 1 } })
    assert.deepEqual(statusesOf(await crm.batch({ Operations }, { confirmation: Token })), [200, 200])
  }),

  behaviour('a batch of which more would be lost than was shown is refused, and what it adds itself does not count', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    const note = { Operation: 'add_notes_to_leads', Input: { LeadID: ids[0], Note: 'Goodbye.' } }
    const Operations = [note, ...deletes(ids)]
    const first = await planned(context, crm.batch({ Operations }))
    assert.deepEqual(first.Preview.Removed, { Notes: 1 })
    await context.crm.leads.addNote({ LeadID: ids[1], Note: 'Called.' })
    if (!context.lacks('atomic')) await context.refused(context.crm.plans.allow({ PlanID: first.PlanID }), 'conflict')
    const refused = (await crm.batch({ Operations }, { confirmation: first.Token })).Results.at(-1)?.Error
    assert.match(String(refused?.detail), /More would be lost than was shown when this was planned\. With it goes 1 note\./)
    if (context.lacks('atomic')) return allAreThere(context, [ids[1]])
    await allAreThere(context, ids)
    const { Token } = await planned(context, crm.batch({ Operations }))
    assert.deepEqual(statusesOf(await crm.batch({ Operations }, { confirmation: Token })), [200, 200, 200])
    return nothingIsThere(context, ids)
  }),

  behaviour('an idempotency key is not used up by the plan of a batch, and answers again once it was confirmed', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    const idempotencyKey = context.unique('batch')
    const Operations = deletes(ids)
    const { Token: confirmation } = await planned(context, crm.batch({ Operations }, { idempotencyKey }))
    const answer = await crm.batch({ Operations }, { idempotencyKey, confirmation })
    assert.deepEqual(statusesOf(answer), [200, 200])
    for (const options of [{ idempotencyKey, confirmation }, { idempotencyKey }]) {
      const again = await crm.batch({ Operations }, options)
      assert.deepEqual(
        [again.BatchID, again.Results.map(({ Result, Replayed }) => [Result, Replayed])],
        [answer.BatchID, answer.Results.map(({ Result }) => [Result, true])],
      )
    }
    assert.equal((await linesOf(context, answer.BatchID as string)).length, 2)
  }),

  behaviour('what would be refused anyway is refused without a plan, and the rest of the batch with it', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    const { Results, BatchID } = await crm.batch({ Operations: [...deletes(ids), ...deletes(['nothing'])] })
    assert.deepEqual([Results.map(({ Error: problem }) => problem?.code), BatchID], [['conflict', 'conflict', 'not_found'], undefined])
    const faulty = await crm.batch({ Operations: [...deletes(ids), { Operation: 'update_lead', Input: {} }] })
    assert.deepEqual(statusesOf(faulty), [409, 409, 400])
    await allAreThere(context, ids)
    assert.equal((await context.crm.plans.getMany({ Filters: { RecordID: { in: ids } } })).Records.length, 0)
  }),

  behaviour('a batch that waits takes only writes, no secrets, and no more than a plan can keep', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    await context.refused(crm.batch({ Operations: [...deletes(ids), { Operation: 'get_current_user' }] }), 'unsupported')
    await context.refused(crm.batch({ Operations: [...deletes(ids), { Operation: 'create_key', Input: {} }] }), 'unsupported')
    const Description = 'x'.repeat(30_000)
    const large = Array.from({ length: Math.ceil(LIMITS.bodyBytes / Description.length) }, () => ({
      Operation: 'create_case',
      Input: { ...JAM, Description },
    }))
    await context.refused(crm.batch({ Operations: [...deletes(ids), ...large] }), 'too_large')
    await allAreThere(context, ids)
  }),

  behaviour('a batch that takes nothing away needs no confirmation, nor does a dry run', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    const update = { Operation: 'update_lead', Input: { LeadID: ids[0], FieldsToUpdate: { Phone: phone(2) } } }
    const { Results } = await crm.batch({ Operations: [update] })
    assert.deepEqual(statusesOf({ Results }), [200])
    const undo = { Operation: 'undo_change', Input: { ChangeID: Results[0]?.ChangeID } }
    assert.deepEqual(statusesOf(await crm.batch({ Operations: [undo] })), [200])
    assert.deepEqual(statusesOf(await crm.batch({ Operations: deletes(ids) }, { dryRun: true })), [200, 200])
    await allAreThere(context, ids)
  }),

  behaviour('a batch whose plan is allowed is executed as one in the name of the admin, and is undone as one', async (context) => {
    const { crm } = await careful(context)
    const boss = await context.as({ role: 'admin' })
    const ids = await leads(context)
    const { PlanID } = await planned(context, crm.batch({ Operations: deletes(ids) }))
    await context.refused(crm.plans.allow({ PlanID }), 'forbidden')
    const { State, Result } = await boss.crm.plans.allow({ PlanID })
    const { Results, BatchID } = Result as { readonly Results: { readonly Status: number; readonly Result: unknown }[]; readonly BatchID: string }
    assert.deepEqual([State, Results.map(({ Result }) => Result)], ['done', ids.map((LeadID) => ({ LeadID, Deleted: true }))])
    await nothingIsThere(context, ids)
    assert.deepEqual(
      (await linesOf(context, BatchID)).map(({ Operation, UserID, RecordID }) => [Operation, UserID, RecordID]).sort(),
      ids.map((id) => ['allow_plan', boss.userId, id]).sort(),
    )
    await context.refused(boss.crm.plans.allow({ PlanID }), 'conflict')
    await undone(context, context.crm, BatchID, ids)
  }),

  behaviour('a batch is not allowed once one of its records has changed', async (context) => {
    const { crm } = await careful(context)
    const ids = await leads(context)
    const { PlanID } = await planned(context, crm.batch({ Operations: deletes(ids) }))
    for (const LeadID of ids) await context.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
    await allAreThere(context, ids)
    assert.equal((await context.crm.plans.getMany({ Filters: { PlanID } })).Records[0]?.State, 'waiting')
  }),

  behaviour('a batch of which one record has changed is not allowed, and what a CRM has done all the same is reported', async (context) => {
    const { crm } = await careful(context)
    const [changed, other] = await leads(context)
    const { PlanID } = await planned(context, crm.batch({ Operations: deletes([changed, other]) }))
    await context.crm.leads.update({ LeadID: changed, FieldsToUpdate: { Phone: phone(1) } })
    if (!context.lacks('atomic')) {
      await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
      return allAreThere(context, [changed, other])
    }
    const { Results } = (await context.crm.plans.allow({ PlanID })).Result as { readonly Results: { readonly Status: number }[] }
    assert.deepEqual(statusesOf({ Results }), [409, 200])
    return allAreThere(context, [changed])
  }),

  behaviour('where a person has to allow it, a batch has no token, and answers with what was done once it was allowed', async (context) => {
    const { crm } = await careful(context, 'person')
    const ids = await leads(context)
    const Operations = deletes(ids)
    const { plan } = await context.refused(crm.batch({ Operations }), 'conflict')
    const PlanID = plan?.PlanID as string
    assert.equal(plan?.Token, undefined)
    assert.equal((await context.refused(crm.batch({ Operations }, { confirmation: `${PlanID}.x` }), 'conflict')).plan?.PlanID, PlanID)
    await context.refused(crm.plans.allow({ PlanID }), 'forbidden')
    await allAreThere(context, ids)
    await context.crm.plans.allow({ PlanID })
    await nothingIsThere(context, ids)
    const again = await crm.batch({ Operations })
    assert.deepEqual([statusesOf(again), again.BatchID], [[200, 200], PlanID])
    assert.equal((await linesOf(context, PlanID)).length, 2)
  }),

  behaviour('a batch that a person has refused is not requested again while it could have been allowed', async (context) => {
    const { crm } = await careful(context, 'person')
    const ids = await leads(context)
    const { plan } = await context.refused(crm.batch({ Operations: deletes(ids) }), 'conflict')
    await context.crm.plans.refuse({ PlanID: plan?.PlanID as string })
    await context.refused(crm.batch({ Operations: deletes(ids) }), 'forbidden')
    await allAreThere(context, ids)
  }),

  behaviour(
    'an atomic batch waits as a whole too',
    async (context) => {
      const { crm } = await careful(context)
      const ids = await leads(context)
      const batch = { Operations: deletes(ids), Atomic: true }
      const { Token } = await planned(context, crm.batch(batch))
      await allAreThere(context, ids)
      assert.deepEqual(statusesOf(await crm.batch(batch, { confirmation: Token })), [200, 200])
      await nothingIsThere(context, ids)
    },
    { needs: 'atomic' },
  ),

  behaviour(
    'erasing a record leaves no image of it in the plan of a batch',
    async (context) => {
      const { crm } = await careful(context)
      const ids = await leads(context)
      const { PlanID } = await planned(context, crm.batch({ Operations: deletes(ids) }))
      await context.crm.changes.erase({ RecordType: 'Lead', RecordID: ids[1] })
      const [stored] = (await context.crm.plans.getMany({ Filters: { PlanID } })).Records
      assert.deepEqual([stored?.Input, stored?.Preview], [{}, {}])
    },
    { needs: 'erase' },
  ),
])
