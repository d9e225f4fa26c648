import { expect, test } from 'vitest'
import { overMcp, REVISIONS } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

test.each(REVISIONS)('try %s', async (revision) => {
  const server = await serverForTest()
  const { client, call } = await overMcp(server.url, server.key, { revision })
  console.log(client.getServerVersion?.(), client.getNegotiatedProtocolVersion?.())
  const { tools } = await client.listTools()
  console.log(tools.length)
  for (const [name, input] of [
    ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }],
    ['create_a_lead', { FirstNme: 'Ada', LastName: 'Lovelace', DryRun: 'x', IdempotencyKy: 'x' }],
    ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace', DryRun: true }],
    ['get_many_leads', {}],
    ['describe', {}],
    ['get_current_user', {}],
    ['get_summary_of_leads', {}],
    ['get_many_changes', {}],
    ['get_many_events', {}],
    ['get_leads', { LeadID: 'nope' }],
  ] as const) {
    const a = await call(name, input)
    console.log(name, a.isError, a.text, JSON.stringify(a.says), a.meta)
  }
  console.log(await client.listResources(), JSON.stringify(await client.readResource({ uri: 'crm://records/Lead' })), await client.listPrompts())
  await expect(client.callTool({ name: 'nope' })).rejects.toThrow()
})
