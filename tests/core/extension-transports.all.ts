import { readdirSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { connect } from '../../src/transports/sdk/connect.ts'
import { extendedPlatform } from '../support/extended-platform.ts'
import { COMPANY } from '../support/extended-service.ts'
import { type Place, placeForFiles } from '../support/files.ts'
import { talkTo, talkToCommand } from '../support/mcp.ts'
import { problemIn, serverForTest, type TestServer } from '../support/server.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Firm: 'Acme' }

/** A server whose records have fields that the contract does not. */
const server = (beyond = COMPANY): Promise<TestServer> =>
  serverForTest({ wrap: (service) => ({ ...service, platform: extendedPlatform(service.store, beyond) }) })

interface Schemas {
  readonly [name: string]: { readonly properties: { readonly [field: string]: unknown }; readonly required?: readonly string[] }
}

describe('over HTTP', () => {
  test('further fields are taken and answered, and refused by name', async () => {
    const { post, call } = await server()
    expect(await call('create_a_lead', { ...ADA, Headcount: 3 })).toMatchObject({ Firm: 'Acme', Headcount: 3 })
    expect(await call('get_many_leads', { Filters: { Headcount: { lte: 3 } }, OrderBy: 'Firm desc' })).toMatchObject({ Records: [ADA] })
    expect((await problemIn(await post('create_a_lead', { ...ADA, Headcuont: 1 }))).errors).toMatchObject([{ field: 'Headcuont', didYouMean: 'Headcount' }])
  })

  test('what has no place is refused with 422', async () => {
    const { post } = await server({ fields: { Lead: { Phone: { absent: true } } } })
    const response = await post('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Phone: '1' })
    expect(response.status).toBe(422)
    expect(await problemIn(response)).toMatchObject({ code: 'unsupported', errors: [{ field: 'Phone', code: 'unsupported' }] })
    expect((await post('get_many_leads', { Filters: { Phone: null } })).status).toBe(422)
  })

  test('the document that is served has them, and is sound', async () => {
    const { url } = await server()
    const source = await (await fetch(`${url}/openapi.json`)).text()
    const { schemas } = (JSON.parse(source) as { components: { schemas: Schemas } }).components
    for (const name of ['Lead', 'LeadChanges', 'LeadFilters', 'CreateALeadInput', 'GetLeadsAnswer', 'UpdateLeadAnswer'])
      expect(schemas[name]?.properties, name).toHaveProperty('Firm')
    expect(schemas.CreateALeadInput?.required).toEqual(['FirstName', 'LastName', 'Firm'])
    expect(schemas.CreateALeadInput?.properties).not.toHaveProperty('Score')
    expect(schemas.Lead?.required).not.toContain('Firm')
    const config = await createConfig({ extends: ['recommended'] })
    expect((await lintFromString({ source, config })).filter(({ severity }) => severity === 'error')).toEqual([])
    const { input } = (await (await fetch(`${url}/v1/operations/create_a_lead`)).json()) as { input: Schemas[string] }
    expect(input.properties).toHaveProperty('Firm')
  })

  test('the client takes what its types do not know', async () => {
    const { url, key } = await server()
    const crm = connect({ baseUrl: url, key })
    // What is in a variable may have more than the type says.
    const lead = { ...ADA, Vip: true }
    const made = await crm.leads.create(lead)
    expect(made).toMatchObject(lead)
    const name: string = 'get_many_leads'
    expect(await crm.call(name, { Filters: { Vip: true } })).toMatchObject({ Records: [lead] })
  })
})

const MCP = {
  'over HTTP': async ({ url, key }: TestServer) => talkTo(url, key),
  'as a command, through a server': async ({ url, key }: TestServer) => {
    const { folder } = await placeForFiles()
    return talkToCommand([], { cwd: folder, env: { CRM_URL: url, CRM_KEY: key } })
  },
}

describe.each(Object.entries(MCP))('as tools %s', (_, talk) => {
  test('further fields are listed, taken and described', async () => {
    const { client, call } = await talk(await server())
    const { tools } = await client.listTools()
    const tool = (name: string) => tools.find((one) => one.name === name)
    const taken = (name: string) => tool(name)?.inputSchema.properties as { [name: string]: { description?: string } }
    // The required one with its type, and by the bytes that there are for such fields all others by their names.
    expect(tool('create_a_lead')?.inputSchema.required).toEqual(['FirstName', 'LastName', 'Firm'])
    expect(taken('create_a_lead')).toMatchObject({ Firm: { type: 'string', description: 'Firm' } })
    expect(tool('create_a_lead')?.description).toMatch(/ Grade; numbers: .*Headcount.*; booleans: .*Vip; timestamps: Met\./)
    expect(taken('create_a_lead')).not.toHaveProperty('Score')
    expect(taken('update_lead').FieldsToUpdate?.description).toBe('As in create_a_lead.')
    expect(taken('get_many_leads').Filters?.description).toBe('As in create_a_lead.')

    const made = await call('create_a_lead', { ...ADA, Headcount: 3 })
    expect(made).toMatchObject({ isError: false, says: { LeadID: expect.any(String) } })
    expect(await call('get_many_leads', { Filters: { Headcount: 3 } })).toMatchObject({ says: { Records: [{ Firm: 'Acme' }] } })
    const FieldsToUpdate = { Firm: 'Initech', Vip: true }
    expect(await call('update_lead', { LeadID: made.says.LeadID, FieldsToUpdate })).toMatchObject({ says: { UpdatedFields: ['Firm', 'Vip'] } })
    expect(await call('upsert_lead', { ...ADA, ...FieldsToUpdate, Headcount: 4, MatchBy: ['Firm', 'Vip'] })).toMatchObject({
      says: { LeadID: made.says.LeadID, Created: false },
    })
    const wrong = await call('create_a_lead', { ...ADA, Firmm: 'x', IdempotencyKe: 'k' })
    expect(wrong).toMatchObject({ isError: true, says: { errors: [{ didYouMean: 'Firm' }, { didYouMean: 'IdempotencyKey' }] } })
    const { says } = await call('describe', { RecordType: 'Lead' })
    const [{ Fields }] = says.RecordTypes as [{ Fields: { [field: string]: string } }]
    expect(Fields).toMatchObject({
      Firm: 'text; cannot be cleared',
      Grade: 'choice; one of: Hot, Cold',
      Score: 'number; read-only',
    })
  })
})

test('tools that only read name further fields with their operators', async () => {
  const { url, key } = await server()
  const { client } = await talkTo(url, key, { query: '?read-only=true' })
  const { tools } = await client.listTools()
  const fields = tools.find(({ name }) => name === 'get_many_leads')?.inputSchema.properties as { Filters: { description: string } } | undefined
  expect(fields?.Filters.description).toContain(' Firm Grade OwnerID: eq ne in contains startsWith; ')
  expect(fields?.Filters.description).toContain(' Headcount Budget Met Score CreatedDate ')
})

test('tools do not offer what has no place', async () => {
  const { url, key } = await server({ fields: { Lead: { Website: { absent: true } } } })
  const { client, call } = await talkTo(url, key)
  const { tools } = await client.listTools()
  const text = (name: string) => JSON.stringify(tools.find((tool) => tool.name === name))
  for (const name of ['create_a_lead', 'update_lead', 'get_many_leads']) expect(text(name)).not.toContain('Website')
  expect(await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Website: '1' })).toMatchObject({ isError: true, says: { code: 'unsupported' } })
  const { says } = await call('describe', { RecordType: 'Lead' })
  expect(says).toMatchObject({ RecordTypes: [{ Fields: { Website: 'text; has no place on this platform' } }] })
})

describe('on the command line, through a server', () => {
  const at = async (): Promise<Place> => {
    const { url, key } = await server()
    return placeForFiles({ CRM_URL: url, CRM_KEY: key })
  }

  test('further fields are flags', async () => {
    const place = await at()
    const words = ['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace', '--Firm', '007', '--Headcount', '12', '--Vip']
    const made = await place.answer(words)
    expect(made).toMatchObject({ Firm: '007', Headcount: 12, Vip: true })
    const { LeadID } = made as { LeadID: string }
    expect(await place.answer(['update_lead', '--LeadID', LeadID, '--FieldsToUpdate.Headcount', '13', '--FieldsToUpdate.Vip', 'null'])).toMatchObject({
      Headcount: 13,
      Vip: null,
    })
    expect(await place.answer(['get_many_leads', '--Filters.Headcount.gte', '13', '--Select', 'Firm'])).toMatchObject({ Records: [{ Firm: '007' }] })
    const { out } = await place.run(['get_many_leads', '--output', 'csv'])
    expect(out.split('\n')[0]).toContain('ExternalID,Firm,Headcount,')
    expect(out).toContain(',007,13,')
  })

  test('what is no field is refused as ever', async () => {
    const place = await at()
    expect(await place.run(['create_a_lead', '--FristName', 'Ada', '--LastName', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/create_a_lead has no flag --FristName\..*\n {2}Did you mean --FirstName\?/),
    })
    const slip = await place.run(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'x', '--Firmm', 'Acme'])
    expect(slip).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean --Firm?') })
    const { err } = await place.run(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'x', '--Firm', 'A'.repeat(21)])
    expect(err).toContain('Firm is longer than the 20 characters that elsewhere keeps.')
  })

  test('further fields are columns of what is imported and exported', async () => {
    const place = await at()
    const file = place.file('leads.csv', 'First name,Last name,Firm,VIP,Budget,Score\nAda,Lovelace,007,true,1.5,9\nGrace,Hopper,Navy,,,\n')
    expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Rows: 2, Created: 2, Rejected: 0 })
    const to = `${place.folder}/out.csv`
    await place.answer(['export', 'leads', '--to', to, '--Filters.Vip', 'true'])
    const [head = '', ...rows] = place.read('out.csv').trim().split('\n')
    const [row] = rows.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [head.split(',')[i], cell])))
    expect(rows).toHaveLength(1)
    expect(row).toMatchObject({ FirstName: 'Ada', Firm: '007', Vip: 'true', Budget: '1.5', Score: '' })
  })
})

test('on a store of our own an unknown flag is refused, and no store is made for it', async () => {
  const place = await placeForFiles()
  const words = ['create_a_lead', '--FirstName', 'Ada', '--LastName', 'x', '--Firm', 'Acme']
  const before = readdirSync(place.folder)
  expect(await place.run(words)).toMatchObject({ code: 2, err: expect.stringContaining('create_a_lead has no flag --Firm.') })
  expect(readdirSync(place.folder)).toEqual(before)
  await place.answer(['get_many_leads'])
  expect(await place.run(words)).toMatchObject({ code: 2, err: expect.stringContaining('create_a_lead has no flag --Firm.') })
})
