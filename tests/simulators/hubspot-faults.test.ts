import { Client } from '@hubspot/api-client'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { afterEach, beforeEach, expect, test } from 'vitest'

let simulator: Simulator

beforeEach(async () => {
  simulator = await startSimulator(simulateHubSpot)
})
afterEach(() => simulator.close())

async function call(method: string, path: string, body?: unknown, token = 'simulator') {
  const answer = await fetch(simulator.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

const DEALS = '/crm/v3/objects/deals'
const create = (dealname: string) => call('POST', DEALS, { properties: { dealname } })
const search = (body: object = {}) => call('POST', `${DEALS}/search`, body)

test('too many calls in ten seconds, and too many searches in one', async () => {
  simulator.faults.add('rate-limit=2x')
  const refused = await call('GET', DEALS)
  expect(refused.status).toBe(429)
  expect(refused.body).toMatchObject({
    status: 'error',
    errorType: 'RATE_LIMIT',
    policyName: 'TEN_SECONDLY_ROLLING',
    message: 'You have reached your ten_secondly_rolling limit.',
  })
  expect(refused.body).not.toHaveProperty('category')
  expect(refused.headers.get('retry-after')).toBeNull()
  expect((await search()).body).toMatchObject({ policyName: 'SECONDLY', message: 'You have reached your secondly limit.' })
  expect((await call('GET', DEALS)).status).toBe(200)
})

test('the client of HubSpot waits for a search that came too early and tries again', async () => {
  const client = new Client({ accessToken: 'simulator', basePath: simulator.url, numberOfApiCallRetries: 2 })
  simulator.faults.add('rate-limit=1x')
  expect(await client.crm.deals.searchApi.doSearch({ limit: 1 })).toMatchObject({ total: 0 })
})

test('the day is used up from when it is limited, without sign-ins, until the next one begins', async () => {
  const left = ({ headers }: { readonly headers: Headers }) => ['daily', 'daily-remaining'].map((name) => headers.get(`x-hubspot-ratelimit-${name}`))
  await call('GET', DEALS)
  simulator.faults.add('daily-quota=2')
  await fetch(`${simulator.url}/oauth/v1/token`, { method: 'POST' })
  expect(left(await call('GET', DEALS))).toEqual(['2', '1'])
  expect((await call('GET', '/account-info/v3/api-usage/daily/private-apps')).body.results).toMatchObject([{ usageLimit: 2, currentUsage: 2 }])
  const refused = await call('GET', DEALS)
  expect(refused.body).toMatchObject({ policyName: 'DAILY', message: 'You have reached your daily limit.', errorType: 'RATE_LIMIT' })
  expect(left(refused)).toEqual(['2', '0'])
  simulator.advance(86_400_000)
  expect(left(await call('GET', DEALS))).toEqual(['2', '1'])
})

test('an error before anything is done, and one after', async () => {
  simulator.faults.add('error=1x')
  expect(await create('before')).toMatchObject({ status: 500, body: { status: 'error', message: 'internal error' } })
  expect((await search()).body.total).toBe(0)
  simulator.faults.add('error-after=1x')
  expect((await create('after')).status).toBe(500)
  expect((await search()).body.total).toBe(1)
})

test('a connection is dropped before anything is done, or after', async () => {
  simulator.faults.add('drop-before=1x')
  await expect(create('before')).rejects.toThrow()
  expect((await search()).body.total).toBe(0)
  simulator.faults.add('drop-after=1x')
  await expect(create('after')).rejects.toThrow()
  expect((await search()).body.total).toBe(1)
})

test('a body is cut off', async () => {
  simulator.faults.add('malformed=1x')
  await expect(call('GET', DEALS)).rejects.toThrow(SyntaxError)
})

test('a slow answer', async () => {
  simulator.faults.add('slow=150ms')
  const began = performance.now()
  await call('GET', DEALS)
  expect(performance.now() - began).toBeGreaterThanOrEqual(145)
})

test('an access token that has expired is of no use any more, and a new one is', async () => {
  const renew = () =>
    fetch(`${simulator.url}/oauth/v1/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'simulator', client_secret: 'simulator', refresh_token: 'simulator' }),
    })
  const { access_token: token, expires_in } = (await (await renew()).json()) as { access_token: string; expires_in: number }
  expect(expires_in).toBe(1800)
  expect((await call('GET', DEALS, undefined, token)).status).toBe(200)
  simulator.faults.add('expired-session=1x')
  for (const _ of [1, 2]) expect(await call('GET', DEALS, undefined, token)).toMatchObject({ status: 401, body: { category: 'EXPIRED_AUTHENTICATION' } })
  const { access_token: another } = (await (await renew()).json()) as { access_token: string }
  expect((await call('GET', DEALS, undefined, another)).status).toBe(200)
})

test('the token of a private app is refused once and good again', async () => {
  simulator.faults.add('expired-session=1x')
  expect((await call('GET', DEALS)).body.category).toBe('EXPIRED_AUTHENTICATION')
  expect((await call('GET', DEALS)).status).toBe(200)
})

test('a lock holds writes up, and reads go through', async () => {
  simulator.faults.add('lock-row=1')
  expect((await create('x')).status).toBe(423)
  expect((await call('GET', DEALS)).status).toBe(200)
  expect((await search()).status).toBe(200)
  expect((await call('POST', `${DEALS}/batch/read`, { inputs: [{ id: '1' }], properties: [] })).status).not.toBe(423)
})

test('a cursor that is no longer known is refused, and the first page is not', async () => {
  for (const name of ['a', 'b', 'c']) await create(name)
  const { body } = await call('GET', `${DEALS}?limit=1`)
  simulator.faults.add('stale-cursor=1')
  expect((await call('GET', `${DEALS}?limit=1`)).status).toBe(200)
  expect(await call('GET', `${DEALS}?limit=1&after=${body.paging.next.after}`)).toMatchObject({ status: 400, body: { category: 'VALIDATION_ERROR' } })
  expect((await search({ limit: 1, after: '0' })).status).toBe(200)
  expect((await search({ limit: 1, after: '1' })).status).toBe(400)
})

test('a hidden property is not read, not listed, not searched and not written', async () => {
  const { body: deal } = await call('POST', DEALS, { properties: { dealname: 'x', amount: '5' } })
  simulator.faults.add('field-security=Deal.Amount')
  expect((await call('GET', `${DEALS}/${deal.id}?properties=dealname,amount`)).body.properties).not.toHaveProperty('amount')
  expect((await call('GET', '/crm/v3/properties/deals/amount')).status).toBe(404)
  expect((await call('GET', '/crm/v3/properties/deals')).body.results.map(({ name }: { name: string }) => name)).not.toContain('amount')
  expect((await search({ filterGroups: [{ filters: [{ propertyName: 'amount', operator: 'EQ', value: '5' }] }] })).status).toBe(400)
  expect(await call('PATCH', `${DEALS}/${deal.id}`, { properties: { amount: '6' } })).toMatchObject({ status: 403, body: { category: 'MISSING_SCOPES' } })
  expect((await call('PATCH', `${DEALS}/${deal.id}`, { properties: { dealname: 'y' } })).body.properties).not.toHaveProperty('amount')
  simulator.faults.clear()
  expect((await call('GET', `${DEALS}/${deal.id}`)).body.properties.amount).toBe('5')
})

test('a search learns of a creation, a change and an end only later; everything else at once', async () => {
  const names = async () => (await search()).body.results.map(({ properties }: { properties: { dealname: string } }) => properties.dealname)
  simulator.faults.add('index-lag=2000')
  const { body: deal } = await create('first')
  expect(await names()).toEqual([])
  expect((await call('GET', `${DEALS}/${deal.id}`)).status).toBe(200)
  expect((await call('GET', DEALS)).body.results).toHaveLength(1)
  expect((await call('POST', `${DEALS}/batch/read`, { inputs: [{ id: deal.id }], properties: [] })).body.results).toHaveLength(1)
  simulator.advance(2500)
  expect(await names()).toEqual(['first'])

  await call('PATCH', `${DEALS}/${deal.id}`, { properties: { dealname: 'second' } })
  expect(await names()).toEqual(['first'])
  simulator.advance(2500)
  expect(await names()).toEqual(['second'])

  await call('DELETE', `${DEALS}/${deal.id}`)
  expect(await names()).toEqual(['second'])
  expect((await call('GET', `${DEALS}/${deal.id}`)).status).toBe(404)
  simulator.advance(2500)
  expect(await names()).toEqual([])
})

test('without a lag a search sees everything at once', async () => {
  const { body: deal } = await create('first')
  expect((await search()).body.total).toBe(1)
  await call('DELETE', `${DEALS}/${deal.id}`)
  expect((await search()).body.total).toBe(0)
})

test('a reset forgets everything, and the state counts what there is', async () => {
  await create('first')
  expect(simulator.simulated.state()).toMatchObject({ records: { deals: 1, contacts: 0 }, owners: 1 })
  await fetch(`${simulator.url}/simulator/reset`, { method: 'POST' })
  expect(simulator.simulated.state()).toMatchObject({ records: { deals: 0 } })
})
