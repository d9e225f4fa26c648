import type { Simulate } from 'crm-simulators'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SALESFORCE } from '../../../support/crms/salesforce.ts'
import { overCrm } from '../../../support/crms.ts'

let over: Awaited<ReturnType<typeof overCrm>>
let used = 0
beforeAll(async () => {
  const simulate: Simulate = (world) => {
    const simulated = SALESFORCE.simulate(world)
    return {
      ...simulated,
      async answer(request) {
        const answer = await simulated.answer(request)
        // Salesforce says so of every request that counts.
        if (answer?.headers?.['sforce-limit-info'] !== undefined) used++
        return answer
      },
    }
  }
  over = await overCrm({ ...SALESFORCE, simulate })
})
afterAll(() => over.close())

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** How many requests of the account's quota something costs. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = used
  await work()
  return used - before
}

test('operations cost what the documentation says', async () => {
  const crm = over.signIn(over.adminKey)
  const { LeadID } = await crm.leads.create(ADA)
  const { CampaignID } = await crm.campaigns.create({ CampaignName: 'Fair' })
  const boat = { ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 7 } } } as never
  await crm.customObjects.create(boat)
  const leads = Array.from({ length: 100 }, () => ({ Operation: 'create_a_lead', Input: ADA }))
  const costs = {
    create: await cost(() => crm.leads.create(ADA)),
    get: await cost(() => crm.leads.get({ LeadID })),
    getMany: await cost(() => crm.leads.getMany({})),
    update: await cost(() => crm.leads.update({ LeadID, FieldsToUpdate: { Phone: '1' } })),
    addNote: await cost(() => crm.leads.addNote({ LeadID, Note: 'Called' })),
    addToCampaign: await cost(() => crm.leads.addToCampaign({ LeadID, CampaignID })),
    summary: await cost(() => crm.leads.getSummary({})),
    dealSummary: await cost(() => crm.opportunities.getSummary({})),
    delete: await cost(() => crm.leads.delete({ LeadID })),
    hundred: await cost(() => crm.batch({ Operations: leads })),
    custom: await cost(() => crm.customObjects.create(boat)),
    getCustom: await cost(() => crm.customObjects.getMany({ Filters: { ObjectName: 'Boat' } })),
  }
  expect(costs).toEqual({
    create: 2,
    get: 3,
    getMany: 1,
    update: 3,
    addNote: 3,
    addToCampaign: 5,
    summary: 4,
    dealSummary: 6,
    delete: 2,
    hundred: 2,
    custom: 2,
    getCustom: 1,
  })
})
