import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow'
import { expect, test } from 'vitest'
import { faultyProxy } from '../support/faulty-proxy.ts'
import { serverForTest, type TestServer } from '../support/server.ts'
import { type Access, triggerFunctions } from './host.ts'
import { createdInCrm, resynced } from './in-crm.ts'
import { loadNodes } from './nodes.ts'

const { CrmConnectorPollingTrigger } = await loadNodes()
const node = new CrmConnectorPollingTrigger()

type Kept = { [name: string]: unknown }

async function poll(access: Access, kept: Kept, parameters: Kept = {}, mode = 'trigger'): Promise<string[]> {
  const [output = []] = (await node.poll.call(triggerFunctions<IPollFunctions>(node, access, { parameters, kept, mode }))) ?? []
  return (output as INodeExecutionData[]).map(({ json }) => (json.Record as { LastName: string }).LastName)
}

const lead = (server: TestServer, LastName: string) => server.call('create_a_lead', { FirstName: 'Ada', LastName })

test('polls bring what has happened since the activation, each event once and in order', async () => {
  const server = await serverForTest()
  const kept: Kept = {}
  await lead(server, 'Before')
  expect(await poll(server, kept)).toEqual([])
  for (const name of ['One', 'Two']) await lead(server, name)
  await server.call('create_case', { Subject: 'Not', Description: 'chosen' })
  expect(await poll(server, kept)).toEqual(['One', 'Two'])
  expect(await poll(server, kept)).toEqual([])
  // What is kept survives n8n.
  await lead(server, 'Three')
  expect(await poll(server, JSON.parse(JSON.stringify(kept)))).toEqual(['Three'])
})

test('a service that is empty is begun with too', async () => {
  const server = await serverForTest()
  const kept: Kept = {}
  expect(await poll(server, kept)).toEqual([])
  await lead(server, 'First of all')
  expect(await poll(server, kept)).toEqual(['First of all'])
})

test('polls begin at a date or with the oldest event where that is chosen, and anew when something else is', async () => {
  const server = await serverForTest()
  const kept: Kept = {}
  await lead(server, 'Old')
  await new Promise((resolve) => setTimeout(resolve, 20))
  const startDate = new Date().toISOString()
  await lead(server, 'New')
  expect(await poll(server, kept, { startFrom: 'date', startDate })).toEqual(['New'])
  expect(await poll(server, kept, { startFrom: 'date', startDate })).toEqual([])
  expect(await poll(server, kept, { startFrom: 'oldest' })).toEqual(['Old', 'New'])
  expect(await poll(server, kept, { startFrom: 'oldest' })).toEqual([])
})

test('polls bring what was done in the CRM itself, or through the connector, where that is chosen', async () => {
  const server = await serverForTest()
  const kept = { api: {}, crm: {}, '*': {} }
  const polled = (source: keyof typeof kept, mode?: string) => poll(server, kept[source], { source, startFrom: 'oldest' }, mode)
  await createdInCrm(server, 'Theirs')
  await lead(server, 'Ours')
  expect(await polled('crm')).toEqual(['Theirs'])
  expect(await polled('api')).toEqual(['Elsewhere', 'Ours'])
  expect(await polled('*')).toEqual(['Elsewhere', 'Theirs', 'Ours'])
  expect(await polled('crm')).toEqual([])
  expect([await polled('crm', 'manual'), await polled('api', 'manual')]).toEqual([['Theirs'], ['Ours']])
})

test('what the connector says of its own mirror was not done in the CRM', async () => {
  const server = await serverForTest()
  const kept = { api: {}, crm: {}, '*': {} }
  const polled = async (source: keyof typeof kept, mode?: string) =>
    (await poll(server, kept[source], { source, startFrom: 'oldest', events: ['lead.created', 'connection.resynced'] }, mode)).length
  await createdInCrm(server, 'Theirs')
  await resynced(server)
  expect([await polled('crm'), await polled('api'), await polled('*')]).toEqual([1, 1, 3])
  expect(await polled('crm', 'manual')).toBe(1)
})

test('a poll goes through all pages', async () => {
  const server = await serverForTest()
  const kept: Kept = {}
  await poll(server, kept)
  for (let batch = 0; batch < 3; batch++) {
    const Operations = Array.from({ length: 900 }, (_, index) => ({
      Operation: 'create_a_lead',
      Input: { FirstName: 'Ada', LastName: `${batch * 900 + index}` },
    }))
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }
    await fetch(`${server.url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ Operations }) })
  }
  expect(await poll(server, kept)).toEqual(Array.from({ length: 2700 }, (_, index) => String(index)))
  expect(await poll(server, kept)).toEqual([])
})

test('a poll that fails is repeated from where it began', async () => {
  const server = await serverForTest()
  const edge = await faultyProxy(server.url)
  const access = { ...server, url: edge.url }
  const kept: Kept = {}
  await poll(access, kept)
  await lead(server, 'Kept')
  edge.failNext(undefined, 'lost')
  await expect(poll(access, kept)).rejects.toThrow()
  expect(await poll(access, kept)).toEqual(['Kept'])
})

test('a cursor whose events are no longer kept fails once, then goes on with the oldest that is', async () => {
  const server = await serverForTest()
  const edge = await faultyProxy(server.url)
  const access = { ...server, url: edge.url }
  const kept: Kept = {}
  await poll(access, kept)
  await lead(server, 'Still there')
  const detail = 'The events after this cursor are no longer kept.'
  const errors = [{ field: 'After', code: 'not_found', message: detail }]
  const problem = { status: 404, code: 'not_found', detail, errors, hint: 'Read the records anew.' }
  edge.failNext({ status: 404, headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(problem) })
  await expect(poll(access, kept)).rejects.toMatchObject({ message: detail, description: expect.stringContaining(problem.hint) })
  expect(await poll(access, kept)).toEqual(['Still there'])
})

test('an address where there is no such service fails, and nothing is read again', async () => {
  const server = await serverForTest()
  const kept: Kept = {}
  await lead(server, 'Long ago')
  await poll(server, kept)
  await lead(server, 'New')
  const elsewhere = { ...server, url: `${server.url}/crm` }
  for (let attempt = 0; attempt < 2; attempt++) await expect(poll(elsewhere, kept)).rejects.toMatchObject({ httpCode: '404' })
  expect(await poll(server, kept)).toEqual(['New'])
})

test('a service that was restored from a backup is told of until a beginning is chosen', async () => {
  const server = await serverForTest()
  const restored = await serverForTest()
  const kept: Kept = {}
  for (const name of ['One', 'Two', 'Three']) await lead(server, name)
  await poll(server, kept)
  await lead(restored, 'After the backup')
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(poll(restored, kept)).rejects.toMatchObject({ message: expect.stringContaining('backup'), description: expect.stringContaining('Start From') })
  expect(await poll(restored, kept, { startFrom: 'oldest' })).toEqual(['After the backup'])
})

test('whoever sets up the workflow sees the newest event that fits, and nothing is remembered', async () => {
  const server = await serverForTest()
  const kept: Kept = {}
  expect(await poll(server, kept, {}, 'manual')).toEqual([])
  for (const name of ['One', 'Two']) await lead(server, name)
  await server.call('create_case', { Subject: 'Not', Description: 'chosen' })
  expect(await poll(server, kept, { events: ['lead.*'] }, 'manual')).toEqual(['Two'])
  expect(kept).toEqual({})
})

test('a member polls the events of their own records', async () => {
  const server = await serverForTest()
  const { UserID } = await server.call('create_user', { Name: 'Grace', Role: 'member' })
  const { Key } = await server.call('create_key', { UserID, Scopes: ['read', 'write'] })
  const access = { url: server.url, key: String(Key) }
  const kept: Kept = {}
  await lead(server, 'Not theirs')
  expect(await poll(access, kept)).toEqual([])
  await lead(server, 'Not theirs either')
  await server.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hers' }, { authorization: `Bearer ${Key}` })
  expect(await poll(access, kept)).toEqual(['Hers'])
  expect(await poll(access, kept)).toEqual([])
  expect(await poll(access, {}, {}, 'manual')).toEqual(['Hers'])
  expect(await poll(access, {}, { startFrom: 'date', startDate: '2020-01-01T00:00:00Z' })).toEqual(['Hers'])
  // A number from before members had cursors of their own.
  await expect(poll(access, { ...kept, cursor: '000000000002' })).rejects.toMatchObject({ description: expect.stringContaining('Start From') })
})
