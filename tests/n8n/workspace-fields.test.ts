import type { INodeProperties } from 'n8n-workflow'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { EXTENSIBLE } from '../../src/contract/records/extensible.ts'
import { createService } from '../../src/core/service.ts'
import { extendedPlatform } from '../support/extended-platform.ts'
import { COMPANY } from '../support/extended-service.ts'
import { temporarySqlite } from '../support/in-process.ts'
import { serverForTest, startServer, type TestServer } from '../support/server.ts'
import { execute, listFunctions, type Run } from './host.ts'
import { loadNodes } from './nodes.ts'
import { located, operationOf, parametersFor } from './parameters.ts'

const { CrmConnector } = await loadNodes()
const node = new CrmConnector()
const { getWorkspaceFields } = node.methods.resourceMapping

const DEFINED = [
  { FieldName: 'Nickname', Kind: 'text', Label: 'Called' },
  { FieldName: 'Score', Kind: 'integer', Required: true },
  { FieldName: 'Budget', Kind: 'money' },
  { FieldName: 'Vip', Kind: 'boolean' },
  { FieldName: 'Born', Kind: 'date' },
  { FieldName: 'SeenAt', Kind: 'timestamp', Label: 'Seen at' },
  { FieldName: 'Tier', Kind: 'choice', Values: ['Gold', 'Silver'] },
  { FieldName: 'Mood', Kind: 'choice' },
  { FieldName: 'Tags', Kind: 'choices', Values: ['a', 'b', 'c, d'] },
  { FieldName: 'Payload', Kind: 'json' },
  { FieldName: 'Backer', Kind: 'reference', RefersTo: 'Company' },
]

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (const field of DEFINED) await server.call('define_field', { RecordType: 'Lead', ...field })
  for (const { name } of EXTENSIBLE.slice(1)) await server.call('define_field', { RecordType: name, FieldName: 'Region', Kind: 'text' })
})
afterAll(() => server.close())

const run = (parameters: object, more: Partial<Run> = {}) => execute(node, server, { executionId: crypto.randomUUID(), ...more, parameters })
const asked = (resource: string, operation: string) => getWorkspaceFields.call(listFunctions(server, { resource, operation }))

/** What n8n stores when values are entered: fields without one are not shown. */
async function entered(value: { readonly [name: string]: unknown }, resource = 'lead', operation = 'create') {
  const { fields } = await asked(resource, operation)
  return {
    mappingMode: 'defineBelow',
    value,
    matchingColumns: [],
    schema: fields.map((field) => ({ ...field, removed: !(field.id in value) })),
    attemptToConvertTypes: false,
    convertFieldsToString: false,
  }
}

const ADA = { resource: 'lead', operation: 'create', FirstName: 'Ada', LastName: 'Lovelace' }

async function created(value: { readonly [name: string]: unknown }, more: Partial<Run> = {}) {
  const [output] = await run({ ...ADA, WorkspaceFields: await entered({ Score: 1, ...value }) }, more)
  return server.call('get_leads', { LeadID: output?.json.LeadID })
}

describe('the fields that are offered', () => {
  test('are those of the workspace beyond the contract, each with its type', async () => {
    const { fields, emptyFieldsNotice } = await asked('lead', 'create')
    expect(fields.map(({ id, displayName, type, required }) => [id, displayName, type, required])).toEqual([
      ['Backer', 'Backer', 'string', false],
      ['Born', 'Born', 'dateTime', false],
      ['Budget', 'Budget', 'number', false],
      ['Mood', 'Mood', 'string', false],
      ['Nickname', 'Called (Nickname)', 'string', false],
      ['Payload', 'Payload', 'object', false],
      ['Score', 'Score', 'number', true],
      ['SeenAt', 'Seen at (SeenAt)', 'dateTime', false],
      ['Tags', 'Tags', 'array', false],
      ['Tier', 'Tier', 'options', false],
      ['Vip', 'Vip', 'boolean', false],
    ])
    for (const field of fields) expect(field).toMatchObject({ canBeUsedToMatch: false, defaultMatch: false, display: true })
    expect(fields.find(({ id }) => id === 'Tier')?.options).toEqual([
      { name: 'Gold', value: 'Gold' },
      { name: 'Silver', value: 'Silver' },
    ])
    expect(emptyFieldsNotice).toBeUndefined()
  })

  test.each(['update', 'upsert'])('are not required where a record may have them already (%s)', async (operation) => {
    const { fields } = await asked('lead', operation)
    expect(fields).toHaveLength(DEFINED.length)
    expect(fields.filter(({ required }) => required)).toEqual([])
  })

  test('follow the workspace, and a notice says that there are none', async () => {
    expect((await asked('campaign', 'create')).fields.map(({ id }) => id)).toEqual(['Region'])
    await server.call('retire_field', { RecordType: 'Campaign', FieldName: 'Region' })
    expect(await asked('campaign', 'create')).toEqual({ fields: [], emptyFieldsNotice: expect.stringContaining('no fields beyond the standard ones') })
    await server.call('define_field', { RecordType: 'Campaign', FieldName: 'Region', Kind: 'text' })
  })
})

test('fields of a CRM account are offered and written without being defined', async () => {
  const records = await temporarySqlite()
  onTestFinished(() => records.close())
  const account = await serverForTest({ wrap: ({ store }) => createService({ platform: extendedPlatform(records, COMPANY), store }) })
  const { fields } = await getWorkspaceFields.call(listFunctions(account, { resource: 'lead', operation: 'create' }))
  expect(fields.map(({ id, type, required }) => [id, type, required])).toEqual([
    ['Firm', 'string', true],
    ['Headcount', 'number', false],
    ['Budget', 'number', false],
    ['Vip', 'boolean', false],
    ['Met', 'dateTime', false],
    ['Grade', 'options', false],
  ])
  const value = { Firm: 'Engines', Headcount: '3', Met: '2026-11-15T09:30:00Z', Grade: 'Hot' }
  const WorkspaceFields = { mappingMode: 'defineBelow', value, schema: fields }
  const [output] = await execute(node, account, { parameters: { ...ADA, WorkspaceFields } })
  expect(output?.json).toMatchObject({ Firm: 'Engines', Headcount: 3, Met: '2026-11-15T09:30:00.000Z', Grade: 'Hot', Vip: null })
})

test('every operation that writes a record which can have such fields has them, and no other', () => {
  const mappers = node.description.properties.filter(({ type }) => type === 'resourceMapper')
  const shown = ({ displayOptions }: INodeProperties) =>
    displayOptions?.show?.operation?.map((operation) => `${displayOptions.show?.resource?.[0]}.${operation}`)
  const whole = ['lead', 'opportunity', 'case', 'company', 'contact'].flatMap((resource) => ['create', 'update', 'upsert'].map((verb) => `${resource}.${verb}`))
  expect(mappers.flatMap((one) => shown(one) ?? []).sort()).toEqual([...whole, 'campaign.create'].sort())
  for (const { typeOptions } of mappers) expect(node.methods.resourceMapping).toHaveProperty(typeOptions?.resourceMapper?.resourceMapperMethod ?? '')
})

describe('values', () => {
  test('of every kind are stored as they were entered', async () => {
    const company = await server.call('create_company', { CompanyName: 'Analytical Engines' })
    const values = {
      Nickname: 'Countess',
      Score: 7,
      Budget: 12.5,
      Vip: true,
      Born: '1815-12-10',
      SeenAt: '2026-11-15T09:30:00.000Z',
      Tier: 'Gold',
      Mood: 'calm',
      Tags: ['a', 'c, d'],
      Payload: { deep: [1, null, 'x'] },
      Backer: company.CompanyID,
    }
    expect(await created(values)).toMatchObject(values)
  })

  test('are read from what editors and expressions give', async () => {
    const given = {
      Score: '7',
      Budget: '12.5',
      Vip: 'false',
      Born: '1815-12-10T00:00:00',
      SeenAt: new Date(0),
      Nickname: 42,
      Tags: '["a", "c, d"]',
      Payload: '[1]',
    }
    expect(await created(given)).toMatchObject({
      Score: 7,
      Budget: 12.5,
      Vip: false,
      Born: '1815-12-10',
      SeenAt: '1970-01-01T00:00:00.000Z',
      Nickname: '42',
      Tags: ['a', 'c, d'],
      Payload: [1],
    })
    expect(await created({ Tags: 'a, b', Born: { toISO: () => '1815-12-10T23:00:00.000+01:00' } })).toMatchObject({ Tags: ['a', 'b'], Born: '1815-12-10' })
  })

  test('without a zone are in the zone of the workflow', async () => {
    expect(await created({ SeenAt: '2026-07-01T12:00:00' }, { timezone: 'Europe/Berlin' })).toMatchObject({ SeenAt: '2026-07-01T10:00:00.000Z' })
  })

  test('that do not fit are refused by the service, never guessed', async () => {
    await expect(created({ SeenAt: 'tomorrow at noon' })).rejects.toThrow('SeenAt')
    await expect(created({ Born: '24.12.2026' })).rejects.toThrow('Born')
    await expect(created({ Score: '7 points' })).rejects.toThrow('Score')
    await expect(created({ Score: 7.5 })).rejects.toThrow('Score')
    await expect(created({ Vip: 'yes' })).rejects.toThrow('Vip')
    await expect(created({ Tier: 'Bronze' })).rejects.toThrow('Tier')
    await expect(created({ Score: Number.NaN })).rejects.toThrow('Score is not a number')
    await expect(created({ Payload: "{ 'a': 1 }" })).rejects.toThrow('Payload is not JSON')
  })

  test('that are missing, empty or not shown are left out', async () => {
    const WorkspaceFields = await entered({ Score: 1, Nickname: undefined, Budget: null, Mood: '' })
    // n8n's editor gives every boolean the value false, also where it is not shown.
    Object.assign(WorkspaceFields.value, { Vip: false })
    const [output] = await run({ ...ADA, WorkspaceFields })
    expect(output?.json).toMatchObject({ Score: 1, Nickname: null, Budget: null, Mood: null, Vip: null })
    await expect(run(ADA)).rejects.toThrow('Score')
  })

  test('of a workflow that has n8n’s types only are read by them', async () => {
    const WorkspaceFields = await entered({ Score: '3', Vip: 'true', SeenAt: '2026-07-01T12:00:00', Tags: '["b"]', Payload: '{"a":1}', Mood: 5 })
    const schema = WorkspaceFields.schema.map(({ id, type }) => ({ id, type }))
    const [output] = await run({ ...ADA, WorkspaceFields: { ...WorkspaceFields, schema } })
    expect(output?.json).toMatchObject({ Score: 3, Vip: true, SeenAt: '2026-07-01T12:00:00.000Z', Tags: ['b'], Payload: { a: 1 }, Mood: '5' })
    const [plain] = await run({ ...ADA, WorkspaceFields: { mappingMode: 'defineBelow', value: { Score: 4 } } })
    expect(plain?.json).toMatchObject({ Score: 4 })
  })
})

describe('a record', () => {
  test('is updated in the fields that are set, beside those of the contract', async () => {
    const { LeadID } = await created({ Nickname: 'Countess', Vip: true, Tier: 'Gold' })
    const update = { resource: 'lead', operation: 'update', LeadID }
    const WorkspaceFields = await entered({ Score: 9, Nickname: undefined }, 'lead', 'update')
    const clear = { OtherFields: { fields: [{ name: located('Tier'), type: 'Null' }] } }
    await run({ ...update, FieldsToUpdate: { Phone: '1' }, WorkspaceFields, ...clear })
    expect(await server.call('get_leads', { LeadID })).toMatchObject({ Score: 9, Phone: '1', Nickname: 'Countess', Vip: true, Tier: null })
  })

  test('is upserted by them', async () => {
    const upsert = async (Score: number) => {
      const parameters = { resource: 'lead', operation: 'upsert', additionalFields: { FirstName: 'Mary', LastName: 'Somerville', MatchBy: ['Nickname'] } }
      const [output] = await run({ ...parameters, WorkspaceFields: await entered({ Nickname: 'Queen of science', Score }, 'lead', 'upsert') })
      return output?.json
    }
    expect(await upsert(1)).toMatchObject({ Created: true, Score: 1 })
    expect(await upsert(2)).toMatchObject({ Created: false, Score: 2 })
  })

  test.each(['create_opportunity', 'create_case', 'create_company', 'create_contact', 'create_campaign'])('of another type has them too (%s)', async (id) => {
    const parameters = parametersFor(id, { ...operationOf(id)?.example })
    const [output] = await run({ ...parameters, WorkspaceFields: await entered({ Region: 'North' }, String(parameters.resource)) })
    expect(output?.json).toMatchObject({ Region: 'North' })
  })

  test('is refused where a field is given twice', async () => {
    const OtherFields = { fields: [{ name: located('Score'), type: 'Number', numberValue: 2 }] }
    const twice = run({ ...ADA, WorkspaceFields: await entered({ Score: 1 }), OtherFields })
    await expect(twice).rejects.toThrow('Score is in both Workspace Fields and Other Fields')
  })

  test('is found by them', async () => {
    await created({ Score: 70, Nickname: 'Found', Tags: ['b'], SeenAt: '2030-01-01T00:00:00Z' })
    const found = async (others: object[]) => {
      const output = await run({ resource: 'lead', operation: 'getMany', Filters: { others }, options: { orderBy: located('Score'), direction: 'desc' } })
      return output.map(({ json }) => json.Nickname)
    }
    expect(await found([{ name: located('Score'), type: 'Number', operator: 'gte', numberValue: 70 }])).toEqual(['Found'])
    expect(await found([{ name: located('SeenAt'), type: 'DateTime', operator: 'gte', timestampValue: '2030-01-01T00:00:00' }])).toEqual(['Found'])
    const tagged = { name: located('Tags'), type: 'String', operator: 'contains', textValue: 'b' }
    expect(await found([tagged, { name: located('Nickname'), type: 'String', operator: 'eq', textValue: 'Found' }])).toEqual(['Found'])
    const searched = await node.methods.listSearch.searchFields?.call(listFunctions(server, { resource: 'lead', operation: 'getMany' }), 'score')
    expect(searched?.results).toEqual([{ name: 'Score', value: 'Score' }])
  })
})
