import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'
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

test('every search that a parameter names is there', () => {
  const named = [...JSON.stringify(node.description.properties).matchAll(/"searchListMethod":"(\w+)"/g)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set(Object.keys(listSearch)))
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
