import assert from 'node:assert/strict'
import type { Operation } from '../contract/operation.ts'
import { recordType } from '../contract/operations.ts'
import { EVENT_TYPES, type Event, IN_CRM } from '../contract/records/event.ts'
import { type Behaviour, behaviour, type Client, type Context, theme } from './behaviour.ts'
import { ANNOUNCED, announcedBy } from './changes.ts'
import { type Beginning, beginning, eventsSince } from './everything.ts'
import { ADA, BOAT, DEFINED, email, engine, GRACE, JAM, phone, type Row } from './records.ts'
import { askedOf, callConfirmed, changesSomething, definedField, lastChange, mainLines, needsOf, WRITING, waiting } from './writes.ts'

/** The list that shows the children of a record, by the event. */
const LISTS: { readonly [happening: string]: string } = {
  note_added: 'Notes',
  note_removed: 'Notes',
  comment_added: 'Comments',
  comment_removed: 'Comments',
  added_to_campaign: 'Campaigns',
  campaign_status_changed: 'Campaigns',
  removed_from_campaign: 'Campaigns',
}

/** The values that are others now, as they were before, without what the platform derives by itself. */
function changedValues({ derives }: Context, { RecordType, Before, After }: Row): Row {
  const { id, createdField, userDefined } = recordType(String(RecordType))
  const flat = (image: unknown): Row => {
    const { [userDefined ?? '']: values, ...own } = (image ?? {}) as Row
    return { ...own, ...(values as Row | undefined) }
  }
  const [was, is] = [flat(Before), flat(After)]
  const textOf = (value: unknown) => JSON.stringify(value === '' ? null : (value ?? null))
  const names = Object.keys({ ...was, ...is }).filter(
    (name) => ![id, createdField, 'UpdatedDate', 'Revision'].includes(name) && !derives(String(RecordType), name) && textOf(was[name]) !== textOf(is[name]),
  )
  return Object.fromEntries(names.map((name) => [name, was[name] ?? null]))
}

/** An event has the same values as its audit line. */
function assertMatchesLine(context: Context, { EventID, ...event }: Event, line: Row): void {
  assert.ok(EventID.length > 0)
  const list = LISTS[String(line.EventType).split('.')[1] ?? '']
  const changed = line.After === null ? {} : changedValues(context, list === 'Campaigns' ? { ...line, RecordType: 'Membership' } : line)
  const { ChangedFields, ...rest } = event
  assert.deepEqual(rest, {
    Type: line.EventType,
    At: line.At,
    RecordType: line.RecordType,
    RecordID: line.RecordID,
    UserID: line.UserID,
    Source: line.Transport === IN_CRM ? 'crm' : 'api',
    ChangeID: line.ChangeID,
    BatchID: line.BatchID,
    Before: line.Before === null || line.After === null ? line.Before : changed,
    Record: line.After ?? line.Before ?? null,
  })
  assert.deepEqual(ChangedFields.toSorted(), list ? [list] : Object.keys(changed).sort(), event.Type)
}

const announced = (operation: Operation): Behaviour =>
  behaviour(
    `${operation.name} is announced once, as ${ANNOUNCED[operation.id]}`,
    async (context) => {
      const { crm, as } = context
      const { input } = await askedOf(context, operation)
      const since = await beginning(context)
      const me = await as({ role: 'admin' })
      await callConfirmed(context, me.crm, operation, input)
      const all = (await crm.changes.getMany({ Filters: { UserID: me.userId } })).Records
      const [line] = mainLines(all)
      const others = all.filter((one) => one !== line).map(({ ChangeID }) => ChangeID)
      const mine = (await eventsSince(crm, since)).filter(({ UserID, ChangeID }) => UserID === me.userId && !others.includes(ChangeID))
      if (!changesSomething(context, operation)) return assert.deepEqual(mine, [])
      assert.deepEqual(
        mine.map(({ Type }) => Type),
        [announcedBy(context, operation).type],
      )
      assertMatchesLine(context, mine[0] as Event, line as Row)
      if (operation.verb.startsWith('update')) assert.deepEqual(mine[0]?.ChangedFields.toSorted(), Object.keys(input.FieldsToUpdate as Row).sort())
    },
    needsOf(operation),
  )

const undoLast = async (context: Context, id: string) => context.crm.changes.undo({ ChangeID: (await lastChange(context, id)).ChangeID })

/** What no operation does by itself when it is asked as writes.ts asks it to. */
const FURTHER: { readonly [type: string]: (context: Context) => Promise<unknown> } = {
  async 'lead.note_removed'(context) {
    const { LeadID } = await context.crm.leads.create(ADA)
    await context.crm.leads.addNote({ LeadID, Note: 'Said.' })
    await undoLast(context, LeadID)
  },
  async 'opportunity.note_removed'(context) {
    const { OpportunityID } = await context.crm.opportunities.create(engine(context))
    await context.crm.opportunities.addNote({ OpportunityID, Note: 'Said.' })
    await undoLast(context, OpportunityID)
  },
  async 'company.note_removed'(context) {
    const { CompanyID } = await context.crm.companies.create({ CompanyName: context.unique('Engines') })
    await context.crm.companies.addNote({ CompanyID, Note: 'Said.' })
    await undoLast(context, CompanyID)
  },
  async 'contact.note_removed'(context) {
    const { ContactID } = await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })
    await context.crm.contacts.addNote({ ContactID, Note: 'Said.' })
    await undoLast(context, ContactID)
  },
  async 'company.erased'({ crm, unique }) {
    await crm.changes.erase({ RecordType: 'Company', RecordID: (await crm.companies.create({ CompanyName: unique('Engines') })).CompanyID })
  },
  async 'contact.erased'(context) {
    const { ContactID } = await context.crm.contacts.create({ LastName: 'Babbage', Email: email(context) })
    await context.crm.changes.erase({ RecordType: 'Contact', RecordID: ContactID })
  },
  async 'lead.campaign_status_changed'({ crm, unique }) {
    const { LeadID } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    await crm.leads.addToCampaign({ LeadID, CampaignID, Status: 'Sent' })
    await crm.leads.addToCampaign({ LeadID, CampaignID, Status: 'Responded' })
  },
  async 'case.comment_removed'(context) {
    const { CaseID } = await context.crm.cases.create(JAM)
    await context.crm.cases.addComment({ CaseID, Comment: 'Said.' })
    await undoLast(context, CaseID)
  },
  async 'campaign.deleted'(context) {
    await undoLast(context, (await context.crm.campaigns.create({ CampaignName: context.unique('Fair') })).CampaignID)
  },
  async 'definition.restored'(context) {
    const ObjectName = context.unique('Boat')
    await context.crm.customObjects.create({ ObjectName, Fields: DEFINED })
    await context.crm.customFields.delete({ ObjectName, FieldName: 'Harbour' })
    await undoLast(context, `${ObjectName}.Harbour`)
  },
  async 'own_field.restored'(context) {
    const field = await definedField(context)
    await context.crm.fields.retire(field)
    await context.crm.fields.define({ ...field, Kind: 'text' })
  },
  'plan.planned': waiting,
  async 'opportunity.erased'(context) {
    const { OpportunityID } = await context.crm.opportunities.create(engine(context))
    await context.crm.changes.erase({ RecordType: 'Opportunity', RecordID: OpportunityID })
  },
  async 'case.erased'({ crm }) {
    await crm.changes.erase({ RecordType: 'Case', RecordID: (await crm.cases.create(JAM)).CaseID })
  },
  async 'custom_object.erased'({ crm, boats }) {
    const { ObjectID } = await crm.customObjects.create({ ObjectName: boats, Fields: BOAT })
    await crm.changes.erase({ RecordType: 'CustomObject', RecordID: ObjectID })
  },
}

/** The same numbers, each once and the smallest first. */
const growing = (numbers: readonly unknown[]) => [...new Set(numbers)].sort((a, b) => Number(a) - Number(b))

const typesOf = (events: readonly Event[]) => events.map(({ Type }) => Type)

/** Every page after a cursor, until there is no more. */
async function pages(crm: Client, { cursor }: Beginning, Limit: number): Promise<Event[]> {
  const events: Event[] = []
  for (let After = cursor; ; ) {
    const page = await crm.events.getMany({ After, Limit })
    assert.ok(page.Events.length <= Limit)
    if (page.NextCursor === After) return events
    events.push(...page.Events)
    After = page.NextCursor
  }
}

/** A lead and a case that something happens to. */
async function happenings(crm: Client): Promise<{ LeadID: string; CaseID: string }> {
  const { LeadID } = await crm.leads.create(ADA)
  const { CaseID } = await crm.cases.create(JAM)
  await crm.leads.addNote({ LeadID, Note: 'Said.' })
  await crm.cases.update({ CaseID, FieldsToUpdate: { Subject: 'x' } })
  await crm.leads.delete({ LeadID })
  return { LeadID, CaseID }
}

const HAPPENED = ['lead.created', 'case.created', 'lead.note_added', 'case.updated', 'lead.deleted']

export const events = theme('events', [
  ...WRITING.map(announced),

  behaviour('every event of the contract is made by something here', async () => {
    // What only a CRM brings about is in the tests with simulators.
    const ofConnections = ['connected', 'broken', 'restored', 'resynced', 'repaired'].map((name) => `connection.${name}`)
    const elsewhere = [...ofConnections, 'campaign.updated']
    const known = [...Object.values(ANNOUNCED), ...Object.keys(FURTHER), ...elsewhere]
    assert.deepEqual(
      EVENT_TYPES.map(({ type }) => type).filter((type) => !known.includes(type)),
      [],
    )
  }),

  ...Object.entries(FURTHER).map(([type, make]) =>
    behaviour(
      `${type} is announced`,
      async (context) => {
        const since = await beginning(context)
        await make(context)
        const last = (await eventsSince(context.crm, since)).at(-1)
        assert.equal(last?.Type, type)
        assertMatchesLine(context, last as Event, await lastChange(context, last?.RecordID ?? ''))
      },
      type.endsWith('.erased')
        ? { needs: 'erase' }
        : type.startsWith('definition.')
          ? { needs: 'definitions' }
          : type.startsWith('own_field.')
            ? { needs: 'own fields' }
            : type === 'lead.campaign_status_changed'
              ? { needs: 'member statuses' }
              : {},
    ),
  ),

  behaviour('every change has one event and every event one change, in the same order', async (context) => {
    const { crm, as, refused } = context
    const since = await beginning(context)
    const me = await as()
    await happenings(me.crm)
    await refused(me.crm.leads.get({ LeadID: 'nothing' }), 'not_found')
    await refused(me.crm.call('create_a_lead', {}), 'invalid_input')
    await me.crm.leads.create(GRACE, { dryRun: true })
    for (const _ of [1, 2]) await me.crm.leads.create(GRACE, { idempotencyKey: 'twice' })
    await Promise.all([1, 2, 3, 4].map(() => me.crm.leads.create(ADA)))
    const happened = await eventsSince(crm, since)
    // beginning() itself creates a user at that time, so its changes are among these and are cut off below.
    const lines = (await crm.changes.getMany({ Filters: { At: { gte: since.at }, Outcome: 'ok' }, OrderBy: 'Number asc' })).Records
    assert.deepEqual(
      happened.map(({ ChangeID }) => ChangeID),
      lines.slice(-happened.length).map(({ ChangeID }) => ChangeID),
    )
    assert.deepEqual(typesOf(happened), ['user.created', 'key.created', ...HAPPENED, ...Array(5).fill('lead.created')])
    for (const [i, event] of happened.entries()) assertMatchesLine(context, event, lines.slice(-happened.length)[i] as Row)
  }),

  behaviour('events come in the order of their ids, and those of a record in the order of its revisions', async (context) => {
    const { crm } = context
    const since = await beginning(context)
    const leads = await Promise.all([1, 2, 3].map(() => crm.leads.create(ADA)))
    const writes = [1, 2, 3, 4, 5].flatMap((n) => leads.map(({ LeadID }) => crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(n) } })))
    await Promise.all(writes)
    const happened: readonly Event[] = await eventsSince(crm, since)
    const ids = happened.map(({ EventID }) => EventID)
    assert.deepEqual(ids, [...new Set(ids)].sort())
    for (const { LeadID, Revision } of leads) {
      const revisions = happened.filter(({ RecordID }) => RecordID === LeadID).map(({ Record }) => Record?.Revision)
      assert.deepEqual([revisions.length, revisions[0]], [6, Revision])
      assert.deepEqual(revisions, growing(revisions))
    }
  }),

  behaviour('page by page, every event is seen exactly once', async (context) => {
    const since = await beginning(context)
    const { crm } = await context.as()
    await happenings(crm)
    const all = await eventsSince(context.crm, since)
    assert.equal(all.length, 7)
    for (const Limit of [1, 2, 3, 7, 1000]) assert.deepEqual(await pages(context.crm, since, Limit), all)
    assert.deepEqual(typesOf(await pages(crm, since, 1)), ['user.created', ...HAPPENED])
    for (const [i, { EventID }] of all.entries()) assert.deepEqual(await eventsSince(context.crm, { ...since, cursor: EventID }), all.slice(i + 1))
  }),

  behaviour('a cursor skips nothing that is written later, however little its reader may see', async (context) => {
    const reader = await context.as()
    const { cursor } = await beginning(context)
    assert.deepEqual((await reader.crm.events.getMany({ After: cursor })).Events, [])
    await happenings(context.crm)
    const { Events, NextCursor } = await reader.crm.events.getMany({ After: cursor })
    assert.deepEqual(Events, [])
    const { LeadID } = await reader.crm.leads.create(ADA)
    const next = await reader.crm.events.getMany({ After: NextCursor })
    assert.deepEqual(
      next.Events.map(({ RecordID }) => RecordID),
      [LeadID],
    )
    assert.deepEqual((await reader.crm.events.getMany({ After: next.NextCursor })).Events, [])
  }),

  behaviour('without a cursor the oldest event comes first', async ({ as, crm }) => {
    const me = await as({ scopes: ['read:Lead', 'write:Lead'] })
    const { LeadID } = await me.crm.leads.create(ADA)
    await me.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    const seen: Event[] = []
    let After: string | null = null
    do {
      const page: { Events: Event[]; NextCursor: string } = await me.crm.events.getMany({ After, Limit: 1 })
      seen.push(...page.Events)
      if (page.NextCursor === After) break
      After = page.NextCursor
    } while (seen.length < 3)
    assert.deepEqual(typesOf(seen), ['lead.created', 'lead.updated'])
    assert.deepEqual((await crm.events.getMany({ Limit: 1 })).Events, (await crm.events.getMany({ After: null, Limit: 1 })).Events)
  }),

  behaviour('a key receives only events of what it may read', async (context) => {
    const { as } = context
    const me = await as({ role: 'admin' })
    const since = await beginning(context)
    await happenings(me.crm)
    await me.crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    await me.crm.keys.create({})
    const heard = async (...scopes: string[]) => typesOf(await eventsSince((await as({ role: 'admin', scopes })).crm, since))
    const leads = HAPPENED.filter((type) => type.startsWith('lead'))
    assert.deepEqual(await heard('read:Lead'), leads)
    assert.deepEqual(await heard('read:get_leads'), leads)
    // What a lead's list does not show is not in its events.
    const own = leads.filter((type) => type !== 'lead.note_added')
    assert.deepEqual(await heard('read:get_many_leads'), own)
    assert.deepEqual(
      await heard('read:get_many_leads', 'read:Case'),
      HAPPENED.filter((type) => type !== 'lead.note_added'),
    )
    assert.deepEqual(await heard('read:get_many_leads', 'read:get_many_notes'), leads)
    assert.deepEqual(await heard('read:get_many_notes'), [])
    assert.deepEqual(await heard('read:Opportunity'), [])
    assert.deepEqual(await heard('read:CustomObject'), ['custom_object.created'])
    // Those who listen were made by then, too.
    const known = async (...scopes: string[]) => [...new Set(await heard(...scopes))]
    assert.deepEqual(await known('read'), [...HAPPENED, 'custom_object.created', 'user.created'])
    assert.deepEqual(await known('read', 'admin'), [...HAPPENED, 'custom_object.created', 'key.created', 'user.created'])
    assert.deepEqual(await known('read:User'), ['user.created'])
    await context.refused((await as({ scopes: ['write', 'delete'] })).crm.events.getMany({}), 'forbidden')
  }),

  behaviour('a caller hears only of records they may see', async (context) => {
    const { as, crm, other } = context
    const boss = await as({ role: 'manager' })
    const [owner, peer] = [await as({ manager: boss.userId }), await as()]
    const since = await beginning(context)
    const foreign = await beginning({ ...context, as: (draft) => as({ ...draft, by: other }) })
    const { LeadID } = await happenings(owner.crm)
    for (const who of [owner.crm, boss.crm, crm]) assert.deepEqual(typesOf(await eventsSince(who, since)), HAPPENED)
    assert.deepEqual(await eventsSince(peer.crm, since), [])
    assert.ok(!JSON.stringify(await eventsSince(other, foreign)).includes(LeadID))
  }),

  behaviour('all users receive the events of shared records', async (context) => {
    const [one, two] = [await context.as(), await context.as()]
    const since = await beginning(context)
    await one.crm.campaigns.create({ CampaignName: context.unique('Fair') })
    assert.deepEqual(typesOf(await eventsSince(two.crm, since)), ['campaign.created'])
  }),

  behaviour('events of a record follow it to its new owner', async (context) => {
    const [one, two] = [await context.as(), await context.as()]
    const since = await beginning(context)
    const { LeadID } = await one.crm.leads.create(ADA)
    await context.crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: two.userId } })
    assert.deepEqual(await eventsSince(one.crm, since), [])
    assert.deepEqual(typesOf(await eventsSince(two.crm, since)), ['lead.created', 'lead.updated'])
  }),

  behaviour('what is no cursor is refused', async ({ crm, refused }) => {
    for (const After of ['nonsense', '', '-1', '1.5', '0x10', '١', '1e3', '999999999999999', '9'.repeat(200)])
      await refused(crm.events.getMany({ After }), 'invalid_input', { field: 'After' })
    for (const After of [5, true, {}, 'x'.repeat(300)]) await refused(crm.call('get_many_events', { After }), 'invalid_input', { field: 'After' })
    for (const Limit of [0, -1, 1.5, 1001, '5', null]) await refused(crm.call('get_many_events', { Limit }), 'invalid_input', { field: 'Limit' })
  }),
])
