import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { EVENT_TYPES, type EventType } from '../contract/records/event.ts'
import { type Behaviour, behaviour, type Context, theme } from './behaviour.ts'
import { beginning } from './everything.ts'
import { ADA, absentLead, allPages, BOAT, engine, GRACE, hook, JAM, NO_REVISION, phone, RARE, type Row } from './records.ts'
import { readBack } from './walk-samples.ts'
import { askedOf, callConfirmed, changesSomething, lastChange, mainLines, needsOf, WRITING } from './writes.ts'

/** What each operation that writes does when it is executed as writes.ts asks it to. */
export const ANNOUNCED: { readonly [operation: string]: string } = {
  create_a_lead: 'lead.created',
  update_lead: 'lead.updated',
  delete_lead: 'lead.deleted',
  add_notes_to_leads: 'lead.note_added',
  add_leads_to_campaign: 'lead.added_to_campaign',
  remove_leads_from_campaign: 'lead.removed_from_campaign',
  create_opportunity: 'opportunity.created',
  update_opportunity: 'opportunity.updated',
  opportunity_delete: 'opportunity.deleted',
  add_notes_to_opportunity: 'opportunity.note_added',
  upsert_lead: 'lead.created',
  convert_lead: 'lead.updated',
  upsert_opportunity: 'opportunity.created',
  upsert_case: 'case.created',
  upsert_custom_object: 'custom_object.created',
  create_company: 'company.created',
  update_company: 'company.updated',
  delete_company: 'company.deleted',
  add_notes_to_company: 'company.note_added',
  upsert_company: 'company.created',
  create_contact: 'contact.created',
  update_contact: 'contact.updated',
  delete_contact: 'contact.deleted',
  add_notes_to_contact: 'contact.note_added',
  upsert_contact: 'contact.created',
  create_case: 'case.created',
  update_case: 'case.updated',
  case_delete: 'case.deleted',
  add_comment: 'case.comment_added',
  create_custom_object: 'custom_object.created',
  update_custom_object: 'custom_object.updated',
  delete_custom_object: 'custom_object.deleted',
  update_custom_field: 'definition.updated',
  delete_custom_field: 'definition.deleted',
  define_field: 'own_field.created',
  update_field: 'own_field.updated',
  retire_field: 'own_field.retired',
  create_campaign: 'campaign.created',
  create_user: 'user.created',
  update_user: 'user.updated',
  create_key: 'key.created',
  revoke_key: 'key.revoked',
  undo_change: 'lead.deleted',
  erase_record: 'lead.erased',
  allow_plan: 'lead.deleted',
  refuse_plan: 'plan.refused',
  create_webhook: 'webhook.created',
  update_webhook: 'webhook.updated',
  delete_webhook: 'webhook.deleted',
  rotate_webhook_secret: 'webhook.secret_rotated',
  replay_deliveries: 'webhook.replayed',
  create_connection: 'connection.created',
  update_connection: 'connection.updated',
  delete_connection: 'connection.deleted',
  create_workspace: 'workspace.created',
  update_workspace: 'workspace.updated',
  pause_workspace: 'workspace.paused',
  resume_workspace: 'workspace.resumed',
  delete_workspace: 'workspace.deleted',
}

export function announcedBy({ lacks }: Pick<Context, 'lacks'>, { id, name }: Operation): EventType {
  const announced = id === 'convert_lead' && lacks('converted leads') ? 'lead.deleted' : ANNOUNCED[id]
  const found = EVENT_TYPES.find(({ type }) => type === announced)
  assert.ok(found, `Nothing is known of how ${name} is announced: add it to changes.ts.`)
  return found
}

/** The record as an image shows it: a custom object without the definitions, which are not its own, and a plan without another record's image. */
async function imageOf(context: Context, { record }: EventType, id: unknown): Promise<Row | null> {
  if (id === undefined) return null
  const { Fields: _fields, Input: _input, Preview: _preview, ...image } = (await readBack(context, record, id)) ?? {}
  return Object.keys(image).length > 0 ? image : null
}

/** The record an input is about, before anything happens to it. */
async function subjectOf({ crm }: Context, { record }: EventType, input: Row): Promise<string | undefined> {
  if (typeof input.PlanID === 'string' && record.id !== 'PlanID') return (await crm.plans.getMany({ Filters: { PlanID: input.PlanID } })).Records[0]?.RecordID
  if (record.name === 'Definition') return `${input.ObjectName}.${input.FieldName}`
  if (record.name === 'OwnField') return `${input.RecordType}.${input.FieldName}`
  if (typeof input.ChangeID !== 'string') return (input[record.id] ?? input.RecordID) as string | undefined
  return (await crm.changes.getMany({ Filters: { ChangeID: input.ChangeID } })).Records[0]?.RecordID ?? undefined
}

async function membershipOf({ crm }: Context, { LeadID, CampaignID }: Row): Promise<Row | null> {
  const { Campaigns } = await crm.leads.get({ LeadID: LeadID as string })
  return Campaigns.find((one) => one.CampaignID === CampaignID) ?? null
}

const recorded = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name} leaves one line that says who did what to which record`,
    async (context) => {
      const { crm, as, unique } = context
      const event = announcedBy(context, operation)
      const { record, happening } = event
      const { input } = await askedOf(context, operation)
      const subject =
        (operation.effect === 'create' || operation.verb.startsWith('upsert')) && operation.record === record && input[record.id] === undefined
          ? undefined
          : await subjectOf(context, event, input)
      const was = happening === 'removed_from_campaign' ? await membershipOf(context, input) : await imageOf(context, event, subject)
      const me = await as({ role: 'admin' })
      const idempotencyKey = unique('key')
      const answer = await callConfirmed(context, me.crm, operation, input, { idempotencyKey })
      const RecordID = subject ?? answer[record.id]
      const is = await imageOf(context, event, RecordID)

      const lines = mainLines((await crm.changes.getMany({ Filters: { UserID: me.userId } })).Records)
      if (!changesSomething(context, operation)) return assert.deepEqual(lines, [])
      assert.equal(lines.length, 1)
      const { ChangeID, At, Number: place, Transport, RequestID, GroupID: _, ...line } = lines[0] as (typeof lines)[number]
      const [Before, After] = attaches(happening)
        ? [null, answer]
        : happening === 'removed_from_campaign' || happening === 'deleted'
          ? [was, null]
          : happening === 'erased'
            ? [null, null]
            : [was, is]
      assert.deepEqual(line, {
        UserID: me.userId,
        KeyID: me.keyId,
        Operation: operation.id,
        RecordType: record.name,
        RecordID,
        Before,
        After,
        Outcome: 'ok',
        EventType: event.type,
        Count: null,
        BatchID: null,
        Undoes: operation.verb === 'undoChange' ? input.ChangeID : null,
        IdempotencyKey: idempotencyKey,
      })
      assert.ok(ChangeID.length > 0 && Transport.length > 0 && place !== null && Math.abs(Date.parse(At) - Date.now()) < 60_000)
    },
    { ...needsOf(operation), sentOnce: operation.verb === 'convert' },
  )

const attaches = (happening: string) => ['note_added', 'comment_added', 'added_to_campaign'].includes(happening)

/** A lead that was created, updated and given a note. */
async function history(crm: Context['crm']): Promise<string> {
  const { LeadID } = await crm.leads.create(ADA)
  await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
  await crm.leads.addNote({ LeadID, Note: 'Said.' })
  return LeadID
}

const operationsOf = async (crm: Context['crm'], Filters: Row) =>
  (await crm.changes.getMany({ Filters: Filters as never })).Records.map(({ Operation }) => Operation)

const LIFE = ['add_notes_to_leads', 'update_lead', 'create_a_lead']

export const changes = theme('changes', [
  ...WRITING.map(recorded),

  behaviour('a write that is refused leaves a line with the code and no images', async (context) => {
    const { crm, as, refused } = context
    const me = await as({ role: 'admin', scopes: ['read', 'write', 'admin'] })
    const { LeadID } = await crm.leads.create(ADA)
    const absent = await absentLead(context)
    await refused(me.crm.call('create_a_lead', { FirstName: 'Ada' }), 'invalid_input')
    await refused(me.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) }, IfRevision: NO_REVISION }), 'conflict')
    await refused(me.crm.leads.addNote({ LeadID: absent, Note: 'x' }), 'not_found')
    await refused(me.crm.leads.delete({ LeadID }), 'forbidden')
    await refused(me.crm.changes.undo({ ChangeID: (await lastChange(context, me.userId)).ChangeID }), 'unsupported')
    const lines = (await crm.changes.getMany({ Filters: { UserID: me.userId }, OrderBy: 'Number asc' })).Records
    assert.deepEqual(
      lines.map(({ Operation, RecordID, Outcome }) => [Operation, RecordID, Outcome]),
      [
        ['create_a_lead', null, 'invalid_input'],
        ['update_lead', LeadID, 'conflict'],
        ['add_notes_to_leads', absent, 'not_found'],
        ['delete_lead', LeadID, 'forbidden'],
        ['undo_change', lines[4]?.RecordID, 'unsupported'],
      ],
    )
    for (const { Before, After, EventType, KeyID } of lines) assert.deepEqual([Before, After, EventType, KeyID], [null, null, null, me.keyId])
    assert.deepEqual(await operationsOf(crm, { RecordID: LeadID, Outcome: { ne: 'ok' } }), ['delete_lead', 'update_lead'])
  }),

  behaviour('reads leave no line, but for those that are forbidden', async ({ crm, as, refused }) => {
    const me = await as({ role: 'admin', scopes: ['read:Lead'] })
    await me.crm.leads.getMany({})
    await me.crm.leads.getSummary({})
    await refused(me.crm.leads.get({ LeadID: 'nothing' }), 'not_found')
    await refused(me.crm.call('get_many_leads', { Limit: 0 }), 'invalid_input')
    assert.deepEqual(await operationsOf(crm, { UserID: me.userId }), [])
    await refused(me.crm.cases.getMany({}), 'forbidden')
    assert.deepEqual(await operationsOf(crm, { UserID: me.userId, Outcome: 'forbidden' }), ['get_many_cases'])
  }),

  behaviour('neither a dry run nor a repeated call nor what changes nothing leaves a line', async ({ crm, as, unique, refused }) => {
    const me = await as({ role: 'admin' })
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    const { KeyID } = await crm.keys.create({})
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    await crm.keys.revoke({ KeyID })
    await me.crm.leads.addToCampaign({ LeadID, CampaignID })
    await me.crm.keys.revoke({ KeyID })
    await me.crm.leads.create(GRACE, { dryRun: true })
    await refused(me.crm.leads.delete({ LeadID: 'nothing' }, { dryRun: true }), 'not_found')
    assert.deepEqual(await operationsOf(crm, { UserID: me.userId }), [])
    for (const _ of [1, 2, 3]) await me.crm.leads.create(GRACE, { idempotencyKey: 'the-same' })
    assert.deepEqual(await operationsOf(crm, { UserID: me.userId }), ['create_a_lead'])
  }),

  behaviour("a record's changes are found by its id, newest first, each beginning where the one before ended", async ({ crm }) => {
    const LeadID = await history(crm)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: null } })
    await crm.leads.delete({ LeadID })
    const lines = await allPages((Cursor) => crm.changes.getMany({ Filters: { RecordID: LeadID }, Limit: 2, Cursor }))
    assert.deepEqual(
      lines.map(({ EventType }) => EventType),
      ['lead.deleted', 'lead.updated', 'lead.note_added', 'lead.updated', 'lead.created'],
    )
    const [deleted, cleared, , updated, created] = lines
    assert.deepEqual([created?.Before, deleted?.After], [null, null])
    assert.deepEqual([updated?.Before, cleared?.Before, deleted?.Before], [created?.After, updated?.After, cleared?.After])
    const places = lines.map((line) => line.Number ?? 0)
    assert.deepEqual(
      places,
      places.toSorted((a, b) => b - a),
    )
  }),

  behaviour('changes are found by user, operation, outcome, time and number', async ({ crm, as, refused }) => {
    const me = await as()
    const LeadID = await history(me.crm)
    await refused(me.crm.leads.delete({ LeadID, IfRevision: NO_REVISION }), 'conflict')
    const UserID = me.userId
    const lines = (await crm.changes.getMany({ Filters: { UserID }, OrderBy: 'Number asc' })).Records
    const [made, changed, noted, failed] = lines
    assert.ok(made && changed && noted && failed && lines.length === 4)
    const found = async (Filters: Row) => (await crm.changes.getMany({ Filters: { UserID, ...Filters }, OrderBy: 'Number asc' })).Records
    assert.deepEqual(await found({ Operation: 'update_lead' }), [changed])
    assert.deepEqual(await found({ Operation: { in: ['update_lead', 'add_notes_to_leads'] } }), [changed, noted])
    assert.deepEqual(await found({ Outcome: 'conflict' }), [failed])
    assert.deepEqual(await found({ EventType: null }), [failed])
    assert.deepEqual(await found({ Number: { gte: changed.Number ?? 0, lt: failed.Number ?? 0 } }), [changed, noted])
    assert.deepEqual(
      await found({ At: { gte: changed.At } }),
      lines.filter(({ At }) => At >= changed.At),
    )
    assert.deepEqual(await found({ At: { lt: made.At } }), [])
    assert.deepEqual(await found({ RecordID: LeadID, KeyID: me.keyId, RecordType: 'Lead', Outcome: 'ok' }), [made, changed, noted])
  }),

  behaviour('callers who may see a record see all of its history, and no one else does', async ({ crm, as, other }) => {
    const boss = await as({ role: 'manager' })
    const [owner, peer] = [await as({ manager: boss.userId }), await as()]
    const LeadID = await history(owner.crm)
    for (const who of [owner.crm, boss.crm, crm]) assert.deepEqual(await operationsOf(who, { RecordID: LeadID }), LIFE)
    for (const who of [peer.crm, other]) assert.deepEqual(await operationsOf(who, { RecordID: LeadID }), [])
    assert.deepEqual(await operationsOf(peer.crm, { UserID: owner.userId }), [])
  }),

  behaviour('the history follows a record to its new owner', async ({ crm, as }) => {
    const [first, second] = [await as(), await as()]
    const LeadID = await history(first.crm)
    await crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: second.userId } })
    assert.deepEqual(await operationsOf(first.crm, { RecordID: LeadID }), [])
    assert.deepEqual(await operationsOf(second.crm, { RecordID: LeadID }), ['update_lead', ...LIFE])
    await second.crm.leads.delete({ LeadID })
    assert.deepEqual(await operationsOf(first.crm, { RecordID: LeadID }), [])
    assert.deepEqual(await operationsOf(second.crm, { RecordID: LeadID }), ['delete_lead', 'update_lead', ...LIFE])
  }),

  behaviour('members see no refusals, not even their own, and of what the workspace shares all of it', async ({ crm, as, unique, refused }) => {
    const [me, peer] = [await as(), await as()]
    const LeadID = await history(me.crm)
    await refused(me.crm.leads.delete({ LeadID, IfRevision: NO_REVISION }), 'conflict')
    await refused(peer.crm.leads.delete({ LeadID }), 'not_found')
    assert.deepEqual(await operationsOf(me.crm, { RecordID: LeadID }), LIFE)
    assert.deepEqual(await operationsOf(me.crm, { Outcome: { ne: 'ok' } }), [])
    const { CampaignID } = await peer.crm.campaigns.create({ CampaignName: unique('Fair') })
    for (const who of [me.crm, peer.crm, crm]) assert.deepEqual(await operationsOf(who, { RecordID: CampaignID }), ['create_campaign'])
  }),

  behaviour('lines about notes, comments and memberships are hidden from keys that may not read these', async ({ crm, as, unique }) => {
    const LeadID = await history(crm)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    const { CaseID } = await crm.cases.create(JAM)
    await crm.cases.addComment({ CaseID, Comment: 'Said.' })
    const seen = async (RecordID: string, ...scopes: string[]) => operationsOf((await as({ role: 'admin', scopes })).crm, { RecordID })
    assert.deepEqual(await seen(LeadID, 'read:Lead'), ['add_leads_to_campaign', ...LIFE])
    assert.deepEqual(await seen(LeadID, 'read:get_leads'), ['add_leads_to_campaign', ...LIFE])
    assert.deepEqual(await seen(LeadID, 'read:get_many_leads', 'read:get_many_notes'), LIFE)
    assert.deepEqual(await seen(LeadID, 'read:get_many_leads'), ['update_lead', 'create_a_lead'])
    assert.deepEqual(await seen(CaseID, 'read:Case'), ['add_comment', 'create_case'])
    assert.deepEqual(await seen(CaseID, 'read:get_many_cases'), ['create_case'])
  }),

  behaviour('lines about what only administration reads are hidden from keys without it', async ({ crm, as }) => {
    const member = await as()
    const reader = await as({ role: 'admin', scopes: ['read'] })
    const { WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    for (const RecordID of [member.keyId, WebhookID]) {
      assert.equal((await operationsOf(crm, { RecordID })).length, 1)
      for (const who of [member.crm, reader.crm]) assert.deepEqual(await operationsOf(who, { RecordID }), [])
    }
    assert.deepEqual(await operationsOf(member.crm, { RecordID: member.userId }), ['create_user'])
  }),

  behaviour('a key sees the lines of the record types it may read, and no others', async ({ as, signIn }) => {
    const { crm, userId } = await as({ role: 'admin' })
    const { LeadID } = await crm.leads.create(ADA)
    const { CaseID } = await crm.cases.create(JAM)
    const seen = async (Scopes: string[]) => {
      const { Key } = await crm.keys.create({ Scopes })
      const { Records } = await signIn(Key).changes.getMany({ Filters: { UserID: userId, Outcome: 'ok' } })
      return [LeadID, CaseID].map((id) => Records.some(({ RecordID }) => RecordID === id))
    }
    assert.deepEqual(await seen(['read']), [true, true])
    assert.deepEqual(await seen(['read:Case']), [false, true])
    assert.deepEqual(await seen(['read:Change']), [false, false])
  }),

  behaviour('no workspace sees a line of another', async (context) => {
    const { crm, other, unique } = context
    const since = await beginning(context)
    const LeadID = await history(crm)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const foreign = await other.leads.create(GRACE)
    const Filters = { At: { gte: since.at } }
    const [here, there] = [JSON.stringify(await crm.changes.getMany({ Filters })), JSON.stringify(await other.changes.getMany({ Filters }))]
    assert.deepEqual(
      [LeadID, CampaignID, foreign.LeadID].map((id) => [here.includes(JSON.stringify(id)), there.includes(JSON.stringify(id))]),
      [
        [true, false],
        [true, false],
        [false, true],
      ],
    )
  }),

  behaviour('no secret is in any line', async (context) => {
    const { crm } = context
    const since = await beginning(context)
    const secrets: (string | null)[] = []
    const options = { idempotencyKey: context.unique('key') }
    const { Key, KeyID } = await crm.keys.create({}, options)
    const { Secret, WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    secrets.push(Key, Secret, (await crm.webhooks.rotateSecret({ WebhookID })).Secret)
    secrets.push((await crm.webhooks.rotateSecret({ WebhookID })).Secret)
    await crm.webhooks.update({ WebhookID, FieldsToUpdate: { Label: 'x' } })
    await crm.webhooks.delete({ WebhookID })
    await crm.keys.revoke({ KeyID })
    const lines = (await crm.changes.getMany({ Filters: { At: { gte: since.at } } })).Records
    const about = lines.filter(({ RecordID }) => RecordID === WebhookID || RecordID === KeyID)
    assert.equal(about.length, 7)
    const text = JSON.stringify(lines)
    for (const secret of secrets) assert.ok(secret !== null && secret.length > 0 && !text.includes(secret))
    for (const { Before, After } of about)
      for (const image of [Before, After])
        assert.deepEqual(
          Object.keys(image ?? {}).filter((member) => /digest|secret|position/i.test(member)),
          [],
        )
  }),

  behaviour('an image is the record as it was answered', async (context) => {
    const { crm } = context
    const deal = await crm.opportunities.create({ ...engine(context), Amount: 0.1 })
    assert.deepEqual((await lastChange(context, deal.OpportunityID)).After, deal)
    const jam = await crm.cases.create(JAM)
    assert.deepEqual((await lastChange(context, jam.CaseID)).After, jam)
    const { Fields: _, ...boat } = await crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    assert.deepEqual((await lastChange(context, boat.ObjectID)).After, boat)
  }),
])
