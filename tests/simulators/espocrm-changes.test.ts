import { describe, expect, test } from 'vitest'
import { espocrm } from './espocrm-client.ts'

const crm = espocrm()

const make = async (values: object, type = 'Lead') => (await crm.post(type, values)).body.id
const lead = async (id: string) => (await crm.get(`Lead/${id}`)).body
const names = async (query = '') => (await crm.get(`Lead?orderBy=createdAt&order=asc${query}`)).body.list.map(({ lastName }) => lastName)

/** Another user, who may do everything with leads, by headers. */
async function colleague() {
  const all = { create: 'yes', read: 'all', edit: 'all', delete: 'all', stream: 'all' }
  const role = await crm.post('Role', { name: 'all', data: { Lead: all } })
  const { body } = await crm.post('User', { userName: 'colleague', type: 'api', rolesIds: [role.body.id] })
  return { id: body.id, key: { 'x-api-key': body.apiKey } }
}

describe('a deleted record', () => {
  test('says when and by whom it was deleted, to administrators', async () => {
    const other = await colleague()
    const id = await make({ lastName: 'one' })
    const { modifiedAt } = await lead(id)
    await crm.simulator.advance(2000)
    await crm.call('DELETE', `Lead/${id}`, undefined, other.key)
    const deleted = await lead(id)
    expect(deleted).toMatchObject({ deleted: true, modifiedById: other.id, modifiedByName: 'colleague' })
    expect(String(deleted.modifiedAt) > String(modifiedAt)).toBe(true)
    expect((await crm.get(`Lead/${id}`, other.key)).status).toBe(404)
    expect(await names()).toEqual([])
  })

  test('is restored by administrators as it was deleted', async () => {
    const other = await colleague()
    const id = await make({ lastName: 'one', emailAddress: 'one@example.com' })
    await crm.call('DELETE', `Lead/${id}`)
    const { modifiedAt } = await lead(id)
    await crm.simulator.advance(2000)
    const restore = (body: object, headers?: { readonly [name: string]: string }) => crm.post('Lead/action/restoreDeleted', body, headers)
    expect((await restore({ id }, other.key)).status).toBe(403)
    expect((await restore({})).status).toBe(400)
    expect((await restore({ id: 'nowhere' })).status).toBe(404)
    expect(await restore({ id })).toMatchObject({ status: 200, body: true })
    expect((await restore({ id })).status).toBe(403)
    expect(await lead(id)).toMatchObject({ deleted: false, modifiedAt })
    expect(await names()).toEqual(['one'])
    expect((await crm.post('Lead', { lastName: 'other', emailAddress: 'one@example.com' })).status).toBe(409)
  })
})

describe('a merge', () => {
  const merge = (id: string, data: object, more: object = {}) => crm.post('Action', { entityType: 'Lead', action: 'merge', id, data, ...more })

  test('keeps one record, with the addresses, posts and links of all', async () => {
    const list = await make({ name: 'Autumn' }, 'TargetList')
    const kept = await make({ lastName: 'kept', emailAddress: 'kept@example.com', status: 'New' })
    const lost = await make({ lastName: 'lost', emailAddress: 'lost@example.com', status: 'Assigned' })
    const note = await make({ type: 'Post', parentType: 'Lead', parentId: lost, post: 'called them' }, 'Note')
    await crm.post(`TargetList/${list}/leads`, { id: lost })
    const answer = await merge(kept, { sourceIdList: [lost], attributes: { status: 'Assigned', emailAddress: 'lost@example.com' } })
    expect(answer).toMatchObject({ status: 200, body: { id: kept, lastName: 'kept', status: 'Assigned', emailAddress: 'lost@example.com' } })
    const addresses = (answer.body.emailAddressData as { emailAddress: string; primary: boolean }[]).map((one) => [one.emailAddress, one.primary])
    expect(addresses).toEqual([
      ['kept@example.com', false],
      ['lost@example.com', true],
    ])
    expect(await lead(lost)).toMatchObject({ deleted: true })
    expect((await crm.get(`Note/${note}`)).body).toMatchObject({ parentId: kept })
    expect((await crm.get(`TargetList/${list}/leads`)).body.list.map(({ id }) => id)).toEqual([kept])
  })

  test('changes nothing if something is missing', async () => {
    const id = await make({ lastName: 'kept' })
    const attributes = { lastName: 'changed' }
    expect(await merge(id, { attributes })).toMatchObject({ status: 400, reason: "No 'sourceIdList'." })
    expect(await merge(id, { sourceIdList: [] })).toMatchObject({ status: 400, reason: "No 'attributes'." })
    expect(await merge(id, { sourceIdList: ['nowhere'], attributes })).toMatchObject({ status: 404, reason: 'Source record not found.' })
    expect(await merge('nowhere', { sourceIdList: [], attributes })).toMatchObject({ status: 404, reason: 'Record not found.' })
    expect((await merge(id, {}, { action: 'dance' })).status).toBe(404)
    expect((await crm.post('Action', { entityType: 'Lead' })).status).toBe(400)
    expect(await names()).toEqual(['kept'])
  })
})

describe('a watcher', () => {
  test('is told who changed a record', async () => {
    const other = await colleague()
    const id = await make({ lastName: 'one' })
    await crm.put(`Lead/${id}`, { lastName: 'two' }, other.key)
    expect(await lead(id)).toMatchObject({ modifiedById: other.id, modifiedByName: 'colleague' })
  })

  test('finds a late write in lists behind later ones, and by its id at once', async () => {
    crm.simulator.faults.add('late-rows=60s')
    const id = await make({ lastName: 'late' })
    crm.simulator.faults.clear()
    await make({ lastName: 'later' })
    expect(await lead(id)).toMatchObject({ lastName: 'late' })
    expect(await names()).toEqual(['later'])
    await crm.simulator.advance(60_000)
    expect(await names()).toEqual(['late', 'later'])
    crm.simulator.faults.add('late-rows=60s')
    await crm.put(`Lead/${id}`, { lastName: 'changed' })
    await crm.call('DELETE', `Lead/${id}`)
    expect(await names()).toEqual(['late', 'later'])
    await crm.simulator.advance(60_000)
    expect(await names()).toEqual(['later'])
  })

  test('meets many records with one time, by a clock that is behind', async () => {
    const start = Math.floor((await timeOf({ lastName: 'one' })) / 60_000)
    for (const fault of ['same-stamp=60s', 'clock-skew=120s']) crm.simulator.faults.add(fault)
    const [two, three] = [await timeOf({ lastName: 'two' }), await timeOf({ lastName: 'three' })]
    expect([two % 60_000, three % 60_000]).toEqual([0, 0])
    expect(two / 60_000).toBeLessThan(start)
  })

  const timeOf = async (values: object) => Date.parse(`${(await lead(await make(values))).modifiedAt}Z`)
})
