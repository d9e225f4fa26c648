import assert from 'node:assert/strict'
import type { CrmError } from '../contract/errors.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { isForAdmins } from '../contract/scopes.ts'
import { behaviour, type Client, type Context, type Person, theme } from './behaviour.ts'
import { STEADY_KEY } from './everything.ts'
import { ADA, absentLead, BOAT, email, engine, hook, JAM, RARE, SMOKE } from './records.ts'
import { changeOf, needsOf, planned } from './writes.ts'

type Ids = { readonly [input: string]: string }

/** Inputs that name the record an operation is about. */
const SUBJECTS = ['LeadID', 'OpportunityID', 'CaseID', 'ContactID', 'CompanyID', 'ObjectID', 'RecordID', 'UserID', 'KeyID', 'ChangeID', 'PlanID', 'WebhookID']
/** An order in which all of them can be executed on the same records. */
const VERBS = ['get', 'update', 'attach', 'getAttached', 'link', 'unlink', 'convert', 'refusePlan', 'delete', 'undoChange']
/** Operations that name no record; their access checks have behaviours of their own. */
const ABOUT_NONE = [
  'create_a_lead',
  'create_opportunity',
  'create_case',
  'create_company',
  'create_contact',
  'upsert_lead',
  'upsert_opportunity',
  'upsert_case',
  'upsert_company',
  'upsert_contact',
  'upsert_custom_object',
  'search',
  'create_custom_object',
  'update_custom_field',
  'delete_custom_field',
  'define_field',
  'update_field',
  'retire_field',
  'create_campaign',
  'describe',
  'get_current_user',
  'create_user',
  'create_key',
  'create_webhook',
  // Connections belong to the whole workspace, and to admins alone.
  'create_connection',
  'update_connection',
  'test_connection',
  'get_mirror',
  'authorize_connection',
  'complete_connection',
  'delete_connection',
  'get_many_events',
  // Their records are shared by all operators.
  'create_workspace',
  'update_workspace',
  'pause_workspace',
  'resume_workspace',
  'delete_workspace',
]

const properties = (operation: Operation) => Object.keys((operation.input as unknown as { properties: object }).properties)
const subjectOf = (operation: Operation) => SUBJECTS.find((input) => operation.verb !== 'getSummary' && properties(operation).includes(input))
const ABOUT_ONE: readonly Operation[] = OPERATIONS.filter((operation) => subjectOf(operation) && !ABOUT_NONE.includes(operation.id))
const ABOUT_MANY: readonly Operation[] = OPERATIONS.filter(({ verb }) => verb === 'getMany' || verb === 'getSummary')
const administers = ({ tier }: Operation) => isForAdmins(tier)

/** A campaign of ours with an id that none of the other workspace has: an account numbers its campaigns from one. */
async function ownCampaign({ crm, other, unique }: Context): Promise<string> {
  for (;;) {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { Records } = await other.campaigns.getMany({ Filters: { CampaignID } })
    if (Records.length === 0) return CampaignID
  }
}

/** One record of every type, as their owner makes them. */
async function recordsOf(context: Context, owner: Person): Promise<Ids> {
  const { crm } = owner
  const { LeadID } = await crm.leads.create(ADA)
  const { OpportunityID } = await crm.opportunities.create(engine(context))
  const { CaseID } = await crm.cases.create(JAM)
  const { CompanyID } = await crm.companies.create({ CompanyName: context.unique('Engines') })
  const { ContactID } = await crm.contacts.create({ LastName: 'Babbage', Email: email(context) })
  const { ObjectID } = await crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
  await crm.leads.addNote({ LeadID, Note: 'Private.' })
  await crm.cases.addComment({ CaseID, Comment: 'Private.' })
  const { CampaignID } = await crm.campaigns.create({ CampaignName: context.unique('Fair') })
  const spare = await crm.cases.create(SMOKE)
  const [change] = (await crm.changes.getMany({ Filters: { RecordID: spare.CaseID } })).Records
  const { WebhookID } = await context.crm.webhooks.create({ URL: hook('owned'), EventTypes: [RARE], Active: false })
  await context.crm.webhooks.update({ WebhookID, FieldsToUpdate: { OwnerID: owner.userId } })
  const { Key } = await context.crm.keys.create({ UserID: owner.userId, Scopes: ['delete'], Confirm: 'deletes' })
  const { PlanID } = await planned(context, context.signIn(Key).cases.delete({ CaseID: spare.CaseID }))
  return {
    LeadID,
    OpportunityID,
    CaseID,
    CompanyID,
    ContactID,
    ObjectID,
    RecordID: LeadID,
    UserID: owner.userId,
    KeyID: owner.keyId,
    CampaignID,
    ChangeID: change?.ChangeID ?? '',
    WebhookID,
    PlanID,
  }
}

/** What every platform takes: none has to show comments to those outside. */
const inputFor = (operation: Operation, ids: Ids) => ({
  ...(operation.example as object),
  ...(properties(operation).includes('Publish') && { Publish: false }),
  ...changeOf(operation),
  ...Object.fromEntries(properties(operation).flatMap((input) => (ids[input] === undefined ? [] : [[input, ids[input]]]))),
})

async function world(context: Context) {
  const boss = await context.as({ role: 'manager' })
  const deputy = await context.as({ role: 'manager', manager: boss.userId })
  const owner = await context.as({ manager: deputy.userId })
  const peer = await context.as({ manager: deputy.userId })
  const below = await context.as({ manager: owner.userId })
  const rival = await context.as({ role: 'manager' })
  const foreigner = await context.as({ role: 'manager', by: context.other })
  return { boss, deputy, owner, strangers: { peer, below, rival, foreigner } }
}

/** Everything about the records, as an admin sees it. */
async function state({ crm }: Context, ids: Ids) {
  const { LeadID = '', OpportunityID = '', CaseID = '', ObjectID = '', UserID = '', WebhookID = '', PlanID = '' } = ids
  return [
    await crm.leads.get({ LeadID }),
    await crm.opportunities.get({ OpportunityID }),
    await crm.cases.get({ CaseID }),
    await crm.customObjects.get({ ObjectID }),
    await crm.users.getMany({ Filters: { UserID } }),
    await crm.call('get_many_keys', { Filters: { UserID }, ...STEADY_KEY }),
    await crm.webhooks.getMany({ Filters: { WebhookID } }),
    await crm.plans.getMany({ Filters: { PlanID } }),
  ]
}

/** The texts of a refusal, without the id. */
const textOf = (error: CrmError, id: string) => JSON.stringify([error.message, error.hint, error.errors]).replaceAll(id, 'ID')

async function hiddenLikeAbsent(context: Context, crm: Client, operation: Operation, ids: Ids, absent: string): Promise<void> {
  const subject = subjectOf(operation) ?? ''
  const hidden = ids[subject] ?? ''
  const { needs } = needsOf(operation)
  const code = needs && context.lacks(needs) ? 'unsupported' : 'not_found'
  const shown = await context.refused(crm.call(operation.id, inputFor(operation, ids)), code)
  const none = await context.refused(crm.call(operation.id, inputFor(operation, { ...ids, [subject]: absent })), code)
  assert.equal(textOf(shown, hidden), textOf(none, absent), `${operation.id} refuses a hidden record otherwise than an absent one`)
}

export const access = theme('access', [
  behaviour('every operation is walked', async () => {
    const walked = [...ABOUT_ONE, ...ABOUT_MANY].map(({ id }) => id)
    assert.deepEqual(
      OPERATIONS.map(({ id }) => id).filter((id) => !walked.includes(id) && !ABOUT_NONE.includes(id)),
      [],
    )
  }),

  behaviour('what a caller may not see is not found, in the very words for what does not exist', async (context) => {
    const { owner, strangers } = await world(context)
    const ids = await recordsOf(context, owner)
    const before = await state(context, ids)
    const absent = await absentLead(context)
    for (const stranger of Object.values(strangers)) {
      const { CampaignID } = await stranger.crm.campaigns.create({ CampaignName: context.unique('Fair') })
      for (const operation of ABOUT_ONE.filter((one) => !administers(one)))
        await hiddenLikeAbsent(context, stranger.crm, operation, { ...ids, CampaignID }, absent)
    }
    assert.deepEqual(await state(context, ids), before)
  }),

  behaviour("an admin of another workspace finds nothing of this one's, users and keys included", async (context) => {
    const owner = await context.as()
    const ids = await recordsOf(context, owner)
    const before = await state(context, ids)
    const absent = await absentLead(context)
    const { CampaignID } = await context.other.campaigns.create({ CampaignName: context.unique('Fair') })
    for (const operation of ABOUT_ONE) await hiddenLikeAbsent(context, context.other, operation, { ...ids, CampaignID }, absent)
    const foreign = await context.other.leads.create(ADA)
    const fair = await ownCampaign(context)
    for (const operation of ['add_leads_to_campaign', 'remove_leads_from_campaign']) {
      const [shown, none] = [
        await context.refused(context.other.call(operation, { LeadID: foreign.LeadID, CampaignID: fair }), 'not_found'),
        await context.refused(context.other.call(operation, { LeadID: foreign.LeadID, CampaignID: absent }), 'not_found'),
      ]
      assert.equal(textOf(shown, fair), textOf(none, absent))
    }
    await context.refused(context.other.keys.create({ UserID: owner.userId }), 'not_found')
    await context.refused(context.other.users.create({ Name: 'x', ManagerID: owner.userId }), 'not_found')
    assert.deepEqual(await state(context, ids), before)
  }),

  behaviour('lists and counts hold nothing a caller may not see', async (context) => {
    const { owner, strangers } = await world(context)
    const ids = await recordsOf(context, owner)
    for (const [who, stranger] of Object.entries(strangers)) {
      for (const operation of ABOUT_MANY.filter((one) => !administers(one) && (one.record.belongs !== null || who === 'foreigner'))) {
        const id = ids[operation.record.id] ?? ''
        for (const Filters of [
          { [operation.record.id]: id },
          { [operation.record.id]: { in: [id] } },
          ...(operation.record.owned && context.described(operation.record.name, 'OwnerID').Operators.length > 0 ? [{ OwnerID: owner.userId }] : []),
        ]) {
          const answer = (await stranger.crm.call(operation.id, { Filters })) as { Records?: unknown[]; Total?: number }
          assert.deepEqual(answer.Records ?? answer.Total, operation.verb === 'getMany' ? [] : 0, `${operation.id} for ${who}`)
        }
        const { Records, Recent } = (await stranger.crm.call(operation.id, {})) as { Records?: Ids[]; Recent?: Ids[] }
        assert.ok(!(Records ?? Recent)?.some((record) => record[operation.record.id] === id), `${operation.id} for ${who}`)
      }
    }
    for (const operation of ABOUT_MANY.filter(({ tier }) => tier !== 'operator')) {
      const everything = JSON.stringify(await context.other.call(operation.id, {}))
      // Short ids are counters of one account, so another account may have the same.
      for (const id of Object.values(ids).filter(({ length }) => length > 12))
        assert.ok(!everything.includes(id), `${operation.id} for the admin of another workspace`)
    }
  }),

  behaviour('the owner, those above at any depth and admins may do everything', async (context) => {
    const { owner, deputy, boss } = await world(context)
    const work = ABOUT_ONE.filter((one) => !administers(one)).toSorted((a, b) => VERBS.indexOf(a.verb) - VERBS.indexOf(b.verb))
    for (const { verb } of work) assert.ok(VERBS.includes(verb), `${verb} has no place in VERBS`)
    for (const crm of [owner.crm, deputy.crm, boss.crm, context.crm]) {
      const ids = await recordsOf(context, owner)
      for (const operation of ABOUT_MANY.filter((one) => one.record.belongs !== null && !administers(one))) {
        const answer = (await crm.call(operation.id, { Filters: { [operation.record.id]: ids[operation.record.id] } })) as {
          Records?: unknown[]
          Total?: number
        }
        assert.equal(answer.Records?.length ?? answer.Total, 1, operation.id)
      }
      const own = { ...ids }
      for (const operation of work) {
        await crm.call(operation.id, inputFor(operation, own))
        if (operation.verb === 'convert' && context.lacks('converted leads')) own.LeadID = (await owner.crm.leads.create(ADA)).LeadID
      }
    }
  }),

  behaviour('administration is for admins', async (context) => {
    const { owner, boss } = await world(context)
    const ids = await recordsOf(context, owner)
    const before = await state(context, ids)
    for (const operation of OPERATIONS.filter(administers)) {
      for (const { crm } of [boss, owner]) await context.refused(crm.call(operation.id, inputFor(operation, ids)), 'forbidden')
    }
    assert.deepEqual(await state(context, ids), before)
  }),
])
