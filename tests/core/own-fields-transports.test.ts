import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { placeForFiles } from '../support/files.ts'
import { talkTo } from '../support/mcp.ts'
import { serverForTest, type TestServer } from '../support/server.ts'

interface Document {
  readonly components: { readonly schemas: { readonly [name: string]: { readonly properties: object; readonly required?: readonly string[] } } }
}

const SCORE = { RecordType: 'Lead', FieldName: 'Score', Kind: 'integer', Required: true }
const TIER = { RecordType: 'Lead', FieldName: 'Tier', Kind: 'choice', Values: ['Gold', 'Silver'] }

/** A server on a workspace that has defined fields of its own. */
async function server(): Promise<TestServer> {
  const made = await serverForTest()
  for (const field of [SCORE, TIER]) await made.call('define_field', field)
  return made
}

describe('fields that a workspace has defined', () => {
  test('are in the document that is served with its key, and in no other', async () => {
    const { url, key, call } = await server()
    const get = (path: string, authorization?: string) => fetch(`${url}${path}`, { headers: { ...(authorization && { authorization }) } })
    const schemas = async (authorization?: string) => ((await (await get('/openapi.json', authorization)).json()) as Document).components.schemas
    const own = await schemas(`Bearer ${key}`)
    for (const name of ['Lead', 'LeadChanges', 'LeadFilters', 'CreateALeadInput', 'UpsertLeadInput', 'GetLeadsAnswer', 'UpdateLeadAnswer'])
      expect(own[name]?.properties, name).toMatchObject({ Score: {}, Tier: {} })
    expect(own.CreateALeadInput?.required).toEqual(['FirstName', 'LastName', 'Score'])
    expect((await schemas()).Lead?.properties).not.toHaveProperty('Score')

    const source = await (await get('/openapi.json', `Bearer ${key}`)).text()
    const config = await createConfig({ extends: ['recommended'] })
    expect((await lintFromString({ source, config })).filter(({ severity }) => severity === 'error')).toEqual([])
    const { input } = (await (await get('/v1/operations/create_a_lead', `Bearer ${key}`)).json()) as { input: { properties: object } }
    expect(input.properties).toHaveProperty('Tier')

    await call('retire_field', { RecordType: 'Lead', FieldName: 'Tier' })
    const without = await schemas(`Bearer ${key}`)
    expect(without.Lead?.properties).toHaveProperty('Score')
    expect(without.Lead?.properties).not.toHaveProperty('Tier')
  })

  test('are no business of a caller without a valid key, nor of a shared cache', async () => {
    const { url, key } = await server()
    const get = (authorization?: string) => fetch(`${url}/openapi.json`, { headers: { ...(authorization && { authorization }) } })
    expect((await get('Bearer wrong')).status).toBe(401)
    expect((await get(`Bearer ${key}`)).headers.get('cache-control')).toBe('private, no-cache')
    expect((await get()).headers.get('cache-control')).toBe('no-cache')
  })

  test('are named by tools before anything was called, and taken by them', async () => {
    const { url, key } = await server()
    const { client, call } = await talkTo(url, key)
    const { tools } = await client.listTools()
    const create = tools.find(({ name }) => name === 'create_a_lead')?.inputSchema
    expect(create?.properties).toMatchObject({ Score: { type: 'integer' }, Tier: { type: 'string' } })
    expect(create?.required).toEqual(['FirstName', 'LastName', 'Score'])
    expect(await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', Score: 3, Tier: 'Gold' })).toMatchObject({ isError: false })
  })
})

describe('on the command line, on a store of its own', () => {
  test('fields that the workspace has defined are flags', async () => {
    const place = await placeForFiles()
    await place.answer(['define_field', '--RecordType', 'Lead', '--FieldName', 'Score', '--Kind', 'integer'])
    const words = ['--FirstName', 'Ada', '--LastName', 'Lovelace', '--Email', 'ada@example.com']
    expect(await place.answer(['create_a_lead', ...words, '--Score', '12'])).toMatchObject({ Score: 12 })
    expect(await place.answer(['upsert_lead', ...words, '--Score', '13', '--MatchBy', 'Email'])).toMatchObject({ Score: 13, Created: false })
    expect(await place.answer(['get_many_leads', '--Filters.Score.gte', '13'])).toMatchObject({ Records: [{ Score: 13 }] })
    const slip = await place.run(['create_a_lead', ...words, '--Scoer', '1'])
    expect(slip).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean --Score?') })
  })
})
