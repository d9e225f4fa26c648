import { describe, expect, test } from 'vitest'
import { espocrm, where } from './espocrm-client.ts'

const crm = espocrm()
const DEAL = { name: 'Engine', closeDate: '2026-12-31' }

/** An API user with a role like this. */
async function apiUser(data: object): Promise<{ readonly id: string; readonly headers: { readonly 'x-api-key': string } }> {
  const role = await crm.post('Role', { name: 'api', data, assignmentPermission: 'all' })
  const { body } = await crm.post('User', { type: 'api', userName: 'svc', authMethod: 'ApiKey', isActive: true, rolesIds: [role.body.id] })
  return { id: body.id, headers: { 'x-api-key': body.apiKey } }
}

describe('what was seen on a server of version 8.4.2', () => {
  test('an assigned user must exist, and be one that may be read', async () => {
    const { body } = await crm.post('User', { type: 'regular', userName: 'grace', lastName: 'Hopper', isActive: true })
    const lead = { lastName: 'x', assignedUserId: body.id }
    const { id, headers } = await apiUser({ Lead: { create: 'yes', read: 'all' } })
    expect(await crm.post('Lead', { ...lead, assignedUserId: 'doesnotexist12345' }, headers)).toMatchObject({
      status: 403,
      reason: "Can't relate with non-existing record. entity type: Lead, link: assignedUser.",
    })
    expect(await crm.post('Lead', lead, headers)).toMatchObject({
      status: 403,
      reason: 'No foreign record access for link operation (Lead:assignedUser).',
    })
    expect(await crm.post('Lead', { ...lead, assignedUserId: id }, headers)).toMatchObject({ status: 200 })
    const reading = await crm.post('Role', { name: 'users', data: { User: { read: 'all' } } })
    await crm.put(`User/${id}`, { rolesIds: [...((await crm.get(`User/${id}`)).body.rolesIds as string[]), reading.body.id] })
    expect(await crm.post('Lead', { ...lead, lastName: 'y' }, headers)).toMatchObject({ status: 200 })
  })

  test('a required amount is there when it has a currency, which 0 does not get by itself', async () => {
    const required = 'Field validation failure; entityType: Opportunity, field: amount, type: required.'
    for (const amount of [undefined, 0]) {
      expect(await crm.post('Opportunity', { ...DEAL, amount })).toMatchObject({ status: 400, reason: required })
      expect(await crm.post('Opportunity', { ...DEAL, amount, amountCurrency: 'USD' })).toMatchObject({ status: 200 })
    }
    expect((await crm.post('Opportunity', { ...DEAL, amount: 5 })).body).toMatchObject({ amount: 5, amountCurrency: 'USD' })
  })

  test('a number is answered as it was given, and read with 14 digits', async () => {
    for (const [amount, read] of [
      [999_999_999_999_999, 1e15],
      [0.30000000000000004, 0.3],
    ]) {
      const { body } = await crm.post('Opportunity', { ...DEAL, amount })
      expect(body.amount).toBe(amount)
      expect((await crm.get(`Opportunity/${body.id}`)).body.amount).toBe(read)
    }
  })

  test('an address is answered as it was given, and read in lower case', async () => {
    const { body } = await crm.post('Lead', { lastName: 'x', emailAddress: 'Ada@Example.com' })
    expect(body.emailAddress).toBe('Ada@Example.com')
    expect((await crm.get(`Lead/${body.id}`)).body).toMatchObject({ emailAddress: 'ada@example.com', emailAddressData: [{ emailAddress: 'ada@example.com' }] })
    expect((await crm.put(`Lead/${body.id}`, { emailAddress: 'ADA@example.com' })).body.emailAddress).toBe('ADA@example.com')
    expect((await crm.get(`Lead/${body.id}`)).body.emailAddress).toBe('ada@example.com')
  })

  test('whole numbers lose their fraction, and a Boolean that was made fails when it is cleared', async () => {
    await crm.post('EntityManager/action/createEntity', { name: 'Ship', type: 'Base', labelSingular: 'Ship', labelPlural: 'Ships' })
    for (const type of ['int', 'bool']) await crm.post('Admin/fieldManager/CShip', { name: `a${type}`, type, label: type })
    const { body } = await crm.post('CShip', { name: 'Ariel', aint: 7.5, abool: true })
    expect(body).toMatchObject({ aint: 7, abool: true })
    expect(await crm.put(`CShip/${body.id}`, { abool: null })).toMatchObject({ status: 500, reason: null, body: '' })
  })

  test('a telephone number has as many digits as its country wants', async () => {
    const status = async (phoneNumber: string) => (await crm.post('Lead', { lastName: phoneNumber, phoneNumber })).status
    for (const good of ['+12025550123', '+15550100', '+442079460958', '+33123456789']) expect([good, await status(good)]).toEqual([good, 200])
    for (const wrong of ['+120255501', '+1202555012345', '+4420794609581234', '+3312345678']) expect([wrong, await status(wrong)]).toEqual([wrong, 400])
  })

  test('eleven failed sign-ins within a minute lock everything out, until the minute is over', async () => {
    const wrong = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` }
    for (let attempt = 1; attempt <= 11; attempt++) expect((await crm.get('Lead', wrong)).status).toBe(401)
    expect(await crm.get('Lead')).toMatchObject({ status: 403, reason: 'Max failed login attempts exceeded.' })
    crm.simulator.advance(61_000)
    expect((await crm.get('Lead')).status).toBe(200)
  })

  test('without credentials a browser is asked for some, with wrong ones it is not', async () => {
    expect((await crm.get('Lead', {})).headers.get('www-authenticate')).toBe('Basic realm=""')
    expect((await crm.get('Lead', { 'x-api-key': 'wrong' })).headers.get('www-authenticate')).toBeNull()
  })

  test('an id of 0 is none, and what the router does not know is answered in HTML', async () => {
    expect(await crm.get('Lead/0')).toMatchObject({ status: 400, reason: 'No ID.' })
    for (const [method, path, status] of [
      ['GET', 'Lead/', 404],
      ['PUT', 'Lead', 405],
    ] as const) {
      const answer = await crm.call(method, path, method === 'PUT' ? {} : undefined)
      expect([answer.status, answer.reason, answer.headers.get('content-type')]).toEqual([status, null, 'text/html'])
    }
  })

  test('administrators read what was deleted, others do not', async () => {
    const { headers } = await apiUser({ Lead: { create: 'yes', read: 'all' } })
    const { body } = await crm.post('Lead', { lastName: 'x' })
    await crm.call('DELETE', `Lead/${body.id}`)
    expect(await crm.get(`Lead/${body.id}`)).toMatchObject({ status: 200, body: { deleted: true } })
    expect(await crm.get(`Lead/${body.id}`, headers)).toMatchObject({ status: 404 })
    expect(await crm.get(`Lead/${body.id}/posts`)).toMatchObject({ status: 404, reason: 'Record not found.' })
  })

  test('a condition without an attribute fails', async () => {
    expect(await crm.get(`Lead?${where({ type: 'equals', value: 'x' })}`)).toMatchObject({ status: 500, reason: null })
  })
})
