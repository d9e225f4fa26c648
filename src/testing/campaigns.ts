import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead, filledIn, GRACE } from './records.ts'

export const campaigns = theme('campaigns', [
  behaviour('a new campaign answers with the whole record and is Planned by default', async (context) => {
    const { as, described, lacks, refused, unique, values } = context
    const { crm, userId } = await as()
    const CampaignName = unique('Fair')
    const fair = await crm.campaigns.create({ CampaignName })
    const { CampaignID, CreatedDate, UpdatedDate, Revision } = fair
    const filled = await filledIn({ ...context, crm }, 'create_campaign', { CampaignName: unique('Fair') }, fair)
    const staged = described('Campaign', 'Status').Writable
    const OwnerID = lacks('native campaigns') ? fair.OwnerID : userId
    assert.deepEqual({ ...fair }, { ...filled, CampaignID, CampaignName, Status: staged ? 'Planned' : null, OwnerID, CreatedDate, UpdatedDate, Revision })
    const namesake = crm.campaigns.create({ CampaignName })
    if (lacks('native campaigns')) await refused(namesake, 'platform_rejected')
    else assert.equal((await namesake).CampaignName, CampaignName)
    assert.equal((await crm.campaigns.getMany({ Filters: { CampaignName } })).Records.length, lacks('native campaigns') ? 1 : 2)
    const Status = values.campaignStatuses[1]
    const second = crm.campaigns.create({ CampaignName: unique('Fair'), Status })
    if (staged) assert.equal((await second).Status, Status)
    else await refused(second, 'unsupported', { field: 'Status' })
  }),

  behaviour('campaigns belong to the whole workspace and to no other', async ({ crm, as, other, unique, refused }) => {
    const [maker, member] = [await as(), await as()]
    const CampaignName = unique('Fair')
    const fair = await maker.crm.campaigns.create({ CampaignName })
    for (const someone of [member.crm, crm]) assert.deepEqual((await someone.campaigns.getMany({ Filters: { CampaignName } })).Records, [fair])
    assert.deepEqual((await other.campaigns.getMany({ Filters: { CampaignName } })).Records, [])
    const { LeadID } = await other.leads.create(ADA)
    await refused(other.leads.addToCampaign({ LeadID, CampaignID: fair.CampaignID }), 'not_found')
    const { LeadID: mine } = await member.crm.leads.create(ADA)
    assert.equal((await member.crm.leads.addToCampaign({ LeadID: mine, CampaignID: fair.CampaignID })).CampaignID, fair.CampaignID)
  }),

  behaviour('adding a lead twice changes nothing and answers with the membership that exists', async ({ crm, unique }) => {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    const first = await crm.leads.addToCampaign({ LeadID, CampaignID })
    assert.deepEqual({ ...first }, { LeadID, CampaignID, Status: first.Status, ExternalID: null, CreatedDate: first.CreatedDate })
    assert.deepEqual(await crm.leads.addToCampaign({ LeadID, CampaignID }), first)
    assert.deepEqual((await crm.leads.get({ LeadID })).Campaigns, [first])
  }),

  behaviour('a lead added many times at once has one membership', async ({ crm, unique }) => {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    const answers = await Promise.all(Array.from({ length: 5 }, () => crm.leads.addToCampaign({ LeadID, CampaignID })))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal((await crm.leads.get({ LeadID })).Campaigns.length, 1)
  }),

  behaviour('a lead shows its campaigns newest first, and only its own', async ({ crm, unique }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const grace = await crm.leads.create(GRACE)
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      const { CampaignID } = await crm.campaigns.create({ CampaignName: unique(name) })
      await crm.leads.addToCampaign({ LeadID, CampaignID })
      ids.unshift(CampaignID)
    }
    const [newest = ''] = ids
    await crm.leads.addToCampaign({ LeadID: grace.LeadID, CampaignID: newest })
    assert.deepEqual(
      (await crm.leads.get({ LeadID })).Campaigns.map(({ CampaignID }) => CampaignID),
      ids,
    )
    assert.deepEqual(
      (await crm.leads.get({ LeadID: grace.LeadID })).Campaigns.map(({ CampaignID }) => CampaignID),
      [newest],
    )
  }),

  behaviour('a lead taken out of a campaign is out, and a second time is not found', async ({ crm, unique, refused }) => {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    assert.deepEqual({ ...(await crm.leads.removeFromCampaign({ LeadID, CampaignID })) }, { LeadID, CampaignID, Deleted: true })
    assert.deepEqual((await crm.leads.get({ LeadID })).Campaigns, [])
    await refused(crm.leads.removeFromCampaign({ LeadID, CampaignID }), 'not_found')
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    assert.equal((await crm.leads.get({ LeadID })).Campaigns.length, 1)
  }),

  behaviour('an unknown campaign is not found, with the hint how to make one', async (context) => {
    const { LeadID } = await context.crm.leads.create(ADA)
    const error = await context.refused(context.crm.leads.addToCampaign({ LeadID, CampaignID: await absentLead(context) }), 'not_found')
    assert.match(error.hint ?? '', /create_campaign/)
    const { CampaignID } = await context.crm.campaigns.create({ CampaignName: context.unique('Fair') })
    await context.refused(context.crm.leads.addToCampaign({ LeadID: await absentLead(context), CampaignID }), 'not_found')
    await context.refused(context.crm.call('add_leads_to_campaign', { LeadID }), 'invalid_input', { field: 'CampaignID', code: 'missing' })
  }),

  behaviour('a deleted lead leaves its campaigns', async ({ crm, unique, refused }) => {
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const { LeadID } = await crm.leads.create(ADA)
    await crm.leads.addToCampaign({ LeadID, CampaignID })
    await crm.leads.delete({ LeadID })
    await refused(crm.leads.removeFromCampaign({ LeadID, CampaignID }), 'not_found')
  }),
])
