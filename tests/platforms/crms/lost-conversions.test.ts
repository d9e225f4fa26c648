import { expect, onTestFinished, test } from 'vitest'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { overCrm } from '../../support/crms.ts'

test.each([
  ['EspoCRM', ESPOCRM, 'POST /api/v1/Lead/action/convert'],
  ['Salesforce', SALESFORCE, 'POST /services/Soap/u'],
  ['HubSpot', HUBSPOT, 'POST /crm/objects/2026-03/companies'],
  ['HubSpot', HUBSPOT, 'POST /crm/objects/2026-03/deals'],
] as const)('a conversion whose answer %s loses is reported by the next call with its key', async (_, crm, request) => {
  const { close, adminKey, signIn, simulator } = await overCrm(crm, { settleMs: 100 })
  onTestFinished(close)
  const client = signIn(adminKey)
  const { LeadID } = await client.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Company: 'Engines' })
  simulator.faults.add(`drop-after=1x:${request}`)
  const Opportunity = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31' }
  const convert = () => client.leads.convert({ LeadID, Opportunity }, { idempotencyKey: 'once' })
  const first = await convert().catch((error: { code: string }) => error.code)
  expect(simulator.faults.happened).toBe(1)
  await expect.poll(() => convert().catch(() => undefined), { interval: 100 }).toBeDefined()
  const { CompanyID, ContactID, OpportunityID } = typeof first === 'string' ? await convert() : first
  expect((await client.companies.getMany({})).Records.map((one) => one.CompanyID)).toEqual([CompanyID])
  expect((await client.opportunities.getMany({})).Records.map((one) => one.OpportunityID)).toEqual([OpportunityID])
  expect((await client.contacts.getMany({})).Records.map((one) => one.ContactID)).toEqual([ContactID])
})
