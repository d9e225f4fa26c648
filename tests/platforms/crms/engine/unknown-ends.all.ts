import { describe, expect, onTestFinished, test } from 'vitest'
import { CrmError } from '../../../../src/contract/errors.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { type Crm, overCrm } from '../../../support/crms.ts'
import { otherClient } from '../../../support/other-client.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const SETTLE_MS = 100

/** The connector over a CRM, and somebody who works with the CRM behind its back. */
async function open(kind: Crm) {
  const connection = await overCrm(kind, { settleMs: SETTLE_MS })
  const behind = await otherClient(kind, connection.simulator.url)
  onTestFinished(async () => {
    await behind.close()
    await connection.close()
  })
  const crm = connection.signIn(connection.adminKey)
  const lines = async (RecordID: string, EventType: string) => (await crm.changes.getMany({ Filters: { RecordID, EventType } })).Records.length
  const undoing = async (RecordID: string, EventType = 'lead.updated') => {
    const [change] = (await crm.changes.getMany({ Filters: { RecordID, EventType } })).Records
    return () => crm.changes.undo({ ChangeID: change?.ChangeID as string }, { idempotencyKey: `undo-${EventType}` })
  }
  return { crm, connection, behind, lines, undoing, befall: (fault: string) => connection.simulator.faults.add(fault) }
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof CrmError ? error.code : String(error)),
  )

/** Asks again until it is known how it ended. */
async function told(call: () => Promise<unknown>): Promise<string> {
  for (;;) {
    const code = await codeOf(call())
    if (code !== 'outcome_unknown') return code
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  }
}

describe.each(ALL_CRMS)('a call to %s of unknown outcome', (_name, kind) => {
  test('a delete is not the one that somebody else has made meanwhile', async () => {
    const { crm, befall, lines } = await open(kind)
    const { LeadID, Revision: IfRevision } = await crm.leads.create(ADA)
    const first = () => crm.leads.delete({ LeadID, IfRevision }, { idempotencyKey: 'first' })
    befall('drop-before=1x:DELETE')
    expect(await codeOf(first())).toBe('outcome_unknown')
    expect(await codeOf(crm.leads.delete({ LeadID, IfRevision }))).toBe('ok')
    expect(await told(first)).toBe('not_found')
    expect(await lines(LeadID, 'lead.deleted')).toBe(1)
  })

  test('a delete was carried out where the record is gone and nobody is known to have taken it away', async () => {
    const { crm, befall, behind, lines } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    const calls = ['first', 'second', 'third'].map((idempotencyKey) => () => crm.leads.delete({ LeadID }, { idempotencyKey }))
    befall('drop-before=3x:DELETE')
    for (const call of calls) expect(await codeOf(call())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.delete('Lead', LeadID))
    // Only one of several can have done it.
    expect((await Promise.all(calls.map(told))).sort()).toEqual(['not_found', 'not_found', 'ok'])
    expect(await lines(LeadID, 'lead.deleted')).toBe(1)
  })

  test('a delete was not carried out where the record is only out of sight', async () => {
    const { crm, connection, befall } = await open(kind)
    const people = await Promise.all(
      [1, 2].map(async (n) => {
        const PlatformUserID = await connection.makePlatformUser?.('first')
        const { UserID } = await crm.users.create({ Name: `Member ${n}`, Role: 'member', ...(PlatformUserID !== undefined && { PlatformUserID }) })
        return { UserID, crm: connection.signIn((await crm.keys.create({ UserID, Scopes: ['read', 'write', 'delete'] })).Key) }
      }),
    )
    const [me, other] = people as [(typeof people)[number], (typeof people)[number]]
    const { LeadID } = await me.crm.leads.create(ADA)
    const mine = () => me.crm.leads.delete({ LeadID }, { idempotencyKey: 'mine' })
    befall('drop-before=1x:DELETE')
    expect(await codeOf(mine())).toBe('outcome_unknown')
    await crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: other.UserID } })
    expect(await told(mine)).toBe('not_found')
    expect(await crm.leads.get({ LeadID })).toMatchObject({ OwnerID: other.UserID })
  })

  test.each(['drop-after', 'error-after', 'malformed'])('a create is found again though the CRM writes numbers in its own way (%s)', async (fault) => {
    const { crm, befall } = await open(kind)
    befall(`${fault}=1x:POST`)
    const call = () => crm.leads.create({ ...ADA, Phone: '+44 20 7946 0958' }, { idempotencyKey: 'first' })
    expect(await told(call)).toBe('ok')
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  })

  test('a create is not repeated where what is there may be what it has made, with a value altered', async () => {
    const { crm, befall, behind } = await open(kind)
    const call = () => crm.leads.create({ ...ADA, Email: 'ada@example.com' }, { idempotencyKey: 'first' })
    befall('drop-before=1x:POST')
    expect(await codeOf(call())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.create('Lead', { ...ADA, Email: 'a.lovelace@example.com', Status: 'Open' }))
    await new Promise((resolve) => setTimeout(resolve, 2 * SETTLE_MS))
    await expect(call()).rejects.toMatchObject({ code: 'outcome_unknown', message: expect.stringContaining('differs in Email') })
    expect((await crm.leads.getMany({})).Records).toHaveLength(1)
    expect(await codeOf(crm.leads.create({ ...ADA, Email: 'ada@example.com' }, { idempotencyKey: 'second' }))).toBe('ok')
  })

  test('an upsert has not created what a call before it has', async () => {
    const { crm, befall, lines } = await open(kind)
    const Email = 'ada@example.com'
    const { LeadID } = await crm.leads.upsert({ ...ADA, Email, MatchBy: ['Email'] })
    for (const method of ['PUT', 'PATCH']) befall(`drop-before=1x:${method}`)
    const update = () => crm.leads.upsert({ LastName: 'King', Email, MatchBy: ['Email'] }, { idempotencyKey: 'second' })
    expect(await told(update)).toBe('ok')
    expect(await update()).toMatchObject({ LeadID, LastName: 'King', Created: false })
    expect(await lines(LeadID, 'lead.created')).toBe(1)
  })

  test('a change is not the same one that somebody else has made meanwhile', async () => {
    const { crm, befall, lines } = await open(kind)
    const { LeadID, Revision: IfRevision } = await crm.leads.create(ADA)
    const claimed = { LeadID, FieldsToUpdate: { FirstName: 'Claimed' }, IfRevision }
    const first = () => crm.leads.update(claimed, { idempotencyKey: 'first' })
    for (const method of ['PUT', 'PATCH']) befall(`drop-before=1x:${method}`)
    expect(await codeOf(first())).toBe('outcome_unknown')
    expect(await told(() => crm.leads.update(claimed, { idempotencyKey: 'second' }))).toBe('ok')
    expect(await told(first)).toBe('conflict')
    expect(await lines(LeadID, 'lead.updated')).toBe(1)
  })

  test('an update was undone where the record is as it was before', async () => {
    const { crm, befall, behind, lines, undoing } = await open(kind)
    const { LeadID, FirstName } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Claimed' } })
    const undo = await undoing(LeadID)
    for (const method of ['PUT', 'PATCH']) befall(`drop-before=1x:${method}`)
    expect(await codeOf(undo())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.update('Lead', LeadID, { FirstName }))
    expect(await told(undo)).toBe('ok')
    expect(await undo()).toMatchObject({ RecordID: LeadID, Record: { FirstName } })
    expect(await lines(LeadID, 'lead.updated')).toBe(2)
    const [line] = (await crm.changes.getMany({ Filters: { RecordID: LeadID } })).Records
    expect(line).toMatchObject({ Operation: 'undo_change', Before: { FirstName: 'Claimed' }, After: { FirstName } })
  })

  test('an update was not undone where the record has another value', async () => {
    const { crm, befall, behind, undoing } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.update({ LeadID, FieldsToUpdate: { FirstName: 'Claimed' } })
    const undo = await undoing(LeadID)
    for (const method of ['PUT', 'PATCH']) befall(`drop-before=1x:${method}`)
    expect(await codeOf(undo())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.update('Lead', LeadID, { FirstName: 'Other' }))
    expect(await told(undo)).toBe('conflict')
    expect(await crm.leads.get({ LeadID })).toMatchObject({ FirstName: 'Other' })
  })

  test('a creation and a note were undone where they are gone', async () => {
    const { crm, befall, behind, lines, undoing } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    const { NoteID } = await crm.leads.addNote({ LeadID, Note: 'Called.' })
    for (const { type, id, event } of [
      { type: 'Note', id: NoteID, event: 'lead.note_removed' },
      { type: 'Lead', id: LeadID, event: 'lead.deleted' },
    ]) {
      const undo = await undoing(LeadID, type === 'Lead' ? 'lead.created' : 'lead.note_added')
      befall('drop-before=1x:DELETE')
      expect(await codeOf(undo())).toBe('outcome_unknown')
      await behind.write(1, (writer) => writer.delete(type, id))
      expect(await told(undo)).toBe('ok')
      expect(await lines(LeadID, event)).toBe(1)
    }
  })
})

describe('a call about a campaign whose end nobody saw', () => {
  // Others are asked to put a lead into a campaign, and HubSpot to take it out, as often as it takes.
  test.each(ALL_CRMS.filter(([name]) => name !== 'hubspot'))('%s: a lead is taken out of it by one', async (_name, kind) => {
    const { crm, befall, behind, lines } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Fair' })
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    const calls = ['first', 'second'].map((idempotencyKey) => () => crm.leads.removeFromCampaign({ LeadID, CampaignID }, { idempotencyKey }))
    befall('drop-before=2x:DELETE')
    for (const call of calls) expect(await codeOf(call())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.delete('Membership', `${LeadID}:${CampaignID}`))
    expect((await Promise.all(calls.map(told))).sort()).toEqual(['not_found', 'ok'])
    expect(await lines(LeadID, 'lead.removed_from_campaign')).toBe(1)
  })

  test.each(ALL_CRMS.filter(([name]) => name !== 'hubspot'))('%s: its being put into it was undone where it is out of it', async (_name, kind) => {
    const { crm, befall, behind, lines, undoing } = await open(kind)
    const { LeadID } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Fair' })
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    const undo = await undoing(LeadID, 'lead.added_to_campaign')
    befall('drop-before=1x:DELETE')
    expect(await codeOf(undo())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.delete('Membership', `${LeadID}:${CampaignID}`))
    expect(await told(undo)).toBe('ok')
    expect(await lines(LeadID, 'lead.removed_from_campaign')).toBe(1)
  })

  test('salesforce: a lead is put into it by one', async () => {
    const { crm, befall, behind, lines } = await open(SALESFORCE)
    const { LeadID } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Fair' })
    const calls = ['first', 'second'].map((idempotencyKey) => () => crm.leads.addToCampaign({ LeadID, CampaignID }, { idempotencyKey }))
    befall('drop-before=2x:POST')
    for (const call of calls) expect(await codeOf(call())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.create('Membership', { MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID }))
    expect(await Promise.all(calls.map(told))).toEqual(['ok', 'ok'])
    expect(await lines(LeadID, 'lead.added_to_campaign')).toBe(1)
  })

  test('salesforce: its being taken out of it was undone where it is in it', async () => {
    const { crm, befall, behind, lines, undoing } = await open(SALESFORCE)
    const { LeadID } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Fair' })
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    await crm.leads.removeFromCampaign({ LeadID, CampaignID })
    const undo = await undoing(LeadID, 'lead.removed_from_campaign')
    befall('drop-before=1x:POST')
    expect(await codeOf(undo())).toBe('outcome_unknown')
    await behind.write(1, (writer) => writer.create('Membership', { MembershipID: `${LeadID}:${CampaignID}`, LeadID, CampaignID }))
    expect(await told(undo)).toBe('ok')
    expect(await lines(LeadID, 'lead.added_to_campaign')).toBe(2)
  })
})
