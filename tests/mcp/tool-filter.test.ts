import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { TOOLSETS } from '../../src/transports/mcp/tool-filter.ts'
import { crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { talkTo, talkToCommand } from '../support/mcp.ts'
import { problemIn, startServer, type TestServer } from '../support/server.ts'
import { TOOL_OPERATIONS } from '../support/tool-examples.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const toolsWith = async (key: string, query = '') => {
  const { client } = await talkTo(server.url, key, { query })
  return (await client.listTools()).tools.map(({ name }) => name)
}
const keyWith = async (...Scopes: string[]) => (await server.call('create_key', { Scopes })).Key as string

describe('the scopes of a key', () => {
  test('leave only the tools that it may call', async () => {
    expect(await toolsWith(await keyWith('read:Lead'))).toEqual([
      'get_leads',
      'get_many_leads',
      'get_summary_of_leads',
      'get_many_notes',
      'search',
      'describe',
      'get_current_user',
      'get_many_changes',
      'get_many_events',
    ])
    expect(await toolsWith(await keyWith('delete:case_delete'))).toEqual(['case_delete', 'get_current_user', 'undo_change', 'batch'])
    const reads = OPERATIONS.filter(({ tier }) => tier === 'read').map(({ id }) => id)
    expect(await toolsWith(await keyWith('read'))).toEqual(reads)
  })

  test('hide nothing that can be called, and show nothing that cannot', async () => {
    const key = await keyWith('write:Lead', 'delete:Campaign')
    const { client } = await talkTo(server.url, key)
    const listed = (await client.listTools()).tools.map(({ name }) => name)
    for (const { id } of TOOL_OPERATIONS) {
      const { structuredContent } = await client.callTool({ name: id })
      expect([id, (structuredContent as { code?: string }).code === 'forbidden']).toEqual([id, !listed.includes(id)])
    }
  })
})

describe('toolsets and read-only', () => {
  test('narrow the tools to what they are about', async () => {
    expect(TOOLSETS).toEqual(['leads', 'campaigns', 'opportunities', 'cases', 'custom_objects', 'companies', 'contacts', 'users', 'journal'])
    const always = ['search', 'describe', 'get_current_user', 'undo_change', 'batch']
    const of = async (toolset: string) => (await toolsWith(server.key, `?toolsets=${toolset}`)).filter((name) => !always.includes(name))
    expect(await of('cases')).toEqual([
      'create_case',
      'get_case',
      'get_many_cases',
      'case_get_summary',
      'update_case',
      'case_delete',
      'add_comment',
      'upsert_case',
      'get_many_comments',
    ])
    expect(await of('leads')).toContain('add_leads_to_campaign')
    expect(await of('campaigns')).toEqual(['add_leads_to_campaign', 'create_campaign', 'get_many_campaigns', 'remove_leads_from_campaign'])
    expect(await of('journal')).toEqual(['get_many_changes', 'get_many_events'])
    const all = await Promise.all(TOOLSETS.map(of))
    expect(new Set([...all.flat(), ...always])).toEqual(new Set(await toolsWith(server.key)))
  })

  test('offer administration only where it is asked for by name, and to keys that may administer', async () => {
    const [everyday, both] = [await toolsWith(server.key), await toolsWith(server.key, '?toolsets=all,administration')]
    const added = both.filter((name) => !everyday.includes(name))
    expect(both.filter((name) => everyday.includes(name))).toEqual(everyday)
    expect(added).toContain('create_user')
    expect(added.map((name) => OPERATIONS.find(({ id }) => id === name)?.tier).every((tier) => tier === 'admin' || tier === 'operator')).toBe(true)
    expect(await toolsWith(server.key, '?toolsets=all')).toEqual(everyday)
    const few = ['search', 'describe', 'get_current_user', 'get_many_users', 'undo_change', 'batch']
    expect(await toolsWith(await keyWith('read', 'write'), '?toolsets=administration')).toEqual(few)
    const asked = await talkTo(server.url, server.key, { query: '?toolsets=administration' })
    const { says } = await asked.call('create_user', { Name: 'Grace Hopper' })
    expect((await asked.call('update_user', { UserID: says.UserID, FieldsToUpdate: { Role: 'manager' } })).says).toMatchObject({ UpdatedFields: ['Role'] })
    expect((await asked.call('get_many_users', { Filters: { Name: 'Grace Hopper' } })).says).toMatchObject({ Records: [{ Role: 'manager' }] })
    const { client } = await talkTo(server.url, server.key)
    await expect(client.callTool({ name: 'create_user', arguments: { Name: 'Eve' } })).rejects.toThrow(/There is no tool/)
    const batch = { Operations: [{ Operation: 'create_user', Input: { Name: 'Eve' } }] }
    expect((await client.callTool({ name: 'batch', arguments: batch })).structuredContent).toMatchObject({ code: 'invalid_input' })
  })

  test('go together, by flag as in the address', async () => {
    const expected = ['get_leads', 'get_many_leads', 'get_summary_of_leads', 'get_many_notes', 'search', 'describe', 'get_current_user']
    expect(await toolsWith(server.key, '?toolsets=leads&read-only=true')).toEqual(expected)
    const { client } = await talkToCommand(['--toolsets', 'Leads', '--read-only'], { cwd: await temporaryFolder() })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expected)
    await expect(client.callTool({ name: 'create_a_lead', arguments: { FirstName: 'A', LastName: 'B' } })).rejects.toThrow(/There is no tool/)
  })

  test('refuse every word they do not know, with the nearest that they do', async () => {
    const ask = (query: string) =>
      fetch(`${server.url}/mcp${query}`, { method: 'POST', headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' }, body: '{}' })
    const problem = await problemIn(await ask('?toolsets=leeds,journal&read-only=yes&confirm=delete'))
    expect([problem.status, problem.errors]).toEqual([
      400,
      [
        expect.objectContaining({ field: 'toolsets', didYouMean: 'leads' }),
        expect.objectContaining({ field: 'read-only', expected: 'true, false' }),
        expect.objectContaining({ field: 'confirm', didYouMean: 'deletes' }),
      ],
    ])
    expect((await problemIn(await ask('?toolset=leads'))).errors).toMatchObject([{ field: 'toolset', code: 'unknown', didYouMean: 'toolsets' }])
    const { code, out, err } = await crm(['mcp', '--toolsets', 'leeds', '--confirm', 'all'], { cwd: await temporaryFolder() })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/--toolsets does not know "leeds".*did you mean leads\?.*--confirm does not know "all"/s)
  })
})
