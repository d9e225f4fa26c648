import { startSimulator } from 'crm-simulators'
import { simulateHubSpot, simulateHubSpotWith } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'

/** What real portals do by themselves, or with too many requests. */
async function open(simulate = simulateHubSpot) {
  const simulator = await startSimulator(simulate)
  onTestFinished(() => simulator.close())
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${simulator.url}/crm/objects/2026-03/${path}`, {
      method,
      headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as { id: string; updatedAt: string; policyName?: string } }
  }
  return { simulator, call }
}

test.for([
  ['contacts', { firstname: 'Ada' }],
  ['deals', { dealname: 'Engine', dealstage: 'contractsent' }],
  ['tickets', { subject: 'Jam', hs_pipeline_stage: '1' }],
] as const)('the modified date of %s moves by itself, and not by a write that changes nothing', async ([object, properties]) => {
  const { simulator, call } = await open()
  const { id, updatedAt } = (await call('POST', object, { properties })).body
  expect((await call('GET', `${object}/${id}`)).body.updatedAt).toBe(updatedAt)
  simulator.advance(60_000)
  const moved = (await call('GET', `${object}/${id}`)).body.updatedAt
  expect(moved > updatedAt).toBe(true)
  expect((await call('PATCH', `${object}/${id}`, { properties })).body.updatedAt).toBe(moved)
  simulator.advance(3 * 3_600_000)
  const later = (await call('GET', `${object}/${id}`)).body.updatedAt
  expect(later > moved).toBe(object === 'contacts')
})

test('a limit refuses requests until an interval has passed, and searches until a second has', async () => {
  const { simulator, call } = await open(simulateHubSpotWith({ requests: 5, intervalMs: 10_000, searches: 2 }))
  const statuses = async (count: number, ...how: Parameters<typeof call>) => {
    const all = []
    for (let i = 0; i < count; i++) all.push((await call(...how)).status)
    return all
  }
  const search = ['POST', 'deals/search', { filterGroups: [], sorts: [], properties: [], limit: 1, after: '0' }] as const
  expect(await statuses(6, 'GET', 'deals')).toEqual([200, 200, 200, 200, 200, 429])
  simulator.advance(10_000)
  expect(await statuses(3, ...search)).toEqual([200, 200, 429])
  expect((await call(...search)).body.policyName).toBe('SECONDLY')
  simulator.advance(10_000)
  expect(await statuses(2, ...search)).toEqual([200, 200])
})
