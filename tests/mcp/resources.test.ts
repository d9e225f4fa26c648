import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let talk: Talk

beforeAll(async () => {
  server = await startServer()
  await server.call('create_custom_object', { ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull' } } })
  talk = await talkTo(server.url, server.key, { atEnd: afterAll })
})
afterAll(() => server.close())

async function read({ client }: Talk, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri })
  expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }])
  return JSON.parse((contents[0] as { text: string }).text) as Record<string, unknown>
}

async function said(name: string, given: Record<string, string> = {}): Promise<string> {
  const { messages } = await talk.client.getPrompt({ name, arguments: given })
  expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }])
  return messages.map(({ content }) => (content as { text: string }).text).join('')
}

const keyWith = async (...Scopes: string[]) => (await server.call('create_key', { Scopes })).Key as string

describe('resources', () => {
  test('are the record types and the custom objects of the workspace, each of which can be read', async () => {
    const { resources } = await talk.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'crm://events',
      'crm://records',
      ...['Lead', 'Opportunity', 'Case', 'CustomObject', 'Company', 'Contact', 'Campaign', 'User', 'Change'].map((name) => `crm://records/${name}`),
      'crm://objects/Boat',
    ])
    for (const { uri } of resources) expect(Object.keys(await read(talk, uri)).length).toBeGreaterThan(0)
  })

  test('tell the fields with their types, values and operators', async () => {
    const { Fields } = await read(talk, 'crm://records/Opportunity')
    const fields = Object.fromEntries((Fields as { Name: string }[]).map((field) => [field.Name, field]))
    expect(fields.Amount).toMatchObject({ Type: 'money', Required: false, Writable: true, Operators: ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'] })
    expect(fields.Stage).toMatchObject({ Type: 'choice', SuggestedValues: expect.arrayContaining(['Prospecting', 'Closed Won']) })
    expect((await read(talk, 'crm://records/User')).Fields).toContainEqual(
      expect.objectContaining({ Name: 'Role', AllowedValues: ['admin', 'manager', 'member'] }),
    )
    expect(await read(talk, 'crm://objects/Boat')).toMatchObject({ ObjectName: 'Boat', Fields: [{ Name: 'Hull', Type: 'Number' }] })
    expect(await read(talk, 'crm://records')).toMatchObject({ CustomObjects: [{ ObjectName: 'Boat', Resource: 'crm://objects/Boat' }] })
  })

  test('follow templates whose names are completed', async () => {
    const { resourceTemplates } = await talk.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'crm://records/{RecordType}',
      'crm://objects/{ObjectName}',
      'crm://leads/{LeadID}',
      'crm://opportunities/{OpportunityID}',
      'crm://cases/{CaseID}',
      'crm://customObjects/{ObjectID}',
      'crm://companies/{CompanyID}',
      'crm://contacts/{ContactID}',
      'crm://events/{After}',
    ])
    const complete = async (uri: string, name: string, value: string) =>
      (await talk.client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values
    expect(await complete('crm://records/{RecordType}', 'RecordType', 'ca')).toEqual(['Case', 'Campaign'])
    expect(await complete('crm://objects/{ObjectName}', 'ObjectName', '')).toEqual(['Boat'])
    expect(await complete('crm://events/{After}', 'After', '')).toEqual([])
    await expect(complete('crm://records/{RecordType}', 'Type', 'ca')).rejects.toThrow(/no argument called "Type"\. Nearest: RecordType/)
  })

  test('are records too, found by words in them, by the beginning of their id, or newest first', async () => {
    const ada = await server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    const grace = await server.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper' })
    const complete = async (value: string, uri = 'crm://leads/{LeadID}') =>
      (await talk.client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'LeadID', value } })).completion.values
    expect(await complete('lovel')).toEqual([ada.LeadID])
    expect(await complete(String(grace.LeadID))).toEqual([grace.LeadID])
    expect(await complete('')).toEqual([grace.LeadID, ada.LeadID])
    expect(await complete('nothing of the kind')).toEqual([])
    expect(await read(talk, `crm://leads/${ada.LeadID}`)).toMatchObject({ LeadID: ada.LeadID, LastName: 'Lovelace' })
    for (const uri of ['crm://leads/none', `crm://cases/${ada.LeadID}`, `crm://leads/${ada.LeadID}/x`])
      await expect(read(talk, uri)).rejects.toThrow(/no resource/)
    const cases = await talkTo(server.url, await keyWith('read:Case'))
    await expect(read(cases, `crm://leads/${ada.LeadID}`)).rejects.toThrow(/no resource/)
    expect((await cases.client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).not.toContain('crm://leads/{LeadID}')
  })

  test('show no more than the key is about', async () => {
    const leads = await talkTo(server.url, await keyWith('read:Lead'))
    expect((await leads.client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'crm://events',
      'crm://records',
      'crm://records/Lead',
      'crm://records/Change',
    ])
    for (const uri of ['crm://records/Case', 'crm://objects/Boat']) await expect(read(leads, uri)).rejects.toThrow(/no resource/)
    // search covers all record types, which is no access to one.
    const cases = await talkTo(server.url, await keyWith('read:Case'))
    expect((await cases.client.listResources()).resources.map(({ uri }) => uri)).not.toContain('crm://records/Lead')
    await expect(read(cases, 'crm://records/Lead')).rejects.toThrow(/no resource/)
    const writer = await talkTo(server.url, await keyWith('write:Lead'))
    expect((await writer.client.listResources()).resources).toEqual([])
    await expect(read(writer, 'crm://records')).rejects.toThrow(/no resource/)
  })

  test('are refused where there is none', async () => {
    for (const uri of ['crm://records/Leed', 'crm://objects/Ship', 'crm://records/Lead/x', 'file:///etc/passwd', 'crm://objects'])
      await expect(talk.client.readResource({ uri })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('crm://records lists what there is'),
      })
  })
})

describe('prompts', () => {
  test('are jobs with arguments, that name only tools there are', async () => {
    const { prompts } = await talk.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['qualify_lead', 'review_pipeline', 'clear_case_queue'])
    const tools = (await talk.client.listTools()).tools.map(({ name }) => name)
    for (const { name } of prompts) {
      const text = await said(name)
      for (const [tool] of text.matchAll(/\b(?:get|update|add|create|case|delete|opportunity)_\w+/g)) expect(tools).toContain(tool)
      expect(text).not.toMatch(/undefined/)
    }
  })

  test('say what they are given', async () => {
    expect(await said('qualify_lead', { LeadID: 'abc', Criteria: 'more than ten people' })).toMatch(/the lead "abc".*"more than ten people"/s)
    expect(await said('review_pipeline', { UserID: 'u1', Days: '7' })).toMatch(/of the user "u1".*within 7 days/s)
    expect(await said('clear_case_queue', { Count: '3', Status: 'New' })).toMatch(/the 3 oldest cases whose Status is "New".*\{"Status":"New"\}/s)
  })

  test('have arguments that are completed', async () => {
    const { UserID } = await server.call('create_user', { Name: 'Katherine Johnson' })
    const complete = async (prompt: string, name: string, value: string) =>
      (await talk.client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } })).completion.values
    expect(await complete('review_pipeline', 'UserID', 'katherine')).toEqual([UserID])
    expect(await complete('review_pipeline', 'Days', '3')).toEqual(['30'])
    expect(await complete('clear_case_queue', 'Status', 'cl')).toEqual(['Closed'])
    expect(await complete('qualify_lead', 'Criteria', 'x')).toEqual([])
    await expect(complete('qualify_lead', 'LeedID', '')).rejects.toThrow(/no argument called "LeedID"\. Nearest: LeadID/)
    await expect(complete('qualify_leads', 'LeadID', '')).rejects.toThrow(/no prompt called "qualify_leads"/)
  })

  test('are offered only where their tools are', async () => {
    const reader = await talkTo(server.url, await keyWith('read'))
    expect((await reader.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['review_pipeline'])
    await expect(reader.client.getPrompt({ name: 'qualify_lead' })).rejects.toThrow(/no prompt called "qualify_lead"\. Nearest: review_pipeline/)
  })

  test('refuse what is no number where one is asked for', async () => {
    for (const [name, argument, values] of [
      ['review_pipeline', 'Days', ['abc', '-5', '0', '1.5', '', '99999', '7\nand then']],
      ['clear_case_queue', 'Count', ['-5', '1e3', ' 3', '1001']],
    ] as const)
      for (const value of values)
        await expect(talk.client.getPrompt({ name, arguments: { [argument]: value } })).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining(`${argument} must be a whole number from 1 to`),
        })
  })

  test('refuse arguments they do not know', async () => {
    await expect(talk.client.getPrompt({ name: 'review_pipeline', arguments: { Dys: '7' } })).rejects.toThrow(/no argument called "Dys"\. Nearest: Days/)
  })
})

test('what holds for all tools is said once, in the instructions', () => {
  const said = talk.client.getInstructions()
  for (const word of ['Filters', 'Detail', 'IdempotencyKey', 'DryRun', 'Cursor', 'NextCursor', 'OrderBy', 'IfRevision', 'ConfirmationToken'])
    expect(said).toContain(word)
  expect(said).toContain('1 to 255 visible ASCII characters without spaces')
})
