import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverForTest, startServer, type TestServer } from '../support/server.ts'
import { deliver } from './deliver.ts'
import { listFunctions } from './host.ts'
import { loadNodes } from './nodes.ts'

const { CrmConnector, CrmConnectorApi } = await loadNodes()
const node = new CrmConnector()
const { listSearch, loadOptions } = node.methods

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (let index = 0; index < 120; index++) await server.call('create_campaign', { CampaignName: `Fair ${String(index).padStart(3, '0')}` })
  await server.call('create_user', { Name: 'Grace Hopper' })
  await server.call('create_custom_object', { ObjectName: 'Boat', Fields: { HullLength: { Type: 'Number', Label: 'Hull length' } } })
})
afterAll(() => server.close())

const search = (name: string, filter?: string, token?: string, parameters = {}) =>
  (listSearch[name] ?? (() => Promise.reject(new Error(`no ${name}`)))).call(listFunctions(server, parameters), filter, token)

test('campaigns are listed page by page, and searched by name', async () => {
  const first = await search('searchCampaigns')
  const second = await search('searchCampaigns', undefined, first.paginationToken)
  expect([...first.results, ...second.results].map(({ name }) => name)).toEqual(
    Array.from({ length: 120 }, (_, index) => `Fair ${String(index).padStart(3, '0')}`),
  )
  expect(second.paginationToken).toBeUndefined()
  expect((await search('searchCampaigns', 'FAIR 11')).results).toHaveLength(10)
})

test('users, objects, fields and choices are listed', async () => {
  expect((await search('searchUsers', 'grace')).results).toMatchObject([{ name: 'Grace Hopper', value: expect.any(String) }])
  expect((await search('searchObjects')).results).toEqual([{ name: 'Boat', value: 'Boat' }])
  expect((await search('searchOpportunityStage', 'won')).results).toEqual([{ name: 'Closed Won', value: 'Closed Won' }])
  expect((await search('searchFields', 'hull', undefined, { resource: 'customObject', operation: 'update' })).results).toEqual([
    { name: 'Hull length (HullLength)', value: 'HullLength' },
  ])
  const settable = await search('searchOtherFields', undefined, undefined, { resource: 'customObject', operation: 'update' })
  expect(settable.results).toEqual([{ name: 'Hull length (HullLength)', value: 'HullLength' }])
  expect((await search('searchOtherFields', undefined, undefined, { resource: 'lead', operation: 'update' })).results).toEqual([])
  const fields = await loadOptions.getFields.call(listFunctions(server, { resource: 'lead', operation: 'getMany' }))
  expect(fields.map(({ value }) => value)).toContain('Email')
})

test('records are picked by what they are called, in any order of words', async () => {
  const { LeadID } = (await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' })) as { LeadID: string }
  await server.call('create_case', { Subject: 'Engine stuck', Description: 'It does not turn.' })
  const ada = { name: 'Ada Lovelace', value: LeadID }
  expect((await search('searchLeads')).results).toEqual([ada])
  expect((await search('searchLeads', 'lovel ada')).results).toEqual([ada])
  expect((await search('searchLeads', 'Babbage')).results).toEqual([])
  expect((await search('searchCases', 'stuck')).results).toMatchObject([{ name: 'Engine stuck' }])
  expect((await search('searchRecords', 'ada@example.com')).results).toEqual([{ name: 'Ada Lovelace (Lead)', value: LeadID }])
  expect((await search('searchRecords', 'ada', undefined, { RecordType: 'Contact' })).results).toEqual([])
  expect((await search('searchRecords')).results).toEqual([])
  const boat = (await server.call('create_custom_object', {
    ObjectName: 'Boat',
    Fields: { Keel: { Type: 'String', Label: 'Keel', Value: 'Oak and iron' } },
  })) as {
    ObjectID: string
  }
  expect((await search('searchCustomObjects', 'oak')).results).toEqual([{ name: 'Oak and iron', value: boat.ObjectID }])
})

test('batches are listed once each, the newest first, and searched by operation', async () => {
  const batch = async (Operation: string, inputs: readonly object[]) => {
    const response = await fetch(`${server.url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ Operations: inputs.map((Input) => ({ Operation, Input })) }),
    })
    return ((await response.json()) as { BatchID: string }).BatchID
  }
  const leads = await batch(
    'create_a_lead',
    Array.from({ length: 3 }, (_, index) => ({ FirstName: 'Ida', LastName: `Batch ${index}` })),
  )
  const campaigns = await batch('create_campaign', [{ CampaignName: 'Batch' }])
  expect((await search('searchBatches')).results.map(({ value }) => value)).toEqual([campaigns, leads])
  expect((await search('searchBatches', 'lead')).results).toEqual([{ name: expect.stringMatching(/^create_a_lead at 20/), value: leads }])
  expect((await search('searchBatches', undefined, ` ${campaigns}`)).results).toMatchObject([{ value: leads }])
})

test('deliveries and attempts are listed of the chosen webhook', async () => {
  const failing = await serverForTest({ wrap: (service) => ({ ...service, webhooks: { ...service.webhooks, allowPrivate: true } }) })
  deliver(failing)
  const hook = async () => ((await failing.call('create_webhook', { URL: 'http://127.0.0.1:1/' })) as { WebhookID: string }).WebhookID
  const chosen = await hook()
  const { LeadID } = (await failing.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })) as { LeadID: string }
  const other = await hook()
  for (const name of ['getAttempts', 'getDeliveries'] as const) {
    const listed = (WebhookID: unknown) => loadOptions[name].call(listFunctions(failing, { WebhookID }))
    await expect
      .poll(() => listed({ __rl: true, mode: 'list', value: chosen }))
      .toContainEqual({ name: expect.stringContaining(`lead.created ${LeadID}`), value: expect.any(String) })
    expect((await listed(other)).filter(({ name: one }) => one.includes(LeadID))).toEqual([])
    expect(await listed('')).toEqual([])
  }
})

test('every list that a parameter names is there', () => {
  const named = (by: string) => new Set([...JSON.stringify(node.description.properties).matchAll(new RegExp(`"${by}":"(\\w+)"`, 'g'))].map(([, name]) => name))
  expect(named('searchListMethod')).toEqual(new Set(Object.keys(listSearch)))
  expect(named('loadOptionsMethod')).toEqual(new Set(Object.keys(loadOptions)))
})

/** Ids that this service cannot list: those of other systems. */
const FOREIGN = ['ExternalID', 'PlatformUserID']

test('every id is picked from a list, but those of other systems', () => {
  type Parameter = { readonly name?: string; readonly type?: string; readonly options?: readonly Parameter[] }
  const all = (parameters: readonly Parameter[]): Parameter[] => parameters.flatMap((one) => [one, ...all(one.options ?? [])])
  const typed = all(node.description.properties as readonly Parameter[]).filter(({ name = '', type }) => /IDs?$/.test(name) && type === 'string')
  expect(new Set(typed.map(({ name }) => name))).toEqual(new Set(FOREIGN))
})

test('the credentials send the key, and are tested by asking who it is', async () => {
  const { authenticate, test: tested, properties } = new CrmConnectorApi()
  expect(authenticate).toMatchObject({ properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } } })
  expect(properties.find(({ name }) => name === 'apiKey')?.typeOptions).toEqual({ password: true })
  const { url, method, body } = tested.request
  const response = await fetch(server.url + url, {
    method: method ?? 'GET',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([response.status, await response.json()]).toMatchObject([200, { Role: 'admin' }])
})
