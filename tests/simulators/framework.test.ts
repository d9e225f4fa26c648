import type { Simulate } from 'crm-simulators'
import { readFault, type Simulator, startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const simulate: Simulate = (world) => {
  const { answer, ...rest } = simulateEspoCrm(world)
  return {
    ...rest,
    answer(request) {
      if (request.path === '/broken') throw new Error('It is broken.')
      return answer(request)
    },
  }
}

let simulator: Simulator
beforeEach(async () => {
  simulator = await startSimulator(simulate)
})
afterEach(() => simulator.close())

async function ask(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const answer = await fetch(`${simulator.url}${path}`, {
    method,
    headers: { 'x-api-key': 'simulator' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? '' : JSON.parse(text) }
}

const now = async () => Date.parse(`${(await ask('/api/v1/Lead', { lastName: String(Math.random()) })).body.createdAt.replace(' ', 'T')}Z`)
const DAY = 86_400_000

describe('a simulator', () => {
  test('refuses a body that is too large, and answers what follows', async () => {
    expect(await ask('/api/v1/Lead', 'x'.repeat(33 * 1024 * 1024))).toEqual({ status: 413, body: { error: 'The body has more than 33554432 bytes.' } })
    expect((await ask('/api/v1/Lead')).status).toBe(200)
  })

  test('tells what is wrong with itself without where', async () => {
    expect(await ask('/broken')).toEqual({ status: 500, body: { error: 'It is broken.' } })
  })

  test('refuses by chance no request twice in a row for its session, which a client would take for wrong credentials', async () => {
    simulator.faults.add('expired-session=0.99')
    const statuses: number[] = []
    for (let sent = 0; sent < 40; sent++) statuses.push((await ask('/api/v1/Lead')).status)
    expect(statuses).toContain(401)
    expect(statuses.some((status, at) => status === 401 && statuses[at + 1] === 401)).toBe(false)
    simulator.faults.clear()
    simulator.faults.add('expired-session=1')
    expect([(await ask('/api/v1/Lead')).status, (await ask('/api/v1/Lead')).status]).toEqual([401, 401])
  })

  test('closes at once while an answer is still to come', async () => {
    simulator.faults.add('slow=500s')
    const asked = ask('/api/v1/Lead').catch(() => 'dropped')
    await expect.poll(async () => (await ask('/simulator')).body.calls).toBe(1)
    await simulator.close()
    expect(await asked).toBe('dropped')
    simulator = await startSimulator(simulate)
  })

  test('has a clock that goes ahead within bounds, and back by a reset', async () => {
    for (const advance of ['1e999', '1e15', 3654 * DAY, -1, '"5"', null]) expect((await ask('/simulator/clock', `{"advance":${advance}}`)).status).toBe(400)
    const began = await now()
    expect((await ask('/simulator/clock', { advance: 3000 * DAY })).status).toBe(200)
    expect(await ask('/simulator/clock', { advance: 1000 * DAY })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('The clock can be ahead') },
    })
    expect((await now()) - began).toBeGreaterThanOrEqual(3000 * DAY)
    await ask('/simulator/reset', '')
    expect((await now()) - began).toBeLessThan(DAY)
  })

  test('has a quota for each day, from when it is set', async () => {
    const asked = async () => (await ask('/api/v1/Lead')).status
    for (let i = 0; i < 3; i++) expect(await asked()).toBe(200)
    await ask('/simulator/faults', ['daily-quota=2'])
    expect([await asked(), await asked(), await asked()]).toEqual([200, 200, 429])
    simulator.advance(DAY)
    expect([await asked(), await asked(), await asked()]).toEqual([200, 200, 429])
    await ask('/simulator/reset', '')
    expect(await asked()).toBe(200)
  })

  test('has a clock that is behind, and times that many writes share', async () => {
    await simulator.close()
    const seen: { now: number; stamp: number }[] = []
    const watched: Simulate = (world) => ({
      ...simulate(world),
      answer() {
        seen.push({ now: Number(world.now()), stamp: Number(world.stamp()) })
        return { status: 204 }
      },
    })
    simulator = await startSimulator(watched, { clock: () => 1_000_123 })
    for (const fault of ['clock-skew=5s', 'same-stamp=1s']) {
      await ask('/api/v1/Lead')
      simulator.faults.add(fault)
    }
    await ask('/api/v1/Lead')
    expect(seen).toEqual([
      { now: 1_000_123, stamp: 1_000_123 },
      { now: 995_123, stamp: 995_123 },
      { now: 995_123, stamp: 995_000 },
    ])
  })

  test('does for one CRM what others cannot, and says what it can', async () => {
    await simulator.close()
    simulator = await startSimulator((world) => ({ ...simulate(world), administration: { 'POST bells/ring': (input) => ({ rang: input }) } }))
    expect(await ask('/simulator/bells/ring', { times: 2 })).toEqual({ status: 200, body: { rang: { times: 2 } } })
    expect(await ask('/simulator/bells')).toMatchObject({ status: 404, body: { error: expect.stringContaining('POST /simulator/bells/ring') } })
  })

  test('performs many requests at once, without faults of the connection, until one is refused', async () => {
    simulator.faults.add('drop-before=1')
    const create = (lastName: string) => ({ method: 'POST', path: '/api/v1/Lead', body: { lastName, skipDuplicateCheck: true } })
    expect(await ask('/simulator/requests', [create('Lovelace'), create('Hopper')])).toEqual({ status: 200, body: { performed: 2 } })
    const missing = { method: 'GET', path: '/api/v1/Lead/none?x=1' }
    expect((await ask('/simulator/requests', [create('Clarke'), missing, create('Lamarr')])).status).toBe(404)
    expect((await ask('/simulator')).body).toMatchObject({ calls: 0, records: { Lead: 3 } })
    for (const wrong of [{}, [null], [{ method: 'GET' }]]) expect((await ask('/simulator/requests', wrong)).status).toBe(400)
  })

  test('hides only what there is', async () => {
    const put = (fault: string) => ask('/simulator/faults', [fault], 'PUT')
    expect(await put('field-security=Lead.emailAddress')).toMatchObject({ status: 200 })
    for (const name of ['Lead.Email', 'Laed.emailAddress', 'Lead.toString', '__proto__.x'])
      expect(await put(`field-security=${name}`)).toEqual({ status: 400, body: { error: `There is no field ${name} that could be hidden.` } })
    expect((await ask('/simulator/faults')).body.on).toEqual(['field-security=Lead.emailAddress'])
  })

  test.each([
    ['Salesforce', simulateSalesforce, 'lead.email', 'Lead.Mail'],
    ['HubSpot', simulateHubSpot, 'contact.Email', 'contacts.mail'],
  ] as const)('knows the fields of %s', async (_name, simulated, known, unknown) => {
    await expect(startSimulator(simulated, { faults: [`field-security=${unknown}`] })).rejects.toThrow(`There is no field ${unknown} that could be hidden.`)
    await (await startSimulator(simulated, { faults: [`field-security=${known}`] })).close()
  })
})

describe('what is said of a fault', () => {
  test.each([
    ['error', { value: '0.2', on: '', left: undefined }],
    ['error=.5', { value: '.5' }],
    ['error=1', { value: '1', left: undefined }],
    ['error=3x:POST /a:b', { value: '1', left: 3, on: 'POST /a:b' }],
    ['slow=1.5s', { value: '1500' }],
    ['daily-quota=0', { value: '0' }],
  ])('%s is understood', (said, meant) => {
    expect(readFault(said)).toMatchObject(meant)
  })

  test.each([
    ['error:', 'Nothing is behind the colon of error:; a part of the method and path is expected'],
    ['slow=2s: ', 'Nothing is behind the colon of slow=2s:;'],
    ['error=', 'Nothing is behind error=; a chance from 0 to 1'],
    ['error=:POST', 'Nothing is behind error=;'],
    ['error=0x', 'error=0x makes no sense'],
    ['error=0x1', 'error=0x1 makes no sense'],
    ['error=1.5', 'error=1.5 makes no sense'],
    ['slow=99999999s', 'slow=99999999s makes no sense'],
    ['slow=2x', 'slow=2x makes no sense'],
    ['daily-quota=1.5', 'daily-quota=1.5 makes no sense'],
    ['field-security', 'an object and a field'],
    ['field-security=Lead', 'field-security=Lead makes no sense'],
  ])('%s is refused', (said, message) => {
    expect(() => readFault(said)).toThrow(message)
  })
})
