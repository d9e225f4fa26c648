import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OFFERED } from '../../scripts/n8n/operations.ts'
import { sampleOf } from '../support/samples.ts'
import { wrongWith } from '../support/schemas.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { unreliable } from '../support/unreliable.ts'
import { execute, type Run } from './host.ts'
import { loadNodes } from './nodes.ts'
import { parametersFor } from './parameters.ts'

const { CrmConnector } = await loadNodes()
const node = new CrmConnector()

let server: TestServer
beforeAll(async () => {
  server = await startServer({ wrap: (service) => ({ ...service, sending: { ...service.sending, allowPrivate: true } }) })
})
afterAll(() => server.close())

const run = (parameters: Run['parameters'], more: Partial<Run> = {}) => execute(node, server, { ...more, parameters })
const lead = (LastName: string, more: object = {}) => ({ resource: 'lead', operation: 'create', FirstName: 'Ada', LastName, ...more })
const leadsCalled = async (LastName: string) => (await server.call('get_many_leads', { Filters: { LastName } })).Records as { LeadID: string }[]

test.each(OFFERED.map(({ operation }) => [operation.id, operation] as const))('%s is carried out with the example of the contract', async (id, operation) => {
  const output = await run(parametersFor(id, await sampleOf(operation, server.call)), { executionId: `example-${id}` })
  const { properties } = operation.output as unknown as { properties: { [member: string]: { items?: object } } }
  const [list] = Object.entries(properties).flatMap(([name, { items }]) => (['Records', 'Events'].includes(name) && items ? [items] : []))
  for (const { json } of output) expect(wrongWith(list ?? operation.output, json)).toEqual([])
  if (!list) expect(output).toHaveLength(1)
  for (const { pairedItem } of output) expect(pairedItem).toEqual({ item: 0 })
})

describe('many', () => {
  beforeAll(async () => {
    for (let index = 0; index < 1100; index += 550) {
      const Operations = Array.from({ length: 550 }, (_, at) => ({
        Operation: 'create_opportunity',
        Input: { OpportunityName: `Deal ${index + at}`, Stage: 'Mass', CloseDate: '2026-12-31', Amount: index + at },
      }))
      const response = await fetch(`${server.url}/v1/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ Operations }),
      })
      expect(response.status).toBe(200)
    }
  })
  const mass = { resource: 'opportunity', operation: 'getMany', Filters: { conditions: [{ field: 'Stage', operator: 'eq', textValue: 'Mass' }] } }

  test('are all returned over pages, each once and in order', async () => {
    const output = await run({
      ...mass,
      returnAll: true,
      options: { orderBy: { __rl: true, mode: 'name', value: 'Amount' }, direction: 'asc', select: ['Amount'] },
    })
    expect(output.map(({ json }) => json.Amount)).toEqual(Array.from({ length: 1100 }, (_, index) => index))
    expect(Object.keys(output[0]?.json ?? {}).sort()).toEqual(['Amount', 'OpportunityID'])
  })

  test('are returned up to a limit that is larger than a page, and from a cursor on', async () => {
    expect(await run({ ...mass, limit: 1050 })).toHaveLength(1050)
    const [page] = await run({ ...mass, limit: 30, options: { onePage: true } })
    expect(page?.json.Records).toHaveLength(30)
    const rest = await run({ ...mass, returnAll: true, options: { cursor: page?.json.NextCursor } })
    expect(rest).toHaveLength(1070)
  })

  test('of events are returned to the last and then end', async () => {
    const output = await run({ resource: 'event', operation: 'getMany', returnAll: true })
    expect(output.length).toBeGreaterThan(1100)
    expect(new Set(output.map(({ json }) => json.EventID)).size).toBe(output.length)
  })

  test('belong to the item that asked for them', async () => {
    const output = await run([{ ...mass, limit: 2 }, lead('Paired'), { ...mass, limit: 1 }], { executionId: 'paired' })
    expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 1 }, { item: 2 }])
  })
})

describe('filters of each type', () => {
  const find = async (condition: object) => {
    const filters = { conditions: [{ field: 'Stage', operator: 'eq', textValue: 'Typed' }, condition] }
    return (await run({ resource: 'opportunity', operation: 'getMany', Filters: filters, returnAll: true })).map(({ json }) => json.OpportunityName)
  }
  beforeAll(async () => {
    await server.call('create_opportunity', { OpportunityName: 'Engine', Stage: 'Typed', CloseDate: '2026-01-31', Amount: 10 })
    await server.call('create_opportunity', { OpportunityName: 'Mill', Stage: 'Typed', CloseDate: '2027-01-31' })
  })

  test.each([
    ['text', { field: 'OpportunityName', operator: 'startsWith', textValue: 'en' }, ['Engine']],
    ['text in a list', { field: 'OpportunityName', operator: 'in', listValue: 'Mill, Loom' }, ['Mill']],
    ['number', { field: 'Amount', operator: 'lte', numberValue: 10 }, ['Engine']],
    ['date', { field: 'CloseDate', operator: 'gt', dateValue: '2026-06-01T00:00:00' }, ['Mill']],
    ['timestamp', { field: 'CreatedDate', operator: 'gte', timestampValue: '2999-01-01T00:00:00' }, []],
    ['empty', { field: 'Amount', operator: 'isEmpty' }, ['Mill']],
    ['not empty', { field: 'Amount', operator: 'isNotEmpty' }, ['Engine']],
  ])('%s', async (_, condition, found) => {
    expect(await find(condition)).toEqual(found)
  })

  test('boolean, of a field that the workspace has defined', async () => {
    const boat = (name: string, value: boolean) => ({
      resource: 'customObject',
      operation: 'create',
      ObjectName: { __rl: true, mode: 'name', value: 'Vessel' },
      Fields: {
        fields: [
          { name: { __rl: true, mode: 'name', value: 'Sails' }, type: 'Boolean', label: 'Sails', booleanValue: value },
          { name, type: 'String', label: name, textValue: 'x' },
        ],
      },
    })
    await run([boat('Ketch', true), boat('Tug', false)], { executionId: 'vessels' })
    const others = [{ name: { __rl: true, mode: 'list', value: 'Sails' }, type: 'Boolean', operator: 'eq', booleanValue: true }]
    const output = await run({
      resource: 'customObject',
      operation: 'getMany',
      Filters: { conditions: [{ field: 'ObjectName', textValue: 'Vessel' }], others },
    })
    expect(output.map(({ json }) => json.Values)).toEqual([{ Sails: true, Ketch: 'x', Tug: null }])
  })
})

describe('what is refused', () => {
  const faulty = lead('Faulty', { additionalFields: { Email: 'nowhere' } })

  test('stops the workflow with the words of the service, every fault and the item', async () => {
    const refused = run([lead('Fine'), faulty], { executionId: 'refused' })
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining('Email'),
      description: expect.stringContaining('Email: '),
      httpCode: '400',
      context: { itemIndex: 1 },
    })
  })

  test('becomes one item for each item that was refused, where the workflow goes on', async () => {
    const gone = { resource: 'lead', operation: 'get', LeadID: 'nobody' }
    const output = await run([faulty, lead('Between'), gone, { resource: 'lead', operation: 'get', specify: 'json', input: '{' }], {
      executionId: 'goes-on',
      continueOnFail: true,
    })
    expect(output.map(({ pairedItem }) => pairedItem?.item)).toEqual([0, 1, 2, 3])
    expect(output[0]?.json).toEqual({
      error: expect.stringContaining('Email'),
      details: {
        code: 'invalid_input',
        status: 400,
        retryable: false,
        errors: [expect.objectContaining({ field: 'Email', code: 'form' })],
        hint: expect.stringContaining('create_a_lead'),
        requestId: expect.any(String),
      },
    })
    expect(output[1]?.json).toMatchObject({ LastName: 'Between' })
    expect(output[2]?.json).toMatchObject({ details: { code: 'not_found', status: 404 } })
    expect(output[3]?.json).toMatchObject({ details: { code: 'invalid_input' } })
    // n8n leads items with these members, and no other, to the error output.
    for (const at of [0, 2, 3])
      expect(Object.keys(output[at] ?? {}).concat(Object.keys(output[at]?.json ?? {}))).toEqual(['json', 'pairedItem', 'error', 'details'])
  })

  test('shows the plan that waits, and is done with its token', async () => {
    const { LeadID } = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Planned' })
    const remove = { resource: 'lead', operation: 'delete', LeadID }
    const [planned] = await run({ ...remove, options: { planFirst: true } }, { executionId: 'plan', continueOnFail: true })
    expect(planned?.json).toMatchObject({ details: { code: 'conflict', plan: { RecordID: LeadID } } })
    const { plan } = (planned?.json.details ?? {}) as { plan?: { Token: string } }
    const [done] = await run({ ...remove, options: { planFirst: true, confirmationToken: plan?.Token, includeCall: true } }, { executionId: 'plan' })
    expect(done?.json).toMatchObject({ LeadID, Deleted: true, Call: { Replayed: false } })
  })

  test('by somebody in between says so', async () => {
    const edge = await unreliable(server.url)
    edge.befall({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' })
    const [item] = await execute(node, { ...server, url: edge.url }, { parameters: lead('Between'), executionId: 'gateway', continueOnFail: true })
    expect(item?.json).toMatchObject({ details: { code: 'no_answer', status: 502, retryable: true } })
  })
})

describe('a write', () => {
  test('whose answer is lost is carried out once, however often the node is tried', async () => {
    const edge = await unreliable(server.url)
    edge.befall('unheard', { status: 503, after: true })
    const attempt = { parameters: [lead('Retried'), lead('Retried')], executionId: 'retried', runIndex: 2 }
    const access = { ...server, url: edge.url }
    await expect(execute(node, access, attempt)).rejects.toThrow()
    await expect(execute(node, access, attempt)).rejects.toThrow()
    const output = await execute(node, access, attempt)
    expect((await leadsCalled('Retried')).map(({ LeadID }) => LeadID).sort()).toEqual(output.map(({ json }) => String(json.LeadID)).sort())
    expect(output).toHaveLength(2)
  })

  test('has another key for each item, run, node and execution, and the same for each attempt', async () => {
    const edge = await unreliable(server.url)
    const access = { ...server, url: edge.url }
    const keysOf = async (more: Partial<Run>) => {
      edge.arrived.length = 0
      await execute(node, access, { parameters: lead('Keyed'), items: 2, executionId: 'keyed', ...more })
      return edge.arrived.map(({ headers }) => String(headers['idempotency-key']))
    }
    const first = await keysOf({})
    expect(await keysOf({})).toEqual(first)
    const others = [await keysOf({ runIndex: 1 }), await keysOf({ nodeId: 'node-2' }), await keysOf({ executionId: 'another' })]
    expect(new Set([first, ...others].flat()).size).toBe(8)
    for (const key of first) expect(key).toMatch(/^n8n-keyed-0-[01]-[0-9a-f]{40}$/)
  })

  test('of an execution that is retried is that of the execution that failed', async () => {
    const context = {}
    const faulty = lead('Half', { additionalFields: { Email: 'nowhere' } })
    await expect(run([lead('Half'), faulty], { executionId: '70', context })).rejects.toThrow()
    const output = await run([lead('Half'), lead('Half')], { executionId: '71', context })
    expect(await leadsCalled('Half')).toHaveLength(2)
    expect(output).toHaveLength(2)
  })

  test('with a key of its own is carried out once over all executions', async () => {
    const once = lead('Once', { options: { idempotencyKey: 'signup-1', includeCall: true } })
    const [first] = await run(once, { executionId: '80' })
    const [again] = await run(once, { executionId: '81' })
    expect(again?.json.LeadID).toBe(first?.json.LeadID)
    expect(first?.json.Call).toEqual({ ChangeID: expect.any(String), Replayed: false })
    expect(again?.json.Call).toMatchObject({ Replayed: true })
  })

  test('with other input at the second attempt is refused, never carried out twice', async () => {
    await run(lead('Now 1'), { executionId: '90' })
    await expect(run(lead('Now 2'), { executionId: '90' })).rejects.toMatchObject({ httpCode: '409' })
    expect(await leadsCalled('Now 2')).toEqual([])
  })

  test('that is only tried writes nothing', async () => {
    const [tried] = await run(lead('Tried', { options: { dryRun: true } }), { executionId: '95' })
    expect(tried?.json).toMatchObject({ DryRun: true, WouldWrite: { LastName: 'Tried' } })
    expect(await leadsCalled('Tried')).toEqual([])
  })
})
