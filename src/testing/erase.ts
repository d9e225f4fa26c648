import assert from 'node:assert/strict'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { beginning, eventsSince, everything } from './everything.ts'
import { ADA, BOAT, engine, GRACE, JAM } from './records.ts'
import { lastChange } from './writes.ts'

/** Writes a lead's whole life, each call under a key, and answers with a way to repeat each. */
async function life(crm: Client, { unique }: Pick<Context, 'unique'>, word: string) {
  const options = () => ({ idempotencyKey: unique('key') })
  const [made, changed, noted, joined] = [options(), options(), options(), options()]
  const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
  const { LeadID } = await crm.leads.create({ ...ADA, LastName: word }, made)
  const calls = [
    () => crm.leads.create({ ...ADA, LastName: word }, made),
    () => crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: word, Email: null } }, changed),
    () => crm.leads.addNote({ LeadID, Note: word }, noted),
    () => crm.leads.addToCampaign({ LeadID, CampaignID }, joined),
  ]
  for (const call of calls) await call()
  return { LeadID, calls }
}

/** Erases a lead. Where the person that it is about is a contact of its own, that is erased too, by its own id. */
async function eraseLead({ crm }: Pick<Context, 'crm'>, LeadID: string, word: string) {
  const erased = await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })
  for (const { ContactID } of (await crm.contacts.getMany({ Filters: { LastName: word } })).Records)
    await crm.changes.erase({ RecordType: 'Contact', RecordID: ContactID })
  return erased
}

const linesOf = async ({ crm }: Pick<Context, 'crm'>, RecordID: string) => (await crm.changes.getMany({ Filters: { RecordID } })).Records

export const erase = theme('erase', [
  behaviour(
    'an erased record is gone with every image of it, and who did what and when remains',
    async (context) => {
      const { crm, unique, refused } = context
      const since = await beginning(context)
      const word = unique('Secretive')
      const { LeadID } = await life(crm, context, word)
      const before = await linesOf(context, LeadID)
      assert.equal(before.length, 4)
      const { Remains, ...erased } = await eraseLead(context, LeadID, word)
      assert.deepEqual(erased, { RecordType: 'Lead', RecordID: LeadID, Erased: true, Changes: 4 })
      assert.ok(Remains === undefined || Remains.length > 0)

      await refused(crm.leads.get({ LeadID }), 'not_found')
      await refused(crm.notes.getMany({ RecordID: LeadID }), 'not_found')
      assert.ok(!JSON.stringify(await everything(crm, since)).includes(word))
      const [erasure, ...after] = await linesOf(context, LeadID)
      assert.deepEqual(
        after,
        before.map((line) => ({ ...line, Before: null, After: null })),
      )
      assert.deepEqual([erasure?.Operation, erasure?.EventType, erasure?.Before, erasure?.After], ['erase_record', 'lead.erased', null, null])
      const events = (await eventsSince(crm, since)).filter(({ RecordID }) => RecordID === LeadID)
      assert.deepEqual(
        events.map(({ Type, Record }) => [Type, Record]),
        ['lead.created', 'lead.updated', 'lead.note_added', 'lead.added_to_campaign', 'lead.erased'].map((type) => [type, null]),
      )
    },
    { needs: 'erase' },
  ),

  behaviour(
    'stored answers of the calls that wrote it are erased too',
    async (context) => {
      const { crm, unique, refused } = context
      const { LeadID, calls } = await life(crm, context, unique('Secretive'))
      const spared = { idempotencyKey: unique('key') }
      const other = await crm.leads.create(GRACE, spared)
      await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })
      for (const call of calls) await refused(call(), 'not_found')
      assert.deepEqual(await crm.leads.create(GRACE, spared), other)
    },
    { needs: 'erase' },
  ),

  behaviour(
    'a record that was deleted before is erased as well',
    async (context) => {
      const { crm, unique, refused } = context
      const since = await beginning(context)
      const word = unique('Secretive')
      const { LeadID } = await life(crm, context, word)
      await crm.leads.delete({ LeadID })
      const removal = await lastChange(context, LeadID)
      assert.equal((await eraseLead(context, LeadID, word)).Changes, 5)
      assert.ok(!JSON.stringify(await everything(crm, since)).includes(word))
      await refused(crm.changes.undo({ ChangeID: removal.ChangeID }), context.lacks('restore') ? 'unsupported' : 'conflict')
      await refused(crm.leads.get({ LeadID }), 'not_found')
    },
    { needs: 'erase' },
  ),

  behaviour(
    'what is erased already is erased again without another event',
    async (context) => {
      const { crm, unique } = context
      const word = unique('Secretive')
      const { LeadID } = await life(crm, context, word)
      await eraseLead(context, LeadID, word)
      const [lines, since] = [await linesOf(context, LeadID), await beginning(context)]
      assert.equal((await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })).Changes, 0)
      assert.deepEqual(await linesOf(context, LeadID), lines)
      assert.deepEqual(await eventsSince(crm, since), [])
    },
    { needs: 'erase' },
  ),

  behaviour(
    'what was erased cannot be undone',
    async (context) => {
      const { crm, unique, refused } = context
      const { LeadID } = await life(crm, context, unique('Secretive'))
      await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })
      const [erasure, ...lines] = await linesOf(context, LeadID)
      for (const { ChangeID } of lines) await refused(crm.changes.undo({ ChangeID }), 'conflict')
      await refused(crm.changes.undo({ ChangeID: erasure?.ChangeID ?? '' }), 'unsupported')
    },
    { needs: 'erase' },
  ),

  behaviour(
    'an opportunity goes with its notes, a case with its comments, a custom object with its values',
    async (context) => {
      const { crm, unique, refused } = context
      const since = await beginning(context)
      const word = unique('Secretive')
      const { OpportunityID } = await crm.opportunities.create({ ...engine(context), OpportunityName: word })
      await crm.opportunities.addNote({ OpportunityID, Note: word })
      const { CaseID } = await crm.cases.create({ ...JAM, Subject: word })
      await crm.cases.addComment({ CaseID, Comment: word })
      const { ObjectID } = await crm.customObjects.create({ ObjectName: context.boats, Fields: { ...BOAT, Harbour: { ...BOAT.Harbour, Value: word } } })
      await crm.customObjects.update({ ObjectID, FieldsToUpdate: { HullLength: 1 } })
      for (const [RecordType, RecordID] of [
        ['Opportunity', OpportunityID],
        ['Case', CaseID],
        ['CustomObject', ObjectID],
      ] as const) {
        assert.equal((await crm.changes.erase({ RecordType, RecordID })).Changes, 2)
        assert.ok((await linesOf(context, RecordID)).every(({ Before, After }) => Before === null && After === null))
      }
      assert.ok(!JSON.stringify(await everything(crm, since)).includes(word))
      assert.deepEqual((await crm.customObjects.getMany({ Filters: { Harbour: word } })).Records, [])
      await refused(crm.cases.get({ CaseID }), 'not_found')
    },
    { needs: 'erase' },
  ),

  behaviour(
    'other records stay as they are, and counts are right',
    async (context) => {
      const { crm, as, unique } = context
      const me = await as()
      const [gone, stays] = [await life(me.crm, context, unique('Secretive')), await life(me.crm, context, unique('Public'))]
      const before = [await me.crm.leads.get({ LeadID: stays.LeadID }), await linesOf(context, stays.LeadID)]
      await crm.changes.erase({ RecordType: 'Lead', RecordID: gone.LeadID })
      assert.deepEqual([await me.crm.leads.get({ LeadID: stays.LeadID }), await linesOf(context, stays.LeadID)], before)
      const { Total, Recent } = await me.crm.leads.getSummary({})
      assert.deepEqual([Total, Recent.map(({ LeadID }) => LeadID)], [1, [stays.LeadID]])
      assert.equal((await linesOf({ crm: me.crm }, gone.LeadID)).length, 5)
    },
    { needs: 'erase' },
  ),

  behaviour(
    'erasing again finds no image any more',
    async (context) => {
      const { crm, unique } = context
      const { LeadID } = await life(crm, context, unique('Secretive'))
      for (const Changes of [4, 0]) assert.equal((await crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID })).Changes, Changes)
    },
    { needs: 'erase' },
  ),

  behaviour(
    'what never was is not found, nor what another workspace has',
    async ({ crm, other, refused }) => {
      const { LeadID } = await crm.leads.create(ADA)
      await refused(crm.changes.erase({ RecordType: 'Lead', RecordID: 'nothing' }), 'not_found', { field: 'RecordID' })
      await refused(crm.changes.erase({ RecordType: 'Case', RecordID: LeadID }), 'not_found', { field: 'RecordID' })
      await refused(other.changes.erase({ RecordType: 'Lead', RecordID: LeadID }), 'not_found', { field: 'RecordID' })
      for (const RecordType of ['User', 'Key', 'Webhook', 'Change', 'lead', 'constructor'])
        await refused(crm.call('erase_record', { RecordType, RecordID: LeadID }), 'invalid_input', { field: 'RecordType' })
      assert.equal((await crm.leads.get({ LeadID })).LeadID, LeadID)
    },
    { needs: 'erase' },
  ),

  behaviour('only admins erase, with a key that allows administration', async ({ as, refused }) => {
    const owner = await as({ role: 'manager' })
    const { LeadID } = await owner.crm.leads.create(ADA)
    const keyless = await as({ role: 'admin', scopes: ['read', 'write', 'delete'] })
    for (const { crm } of [owner, keyless]) await refused(crm.changes.erase({ RecordType: 'Lead', RecordID: LeadID }), 'forbidden')
    assert.equal((await owner.crm.leads.get({ LeadID })).LeadID, LeadID)
  }),
])
