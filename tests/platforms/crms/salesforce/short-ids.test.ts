import { afterAll, beforeAll, expect, test } from 'vitest'
import { User } from '../../../../src/contract/records/user.ts'
import { isId, longId } from '../../../../src/platforms/crms/salesforce/ids.ts'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { overCrm } from '../../../support/crms.ts'

let over: Awaited<ReturnType<typeof overCrm>>
beforeAll(async () => {
  over = await overCrm(SALESFORCE)
})
afterAll(() => over.close())

const short = (id: string) => id.slice(0, 15)

test('the last three characters follow from the first fifteen', () => {
  for (const id of ['001dM00003kRs59QAC', '001dM00003jU9GxQAK', '701E0000000JuFHIA0', '012000000000000AAA']) {
    expect(longId(short(id))).toBe(id)
    expect(isId(longId(short(id)))).toBe(true)
  }
  for (const other of ['', 'x', '001dM00003kRs59QAC', '001dM00003kRs5!', '0k6v2m8q4d9x1c7b5n3t']) expect(longId(other)).toBe(other)
})

test('an id of fifteen characters is the record with the eighteen, wherever it is given', async () => {
  const crm = over.signIn(over.adminKey)
  const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Fair' })
  const lead = short(LeadID)
  expect(await crm.leads.get({ LeadID: lead })).toMatchObject({ LeadID })
  expect((await crm.leads.getMany({ Filters: { LeadID: lead } })).Records).toMatchObject([{ LeadID }])
  expect((await crm.leads.getMany({ Filters: { LeadID: { in: [lead] } } })).Records).toMatchObject([{ LeadID }])
  expect((await crm.leads.getMany({ Filters: { LeadID: { ne: lead } } })).Records).toEqual([])
  const { Revision } = await crm.leads.update({ LeadID: lead, FieldsToUpdate: { Phone: '1' } })
  expect(await crm.leads.addNote({ LeadID: lead, Note: 'Called' })).toMatchObject({ LeadID })
  expect(await crm.leads.addToCampaign({ LeadID: lead, CampaignID: short(CampaignID) })).toMatchObject({ LeadID, CampaignID })
  expect(await crm.leads.get({ LeadID: lead })).toMatchObject({ Notes: [{ Note: 'Called' }], Campaigns: [{ CampaignID }] })
  expect(await crm.leads.delete({ LeadID: lead, IfRevision: Revision })).toMatchObject({ LeadID, Deleted: true })
  await expect(crm.leads.get({ LeadID: lead })).rejects.toMatchObject({ code: 'not_found' })
})

test('changes of one record wait for each other, by whichever id it is called', async () => {
  const crm = over.signIn(over.adminKey)
  const { LeadID, Revision } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  const both = await Promise.allSettled(
    [LeadID, short(LeadID)].map((id) => crm.leads.update({ LeadID: id, FieldsToUpdate: { Phone: id }, IfRevision: Revision })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a user with a short PlatformUserID owns what the long one owns', async () => {
  const crm = over.signIn(over.adminKey)
  const platformId = (await over.makePlatformUser?.('first')) as string
  const user = await crm.users.create({ Name: 'Grace', PlatformUserID: short(platformId) })
  expect(user.PlatformUserID).toBe(platformId)
  // As an earlier version has stored it.
  await over.service.store.write(1, (writer) => writer.update(User.name, user.UserID, { PlatformUserID: short(platformId) }))
  const { Key } = await crm.keys.create({ UserID: user.UserID, Scopes: ['read', 'write'] })
  const grace = over.signIn(Key)
  const { LeadID, OwnerID } = await grace.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  expect(OwnerID).toBe(user.UserID)
  expect((await grace.leads.getMany({})).Records).toMatchObject([{ LeadID, OwnerID: user.UserID }])
})
