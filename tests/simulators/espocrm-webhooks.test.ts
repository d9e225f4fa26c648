import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'

interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Body {
  readonly id: string
  readonly secretKey: string
  readonly apiKey: string
  readonly [name: string]: unknown
}

let simulator: Simulator
let receiver: string
let status: number
let deliveries: Delivery[]

/** The clock stands still, so that nothing is sent unless it is advanced. */
beforeEach(async () => {
  simulator = await startSimulator(simulateEspoCrm, { clock: () => Date.parse('2026-03-12T10:00:00Z') })
  ;[status, deliveries] = [200, []]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    deliveries.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(status).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(async () => {
    await simulator.close()
    server.closeAllConnections()
    server.close()
  })
})

async function call(method: string, path: string, body?: unknown, key = 'simulator') {
  const answer = await fetch(`${simulator.url}/api/v1/${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, reason: answer.headers.get('x-status-reason'), body: (text === '' ? undefined : JSON.parse(text)) as Body }
}

const subscribe = (event: string, key?: string) => call('POST', 'Webhook', { event, url: `${receiver}/${event}` }, key)
const create = async (values: object) => (await call('POST', 'Lead', values)).body.id
/** What was delivered after a second, by event. */
async function told(ms = 1000) {
  await simulator.advance(ms)
  return deliveries.splice(0).map(({ path, body }) => [path.slice(1), JSON.parse(body)] as const)
}

test('tell of what was created, updated and deleted, in one batch a webhook', async () => {
  for (const event of ['Lead.create', 'Lead.update', 'Lead.delete', 'Lead.fieldUpdate.status']) expect((await subscribe(event)).status).toBe(200)
  const [one, two] = [await create({ lastName: 'one' }), await create({ lastName: 'two' })]
  const { modifiedById } = (await call('PUT', `Lead/${one}`, { status: 'Assigned', description: 'new' })).body
  await call('PUT', `Lead/${one}`, { status: 'Assigned' })
  await call('DELETE', `Lead/${two}`)
  await call('POST', 'Lead/action/restoreDeleted', { id: two })
  expect(deliveries).toEqual([])
  expect(await told()).toEqual([
    ['Lead.create', [expect.objectContaining({ id: one, lastName: 'one', status: 'New' }), expect.objectContaining({ id: two, lastName: 'two' })]],
    ['Lead.update', [{ id: one, status: 'Assigned', description: 'new', modifiedById }]],
    ['Lead.fieldUpdate.status', [{ id: one, status: 'Assigned' }]],
    ['Lead.delete', [{ id: two }]],
  ])
  expect(await told()).toEqual([])
})

test('a merge is told as a deletion and an update', async () => {
  for (const event of ['Lead.update', 'Lead.delete']) await subscribe(event)
  const [kept, lost] = [await create({ lastName: 'kept' }), await create({ lastName: 'lost' })]
  const data = { sourceIdList: [lost], attributes: { description: 'both' } }
  await call('POST', 'Action', { entityType: 'Lead', action: 'merge', id: kept, data })
  expect(await told()).toEqual([
    ['Lead.delete', [{ id: lost }]],
    ['Lead.update', [expect.objectContaining({ id: kept, description: 'both' })]],
  ])
})

test('are signed with the secret key, in the form of today and in that of before', async () => {
  const { id, secretKey } = (await subscribe('Lead.create')).body
  expect(secretKey).toMatch(/^[0-9a-f]{32}$/)
  await create({ lastName: 'Zoë' })
  await simulator.advance(1000)
  const [delivery] = deliveries
  const hash = createHmac('sha256', secretKey).update(delivery?.body ?? '')
  const bytes = hash.digest()
  expect(delivery?.headers.signature).toBe(Buffer.from(`${id}:${bytes.toString('hex')}`).toString('base64'))
  expect(delivery?.headers['x-signature']).toBe(Buffer.concat([Buffer.from(`${id}:`), bytes]).toString('base64'))
})

test('come fifty at a time', async () => {
  await subscribe('Lead.create')
  for (let index = 0; index < 60; index++) await create({ lastName: `n${index}` })
  const sizes = async () => (await told()).map(([, records]) => records.length)
  expect([await sizes(), await sizes(), await sizes()]).toEqual([[50], [10], []])
})

describe('a batch that is not taken', () => {
  test('is sent four times in all, ten minutes apart, after what is newer', async () => {
    await subscribe('Lead.create')
    status = 503
    const id = await create({ lastName: 'one' })
    expect(await told()).toHaveLength(1)
    status = 200
    await create({ lastName: 'two' })
    expect(await told()).toMatchObject([['Lead.create', [{ lastName: 'two' }]]])
    status = 500
    for (let attempt = 2; attempt <= 4; attempt++) {
      expect(await told(600_000 - 1000)).toEqual([])
      await simulator.advance(1000)
      expect(await told()).toMatchObject([['Lead.create', [{ id }]]])
    }
    expect(await told(3_600_000)).toEqual([])
  })

  test('is given up for other errors, and the webhook with it if it is gone', async () => {
    const { id } = (await subscribe('Lead.create')).body
    status = 422
    await create({ lastName: 'one' })
    expect(await told()).toHaveLength(1)
    expect(await told(3_600_000)).toEqual([])
    status = 410
    await create({ lastName: 'two' })
    expect(await told()).toHaveLength(1)
    expect((await call('DELETE', `Webhook/${id}`)).status).toBe(404)
    await create({ lastName: 'three' })
    expect(await told()).toEqual([])
  })
})

test('end when they are deleted, with what was still to be told', async () => {
  const { id } = (await subscribe('Lead.create')).body
  await create({ lastName: 'one' })
  expect((await call('DELETE', `Webhook/${id}`)).status).toBe(200)
  expect(await told()).toEqual([])
})

test('of an API user tell what the user may read', async () => {
  const data = { Webhook: true, Lead: { read: 'own' } }
  const role = await call('POST', 'Role', { name: 'own', data })
  const user = (await call('POST', 'User', { userName: 'api', type: 'api', rolesIds: [role.body.id] })).body
  expect((await subscribe('Lead.create', user.apiKey)).body).toMatchObject({ userId: user.id, entityType: 'Lead', type: 'create' })
  expect(await subscribe('Account.create', user.apiKey)).toMatchObject({ status: 403, reason: 'Entity type is forbidden.' })
  await create({ lastName: 'of nobody' })
  const own = await create({ lastName: 'own', assignedUserId: user.id })
  expect(await told()).toMatchObject([['Lead.create', [{ id: own }]]])
})

test.for([
  ['Lead', 'Not supported event.'],
  ['Lead.create.a.b', 'Not supported event.'],
  ['Lead.restore', 'Not supported event.'],
  ['Boat.create', 'Entity type is not available for Webhooks.'],
  ['Note.create', 'Entity type is not available for Webhooks.'],
  ['Lead.fieldUpdate', 'Field is empty.'],
  ['Lead.fieldUpdate.hull', 'Field does not exist.'],
])('%s is no event', async ([event = '', reason]) => {
  expect(await subscribe(event)).toMatchObject({ status: 403, reason })
})
