import { expect, test } from 'vitest'
import { type Talk, talkTo } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

interface Schema {
  readonly properties?: object
  readonly additionalProperties?: unknown
}

/** A client that sends only the arguments that a tool lists, unless the schema allows others expressly: as n8n's MCP Client Tool and others do. */
async function sendingListed({ client, call }: Talk): Promise<Talk['call']> {
  const { tools } = await client.listTools()
  return (name, input = {}) => {
    const { properties = {}, additionalProperties } = Object(tools.find((tool) => tool.name === name)?.inputSchema) as Schema
    const isSent = (argument: string) => additionalProperties === true || Object.hasOwn(properties, argument)
    return call(name, Object.fromEntries(Object.entries(input).filter(([argument]) => isSent(argument))))
  }
}

test('a client that sends only what a tool lists loses no argument', async () => {
  const server = await serverForTest()
  const call = await sendingListed(await talkTo(server.url, server.key, { query: '?confirm=deletes' }))
  const lead = { FirstName: 'Ada', LastName: 'Lovelace', Company: 'Analytical Engines', LeadSource: 'Web' }
  const { LeadID } = (await call('create_a_lead', lead)).says
  expect(await server.call('get_leads', { LeadID: LeadID as string })).toMatchObject(lead)
  expect((await call('upsert_lead', { ...lead, Title: 'Countess', MatchBy: ['LastName'] })).says).toMatchObject({ LeadID, Created: false })
  await call('create_case', { Subject: 'Engine', Description: 'Jams.', Origin: 'Web', IdempotencyKey: 'one' })
  expect((await call('create_case', { Subject: 'Engine', Description: 'Jams.', Origin: 'Web', IdempotencyKey: 'one' })).says).toMatchObject({ Replayed: true })
  await call('create_case', { Subject: 'Wheel', Description: 'Creaks.' })
  const page = await call('get_many_cases', { OrderBy: 'CreatedDate asc', Select: ['Origin'], Limit: 1, Detail: 'full' })
  expect(page.says).toMatchObject({ Records: [{ Origin: 'Web' }], NextCursor: expect.any(String) })
  expect((await call('batch', { Operations: [{ Operation: 'delete_lead', Input: { LeadID } }], DryRun: true })).says).toMatchObject({ DryRun: true })
  const { ConfirmationToken } = (await call('delete_lead', { LeadID })).says
  expect((await call('delete_lead', { LeadID, ConfirmationToken })).says).toMatchObject({ LeadID, Deleted: true })
})
