import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead, BOAT, engine, JAM } from './records.ts'

export const ownership = theme('ownership', [
  behaviour('a record can be given to a user the caller may see', async (context) => {
    const boss = await context.as({ role: 'manager' })
    const member = await context.as({ manager: boss.userId })
    const { LeadID } = await boss.crm.leads.create(ADA)
    const given = await boss.crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: member.userId } })
    assert.deepEqual([given.OwnerID, given.UpdatedFields], [member.userId, ['OwnerID']])
    assert.equal((await member.crm.leads.get({ LeadID })).OwnerID, member.userId)
    const { OpportunityID } = await member.crm.opportunities.create(engine(context))
    assert.equal((await boss.crm.opportunities.update({ OpportunityID, FieldsToUpdate: { OwnerID: boss.userId } })).OwnerID, boss.userId)
    await context.refused(member.crm.opportunities.get({ OpportunityID }), 'not_found')
    const { CaseID } = await member.crm.cases.create(JAM)
    assert.equal((await context.crm.cases.update({ CaseID, FieldsToUpdate: { OwnerID: boss.userId } })).OwnerID, boss.userId)
    const { ObjectID } = await boss.crm.customObjects.create({ ObjectName: context.boats, Fields: BOAT })
    const boat = await boss.crm.customObjects.update({ ObjectID, FieldsToUpdate: { OwnerID: member.userId, Harbour: 'Lübeck' } })
    assert.deepEqual([boat.OwnerID, boat.Values.Harbour, boat.UpdatedFields.toSorted()], [member.userId, 'Lübeck', ['Harbour', 'OwnerID']])
  }),

  behaviour('a record cannot be given to a user the caller may not see, or to nobody', async (context) => {
    const boss = await context.as({ role: 'manager' })
    const member = await context.as({ manager: boss.userId })
    const outsider = await context.as({ by: context.other })
    const { LeadID } = await member.crm.leads.create(ADA)
    const absent = await absentLead(context)
    const errors: string[] = []
    for (const OwnerID of [boss.userId, outsider.userId, absent]) {
      const error = await context.refused(member.crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID } }), 'not_found')
      errors.push(JSON.stringify([error.message, error.hint, error.errors]).replaceAll(OwnerID, 'ID'))
    }
    assert.equal(new Set(errors).size, 1)
    await context.refused(context.crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: outsider.userId } }), 'not_found')
    assert.equal((await member.crm.leads.get({ LeadID })).OwnerID, member.userId)
  }),

  behaviour('a member sees their own records alone, even when someone reports to them', async ({ as, refused }) => {
    const senior = await as()
    const junior = await as({ manager: senior.userId })
    const { LeadID } = await junior.crm.leads.create(ADA)
    await refused(senior.crm.leads.get({ LeadID }), 'not_found')
    assert.equal((await senior.crm.leads.getSummary({})).Total, 0)
  }),

  behaviour('a user whose manager changes is seen by the new one and no longer by the old one, at once', async ({ crm, as, refused }) => {
    const [before, after] = [await as({ role: 'manager' }), await as({ role: 'manager' })]
    const middle = await as({ role: 'manager', manager: before.userId })
    const member = await as({ manager: middle.userId })
    const { LeadID } = await member.crm.leads.create(ADA)
    assert.equal((await before.crm.leads.get({ LeadID })).LeadID, LeadID)
    await refused(after.crm.leads.get({ LeadID }), 'not_found')

    await crm.users.update({ UserID: middle.userId, FieldsToUpdate: { ManagerID: after.userId } })
    assert.equal((await after.crm.leads.get({ LeadID })).LeadID, LeadID)
    await refused(before.crm.leads.get({ LeadID }), 'not_found')
    assert.deepEqual([(await before.crm.leads.getSummary({})).Total, (await after.crm.leads.getSummary({})).Total], [0, 1])

    await crm.users.update({ UserID: middle.userId, FieldsToUpdate: { ManagerID: null } })
    await refused(after.crm.leads.get({ LeadID }), 'not_found')
    assert.equal((await middle.crm.leads.getMany({})).Records.length, 1)
  }),

  behaviour('a new role counts at once', async ({ crm, as, refused }) => {
    const boss = await as({ role: 'manager' })
    const member = await as({ manager: boss.userId })
    const { LeadID } = await member.crm.leads.create(ADA)
    await crm.users.update({ UserID: boss.userId, FieldsToUpdate: { Role: 'member' } })
    await refused(boss.crm.leads.get({ LeadID }), 'not_found')
    await crm.users.update({ UserID: boss.userId, FieldsToUpdate: { Role: 'admin' } })
    assert.equal((await boss.crm.leads.get({ LeadID })).LeadID, LeadID)
    await crm.users.update({ UserID: boss.userId, FieldsToUpdate: { Role: 'manager' } })
    assert.deepEqual(
      (await boss.crm.leads.getMany({})).Records.map((lead) => lead.LeadID),
      [LeadID],
    )
  }),

  behaviour('the records of someone who has left stay with those above', async ({ crm, as }) => {
    const boss = await as({ role: 'manager' })
    const member = await as({ manager: boss.userId })
    const { LeadID } = await member.crm.leads.create(ADA)
    await crm.users.update({ UserID: member.userId, FieldsToUpdate: { Active: false } })
    assert.equal((await boss.crm.leads.get({ LeadID })).OwnerID, member.userId)
    assert.equal((await boss.crm.leads.update({ LeadID, FieldsToUpdate: { OwnerID: boss.userId } })).OwnerID, boss.userId)
  }),
])
