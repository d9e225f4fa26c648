import assert from 'node:assert/strict'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { refusesToRestore } from './lacking.ts'
import { ADA, BOAT, engine, hook, JAM, NO_REVISION, phone, RARE, type Row } from './records.ts'
import { justNow, lastChange } from './writes.ts'

const undoLast = async (context: Context, crm: Client, id: string) => crm.changes.undo({ ChangeID: await justNow(context, id) })

/** A summary without what every change touches. */
const figures = async (crm: Client) =>
  Promise.all([crm.leads.getSummary({}), crm.opportunities.getSummary({}), crm.cases.getSummary({})]).then((all) => all.map(({ Recent, ...rest }) => rest))

const ageless = ({ UpdatedDate: _, Revision: __, ...rest }: Row) => rest

/** A record without what the platform derives by itself. */
const without = ({ derives }: Context, type: string, record: Row): Row => Object.fromEntries(Object.entries(record).filter(([name]) => !derives(type, name)))

/** A lead in a campaign, with two notes. */
async function busyLead({ crm, unique }: Pick<Context, 'crm' | 'unique'>) {
  const { LeadID } = await crm.leads.create(ADA)
  const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
  await crm.leads.addToCampaign({ LeadID, CampaignID })
  for (const Note of ['one', 'two']) await crm.leads.addNote({ LeadID, Note })
  return { LeadID, CampaignID }
}

export const undo = theme('undo', [
  behaviour('undoing an update restores the record as it was, with a higher revision', async (context) => {
    const { crm, as, values } = context
    const me = await as()
    const before = await me.crm.leads.create(ADA)
    const counted = await figures(me.crm)
    const { LeadID } = before
    const { Revision } = await me.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: null, Status: values.leadStatuses[1], LastName: 'King' } })
    const ChangeID = await justNow(context, LeadID)
    const { Record, ...answer } = await me.crm.changes.undo({ ChangeID })
    assert.deepEqual(answer, { UndoneChangeID: ChangeID, RecordType: 'Lead', RecordID: LeadID })
    const [now] = (await me.crm.leads.getMany({})).Records
    assert.deepEqual(now, Record)
    assert.deepEqual(ageless(now as Row), ageless(before))
    assert.ok(Number(now?.Revision) > Revision)
    assert.deepEqual(await figures(me.crm), counted)
    const line = await lastChange({ crm }, LeadID)
    assert.deepEqual([line.Operation, line.EventType, line.UserID, line.After], ['undo_change', 'lead.updated', me.userId, Record])
  }),

  behaviour('every record type can be taken back, figures and all', async (context) => {
    const { as, values } = context
    const me = await as()
    const deal = await me.crm.opportunities.create(engine(context))
    const jam = await me.crm.cases.create(JAM)
    const boat = await me.crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    const counted = await figures(me.crm)
    await me.crm.opportunities.update({ OpportunityID: deal.OpportunityID, FieldsToUpdate: { Amount: 9, Stage: values.wonStages[0], CloseDate: '2020-01-01' } })
    await me.crm.cases.update({ CaseID: jam.CaseID, FieldsToUpdate: { Status: values.closedStatuses[0] } })
    await me.crm.customObjects.update({ ObjectID: boat.ObjectID, FieldsToUpdate: { HullLength: 9, Harbour: null } })
    for (const id of [deal.OpportunityID, jam.CaseID, boat.ObjectID]) await undoLast(context, me.crm, id)
    const { Notes, NotesTotal, ...dealNow } = await me.crm.opportunities.get({ OpportunityID: deal.OpportunityID })
    const { Comments, CommentsTotal, ...jamNow } = await me.crm.cases.get({ CaseID: jam.CaseID })
    const boatNow = await me.crm.customObjects.get({ ObjectID: boat.ObjectID })
    // What the platform derives may tell of the changes that were made meanwhile.
    const taken = [dealNow, jamNow, boatNow].map((now, at) => without(context, ['Opportunity', 'Case', 'CustomObject'][at] as string, ageless(now)))
    assert.deepEqual(
      taken,
      [deal, jam, boat].map((was, at) => without(context, ['Opportunity', 'Case', 'CustomObject'][at] as string, ageless(was))),
    )
    assert.deepEqual(await figures(me.crm), counted)
    const found = async (Filters: Row) => (await me.crm.customObjects.getMany({ Filters: { ObjectName: boat.ObjectName, ...Filters } })).Records.length
    assert.deepEqual([await found({ HullLength: 7.5 }), await found({ HullLength: 9 })], [1, 0])

    await me.crm.opportunities.delete({ OpportunityID: deal.OpportunityID })
    await me.crm.cases.delete({ CaseID: jam.CaseID })
    await me.crm.customObjects.delete({ ObjectID: boat.ObjectID })
    const ids = [deal.OpportunityID, jam.CaseID, boat.ObjectID]
    if (context.lacks('restore')) {
      for (const id of ids) await refusesToRestore(context, id)
      return
    }
    for (const id of ids) await undoLast(context, me.crm, id)
    const again = [
      await me.crm.opportunities.get({ OpportunityID: deal.OpportunityID }),
      await me.crm.cases.get({ CaseID: jam.CaseID }),
      await me.crm.customObjects.get({ ObjectID: boat.ObjectID }),
    ]
    for (const [at, { Revision }] of [dealNow, jamNow, boatNow].entries()) assert.ok(Number(again[at]?.Revision) > Revision)
    assert.deepEqual(await figures(me.crm), counted)
    assert.deepEqual([await found({ HullLength: 7.5 }), await found({ Harbour: 'Kiel' })], [1, 1])
  }),

  behaviour(
    'undoing a delete brings back the id, the notes and the memberships',
    async (context) => {
      const { as, unique, refused } = context
      const me = await as()
      const { LeadID } = await busyLead({ crm: me.crm, unique })
      const before = await me.crm.leads.get({ LeadID })
      const counted = await figures(me.crm)
      await me.crm.leads.delete({ LeadID })
      await undoLast(context, me.crm, LeadID)
      const after = await me.crm.leads.get({ LeadID })
      assert.deepEqual(ageless(after), ageless(before))
      assert.ok(after.Revision > before.Revision)
      assert.deepEqual([after.NotesTotal, after.CampaignsTotal], [2, 1])
      assert.equal((await me.crm.notes.getMany({ RecordID: LeadID })).Records.length, 2)
      assert.deepEqual(await figures(me.crm), counted)
      await me.crm.leads.addNote({ LeadID, Note: 'three' })
      assert.equal((await me.crm.leads.get({ LeadID })).NotesTotal, 3)
      await refused(me.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) }, IfRevision: before.Revision }), 'conflict')
    },
    { needs: 'restore' },
  ),

  behaviour(
    'what came back with its notes goes again when that is undone, unless something has happened since',
    async (context) => {
      const { crm, refused } = context
      const { LeadID } = await crm.leads.create(ADA)
      await crm.leads.addNote({ LeadID, Note: 'Kept.' })
      await crm.leads.delete({ LeadID })
      await crm.changes.undo({ ChangeID: (await lastChange(context, LeadID)).ChangeID })
      const back = await lastChange(context, LeadID)
      await crm.changes.undo({ ChangeID: back.ChangeID })
      await refused(crm.leads.get({ LeadID }), 'not_found')
      await crm.changes.undo({ ChangeID: (await lastChange(context, LeadID)).ChangeID })
      assert.equal((await crm.leads.get({ LeadID })).NotesTotal, 1)
      const again = await lastChange(context, LeadID)
      await crm.leads.addNote({ LeadID, Note: 'Another.' })
      await refused(crm.changes.undo({ ChangeID: again.ChangeID }), 'conflict')
    },
    { needs: 'restore' },
  ),

  behaviour(
    'undoing the delete of a case brings back its comments',
    async (context) => {
      const { crm } = context
      const { CaseID } = await crm.cases.create(JAM)
      await crm.cases.addComment({ CaseID, Comment: 'Said.', Publish: true })
      const before = await crm.cases.get({ CaseID })
      await crm.cases.delete({ CaseID })
      await undoLast(context, crm, CaseID)
      assert.deepEqual(ageless(await crm.cases.get({ CaseID })), ageless(before))
    },
    { needs: 'restore' },
  ),

  behaviour('undoing a create removes the record, unless it was changed or something was attached since', async (context) => {
    const { as, refused, unique } = context
    const me = await as()
    const counted = await figures(me.crm)
    const { LeadID } = await me.crm.leads.create(ADA)
    assert.equal((await undoLast(context, me.crm, LeadID)).Record, null)
    await refused(me.crm.leads.get({ LeadID }), 'not_found')
    assert.deepEqual(await figures(me.crm), counted)

    const changed = await me.crm.leads.create(ADA)
    const noted = await me.crm.leads.create(ADA)
    const joined = await me.crm.leads.create(ADA)
    const { CampaignID } = await me.crm.campaigns.create({ CampaignName: unique('Fair') })
    const { CaseID } = await me.crm.cases.create(JAM)
    const creations = await Promise.all([changed.LeadID, noted.LeadID, joined.LeadID, CaseID].map((id) => justNow(context, id)))
    const campaign = { ChangeID: await justNow(context, CampaignID) }
    await me.crm.leads.update({ LeadID: changed.LeadID, FieldsToUpdate: { Phone: phone(1) } })
    await me.crm.leads.addNote({ LeadID: noted.LeadID, Note: 'x' })
    await me.crm.leads.addToCampaign({ LeadID: joined.LeadID, CampaignID })
    await me.crm.cases.addComment({ CaseID, Comment: 'x' })
    for (const ChangeID of creations) await refused(me.crm.changes.undo({ ChangeID }), 'conflict')
    await refused(context.crm.changes.undo(campaign), 'conflict')
    assert.equal((await me.crm.leads.getMany({})).Records.length, 3)

    await me.crm.leads.removeFromCampaign({ LeadID: joined.LeadID, CampaignID })
    assert.equal((await me.crm.changes.undo({ ChangeID: creations[2] ?? '' })).Record, null)
    assert.equal((await context.crm.changes.undo(campaign)).Record, null)
  }),

  behaviour('a note or comment that is undone is gone', async (context) => {
    const { crm } = context
    const { LeadID, Revision } = await crm.leads.create(ADA)
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    const { CaseID } = await crm.cases.create(JAM)
    await crm.leads.addNote({ LeadID, Note: 'stays' })
    await crm.leads.addNote({ LeadID, Note: 'goes' })
    await crm.opportunities.addNote({ OpportunityID, Note: 'goes' })
    await crm.cases.addComment({ CaseID, Comment: 'goes' })
    for (const id of [LeadID, OpportunityID, CaseID]) assert.equal((await undoLast(context, crm, id)).RecordID, id)
    const lead = await crm.leads.get({ LeadID })
    assert.deepEqual([lead.Notes.map(({ Note }) => Note), lead.NotesTotal, lead.Revision], [['stays'], 1, Revision])
    assert.deepEqual([(await crm.opportunities.get({ OpportunityID })).NotesTotal, (await crm.cases.get({ CaseID })).CommentsTotal], [0, 0])
  }),

  behaviour(
    'a note or comment that was undone comes back as it was when that is undone',
    async (context) => {
      const { crm } = context
      const { LeadID } = await crm.leads.create(ADA)
      const { CaseID } = await crm.cases.create(JAM)
      await crm.leads.addNote({ LeadID, Note: 'Said.' })
      await crm.cases.addComment({ CaseID, Comment: 'Said.', Publish: true })
      const before = [await crm.leads.get({ LeadID }), await crm.cases.get({ CaseID })]
      for (const id of [LeadID, CaseID]) {
        await undoLast(context, crm, id)
        await undoLast(context, crm, id)
      }
      assert.deepEqual([await crm.leads.get({ LeadID }), await crm.cases.get({ CaseID })], before)
    },
    { needs: 'restore' },
  ),

  behaviour('campaign memberships are taken back both ways', async (context) => {
    const { crm, refused } = context
    const { LeadID, CampaignID } = await busyLead(context)
    const before = await crm.leads.get({ LeadID })
    await crm.leads.removeFromCampaign({ LeadID, CampaignID })
    const removal = await justNow(context, LeadID)
    await crm.changes.undo({ ChangeID: removal })
    const { Campaigns: again, ...rest } = await crm.leads.get({ LeadID })
    const { Campaigns: joined, ...was } = before
    assert.deepEqual(rest, was)
    // Platforms that set times themselves give a restored membership a new date.
    if (context.lacks('predictable dry run')) assert.equal(again[0]?.CampaignID, CampaignID)
    else assert.deepEqual(again, joined)
    await refused(crm.changes.undo({ ChangeID: removal }), 'conflict')
    await undoLast(context, crm, LeadID)
    assert.deepEqual((await crm.leads.get({ LeadID })).Campaigns, [])

    await crm.leads.addToCampaign({ LeadID, CampaignID })
    const adding = await justNow(context, LeadID)
    await crm.changes.undo({ ChangeID: adding })
    const { Campaigns, CampaignsTotal } = await crm.leads.get({ LeadID })
    assert.deepEqual([Campaigns, CampaignsTotal], [[], 0])
    await refused(crm.changes.undo({ ChangeID: adding }), 'conflict')
    // Two memberships are distinguished by their time, which fails within a second on platforms that store seconds.
    if (context.lacks('milliseconds')) return
    await new Promise((resolve) => setTimeout(resolve, 5))
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    await refused(crm.changes.undo({ ChangeID: adding }), 'conflict')
    assert.equal((await crm.leads.get({ LeadID })).CampaignsTotal, 1)
  }),

  behaviour('what has changed since is not undone, and nothing is', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    const first = await justNow(context, LeadID)
    await crm.leads.update({ LeadID, FieldsToUpdate: { LastName: 'King' } })
    const before = await crm.leads.get({ LeadID })
    await refused(crm.changes.undo({ ChangeID: first }), 'conflict')
    assert.deepEqual(await crm.leads.get({ LeadID }), before)
    await crm.leads.delete({ LeadID })
    await refused(crm.changes.undo({ ChangeID: first }), 'conflict')
    await refused(crm.leads.get({ LeadID }), 'not_found')
  }),

  behaviour('a change is undone once, and its undoing can be undone in turn', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    const update = await justNow(context, LeadID)
    await crm.changes.undo({ ChangeID: update })
    await refused(crm.changes.undo({ ChangeID: update }), 'conflict')
    await undoLast(context, crm, LeadID)
    assert.equal((await crm.leads.get({ LeadID })).Phone, phone(1))
    await refused(crm.changes.undo({ ChangeID: update }), 'conflict')

    await crm.leads.delete({ LeadID })
    if (context.lacks('restore')) return refusesToRestore(context, LeadID)
    const removal = await justNow(context, LeadID)
    await crm.changes.undo({ ChangeID: removal })
    await refused(crm.changes.undo({ ChangeID: removal }), 'conflict')
    await undoLast(context, crm, LeadID)
    await refused(crm.leads.get({ LeadID }), 'not_found')
    assert.equal((await undoLast(context, crm, LeadID)).Record?.Phone, phone(1))
  }),

  behaviour(
    'a delete is not undone once the record was brought back and deleted again',
    async (context) => {
      const { crm, refused } = context
      const { LeadID } = await crm.leads.create(ADA)
      await crm.leads.delete({ LeadID })
      const first = await justNow(context, LeadID)
      await crm.changes.undo({ ChangeID: first })
      const { Revision } = await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
      await crm.leads.delete({ LeadID })
      await refused(crm.changes.undo({ ChangeID: first }), 'conflict')
      const { Record } = await undoLast(context, crm, LeadID)
      assert.deepEqual([Record?.Phone, Number(Record?.Revision) > Revision], [phone(1), true])
    },
    { needs: 'restore' },
  ),

  behaviour(
    'of several undoings at once, one succeeds',
    async (context) => {
      const { crm } = context
      const { LeadID, Revision } = await crm.leads.create(ADA)
      await crm.leads.delete({ LeadID })
      const ChangeID = await justNow(context, LeadID)
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => crm.changes.undo({ ChangeID })))
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
      assert.ok((await crm.leads.get({ LeadID })).Revision > Revision)
    },
    { needs: 'restore' },
  ),

  behaviour('changes of users, keys and webhooks are not undone, nor are refusals', async (context) => {
    const { crm, as, refused } = context
    const { userId, keyId } = await as()
    const { WebhookID } = await crm.webhooks.create({ URL: hook('x'), EventTypes: [RARE], Active: false })
    for (const id of [userId, keyId, WebhookID]) await refused(undoLast(context, crm, id), 'unsupported')
    await crm.users.update({ UserID: userId, FieldsToUpdate: { Email: 'a@example.com' } })
    await crm.keys.revoke({ KeyID: keyId })
    await crm.webhooks.delete({ WebhookID })
    for (const id of [userId, keyId, WebhookID]) await refused(undoLast(context, crm, id), 'unsupported')
    const { LeadID } = await crm.leads.create(ADA)
    await refused(crm.leads.delete({ LeadID, IfRevision: NO_REVISION }), 'conflict')
    const [refusal] = (await crm.changes.getMany({ Filters: { RecordID: LeadID, Outcome: 'conflict' } })).Records
    await refused(crm.changes.undo({ ChangeID: refusal?.ChangeID ?? '' }), 'unsupported')
  }),
])
