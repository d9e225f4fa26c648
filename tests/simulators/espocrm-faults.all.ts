import { describe, expect, test } from 'vitest'
import { espocrm, where } from './espocrm-client.ts'

const crm = espocrm()

describe('faults', () => {
  test.each([
    ['rate-limit=1x', 429, '1'],
    ['daily-quota=0', 429, '3600'],
    ['error=1x', 500, null],
    ['expired-session=1x', 401, null],
    ['lock-row=1x', 500, null],
  ])('%s', async (fault, status, retryAfter) => {
    crm.simulator.faults.add(fault)
    const answer = await crm.post('Lead', { lastName: 'x' })
    expect(answer).toMatchObject({ status, reason: null, body: '' })
    expect(answer.headers.get('retry-after')).toBe(retryAfter)
    crm.simulator.faults.clear()
    expect((await crm.get('Lead')).body.total).toBe(0)
    expect((await crm.post('Lead', { lastName: 'x' })).status).toBe(200)
  })

  test('error-after has done it', async () => {
    crm.simulator.faults.add('error-after=1x')
    expect((await crm.post('Lead', { lastName: 'x' })).status).toBe(500)
    expect((await crm.get('Lead')).body.total).toBe(1)
  })

  test.each([
    ['drop-before=1x', 0],
    ['drop-after=1x', 1],
  ])('%s', async (fault, total) => {
    crm.simulator.faults.add(fault)
    await expect(crm.post('Lead', { lastName: 'x' })).rejects.toThrow()
    expect((await crm.get('Lead')).body.total).toBe(total)
  })

  test('malformed cuts the answer off', async () => {
    crm.simulator.faults.add('malformed=1x')
    await expect(crm.post('Lead', { lastName: 'x' })).rejects.toThrow(SyntaxError)
  })

  test.each([
    ['Lead.emailAddress', 'emailAddress', ['emailAddress', 'emailAddressData', 'emailAddressIsInvalid']],
    ['Lead.assignedUserId', 'assignedUserId', ['assignedUserId', 'assignedUserName']],
  ])('field-security=%s', async (name, attribute, hidden) => {
    const { body } = await crm.post('Lead', { lastName: 'x', emailAddress: 'kept@x.example' })
    crm.simulator.faults.add(`field-security=${name}`)
    for (const answer of [
      await crm.get(`Lead/${body.id}`),
      await crm.put(`Lead/${body.id}`, { emailAddress: 'new@x.example', assignedUserId: body.createdById }),
    ]) {
      expect(answer.status).toBe(200)
      for (const one of hidden) expect(answer.body).not.toHaveProperty(one)
    }
    expect((await crm.get('Lead')).body.list[0]).not.toHaveProperty(attribute)
    expect(await crm.get(`Lead?${where({ type: 'isNull', attribute })}`)).toMatchObject({ status: 403, reason: `Forbidden attribute '${attribute}' in where.` })
    crm.simulator.faults.clear()
    const after = (await crm.get(`Lead/${body.id}`)).body
    expect(name === 'Lead.emailAddress' ? after.emailAddress : after.assignedUserId).toBe(name === 'Lead.emailAddress' ? 'kept@x.example' : null)
  })

  test('index-lag shows lists as they were a while ago, and records as they are', async () => {
    crm.simulator.faults.add('index-lag=60s')
    const { body } = await crm.post('Lead', { lastName: 'x', status: 'New' })
    expect((await crm.get('Lead')).body.total).toBe(0)
    expect((await crm.get(`Lead/${body.id}`)).status).toBe(200)
    crm.simulator.advance(61_000)
    expect((await crm.get('Lead')).body.total).toBe(1)
    await crm.put(`Lead/${body.id}`, { status: 'Dead' })
    expect((await crm.get('Lead')).body.list[0]?.status).toBe('New')
    expect((await crm.get(`Lead/${body.id}`)).body.status).toBe('Dead')
    await crm.call('DELETE', `Lead/${body.id}`)
    expect((await crm.get('Lead')).body.total).toBe(1)
    crm.simulator.advance(61_000)
    expect((await crm.get('Lead')).body.total).toBe(0)
  })

  test('stale-cursor has nothing to make stale: pages are counted from the beginning', async () => {
    crm.simulator.faults.add('stale-cursor=1')
    await crm.post('Lead', { lastName: 'x' })
    expect(await crm.get('Lead?offset=0&maxSize=1')).toMatchObject({ status: 200, body: { total: 1 } })
  })
})

describe('whatever is sent', () => {
  test.each([
    ['POST', 'Lead', '{', 500],
    ['POST', 'Lead', '5', 400],
    ['POST', 'Lead', '{"lastName":"a\\u0000b"}', 500],
    ['POST', 'Lead', '{"lastName":"\\ud83d"}', 500],
    ['POST', 'Lead', '{"lastName":"\\ud83d\\ude00"}', 200],
    ['POST', 'Lead', '[]', 200],
    ['POST', 'Lead', '{"lastName":{"a":1}}', 500],
    ['POST', 'Lead', '{"teamsIds":"x"}', 400],
    ['POST', 'Lead', '{"teamsIds":[{}]}', 400],
    ['POST', 'Lead', '{"status":{}}', 400],
    ['POST', 'Lead', '{"emailAddressData":[null,5,{"emailAddress":{}}]}', 200],
    ['POST', 'Lead', '{"__proto__":{"lastName":"x"},"constructor":1,"toString":2}', 200],
    ['POST', 'Lead', `{"lastName":"${'😀'.repeat(100)}"}`, 200],
    ['POST', 'Lead', '{"opportunityAmount":1e999}', 400],
    ['POST', 'Role', '{"name":"x","data":{"Lead":null,"__proto__":5}}', 200],
    ['POST', 'Role', '{"name":"x","data":5}', 400],
    ['POST', 'Note', '{"parentType":"__proto__","parentId":"x","post":"x"}', 400],
    ['POST', 'Admin/fieldManager/__proto__', '{"name":"x","type":"varchar"}', 500],
    ['POST', 'EntityManager/action/createEntity', '{"name":"x","type":"__proto__"}', 500],
    ['GET', '__proto__', undefined, 404],
    ['GET', 'Lead/action/nothing', undefined, 404],
    ['GET', 'Lead/a/b/c/d', undefined, 404],
    ['GET', 'Lead/%E0%A4%A', undefined, 404],
    ['GET', 'Lead?where=x&where[0]=y&where[0][type]=z', undefined, 500],
    ['GET', `Lead?searchParams=${encodeURIComponent('{"where":'.concat('[{"type":"and","value":'.repeat(100), '[]', '}]'.repeat(100), '}'))}`, undefined, 500],
    ['GET', 'Lead?maxSize[]=1&orderBy[]=x&select[]=y', undefined, 200],
    ['PUT', 'Lead', '{}', 405],
    ['POST', 'Lead/x/toString', '{"id":"x"}', 404],
  ])('%s %s %s is answered with %4$i', async (method, path, body, status) => {
    expect((await crm.call(method, path, body)).status).toBe(status)
  })

  test('it is not taken for a name of the program', async () => {
    await crm.post('Lead', '{"__proto__":{"lastName":"x"}}')
    expect((await crm.get('Metadata?key=__proto__.constructor')).body).toBe('')
    expect((await crm.get('Metadata?key=entityDefs.toString')).body).toBe('')
    expect((await crm.get('Lead')).body.list[0]?.lastName).toBeNull()
  })

  test('what is no API is not found', async () => {
    expect((await fetch(`${crm.simulator.url}/client/index.html`)).status).toBe(404)
    expect((await fetch(`${crm.simulator.url}/crm/api/v1/Lead`, { headers: { 'x-api-key': 'simulator' } })).status).toBe(200)
  })
})

test('many records are workable', async () => {
  const { simulated } = crm.simulator
  const request = { method: 'POST', path: '/api/v1/Lead', query: new URLSearchParams(), headers: { 'x-api-key': 'simulator' }, origin: 'http://x' }
  const lead = (number: number) => JSON.stringify({ lastName: `Lead ${number}`, emailAddress: `lead${number}@x.example`, opportunityAmount: number % 1000 })
  // Each is compared with all before it for duplicates, which must not take longer and longer.
  for (let number = 0; number < 20_000; number++) await simulated.answer({ ...request, body: lead(number) })
  const { total, list } = (await crm.get('Lead?offset=19990&orderBy=createdAt&order=asc&maxSize=200')).body
  expect([total, list.length, list.at(-1)?.lastName]).toEqual([20_000, 10, 'Lead 19999'])
  expect((await crm.get(`Lead?${where({ type: 'equals', attribute: 'emailAddress', value: 'lead5@x.example' })}`)).body.total).toBe(1)
  expect((await crm.get('Lead?orderBy=opportunityAmount&order=desc&maxSize=1')).body.list[0]?.opportunityAmount).toBe(999)
  expect(await crm.post('Lead', { lastName: 'Lead 77' })).toMatchObject({ status: 409 })
})
