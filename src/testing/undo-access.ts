import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, GRACE, NO_REVISION, phone } from './records.ts'
import { justNow } from './writes.ts'

/** Who may undo what, and what an undo shows. */
export const undoAccess = theme('access to undo', [
  behaviour('an undo needs the scope of what it does', async (context) => {
    const { crm, refused, signIn, unique, as } = context
    const me = await as()
    const able = async (...Scopes: string[]) => signIn((await crm.keys.create({ UserID: me.userId, Scopes })).Key)
    const { LeadID } = await me.crm.leads.create(ADA)
    const { CampaignID } = await me.crm.campaigns.create({ CampaignName: unique('Fair') })
    const creation = await justNow(context, LeadID)
    await refused((await able('read', 'write')).changes.undo({ ChangeID: creation }), 'forbidden')
    for (const scope of ['write:Lead', 'delete:Case', 'delete:remove_leads_from_campaign', 'delete:Campaign'])
      await refused((await able(scope)).changes.undo({ ChangeID: creation }), 'forbidden')

    await me.crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
    const update = await justNow(context, LeadID)
    for (const scope of ['delete', 'write:Case', 'write:add_notes_to_leads', 'write:create_a_lead'])
      await refused((await able(scope)).changes.undo({ ChangeID: update }), 'forbidden')
    await (await able('write:update_lead')).changes.undo({ ChangeID: update })

    await me.crm.leads.addToCampaign({ LeadID, CampaignID })
    const adding = await justNow(context, LeadID)
    for (const scope of ['write', 'delete:delete_lead']) await refused((await able(scope)).changes.undo({ ChangeID: adding }), 'forbidden')
    await (await able('delete:remove_leads_from_campaign')).changes.undo({ ChangeID: adding })

    await me.crm.leads.delete({ LeadID })
    const removal = await justNow(context, LeadID)
    await refused((await able('delete')).changes.undo({ ChangeID: removal }), 'forbidden')
    const restored = (await able('write:Lead')).changes.undo({ ChangeID: removal })
    if (context.lacks('restore')) await refused(restored, 'unsupported')
    else await restored
    const fresh = await me.crm.leads.create(GRACE)
    await (await able('delete:Lead')).changes.undo({ ChangeID: await justNow(context, fresh.LeadID) })
  }),

  behaviour('an undo shows only what its key may read', async (context) => {
    const { crm, signIn, as } = context
    const me = await as()
    const able = async (...Scopes: string[]) => signIn((await crm.keys.create({ UserID: me.userId, Scopes })).Key)
    const { LeadID } = await me.crm.leads.create(ADA)
    const noted = async () => {
      await me.crm.leads.addNote({ LeadID, Note: 'Said.' })
      return { ChangeID: await justNow(context, LeadID) }
    }
    const blind = await able('delete')
    const change = await noted()
    assert.ok(!JSON.stringify(await blind.call('undo_change', change, { dryRun: true })).includes('Said.'))
    assert.equal((await blind.changes.undo(change)).Record, null)
    const seeing = await able('delete', 'read:get_many_leads')
    const again = await noted()
    assert.ok(!JSON.stringify(await seeing.call('undo_change', again, { dryRun: true })).includes('Said.'))
    assert.equal((await seeing.changes.undo(again)).Record?.LeadID, LeadID)
  }),

  behaviour('a change of a record that the caller may not see does not exist', async (context) => {
    const { crm, as, other, refused } = context
    const [owner, peer] = [await as(), await as()]
    const { LeadID } = await owner.crm.leads.create(ADA)
    const ChangeID = await justNow(context, LeadID)
    for (const who of [peer.crm, other]) await refused(who.changes.undo({ ChangeID }), 'not_found', { field: 'ChangeID' })
    for (const id of ['nothing', LeadID]) await refused(crm.changes.undo({ ChangeID: id }), 'not_found')
    await refused(owner.crm.leads.delete({ LeadID, IfRevision: NO_REVISION }), 'conflict')
    const [refusal] = (await crm.changes.getMany({ Filters: { RecordID: LeadID, Outcome: 'conflict' } })).Records
    await refused(owner.crm.changes.undo({ ChangeID: refusal?.ChangeID ?? '' }), 'not_found')
    await owner.crm.changes.undo({ ChangeID })
  }),

  behaviour('undoing a change of owner gives the record back, history and all', async (context) => {
    const { crm, as, refused } = context
    const [one, two] = [await as(), await as()]
    const { LeadID } = await one.crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: two.userId } })
    const given = await justNow(context, LeadID)
    await refused(one.crm.changes.undo({ ChangeID: given }), 'not_found')
    await refused(two.crm.changes.undo({ ChangeID: given }), 'forbidden')
    await crm.changes.undo({ ChangeID: given })
    assert.equal((await one.crm.changes.getMany({ Filters: { RecordID: LeadID } })).Records.length, 3)
    await refused(two.crm.leads.get({ LeadID }), 'not_found')
  }),

  behaviour('whether leads that the caller may not see are in a campaign shows in no undo', async (context) => {
    const { as, refused, unique } = context
    const [me, other] = [await as(), await as()]
    const campaigns = await Promise.all(['empty', 'full'].map((name) => me.crm.campaigns.create({ CampaignName: unique(name) })))
    const [empty, full] = await Promise.all(campaigns.map(async ({ CampaignID }) => ({ ChangeID: await justNow(context, CampaignID) })))
    const { LeadID } = await other.crm.leads.create(ADA)
    await other.crm.leads.addToCampaign({ LeadID, CampaignID: campaigns[1]?.CampaignID ?? '' })
    const told: string[] = []
    for (const change of [empty, full])
      for (const dryRun of [true, false]) told.push((await refused(me.crm.changes.undo(change as { ChangeID: string }, { dryRun }), 'forbidden')).message)
    assert.equal(new Set(told).size, 1)
  }),
])
