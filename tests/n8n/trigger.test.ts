import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { serverForTest, type TestServer } from '../support/server.ts'
import { deliver } from './deliver.ts'
import { type Access, triggerFunctions } from './host.ts'
import { createdInCrm } from './in-crm.ts'
import { loadNodes } from './nodes.ts'

const { CrmConnectorTrigger } = await loadNodes()

type Kept = { [name: string]: unknown; webhooks?: { [url: string]: { id: string; secret: string } } }

/** A service whose webhooks may call this machine and do not wait long. */
const service = () => serverForTest({ wrap: (one) => ({ ...one, webhooks: { ...one.webhooks, allowPrivate: true, timeoutMs: 2000, backoffMs: 30 } }) })

interface Workflow {
  readonly url: string
  readonly kept: Kept
  readonly ran: INodeExecutionData[]
  readonly statuses: number[]
  /** Called before an execution is started; what it throws is what n8n could not do. */
  starting: () => void
  activate(parameters?: object): Promise<void>
  deactivate(): Promise<boolean>
  close(): void
  open(): Promise<void>
}

/** The part of n8n that has a webhook: a server of its own, which keeps what the node remembers once an execution has started. */
async function workflow(access: Access): Promise<Workflow> {
  const node = new CrmConnectorTrigger()
  const { checkExists, create, delete: remove } = node.webhookMethods.default
  let parameters: { readonly [name: string]: unknown } = { events: ['lead.*'] }
  const server = createServer(async (request, response) => {
    const kept = structuredClone(whole.kept)
    const body = await buffer(request)
    // n8n has read a form by itself, and reads nothing that is too large.
    const unreadable = request.headers['content-type']?.startsWith('multipart/') || body.length > 16 * 2 ** 20
    const asked = unreadable ? { readRawBody: () => Promise.reject(new Error('Request body stream is not readable')) } : { rawBody: body }
    const answer = {
      status(code: number) {
        response.statusCode = code
        return { json: (body: unknown) => response.end(JSON.stringify(body)) }
      },
    }
    const more = { getHeaderData: () => request.headers, getRequestObject: () => asked as unknown as IncomingMessage, getResponseObject: () => answer }
    const functions = triggerFunctions<IWebhookFunctions>(node, access, { parameters, kept, url: whole.url }, more)
    const { workflowData, noWebhookResponse } = await node.webhook.call(functions)
    if (!noWebhookResponse) {
      try {
        if (workflowData) whole.starting()
        whole.ran.push(...(workflowData?.[0] ?? []))
        Object.assign(whole.kept, kept)
        response.statusCode = 200
      } catch {
        response.statusCode = 500
      }
      response.end()
    }
    whole.statuses.push(response.statusCode)
  })
  const functions = () => triggerFunctions(node, access, { parameters, kept: whole.kept, url: whole.url })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const whole: Workflow = {
    url: `http://127.0.0.1:${port}/webhook/crm`,
    kept: {},
    ran: [],
    statuses: [],
    starting: () => {},
    async activate(other) {
      parameters = { ...parameters, ...other }
      if (!(await checkExists.call(functions()))) await create.call(functions())
    },
    deactivate: () => remove.call(functions()),
    close() {
      server.closeAllConnections()
      server.close()
    },
    async open() {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    },
  }
  onTestFinished(() => whole.close())
  return whole
}

const hooks = async ({ call }: TestServer) =>
  (await call('get_many_webhooks')).Records as { WebhookID: string; Active: boolean; EventTypes: string[]; Label: string }[]
const lead = (server: TestServer, LastName: string) => server.call('create_a_lead', { FirstName: 'Ada', LastName })
const namesOf = ({ ran }: Workflow) => ran.map(({ json }) => (json.Record as { LastName: string }).LastName)

describe('a workflow', () => {
  test('is registered when it is activated, runs once for each event, and is removed when it is deactivated', async () => {
    const server = await service()
    deliver(server)
    const flow = await workflow(server)
    await flow.activate({ events: ['lead.created'] })
    expect(await hooks(server)).toMatchObject([{ Active: true, EventTypes: ['lead.created'], Label: 'n8n: A workflow' }])
    await lead(server, 'First')
    await server.call('create_case', { Subject: 'Not', Description: 'chosen' })
    await lead(server, 'Second')
    await vi.waitFor(() => expect(namesOf(flow)).toEqual(['First', 'Second']), 60_000)
    expect(flow.ran[0]?.json).toMatchObject({ Type: 'lead.created', RecordType: 'Lead', ChangeID: expect.any(String) })

    await flow.deactivate()
    expect(await hooks(server)).toEqual([])
    expect(flow.kept.webhooks).toEqual({})
    await lead(server, 'Third')
    expect(namesOf(flow)).toEqual(['First', 'Second'])
    // A second time there is nothing to remove.
    await flow.deactivate()
  })

  test('runs only for what was done in the CRM itself where that is chosen', async () => {
    const server = await service()
    deliver(server)
    const flow = await workflow(server)
    await flow.activate({ events: ['lead.created'], source: 'crm' })
    await createdInCrm(server, 'First')
    await lead(server, 'Ours')
    await createdInCrm(server, 'Second')
    await vi.waitFor(() => expect(namesOf(flow)).toEqual(['First', 'Second']), 60_000)
    await vi.waitFor(() => expect(flow.statuses).toEqual([200, 200, 200, 200, 200]), 60_000)
  })

  test('that was away gets every event once it is back, each once', async () => {
    const server = await service()
    deliver(server)
    const flow = await workflow(server)
    await flow.activate()
    await lead(server, 'Before')
    await vi.waitFor(() => expect(namesOf(flow)).toEqual(['Before']), 60_000)
    flow.close()
    for (const name of ['Away 1', 'Away 2', 'Away 3']) await lead(server, name)
    await flow.open()
    await flow.activate()
    await vi.waitFor(() => expect(namesOf(flow).sort()).toEqual(['Away 1', 'Away 2', 'Away 3', 'Before']), 60_000)
    expect(await hooks(server)).toHaveLength(1)
  })

  test('that was away so long that the service paused it is resumed', async () => {
    const server = await service()
    const flow = await workflow(server)
    await flow.activate()
    const [{ WebhookID } = { WebhookID: '' }] = await hooks(server)
    await server.call('update_webhook', { WebhookID, FieldsToUpdate: { Active: false } })
    await flow.activate()
    expect(await hooks(server)).toMatchObject([{ WebhookID, Active: true }])
  })

  test('that listens for other events keeps its webhook', async () => {
    const server = await service()
    const flow = await workflow(server)
    await flow.activate()
    const [before] = await hooks(server)
    await flow.activate({ events: ['case.created', 'lead.deleted'] })
    expect(await hooks(server)).toMatchObject([{ WebhookID: before?.WebhookID, EventTypes: ['case.created', 'lead.deleted'] }])
  })

  test('that has lost its secret is given a new one, and what waited is delivered', async () => {
    const server = await service()
    const flow = await workflow(server)
    await flow.activate()
    await lead(server, 'Waiting')
    for (const name of Object.keys(flow.kept)) delete flow.kept[name]
    await flow.activate()
    expect(await hooks(server)).toHaveLength(1)
    deliver(server)
    await vi.waitFor(() => expect(namesOf(flow)).toEqual(['Waiting']), 60_000)
  })

  test('that moved to another address leaves nothing behind', async () => {
    const server = await service()
    const flow = await workflow(server)
    await flow.activate()
    const moved = await workflow(server)
    Object.assign(moved.kept, structuredClone(flow.kept))
    await moved.activate()
    expect(Object.keys(moved.kept.webhooks ?? {})).toEqual([moved.url])
    expect(await hooks(server)).toHaveLength(1)
  })

  test('whose webhook is refused says why', async () => {
    const server = await serverForTest()
    const flow = await workflow(server)
    await expect(flow.activate()).rejects.toMatchObject({ httpCode: '400', message: expect.stringMatching(/private|machine|URL/i) })
  })
})

describe('a delivery', () => {
  async function registered() {
    const server = await service()
    const flow = await workflow(server)
    await flow.activate()
    const { secret } = Object.values(flow.kept.webhooks ?? {})[0] ?? { secret: '' }
    const body = JSON.stringify({ EventID: '1', Type: 'lead.created', Record: { LastName: 'Ädä' } })
    async function post({
      id = 'a',
      age = 0,
      key = secret,
      signed = body,
    }: {
      id?: string
      age?: number
      key?: string
      signed?: string
    } = {}): Promise<number> {
      const timestamp = Math.floor(Date.now() / 1000) - age
      const signature = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'))
        .update(`${id}.${timestamp}.${signed}`)
        .digest('base64')
      const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,AAAA v1,${signature}` }
      return (await fetch(flow.url, { method: 'POST', headers, body })).status
    }
    return { server, flow, post }
  }

  test('that is forged, altered, old, early or not signed at all is refused and starts nothing', async () => {
    const { flow, post } = await registered()
    expect(await post({ key: `whsec_${Buffer.alloc(32).toString('base64')}` })).toBe(401)
    expect(await post({ signed: '{}' })).toBe(401)
    expect(await post({ age: 301 })).toBe(401)
    expect(await post({ age: -302 })).toBe(401)
    expect((await fetch(flow.url, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(
      (await fetch(flow.url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'a', 'webhook-timestamp': 'now', 'webhook-signature': 'v1,' } })).status,
    ).toBe(401)
    expect(flow.ran).toEqual([])
  })

  test('that cannot be read is refused too, and fails nothing', async () => {
    const { flow } = await registered()
    const form = new FormData()
    form.set('a', 'b')
    const signed = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' }
    for (const body of [form, Buffer.alloc(20 * 2 ** 20)]) {
      expect((await fetch(flow.url, { method: 'POST', body })).status).toBe(401)
      expect((await fetch(flow.url, { method: 'POST', body, headers: signed })).status).toBe(400)
    }
    expect(flow.ran).toEqual([])
  })

  test('that comes again is acknowledged and starts nothing', async () => {
    const { flow, post } = await registered()
    expect([await post(), await post(), await post({ id: 'b', age: 299 })]).toEqual([200, 200, 200])
    expect(namesOf(flow)).toEqual(['Ädä', 'Ädä'])
  })

  test('whose execution could not be started is refused, and is no repeat when it comes again', async () => {
    const { flow, post } = await registered()
    flow.starting = () => {
      throw new Error('The database of n8n is away.')
    }
    expect(await post({ id: 'c' })).toBe(500)
    flow.starting = () => {}
    // It might have been started: wait and see.
    expect(await post({ id: 'c' })).toBe(503)
    vi.setSystemTime(Date.now() + 61_000)
    onTestFinished(() => void vi.useRealTimers())
    expect(await post({ id: 'c' })).toBe(200)
    expect(flow.ran).toHaveLength(1)
  })

  test('that is a test of the service is acknowledged and starts nothing', async () => {
    const { server, flow } = await registered()
    const [hook] = await hooks(server)
    expect(await server.call('test_webhook', { WebhookID: hook?.WebhookID })).toMatchObject({ Delivered: true, Status: 200 })
    expect(flow.ran).toEqual([])
  })

  test('to a workflow that knows no secret is refused', async () => {
    const { flow, post } = await registered()
    flow.kept.webhooks = {}
    expect(await post()).toBe(401)
  })
})
