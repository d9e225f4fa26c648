import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OFFERED } from '../../scripts/n8n/operations.ts'
import { faultyProxy } from '../support/faulty-proxy.ts'
import { sampleOf } from '../support/samples.ts'
import { wrongWith } from '../support/schemas.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { execute, type Run } from './host.ts'
import { loadNodes } from './nodes.ts'
import { parametersFor } from './parameters.ts'

const { CrmConnector } = await loadNodes()
const node = new CrmConnector()

let server: TestServer
beforeAll(async () => {
  server = await startServer({ wrap: (service) => ({ ...service, webhooks: { ...service.webhooks, allowPrivate: true } }) })
})
afterAll(() => server.close())

const run = (parameters: Run['parameters'], more: Partial<Run> = {}) => execute(node, server, { ...more, parameters })
/** The token of what always has to be confirmed. */
async function tokenOf(parameters: Run['parameters']): Promise<string | undefined> {
  const [planned] = await run(parameters, { executionId: 'plan', continueOnFail: true })
  return (planned?.json.details as { plan?: { Token: string } } | undefined)?.plan?.Token
}
const lead = (LastName: string, more: object = {}) => ({ resource: 'lead', operation: 'create', FirstName: 'Ada', LastName, ...more })
const leadsCalled = async (LastName: string) => (await server.call('get_many_leads', { Filters: { LastName } })).Records as { LeadID: string }[]

test.each(OFFERED.map(({ operation }) => [operation.id, operation] as const))('%s is carried out with the example of the contract', async (id, operation) => {
  const parameters = parametersFor(id, await sampleOf(operation, server.call))
  const confirmationToken = operation.confirmed ? await tokenOf(parameters) : undefined
  const confirmed = confirmationToken === undefined ? parameters : { ...parameters, options: { ...(parameters.options as object), confirmationToken } }
  const output = await run(confirmed, { executionId: `example-${id}` })
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
    expect(output[3]?.json).toMatchObject({
      error: expect.stringMatching(/^Input \(JSON\) cannot be read: .*position 1/),
      details: { code: 'invalid_input', retryable: false, errors: [{ field: 'input', code: 'form' }], hint: expect.any(String) },
    })
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

  test('of an expression that fails is no matter of the service, and the items around it go on', async () => {
    const cause = new Error("Referenced node doesn't exist")
    const broken = lead('Broken', {
      FirstName: () => {
        throw cause
      },
    })
    const output = await run([lead('Around'), broken, lead('Around')], { executionId: 'expression', continueOnFail: true })
    expect(output[1]?.json).toEqual({
      error: cause.message,
      details: {
        code: 'invalid_input',
        status: null,
        retryable: false,
        errors: [{ field: 'FirstName', code: 'expression', message: cause.message }],
        hint: null,
      },
    })
    expect(await leadsCalled('Around')).toHaveLength(2)
    await expect(run(broken, { executionId: 'expression-2' })).rejects.toBe(cause)
  })

  test.each([0, -3, 1.5, 'abc', '', undefined, null, Number.NaN])('is a limit of %s', async (limit) => {
    const many = { resource: 'lead', operation: 'getMany', limit }
    await expect(run(many)).rejects.toThrow('Limit must be a whole number of at least 1.')
    const [item] = await run(many, { continueOnFail: true })
    expect(item?.json).toMatchObject({ details: { code: 'invalid_input', errors: [{ field: 'Limit' }] } })
  })

  test('is a number that is none, wherever it stands, instead of taking the value away', async () => {
    const { OpportunityID } = await server.call('create_opportunity', { OpportunityName: 'Kept', Stage: 'Kept', CloseDate: '2026-12-31', Amount: 500 })
    const update = { resource: 'opportunity', operation: 'update', OpportunityID }
    const other = (numberValue: unknown) => ({ OtherFields: { fields: [{ name: 'Amount', type: 'Number', numberValue }] } })
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      for (const more of [{ FieldsToUpdate: { Amount: none } }, other(none), { specify: 'json', input: { OpportunityID, FieldsToUpdate: { Amount: none } } }]) {
        const { OpportunityID: id, ...others } = { ...update, ...more } as { OpportunityID: unknown }
        const parameters = 'specify' in more ? others : { OpportunityID: id, ...others }
        const [item] = await run(parameters, { executionId: 'none', continueOnFail: true })
        expect(item?.json).toMatchObject({ details: { code: 'invalid_input', errors: [{ field: 'FieldsToUpdate.Amount' }] } })
      }
    }
    for (const text of ['Infinity', 'NaN', 'a lot', ''])
      await expect(run({ ...update, FieldsToUpdate: { Amount: text } }, { executionId: `none-${text}` })).rejects.toMatchObject({ httpCode: '400' })
    expect(await server.call('get_opportunity', { OpportunityID })).toMatchObject({ Amount: 500, Revision: 1 })
  })

  test('by somebody in between says so', async () => {
    const edge = await faultyProxy(server.url)
    edge.failNext({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' })
    const [item] = await execute(node, { ...server, url: edge.url }, { parameters: lead('Between'), executionId: 'gateway', continueOnFail: true })
    expect(item?.json).toMatchObject({ details: { code: 'no_answer', status: 502, retryable: true } })
  })
})

describe('a write', () => {
  test('whose answer is lost is carried out once, however often the node is tried', async () => {
    const edge = await faultyProxy(server.url)
    edge.failNext('unanswered', { status: 503, after: true })
    const attempt = { parameters: [lead('Retried'), lead('Retried')], executionId: 'retried', runIndex: 2 }
    const access = { ...server, url: edge.url }
    await expect(execute(node, access, attempt)).rejects.toThrow()
    await expect(execute(node, access, attempt)).rejects.toThrow()
    const output = await execute(node, access, attempt)
    expect((await leadsCalled('Retried')).map(({ LeadID }) => LeadID).sort()).toEqual(output.map(({ json }) => String(json.LeadID)).sort())
    expect(output).toHaveLength(2)
  })

  test('has another key for each item, run, node and execution, and the same for each attempt', async () => {
    const edge = await faultyProxy(server.url)
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

describe('a write of an agent', () => {
  test.each([
    ['plan', 'allow', { PlanID: 'x' }],
    ['plan', 'refuse', { PlanID: 'x' }],
    ['change', 'erase', { RecordType: 'Lead', RecordID: 'x' }],
  ])('%s %s is left to people', async (resource, operation, input) => {
    const offered = node.description.properties
      .filter(({ name, displayOptions: { show } = {} }) => name === 'operation' && show?.resource?.includes(resource) && show?.['@tool']?.includes(true))
      .flatMap(({ options = [] }) => options.map((option) => ('value' in option ? option.value : undefined)))
    expect(offered).not.toContain(operation)
    const [refused] = await run({ resource, operation, ...input }, { asked: { it: 'please' }, continueOnFail: true })
    expect(refused?.json.error).toContain('Only a person may decide on this')
  })

  /** A call of an agent, tried as often as something befalls it; n8n counts each attempt as a run. */
  async function called(asked: { name: string }, more: Partial<Run>, lost = 0): Promise<string> {
    const edge = await faultyProxy(server.url)
    edge.failNext(...Array.from({ length: lost }, () => 'unanswered' as const))
    const attempt = (runIndex: number) => execute(node, { ...server, url: edge.url }, { parameters: lead(asked.name), asked, runIndex, ...more })
    for (let runIndex = 0; runIndex < lost; runIndex++) await expect(attempt(runIndex)).rejects.toThrow()
    const [item] = await attempt(lost)
    return String(item?.json.LeadID)
  }

  test.each([
    ['within an execution', { executionId: 'agent' }],
    ['without one', { executionId: null }],
  ])('%s is carried out once at all attempts, and again where it is asked for again', async (name, { executionId }) => {
    const context = {}
    const calls = [
      await called({ name }, { executionId, context }, 2),
      await called({ name }, { executionId, context }),
      await called({ name: `${name}, other` }, { executionId, context }, 1),
    ]
    expect(new Set(calls).size).toBe(3)
    expect((await leadsCalled(name)).map(({ LeadID }) => LeadID).sort()).toEqual(calls.slice(0, 2).sort())
    expect(await leadsCalled(`${name}, other`)).toHaveLength(1)
  })

  test('of an execution that is retried is not carried out again', async () => {
    const context = {}
    const first = await called({ name: 'Agent retried' }, { executionId: '100', context })
    const retried = await called({ name: 'Agent retried' }, { executionId: '101', context: structuredClone(context) })
    expect(retried).toBe(first)
  })

  test('without an execution is none of any other call', async () => {
    const calls = [await called({ name: 'Alone' }, { executionId: null }), await called({ name: 'Alone' }, { executionId: null })]
    expect(new Set(calls).size).toBe(2)
    const [other] = await run(lead('Alone, by n8n'), { executionId: null })
    expect(other?.json).toMatchObject({ LastName: 'Alone, by n8n' })
  })
})
