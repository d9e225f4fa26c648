import { startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { expect, onTestFinished, test } from 'vitest'
import { ESPOCRM } from '../../../support/crms/espocrm.ts'
import { operationsOver } from '../../../support/plain-server.ts'

async function opened() {
  const simulator = await startSimulator(simulateEspoCrm)
  const { crm } = await operationsOver(ESPOCRM.kind, simulator.url, { apiKey: 'simulator' })
  onTestFinished(() => simulator.close())
  return crm
}

test('records refer to companies and contacts, and are shown and filtered with them', async () => {
  const crm = await opened()
  const { CompanyID } = await crm.companies.create({ CompanyName: 'Engines', Industry: 'Manufacturing' })
  const { ContactID } = await crm.contacts.create({ LastName: 'Babbage', CompanyID, Title: 'Director' })
  await crm.cases.create({ Subject: 'Jam', Description: 'A card sticks.', CompanyID, ContactID, Priority: 'High' })
  await crm.cases.create({ Subject: 'Smoke', Description: 'It burns.' })
  const { Records } = await crm.cases.getMany({ Filters: { 'Company.Industry': 'Manufacturing' } as never, Include: ['Company', 'Contact'] as never })
  expect(Records).toMatchObject([{ Subject: 'Jam', Company: { CompanyName: 'Engines' }, Contact: { LastName: 'Babbage', Title: 'Director' } }])
  const either = await crm.cases.getMany({ Filters: { any: [{ Priority: 'High' }, { Subject: { startsWith: 'Sm' } }], not: { CompanyID: null } } as never })
  expect(either.Records.map(({ Subject }) => Subject)).toEqual(['Jam'])
  await crm.companies.delete({ CompanyID })
  expect(await crm.contacts.get({ ContactID })).toMatchObject({ CompanyID: null, Title: null })
})

test('a hundred equal upserts at once leave one record', async () => {
  const crm = await opened()
  const answers = await Promise.all(Array.from({ length: 100 }, () => crm.leads.upsert({ ExternalID: 'A-1', FirstName: 'Ada', LastName: 'Lovelace' })))
  expect(new Set(answers.map(({ LeadID }) => LeadID)).size).toBe(1)
  expect(answers.filter(({ Created }) => Created)).toHaveLength(1)
  expect((await crm.leads.getMany({})).Records).toHaveLength(1)
})

test('a lead is found by a search, converted, and found as what it has become', async () => {
  const crm = await opened()
  const { LeadID } = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace', Company: 'Engines', Email: 'ada@engines.example' })
  expect(await crm.search({ Text: 'lovel' })).toMatchObject({ Records: [{ RecordType: 'Lead', Record: { LeadID } }] })
  const made = await crm.leads.convert({ LeadID, Opportunity: { OpportunityName: 'Mill', Stage: 'Prospecting', CloseDate: '2026-12-31' } })
  expect(await crm.opportunities.get({ OpportunityID: made.OpportunityID as string })).toMatchObject({ CompanyID: made.CompanyID, ContactID: made.ContactID })
  const { Records } = await crm.search({ Text: 'engines' })
  expect(Records.map(({ RecordType }) => RecordType).sort()).toEqual(['Company', 'Contact', 'Lead'])
  await expect(crm.leads.convert({ LeadID })).rejects.toMatchObject({ code: 'conflict' })
})
