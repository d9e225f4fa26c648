import type { Simulate, WireRequest } from 'crm-simulators'
import { expect, onTestFinished, test } from 'vitest'
import { HUBSPOT } from '../../support/crms/hubspot.ts'
import { SALESFORCE } from '../../support/crms/salesforce.ts'
import { type Crm, overCrm } from '../../support/crms.ts'

/** The CRM with another client that creates a record just before ours is created. */
function withTwin(crm: Crm, isCreate: (request: WireRequest) => boolean, twin: Pick<WireRequest, 'path' | 'body'>): Crm {
  const simulate: Simulate = (world) => {
    const simulated = crm.simulate(world)
    let pending = true
    return {
      ...simulated,
      async answer(request) {
        if (pending && isCreate(request)) {
          pending = false
          await simulated.answer({ ...request, ...twin })
        }
        return simulated.answer(request)
      },
    }
  }
  return { ...crm, simulate }
}

async function opened(crm: Crm) {
  const { close, adminKey, signIn, simulator } = await overCrm(crm)
  onTestFinished(close)
  return { crm: signIn(adminKey), simulator }
}

/** An account whose administrator keeps external ids unique. */
const UNIQUE: Crm = {
  ...SALESFORCE,
  kind: {
    ...SALESFORCE.kind,
    async open(opening) {
      const headers = { 'content-type': 'application/json', ...(await SALESFORCE.headers(opening.address)) }
      const Metadata = { label: 'External id', type: 'Text', length: 40, unique: true, externalId: true }
      const body = JSON.stringify({ FullName: 'Lead.ExternalID__c', Metadata })
      const answer = await fetch(`${opening.address}/services/data/v62.0/tooling/sobjects/CustomField`, { method: 'POST', headers, body })
      expect(answer.status).toBe(201)
      return SALESFORCE.kind.open(opening)
    },
  },
}

test('a record that another client creates meanwhile is updated, where Salesforce keeps the value unique', async () => {
  const twin = { path: '/services/data/v62.0/sobjects/Lead', body: JSON.stringify({ LastName: 'Byron', Company: 'Poems', ExternalID__c: 'A-1' }) }
  const isCreate = ({ method, body }: WireRequest) => method === 'POST' && body.includes('A-1') && body.includes('Lovelace')
  const { crm } = await opened(withTwin(UNIQUE, isCreate, twin))
  const upserted = await crm.leads.upsert({ ExternalID: 'A-1', FirstName: 'Ada', LastName: 'Lovelace' })
  expect(upserted).toMatchObject({ Created: false, ExternalID: 'A-1', LastName: 'Lovelace', Company: 'Poems' })
  expect((await crm.leads.getMany({})).Records).toHaveLength(1)
  const [change] = (await crm.changes.getMany({ Filters: { RecordID: upserted.LeadID } })).Records
  expect(change).toMatchObject({ EventType: 'lead.updated', Before: { LastName: 'Byron' }, After: { LastName: 'Lovelace' } })
})

test('a record that another client creates meanwhile is updated, where HubSpot keeps the value unique', async () => {
  const twin = { path: '/crm/objects/2026-03/companies', body: JSON.stringify({ properties: { name: 'Poems', external_id: 'A-1' } }) }
  const isCreate = ({ method, path, body }: WireRequest) =>
    method === 'POST' && path.includes('companies') && !path.includes('read') && body.includes('Engines')
  const { crm } = await opened(withTwin(HUBSPOT, isCreate, twin))
  const upserted = await crm.companies.upsert({ ExternalID: 'A-1', CompanyName: 'Engines' })
  expect(upserted).toMatchObject({ Created: false, ExternalID: 'A-1', CompanyName: 'Engines' })
  expect((await crm.companies.upsert({ ExternalID: 'A-1', CompanyName: 'Engines' })).CompanyID).toBe(upserted.CompanyID)
})

test('what HubSpot keeps unique is found before its search knows it', async () => {
  const { crm, simulator } = await opened({ ...HUBSPOT, options: { ...HUBSPOT.options, lag: '60000' } })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer simulator' }
  const body = JSON.stringify({ properties: { name: 'Poems', external_id: 'A-1' } })
  const made = (await (await fetch(`${simulator.url}/crm/objects/2026-03/companies`, { method: 'POST', headers, body })).json()) as { id: string }
  expect(await crm.companies.upsert({ ExternalID: 'A-1', CompanyName: 'Engines' })).toMatchObject({ Created: false, CompanyID: made.id })
})

test('equal upserts leave one record, however a CRM writes the value that they match by', async () => {
  const { crm } = await opened(HUBSPOT)
  const upsert = () => crm.leads.upsert({ Email: 'Ada.King@Example.com', FirstName: 'Ada', LastName: 'King', MatchBy: ['Email'] })
  const [first, second] = [await upsert(), await upsert()]
  expect([first.Created, second.Created, second.LeadID]).toEqual([true, false, first.LeadID])
})
