import { Client } from '@hubspot/api-client'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const START = Date.parse('2026-03-12T10:00:00.500Z')

let simulator: Simulator
let client: Client

beforeEach(async () => {
  simulator = await startSimulator(simulateHubSpot, { clock: () => START })
  client = new Client({ accessToken: 'simulator', basePath: simulator.url })
})
afterEach(() => simulator.close())

async function administer(path: string, body: unknown) {
  const answer = await fetch(`${simulator.url}/simulator/${path}`, { method: 'POST', body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as { error?: string; accessToken?: string; userId?: number; archived?: boolean } }
}

const company = (name: string) => client.crm.companies.basicApi.create({ properties: { name }, associations: [] })
const rename = (id: string, name: string) => client.crm.companies.basicApi.update(id, { properties: { name } })
const archived = (id: string) => client.crm.companies.basicApi.getById(id, undefined, undefined, undefined, true)

async function found() {
  const { results } = await client.crm.companies.searchApi.doSearch({ sorts: ['hs_lastmodifieddate'], properties: ['name'], limit: 100 } as never)
  return results.map(({ id, updatedAt, properties }) => ({ id, name: properties.name, seconds: (updatedAt.getTime() - START) / 1000 }))
}
const foundNames = async () => (await found()).map(({ name }) => name)
const listedNames = async (isArchived = false) =>
  (await client.crm.companies.basicApi.getPage(100, undefined, ['name'], undefined, undefined, isArchived)).results.map(({ properties }) => properties.name)

describe('an archived record', () => {
  test('is listed and read apart, hidden from searches, and keeps its modified date', async () => {
    const [one] = [await company('one'), await company('two')]
    await simulator.advance(5000)
    await client.crm.companies.basicApi.archive(one.id)
    expect(await listedNames()).toEqual(['two'])
    expect(await listedNames(true)).toEqual(['one'])
    expect(await foundNames()).toEqual(['two'])
    const read = await archived(one.id)
    expect(read).toMatchObject({ archived: true, updatedAt: one.updatedAt })
    expect(read.archivedAt?.getTime()).toBe(START + 5000)
  })

  test('comes back from the recycle bin with the same id and modified date', async () => {
    const one = await company('one')
    await client.crm.companies.basicApi.archive(one.id)
    await simulator.advance(5000)
    expect(await administer('restore', { type: 'companies', id: one.id })).toMatchObject({ status: 200, body: { archived: false } })
    expect(await found()).toEqual([{ id: one.id, name: 'one', seconds: 0 }])
    expect(await listedNames(true)).toEqual([])
    expect(await administer('restore', { type: 'companies', id: one.id })).toMatchObject({ status: 400 })
    expect(await administer('restore', { type: 'boats', id: one.id })).toMatchObject({ status: 400 })
  })

  test('stays in the bin while another record has its email', async () => {
    const create = () => client.crm.contacts.basicApi.create({ properties: { email: 'ada@example.com' }, associations: [] })
    const one = await create()
    await client.crm.contacts.basicApi.archive(one.id)
    const two = await create()
    expect(await administer('restore', { type: 'contacts', id: one.id })).toMatchObject({ status: 400, body: { error: expect.stringContaining('email') } })
    await client.crm.contacts.basicApi.archive(two.id)
    expect(await administer('restore', { type: 'contacts', id: one.id })).toMatchObject({ status: 200 })
    expect((await client.crm.contacts.basicApi.getById('ada@example.com', undefined, undefined, undefined, undefined, 'email')).id).toBe(one.id)
  })
})

describe('a merge', () => {
  const merge = (primaryObjectId: string, objectIdToMerge: string) => client.crm.companies.basicApi.merge({ primaryObjectId, objectIdToMerge })
  const idBehind = async (id: string) => (await client.crm.companies.basicApi.getById(id)).id

  test('lets the id of the second lead to the first', async () => {
    const [one, two] = [await company('one'), await company('two')]
    await simulator.advance(5000)
    const merged = await merge(one.id, two.id)
    expect(merged).toMatchObject({ id: one.id, properties: { name: 'one', hs_merged_object_ids: two.id } })
    expect(await found()).toEqual([{ id: one.id, name: 'one', seconds: 5 }])
    expect(await idBehind(two.id)).toBe(one.id)
    expect(await archived(two.id)).toMatchObject({ id: two.id, archived: true, updatedAt: two.updatedAt })
    expect(await administer('restore', { type: 'companies', id: two.id })).toMatchObject({ status: 400 })
  })

  test('has a new id with the fault, to which all ids before it lead', async () => {
    simulator.faults.add('new-id')
    const [one, two, three] = [await company('one'), await company('two'), await company('three')]
    const contact = await client.crm.contacts.basicApi.create({ properties: { firstname: 'Ada' }, associations: [] })
    await client.crm.associations.v4.basicApi.createDefault('companies', two.id, 'contacts', contact.id)
    const first = await merge(one.id, two.id)
    const second = await merge(three.id, first.id)
    expect(new Set([one.id, two.id, three.id, first.id, second.id]).size).toBe(5)
    expect(second.properties).toMatchObject({ name: 'three', hs_merged_object_ids: [three.id, one.id, two.id, first.id].join(';') })
    for (const { id } of [one, two, three, first]) expect(await idBehind(id)).toBe(second.id)
    expect(await foundNames()).toEqual(['three'])
    expect(await listedNames(true)).toEqual(['one', 'two', 'three', 'one'])
    const linked = await client.crm.associations.v4.basicApi.getPage('companies', second.id, 'contacts')
    expect(linked.results.map(({ toObjectId }) => String(toObjectId))).toEqual([contact.id])
  })
})

describe('the modified date', () => {
  test('moves after a write by the fault, with nothing else', async () => {
    const one = await company('one')
    simulator.faults.add('calculated=1')
    const two = await company('two')
    await simulator.advance(600_000)
    const [first, last] = await found()
    expect(first).toEqual({ id: one.id, name: 'one', seconds: 0 })
    expect(last).toMatchObject({ id: two.id, name: 'two' })
    expect(last?.seconds).toBeGreaterThan(0)
  })

  test('is as old in a search that lags as what it shows', async () => {
    simulator.faults.add('index-lag=10s')
    const { id } = await company('one')
    await simulator.advance(20_000)
    await rename(id, 'two')
    expect(await found()).toEqual([{ id, name: 'one', seconds: 0 }])
    await simulator.advance(10_000)
    expect(await found()).toEqual([{ id, name: 'two', seconds: 20 }])
  })

  test('is shared by the writes of an interval, and never goes back', async () => {
    simulator.faults.add('same-stamp=1s')
    const { id } = await company('one')
    await simulator.advance(400)
    await company('two')
    await simulator.advance(100)
    await rename(id, 'three')
    expect((await found()).map(({ seconds }) => seconds)).toEqual([-0.5, 0.5])
  })

  test('is that of a clock which is behind', async () => {
    simulator.faults.add('clock-skew=5s')
    await company('one')
    expect((await found()).map(({ seconds }) => seconds)).toEqual([-5])
  })
})

test('a late write is read by its id at once, and shows in lists and searches behind later ones', async () => {
  simulator.faults.add('late-rows=10s')
  const late = await company('late')
  simulator.faults.clear()
  await simulator.advance(5000)
  await company('later')
  expect((await client.crm.companies.basicApi.getById(late.id)).id).toBe(late.id)
  expect([await foundNames(), await listedNames()]).toEqual([['later'], ['later']])
  await simulator.advance(5000)
  expect([await foundNames(), await listedNames()]).toEqual([
    ['late', 'later'],
    ['late', 'later'],
  ])
  simulator.faults.add('late-rows=10s:DELETE')
  await client.crm.companies.basicApi.archive(late.id)
  expect([await listedNames(), await listedNames(true)]).toEqual([['late', 'later'], []])
  await simulator.advance(10_000)
  expect([await listedNames(), await listedNames(true)]).toEqual([['later'], ['late']])
})

test('a person who writes is named by the user id, an app is not', async () => {
  const email = 'integration@simulator.example'
  const { body } = await administer('people/sign-in', { email })
  const person = new Client({ accessToken: body.accessToken as string, basePath: simulator.url })
  const made = await person.crm.companies.basicApi.create({ properties: { name: 'one' }, associations: [] })
  const user = String(body.userId)
  expect(made.properties).toMatchObject({ hs_created_by_user_id: user, hs_updated_by_user_id: user })
  const changed = await rename(made.id, 'two')
  expect(changed.properties.hs_created_by_user_id).toBe(user)
  expect(changed.properties).not.toHaveProperty('hs_updated_by_user_id')
  expect(await administer('people/sign-in', { email: 'nobody@simulator.example' })).toMatchObject({ status: 400 })
})

test('no search goes beyond its 10,000th result, however many there are', async () => {
  const inputs = (from: number) => Array.from({ length: 100 }, (_, index) => ({ properties: { name: `n${from + index}` }, associations: [] }))
  for (let from = 0; from < 10_100; from += 100) await client.crm.companies.batchApi.create({ inputs: inputs(from) })
  const search = (after: string) => client.crm.companies.searchApi.doSearch({ sorts: ['hs_lastmodifieddate'], limit: 100, after } as never)
  const last = await search('9900')
  expect(last).toMatchObject({ total: 10_100, paging: { next: { after: '10000' } } })
  await expect(search('10000')).rejects.toMatchObject({ code: 400 })
})
