import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { INodePropertyCollection } from 'n8n-workflow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OFFERED } from '../../scripts/n8n/operations.ts'
import { FAMILIES, FIELD_KINDS } from '../../src/contract/fields.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { type Access, execute, type Run } from './host.ts'
import { loadNodes } from './nodes.ts'
import { located, parametersFor } from './parameters.ts'

const { CrmConnector } = await loadNodes()
const node = new CrmConnector()

/** What arrived last. */
let asked: { path: string; body: { [name: string]: unknown }; headers: { [name: string]: unknown } }
let access: Access
const server = createServer(async (request, response) => {
  asked = { path: request.url ?? '', body: JSON.parse(await text(request)), headers: request.headers }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ Records: [], NextCursor: null }))
})
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  access = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'key' }
})
afterAll(() => server.close())

async function sent(parameters: object, more: Partial<Run> = {}): Promise<unknown> {
  await execute(node, access, { ...more, parameters })
  return asked.body
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly properties?: { readonly [name: string]: Schema }
}

/** The fields that can be filtered by, without what combines filters. */
const fieldsIn = ({ properties = {} }: Schema) => Object.keys(properties).filter((name) => name !== 'any' && name !== 'not')

/** Some value that a schema takes. */
function valueFor({ type, format, enum: values }: Schema): unknown {
  const plain = [type].flat().find((one) => one !== 'null')
  if (values) return values.at(-1) ?? values[0]
  if (plain === 'array') return ['one', 'two']
  if (plain === 'boolean') return true
  if (plain === 'number' || plain === 'integer') return 7
  return format === 'date' ? '2026-11-15' : format === 'date-time' ? '2026-11-15T09:30:00.000Z' : format === 'email' ? 'ada@example.com' : 'a text'
}

/** An input that leaves nothing out: every filter with every operator is another test's matter. */
function everyInput(operation: (typeof OFFERED)[number]): { [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(operation.inputs as { [name: string]: Schema }).map(([name, schema]) => {
      if (name === 'Filters') return [name, Object.fromEntries(fieldsIn(schema).map((field) => [field, { ne: null }]))]
      if (name === 'FieldsToUpdate') {
        const fields = Object.entries(schema.properties ?? {})
        return [
          name,
          Object.fromEntries(fields.map(([field, one], index) => [field, index % 2 === 1 && [one.type].flat().includes('null') ? null : valueFor(one)])),
        ]
      }
      if (name === 'Fields')
        return [name, { Sail: { Type: 'Boolean', Label: 'Sails', Value: false }, Berths: { Type: 'Number', Label: 'Berths' }, Port: { Value: 'Kiel' } }]
      if (name === 'OrderBy') return [name, 'CreatedDate desc']
      return [name, valueFor(schema)]
    }),
  )
}

test('every operation is there but those that show a secret, and connections', () => {
  const left = OPERATIONS.filter(({ id, record }) => record.name !== 'Connection' && !OFFERED.some(({ operation }) => operation.id === id)).map(({ id }) => id)
  expect(left.sort()).toEqual(['create_key', 'create_webhook', 'create_workspace', 'rotate_webhook_secret'])
})

describe.each(OFFERED.map((offered) => [offered.operation.id, offered] as const))('%s', (id, offered) => {
  test('sends every input of the contract, as it was entered', async () => {
    const input = everyInput(offered)
    expect(await sent(parametersFor(id, input))).toEqual(input)
    expect(asked.path).toBe(`/v1/operations/${id}`)
  })

  test('sends nothing that was not entered', async () => {
    const input = Object.fromEntries(Object.entries(everyInput(offered)).filter(([name]) => offered.required.includes(name)))
    expect(await sent({ ...parametersFor(id, input), ...('Limit' in offered.inputs && { returnAll: true }) })).toEqual({
      ...input,
      ...('Limit' in offered.inputs && { Limit: 1000 }),
    })
  })

  test('takes its whole input as JSON', async () => {
    if (Object.keys(offered.inputs).length === 0) return expect(await sent(parametersFor(id, {}))).toEqual({})
    const input = everyInput(offered)
    const parameters = { resource: offered.resource, operation: offered.verb, specify: 'json', input: JSON.stringify(input) }
    expect(await sent(parameters)).toEqual(input)
    expect(await sent({ ...parameters, input })).toEqual(input)
    if (!('Limit' in input)) return
    expect(await sent({ ...parameters, limit: 3 })).toEqual(input)
    expect(await sent({ ...parameters, returnAll: true })).toEqual(input)
    await expect(sent({ ...parameters, input: { ...input, Limit: 0 } })).rejects.toThrow('Limit must be')
  })

  test('sends nothing by itself where the input is given as JSON', () => {
    const given = node.description.properties.find(
      ({ name, displayOptions }) =>
        name === 'input' && displayOptions?.show?.resource?.includes(offered.resource) && displayOptions.show.operation?.includes(offered.verb),
    )
    if (Object.keys(offered.inputs).length === 0) return expect(given).toBeUndefined()
    expect(given?.default).toBe('{}')
    expect(JSON.parse(given?.hint?.replace('For example ', '') ?? '')).toEqual(offered.operation.example)
  })
})

/** A parameter of a condition, as far as it matters here. */
interface Entry {
  readonly name: string
  readonly displayOptions?: { readonly show?: { readonly [name: string]: readonly unknown[] } }
  readonly options?: readonly { readonly value?: unknown }[]
}

test('every field that can be filtered by is there with every operator that fits it, and no other', () => {
  for (const { operation, resource, verb, inputs } of OFFERED.filter((offered) => 'Filters' in offered.inputs)) {
    const filters = node.description.properties.find(
      ({ name, displayOptions }) => name === 'Filters' && displayOptions?.show?.resource?.includes(resource) && displayOptions.show.operation?.includes(verb),
    )
    const conditions = filters?.options?.find(({ name }) => name === 'conditions') as INodePropertyCollection | undefined
    const values = (conditions?.values ?? []) as readonly Entry[]
    const offeredFields = values.find(({ name }) => name === 'field')?.options?.map(({ value }) => String(value)) ?? []
    expect(offeredFields.toSorted(), operation.id).toEqual(fieldsIn(inputs.Filters as Schema).toSorted())
    for (const field of offeredFields) {
      const kind = operation.record.fields[field]?.kind
      const operators = values
        .filter(({ name, displayOptions }) => name === 'operator' && displayOptions?.show?.field?.includes(field))
        .flatMap(({ options = [] }) => options)
      const family = kind && FIELD_KINDS[kind]
      expect(operators.map(({ value }) => String(value)).toSorted(), field).toEqual(
        [...FAMILIES[family ?? 'text'].operators, 'isEmpty', 'isNotEmpty'].toSorted(),
      )
    }
  }
})

describe('values', () => {
  const search = (conditions: object[], more: Partial<Run> = {}) =>
    sent({ resource: 'opportunity', operation: 'getMany', Filters: { conditions }, returnAll: true }, more).then(
      (body) => (body as { Filters: object }).Filters,
    )

  test('are read by the type of the field, whatever an expression gives', async () => {
    expect(
      await search([
        { field: 'OpportunityName', operator: 'eq', textValue: 4711 },
        { field: 'Amount', operator: 'gte', numberValue: '12.5' },
        { field: 'CloseDate', operator: 'lt', dateValue: '2026-12-24T00:00:00' },
        { field: 'CreatedDate', operator: 'gt', timestampValue: new Date(0) },
        { field: 'UpdatedDate', operator: 'gt', timestampValue: { toISO: () => '2026-11-15T09:30:00.000+01:00' } },
      ]),
    ).toEqual({
      OpportunityName: { eq: '4711' },
      Amount: { gte: 12.5 },
      CloseDate: { lt: '2026-12-24' },
      CreatedDate: { gt: '1970-01-01T00:00:00.000Z' },
      UpdatedDate: { gt: '2026-11-15T09:30:00.000+01:00' },
    })
  })

  test('of a time without a zone are of the zone of the workflow, also around a change of clocks', async () => {
    const at = async (timestampValue: string) =>
      (await search([{ field: 'CreatedDate', operator: 'gte', timestampValue }], { timezone: 'Europe/Berlin' })) as { CreatedDate: { gte: string } }
    expect((await at('2026-07-01T12:00:00')).CreatedDate.gte).toBe('2026-07-01T10:00:00.000Z')
    expect((await at('2026-01-01')).CreatedDate.gte).toBe('2025-12-31T23:00:00.000Z')
    expect((await at('2026-03-29T01:30:00')).CreatedDate.gte).toBe('2026-03-29T00:30:00.000Z')
    expect((await at('2026-03-29T03:30:00')).CreatedDate.gte).toBe('2026-03-29T01:30:00.000Z')
    expect((await at('2026-10-25T12:00:00Z')).CreatedDate.gte).toBe('2026-10-25T12:00:00Z')
  })

  test('of several conditions on a field are joined, and lists are read one by one', async () => {
    expect(
      await search([
        { field: 'Amount', operator: 'gte', numberValue: 1 },
        { field: 'Amount', operator: 'lt', numberValue: 5 },
        { field: 'Revision', operator: 'in', listValue: '1, 2' },
        { field: 'Stage', operator: 'in', listValue: ['Won, nearly', 'Lost'] },
      ]),
    ).toEqual({ Amount: { gte: 1, lt: 5 }, Revision: { in: [1, 2] }, Stage: { in: ['Won, nearly', 'Lost'] } })
  })

  test('that contradict each other are refused before anything is sent', async () => {
    const twice = [
      { field: 'Amount', operator: 'gte', numberValue: 1 },
      { field: 'Amount', operator: 'gte', numberValue: 5 },
    ]
    await expect(search(twice)).rejects.toThrow('Amount has two conditions with the same operator (gte)')
    await expect(sent({ resource: 'lead', operation: 'get', specify: 'json', input: '[1]' })).rejects.toThrow('must be a JSON object')
  })

  test('of fields that the contract does not know are typed by the person', async () => {
    const others = [
      { name: located('constructor'), type: 'Boolean', operator: 'eq', booleanValue: true },
      { name: located('__proto__'), type: 'String', operator: 'eq', textValue: 'harmless' },
      { name: located('Built'), type: 'Date', operator: 'gte', dateValue: '1999-01-01' },
    ]
    const { Filters } = (await sent({ resource: 'customObject', operation: 'getMany', Filters: { others } })) as { Filters: object }
    expect(Object.entries(Filters)).toEqual([
      ['constructor', { eq: true }],
      ['__proto__', { eq: 'harmless' }],
      ['Built', { gte: '1999-01-01' }],
    ])
    const update = { resource: 'lead', operation: 'update', LeadID: 'x', OtherFields: { fields: [{ name: located('Company'), type: 'Null' }] } }
    expect(await sent(update)).toEqual({ LeadID: 'x', FieldsToUpdate: { Company: null } })
  })

  const nothing = [undefined, null]

  test.each(nothing)('that an expression does not find (%s) take nothing away', async (none) => {
    const OtherFields = { fields: [{ name: located('Company'), type: 'String', textValue: none }] }
    const update = { resource: 'lead', operation: 'update', LeadID: 'x', FieldsToUpdate: { Phone: none, Email: 'a@example.com' }, OtherFields }
    expect(await sent(update)).toEqual({ LeadID: 'x', FieldsToUpdate: { Email: 'a@example.com' } })
    expect(await sent({ ...update, FieldsToUpdate: {}, FieldsToClear: ['Phone'] })).toEqual({ LeadID: 'x', FieldsToUpdate: { Phone: null } })
    const create = { resource: 'lead', operation: 'create', FirstName: 'Ada', LastName: 'Lovelace', additionalFields: { Email: none }, OtherFields }
    expect(await sent(create)).toEqual({ FirstName: 'Ada', LastName: 'Lovelace' })
    const fields = [{ name: located('Port'), type: 'String', label: 'Port', textValue: none }]
    expect(await sent({ resource: 'customObject', operation: 'create', ObjectName: 'Boat', Fields: { fields } })).toEqual({
      ObjectName: 'Boat',
      Fields: { Port: { Type: 'String', Label: 'Port' } },
    })
  })

  test('of a choice and a reference are defined with what they need', async () => {
    const fields = [
      { name: located('Rig'), type: 'Choice', label: 'Rig', choices: ['Sloop', 'Ketch', ''], textValue: 'Ketch' },
      { name: located('Flags'), type: 'Choices', label: 'Flags', listValue: ['a', 'b'] },
      { name: located('Yard'), type: 'Reference', label: 'Yard', refersTo: 'Contact', setValue: false },
      { name: located('Port'), type: 'Choice', label: '', choices: ['Kiel'], textValue: 'Kiel' },
    ]
    expect(await sent({ resource: 'customObject', operation: 'create', ObjectName: 'Boat', Fields: { fields } })).toEqual({
      ObjectName: 'Boat',
      Fields: {
        Rig: { Type: 'Choice', Label: 'Rig', Values: ['Sloop', 'Ketch'], Value: 'Ketch' },
        Flags: { Type: 'Choices', Label: 'Flags', Value: ['a', 'b'] },
        Yard: { Type: 'Reference', Label: 'Yard', RefersTo: 'Contact' },
        Port: { Value: 'Kiel' },
      },
    })
  })

  test.each(nothing)('of a filter must be there (%s)', async (none) => {
    const refused = 'Amount has no value to compare with'
    await expect(search([{ field: 'Amount', operator: 'eq', numberValue: none }])).rejects.toThrow(refused)
    await expect(search([{ field: 'Amount', operator: 'ne', numberValue: none }])).rejects.toThrow(refused)
    await expect(search([{ field: 'Amount', operator: 'in', listValue: none }])).rejects.toThrow(refused)
    await expect(search([{ field: 'Amount', operator: 'in', listValue: [1, none] }])).rejects.toThrow(refused)
    await expect(search([{ field: 'OwnerID', textValue: { __rl: true, mode: 'id', value: none } }])).rejects.toThrow('OwnerID has no value to compare with')
    const others = [{ name: located('Port'), type: 'String', operator: 'eq', textValue: none }]
    await expect(sent({ resource: 'customObject', operation: 'getMany', Filters: { others } })).rejects.toThrow('Port has no value to compare with')
    expect(await search([{ field: 'Amount', operator: 'isEmpty' }])).toEqual({ Amount: { eq: null } })
  })

  test.each(nothing)('of a guard must be there (%s)', async (none) => {
    const remove = { resource: 'lead', operation: 'delete', LeadID: 'x' }
    await expect(sent({ ...remove, options: { ifRevision: none } })).rejects.toThrow('If Revision has no value')
    await expect(sent({ ...remove, options: { idempotencyKey: none } })).rejects.toThrow('Idempotency Key has no value')
  })

  test('of a field that is cleared too are refused', async () => {
    const update = { resource: 'lead', operation: 'update', LeadID: 'x', FieldsToUpdate: { Phone: '1' }, FieldsToClear: ['Phone'] }
    await expect(sent(update)).rejects.toThrow('Phone is both updated and cleared')
  })

  test('that are no date or time are left to the service', async () => {
    for (const text of ['2026-12-24garbage', '24.12.2026', '2026-12-24T', 'tomorrow']) {
      expect(await search([{ field: 'CloseDate', operator: 'eq', dateValue: text }])).toEqual({ CloseDate: { eq: text } })
      expect(await search([{ field: 'CreatedDate', operator: 'gte', timestampValue: text }])).toEqual({ CreatedDate: { gte: text } })
    }
    for (const text of ['2026-02-30', '2026-02-30T10:00:00', '2026-13-01'])
      expect(await search([{ field: 'CreatedDate', operator: 'gte', timestampValue: text }])).toEqual({ CreatedDate: { gte: text } })
    expect(await search([{ field: 'CreatedDate', operator: 'gte', timestampValue: new Date(Number.NaN) }])).toEqual({ CreatedDate: { gte: 'Invalid Date' } })
    for (const text of ['2026-12-24T10:00', '2026-12-24 10:00:00', '2026-12-24T10:00:00.000+01:00', '2026-12-24T10:00:00Z'])
      expect(await search([{ field: 'CloseDate', operator: 'eq', dateValue: text }])).toEqual({ CloseDate: { eq: '2026-12-24' } })
  })

  test('of a custom object that are left empty are none', async () => {
    const fields = [
      { name: located('Port'), type: 'String', label: 'Port' },
      { name: located('Built'), type: 'Date', label: 'Built' },
      { name: located('Berths'), type: 'Number', label: 'Berths' },
    ]
    const { Fields } = (await sent({ resource: 'customObject', operation: 'create', ObjectName: 'Boat', Fields: { fields } })) as { Fields: object }
    expect(Fields).toEqual({
      Port: { Type: 'String', Label: 'Port' },
      Built: { Type: 'Date', Label: 'Built' },
      Berths: { Type: 'Number', Label: 'Berths', Value: 0 },
    })
  })

  test('of additional fields that are empty are left out, of fields to update they are sent', async () => {
    const lead = { resource: 'lead', operation: 'create', FirstName: 'Ada', LastName: 'Lovelace', additionalFields: { Email: '', Phone: null } }
    expect(await sent(lead)).toEqual({ FirstName: 'Ada', LastName: 'Lovelace' })
    expect(await sent({ resource: 'lead', operation: 'update', LeadID: 'x', FieldsToUpdate: { Phone: '' } })).toEqual({
      LeadID: 'x',
      FieldsToUpdate: { Phone: '' },
    })
  })
})

test('what an operation does is said as n8n says it', () => {
  const actions = node.description.properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options = [] }) => options.map((one) => 'action' in one && one.action))
  expect(actions).toEqual(expect.arrayContaining(['Delete a case', 'Get a lead', 'Get many leads', 'Get a summary of opportunities', 'Add a note to a lead']))
  expect(actions).toEqual(
    expect.arrayContaining(['Add a comment to a case', 'Update an opportunity', 'Create a user', 'Get the current user', 'Add a lead to a campaign']),
  )
  expect(new Set(actions).size).toBe(OFFERED.length)
})

test('a field has one name', () => {
  const said = JSON.stringify(node.description.properties)
  expect(said).toContain('"name":"E-Mail","value":"Email"')
  expect(said).not.toMatch(/"(?:name|displayName)":"Email","(?:value|name)":"Email"/)
})

test('options travel as headers', async () => {
  const options = { dryRun: true, idempotencyKey: 'order-1', planFirst: true, confirmationToken: 'token' }
  await sent({ resource: 'lead', operation: 'delete', LeadID: 'x', options })
  expect(asked.headers).toMatchObject({
    'dry-run': 'true',
    'idempotency-key': 'order-1',
    confirm: 'deletes',
    'confirmation-token': 'token',
    authorization: 'Bearer key',
  })
  await sent({ resource: 'lead', operation: 'get', LeadID: 'x' })
  expect(asked.headers).not.toHaveProperty('idempotency-key')
})
