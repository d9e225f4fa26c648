import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { type Behaviour, behaviour, type Context, theme } from './behaviour.ts'
import { refusesToRestore } from './lacking.ts'
import { ADA, email, engine, GRACE, JAM, phone } from './records.ts'
import { askedOf, careful, lastChange, needsOf, planned, waiting } from './writes.ts'

/** Every destructive operation except allow_plan. */
const DELETES: readonly Operation[] = OPERATIONS.filter(({ effect, verb }) => effect === 'delete' && verb !== 'allowPlan')

const stateOf = async ({ crm }: Context, PlanID: string) => (await crm.plans.getMany({ Filters: { PlanID } })).Records[0]?.State
const isThere = async ({ crm }: Context, LeadID: string) => (await crm.leads.getMany({ Filters: { LeadID } })).Records.length === 1

const confirmed = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name} is done only once it is confirmed, where the key wants that`,
    async (context) => {
      const { refused } = context
      const { crm } = await careful(context)
      const { input } = await askedOf(context, operation)
      const plan = await planned(context, crm.call(operation.id, input))
      assert.deepEqual([plan.Operation, plan.Preview.DryRun], [operation.id, true])
      assert.equal(await stateOf(context, plan.PlanID), 'waiting')
      const foretold = (await crm.call(operation.id, input, { dryRun: true })) as { WouldWrite: object }
      assert.deepEqual(Object.keys(plan.Preview.WouldWrite as object), Object.keys(foretold.WouldWrite))
      const answer = (await crm.call(operation.id, input, { confirmation: plan.Token })) as object
      assert.deepEqual(Object.keys(answer).sort(), Object.keys(foretold.WouldWrite).sort())
      await refused(crm.call(operation.id, input, { confirmation: plan.Token }), 'conflict')
    },
    needsOf(operation),
  )

const alwaysConfirmed = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name} is done only once it is confirmed, whatever the key wants`,
    async (context) => {
      const { as, refused } = context
      const { crm } = await as({ role: 'admin' })
      const { input, other } = await askedOf(context, operation)
      const before = await lastChange(context, input[operation.record.id] as string)
      const plan = await planned(context, crm.call(operation.id, input))
      assert.deepEqual([plan.Operation, plan.Preview.DryRun], [operation.id, true])
      const inBatch = await planned(context, crm.batch({ Operations: [{ Operation: operation.id, Input: input }] }))
      assert.deepEqual([inBatch.Operation, inBatch.RecordID], ['batch', plan.RecordID])
      await refused(crm.call(operation.id, input, { confirmation: inBatch.Token }), 'conflict', { field: 'ConfirmationToken' })
      await refused(crm.call(operation.id, other, { confirmation: plan.Token }), 'conflict', { field: 'ConfirmationToken' })
      assert.deepEqual(await lastChange(context, input[operation.record.id] as string), before)
      await crm.call(operation.id, input, { confirmation: plan.Token })
      assert.notEqual((await lastChange(context, input[operation.record.id] as string)).ChangeID, before.ChangeID)
    },
    needsOf(operation),
  )

export const confirmations = theme('confirmations', [
  ...DELETES.map(confirmed),
  ...OPERATIONS.filter((operation) => operation.confirmed).map(alwaysConfirmed),

  behaviour('a plan shows what would be done, and changes nothing', async (context) => {
    const { crm } = await careful(context)
    const lead = await context.crm.leads.create(ADA)
    const plan = await planned(context, crm.leads.delete({ LeadID: lead.LeadID }))
    assert.deepEqual([plan.RecordType, plan.RecordID, plan.Preview.WouldWrite], ['Lead', lead.LeadID, { LeadID: lead.LeadID, Deleted: true }])
    assert.deepEqual((plan.Preview.Difference as { LastName: unknown }).LastName, { From: lead.LastName, To: null })
    const { UpdatedDate } = await context.crm.leads.get({ LeadID: lead.LeadID })
    assert.equal(UpdatedDate, lead.UpdatedDate)
    const [stored] = (await context.crm.plans.getMany({ Filters: { PlanID: plan.PlanID } })).Records
    assert.deepEqual(
      [stored?.Operation, stored?.Input, stored?.Preview, stored?.State, stored?.DecidedBy],
      ['delete_lead', { LeadID: lead.LeadID }, plan.Preview, 'waiting', null],
    )
    assert.ok(!JSON.stringify(stored).includes(plan.Token.split('.')[1] ?? plan.Token), 'the token is shown once')
    const far = Date.parse(plan.ExpiresDate) - Date.now()
    assert.ok(far > 0 && far < 3_600_000, `It expires soon, not in ${far} ms`)
  }),

  behaviour('a plan names the record, counts what goes with it, and says whether it can be undone', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await context.crm.leads.create(ADA)
    for (const Note of ['Called.', 'Wrote.']) await context.crm.leads.addNote({ LeadID, Note })
    const { Preview } = await planned(context, crm.leads.delete({ LeadID }))
    assert.deepEqual(
      [Preview.Names, Preview.Removed, Preview.Undoable],
      [{ [LeadID]: `${ADA.FirstName} ${ADA.LastName}` }, { Notes: 2 }, !context.lacks('restore')],
    )
  }),

  behaviour('where a person has to allow it, no token confirms it, and another key alone executes it, once', async (context) => {
    const { crm } = await careful(context, 'person')
    const { LeadID } = await context.crm.leads.create(ADA)
    const { plan } = await context.refused(crm.leads.delete({ LeadID }), 'conflict')
    assert.deepEqual([plan?.Token, plan?.RecordID, (await crm.users.getCurrent({})).Confirm], [undefined, LeadID, 'person'])
    const PlanID = plan?.PlanID as string
    for (const confirmation of [PlanID, `${PlanID}.`, `${PlanID}.x`])
      assert.equal((await context.refused(crm.leads.delete({ LeadID }, { confirmation }), 'conflict')).plan?.PlanID, PlanID)
    await context.refused(crm.plans.allow({ PlanID }), 'forbidden')
    assert.ok(await isThere(context, LeadID))
    assert.equal((await context.crm.plans.getMany({ Filters: { RecordID: LeadID } })).Records.length, 1)
    await context.crm.plans.allow({ PlanID })
    assert.ok(!(await isThere(context, LeadID)))
    const { ChangeID } = await lastChange(context, LeadID)
    assert.deepEqual(await crm.leads.delete({ LeadID }), { LeadID, Deleted: true })
    assert.equal((await lastChange(context, LeadID)).ChangeID, ChangeID)
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
  }),

  behaviour('where a person has to allow it, the key that requested it cannot, whatever it may do otherwise', async (context) => {
    const { crm } = await context.as({ role: 'admin' })
    const { LeadID } = await context.crm.leads.create(ADA)
    const { plan } = await context.refused(crm.leads.delete({ LeadID }, { confirm: 'person' }), 'conflict')
    await context.refused(crm.plans.allow({ PlanID: plan?.PlanID as string }), 'forbidden')
    assert.ok(await isThere(context, LeadID))
  }),

  behaviour('what a person has refused is not requested again while it could have been allowed', async (context) => {
    const { crm } = await careful(context, 'person')
    const { LeadID } = await context.crm.leads.create(ADA)
    const { plan } = await context.refused(crm.leads.delete({ LeadID }), 'conflict')
    await context.crm.plans.refuse({ PlanID: plan?.PlanID as string })
    await context.refused(crm.leads.delete({ LeadID }), 'forbidden')
    assert.equal((await context.crm.plans.getMany({ Filters: { RecordID: LeadID } })).Records.length, 1)
    assert.ok(await isThere(context, LeadID))
  }),

  behaviour('a key whose deletes a person allows makes no key that needs less', async (context) => {
    const { crm } = await careful(context, 'person')
    for (const Confirm of ['deletes', undefined] as const)
      assert.equal((await crm.keys.create({ Scopes: ['delete', 'read'], ...(Confirm && { Confirm }) })).Confirm, 'person')
  }),

  behaviour('a token is for one caller, one operation and one input', async (context) => {
    const { refused } = context
    const [me, again, someone] = [await careful(context), await careful(context), await context.as({ role: 'admin' })]
    const [lead, other] = [await context.crm.leads.create(ADA), await context.crm.leads.create(GRACE)]
    const deal = await context.crm.opportunities.create(engine(context))
    const { Token } = await planned(context, me.crm.leads.delete({ LeadID: lead.LeadID }))
    await refused(again.crm.leads.delete({ LeadID: lead.LeadID }, { confirmation: Token }), 'not_found', { field: 'ConfirmationToken' })
    await refused(me.crm.leads.delete({ LeadID: other.LeadID }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
    await refused(me.crm.leads.delete({ LeadID: lead.LeadID, IfRevision: 1 }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
    await refused(me.crm.opportunities.delete({ OpportunityID: deal.OpportunityID }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
    for (const wrong of ['x', `${Token}x`, Token.slice(0, -1), `.${Token.split('.')[1]}`, "'; DROP TABLE"])
      await refused(me.crm.leads.delete({ LeadID: lead.LeadID }, { confirmation: wrong.replaceAll(' ', '') }), 'not_found')
    assert.ok((await isThere(context, lead.LeadID)) && (await isThere(context, other.LeadID)))
    await me.crm.leads.delete({ LeadID: lead.LeadID }, { confirmation: Token })
    // A confirmation token that is sent is checked even where the key does not require one.
    await refused(someone.crm.leads.delete({ LeadID: other.LeadID }, { confirmation: 'x' }), 'not_found')
    assert.ok(await isThere(context, other.LeadID))
  }),

  behaviour('a token is for the record as it was planned', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await context.crm.leads.create(ADA)
    const { Token } = await planned(context, crm.leads.delete({ LeadID }))
    await context.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    await context.refused(crm.leads.delete({ LeadID }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
    assert.ok(await isThere(context, LeadID))
    const plan = await planned(context, crm.leads.delete({ LeadID }))
    await crm.leads.delete({ LeadID }, { confirmation: plan.Token })
  }),

  behaviour('a delete of which more would be lost than was shown is refused, by its token and where it is allowed, and asked about again', async (context) => {
    const { crm } = await careful(context)
    const { CaseID } = await context.crm.cases.create(JAM)
    const { PlanID, Token, Preview } = await planned(context, crm.cases.delete({ CaseID }))
    assert.deepEqual(Preview.Removed, {})
    for (const Comment of ['Called.', 'Wrote.']) await context.crm.cases.addComment({ CaseID, Comment })
    const refused = await context.refused(crm.cases.delete({ CaseID }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
    assert.match(refused.message, /More would be lost than was shown when this was planned\. With it go 2 comments\./)
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
    assert.equal((await context.crm.comments.getMany({ CaseID })).Records.length, 2)
    const again = await planned(context, crm.cases.delete({ CaseID }))
    assert.deepEqual(again.Preview.Removed, { Comments: 2 })
    // The person who decides may still look at the first one.
    assert.notEqual(again.PlanID, PlanID)
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
    await crm.cases.delete({ CaseID }, { confirmation: again.Token })
    await context.refused(context.crm.cases.get({ CaseID }), 'not_found')
  }),

  behaviour('a delete that would empty more references than was shown is refused, and one that empties fewer is not', async (context) => {
    const { crm } = await careful(context)
    const { CompanyID } = await context.crm.companies.create({ CompanyName: context.unique('Engines') })
    const contact = async () => (await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context), CompanyID })).ContactID
    const none = await planned(context, crm.companies.delete({ CompanyID }))
    const first = await contact()
    const { PlanID, Token: confirmation } = none
    await context.refused(crm.companies.delete({ CompanyID }, { confirmation }), 'conflict', { field: 'ConfirmationToken' })
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
    assert.equal((await context.crm.contacts.get({ ContactID: first })).CompanyID, CompanyID)
    await contact()
    const two = await planned(context, crm.companies.delete({ CompanyID }))
    assert.deepEqual((two.Preview.WouldWrite as { Emptied: unknown }).Emptied, { Contact: 2 })
    await context.crm.contacts.update({ ContactID: first, FieldsToUpdate: { CompanyID: null } })
    assert.deepEqual((await crm.companies.delete({ CompanyID }, { confirmation: two.Token })).Emptied, { Contact: 1 })
  }),

  behaviour('the undo of a create is refused once more hangs on the record than was shown', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await crm.leads.create(ADA)
    const { ChangeID } = await lastChange(context, LeadID)
    const { PlanID, Token } = await planned(context, crm.changes.undo({ ChangeID }))
    await context.crm.leads.addNote({ LeadID, Note: 'Called.' })
    await context.refused(crm.changes.undo({ ChangeID }, { confirmation: Token }), 'conflict')
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
    assert.ok(await isThere(context, LeadID))
  }),

  behaviour('a repeated call gets another token, and there is still one plan', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await context.crm.leads.create(ADA)
    const [first, second] = [await planned(context, crm.leads.delete({ LeadID })), await planned(context, crm.leads.delete({ LeadID }))]
    assert.equal(first.PlanID, second.PlanID)
    await context.refused(crm.leads.delete({ LeadID }, { confirmation: first.Token }), 'not_found')
    assert.equal((await context.crm.plans.getMany({ Filters: { RecordID: LeadID } })).Records.length, 1)
    await crm.leads.delete({ LeadID }, { confirmation: second.Token })
    assert.equal(await stateOf(context, second.PlanID), 'done')
  }),

  behaviour('an idempotency key is not used up by a plan, and answers again once it was confirmed', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await context.crm.leads.create(ADA)
    const idempotencyKey = context.unique('key')
    const { Token } = await planned(context, crm.leads.delete({ LeadID }, { idempotencyKey }))
    const answer = await crm.leads.delete({ LeadID }, { idempotencyKey, confirmation: Token })
    assert.deepEqual(await crm.leads.delete({ LeadID }, { idempotencyKey, confirmation: Token }), answer)
    assert.deepEqual(await crm.leads.delete({ LeadID }, { idempotencyKey }), answer)
  }),

  behaviour('what takes nothing away needs no confirmation', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    await crm.changes.undo({ ChangeID: (await lastChange(context, LeadID)).ChangeID })
    assert.equal((await crm.leads.get({ LeadID })).Phone, ADA.Phone)
    await crm.leads.delete({ LeadID }, { dryRun: true })
    assert.ok(await isThere(context, LeadID))
  }),

  behaviour(
    'where updates have to be confirmed, another status of a member of a campaign is one, and a new member is not',
    async (context) => {
      const { crm, unique } = context
      const { LeadID } = await crm.leads.create(ADA)
      const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
      const add = (Status?: string, confirmation?: string) =>
        crm.leads.addToCampaign({ LeadID, CampaignID, ...(Status && { Status }) }, { confirm: 'updates', ...(confirmation && { confirmation }) })
      const [first, second] = ['Sent', 'Responded']
      assert.equal((await add(first)).Status, first)
      assert.equal((await add()).Status, first)
      const { Token, Preview } = await planned(context, add(second))
      assert.deepEqual((Preview.Difference as { Status: unknown }).Status, { From: first, To: second })
      assert.equal((await add(first)).Status, first)
      assert.equal((await add(second, Token)).Status, second)
    },
    { needs: 'member statuses' },
  ),

  behaviour('undoing a create takes it away, and has to be confirmed', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await crm.leads.create(ADA)
    const { ChangeID } = await lastChange(context, LeadID)
    const { Token } = await planned(context, crm.changes.undo({ ChangeID }))
    assert.ok(await isThere(context, LeadID))
    await crm.changes.undo({ ChangeID }, { confirmation: Token })
    assert.ok(!(await isThere(context, LeadID)))
  }),

  behaviour('what would be refused anyway is refused without a plan', async (context) => {
    const { crm } = await careful(context)
    const error = await context.refused(crm.leads.delete({ LeadID: 'nothing' }), 'not_found')
    assert.equal(error.plan, undefined)
    await context.refused(crm.call('delete_lead', { LeadId: 'x' }), 'invalid_input')
  }),

  behaviour('a plan that is allowed is executed in the name of the user who allows it', async (context) => {
    const plan = await waiting(context)
    const boss = await context.as({ role: 'admin' })
    assert.deepEqual(await boss.crm.plans.allow({ PlanID: plan.PlanID }), {
      PlanID: plan.PlanID,
      State: 'done',
      Result: { LeadID: plan.RecordID, Deleted: true },
    })
    assert.ok(!(await isThere(context, plan.RecordID)))
    const { UserID, Operation, ChangeID } = await lastChange(context, plan.RecordID)
    assert.deepEqual([UserID, Operation], [boss.userId, 'allow_plan'])
    await context.refused(boss.crm.plans.allow({ PlanID: plan.PlanID }), 'conflict')
    await context.refused(boss.crm.plans.refuse({ PlanID: plan.PlanID }), 'conflict')
    if (context.lacks('restore')) return refusesToRestore(context, plan.RecordID)
    await context.crm.changes.undo({ ChangeID })
    assert.ok(await isThere(context, plan.RecordID))
  }),

  behaviour('a plan that is refused is never executed', async (context) => {
    const { crm } = await careful(context)
    const { LeadID } = await context.crm.leads.create(ADA)
    const { PlanID, Token } = await planned(context, crm.leads.delete({ LeadID }))
    assert.deepEqual(await context.crm.plans.refuse({ PlanID }), { PlanID, State: 'refused' })
    await context.refused(crm.leads.delete({ LeadID }, { confirmation: Token }), 'conflict', { field: 'ConfirmationToken' })
    await context.refused(context.crm.plans.allow({ PlanID }), 'conflict')
    assert.ok(await isThere(context, LeadID))
  }),

  behaviour('what was confirmed cannot be allowed again, nor after the record has changed', async (context) => {
    const plan = await waiting(context)
    await context.crm.leads.update({ LeadID: plan.RecordID, FieldsToUpdate: { Phone: phone(1) } })
    await context.refused(context.crm.plans.allow({ PlanID: plan.PlanID }), 'conflict')
    assert.ok(await isThere(context, plan.RecordID))
  }),

  behaviour('a plan can be allowed only while the user who requested it may still do it', async (context) => {
    const { crm, refused } = context
    const me = await careful(context)
    const { LeadID } = await crm.leads.create(ADA)
    const { PlanID } = await planned(context, me.crm.leads.delete({ LeadID }))
    await crm.keys.revoke({ KeyID: me.keyId })
    await refused(crm.plans.allow({ PlanID }), 'conflict')
    assert.ok(await isThere(context, LeadID))
  }),

  behaviour('a key that has to confirm can neither allow plans nor make a key that has not to', async (context) => {
    const { crm } = await careful(context)
    const { PlanID } = await waiting(context)
    await context.refused(crm.plans.allow({ PlanID }), 'forbidden')
    for (const Confirm of [undefined, null] as const) {
      const made = await crm.keys.create({ Scopes: ['delete', 'read'], ...(Confirm === null && { Confirm }) })
      assert.equal(made.Confirm, 'deletes')
    }
    assert.equal((await crm.users.getCurrent({})).Confirm, 'deletes')
    assert.equal((await context.crm.users.getCurrent({})).Confirm, null)
  }),

  behaviour(
    'erasing a record leaves no image of it in a plan',
    async (context) => {
      const plan = await waiting(context)
      await context.crm.changes.erase({ RecordType: 'Lead', RecordID: plan.RecordID })
      const [stored] = (await context.crm.plans.getMany({ Filters: { RecordID: plan.RecordID } })).Records
      assert.deepEqual([stored?.Input, stored?.Preview], [{}, {}])
      const lines = (await context.crm.changes.getMany({ Filters: { RecordID: plan.PlanID } })).Records
      assert.deepEqual(
        lines.map(({ EventType }) => EventType),
        ['plan.planned'],
      )
      assert.ok(!JSON.stringify(lines).includes(ADA.LastName))
    },
    { needs: 'erase' },
  ),
])
