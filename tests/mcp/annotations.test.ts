import { expect, test } from 'vitest'
import { talkTo } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'
import { exampleInput, TOOL_OPERATIONS } from '../support/tool-examples.ts'

test('a tool does more when it is called again exactly where it does not say that it does not, and a read never does anything', async () => {
  const server = await serverForTest()
  const talk = await talkTo(server.url, server.key)
  const { tools } = await talk.client.listTools()
  const events = async () => ((await server.call('get_many_events', { Limit: 1000 })).Events as unknown[]).length
  for (const operation of TOOL_OPERATIONS) {
    const { annotations } = tools.find(({ name }) => name === operation.id) ?? {}
    const input = await exampleInput(talk, operation)
    const before = await events()
    await talk.call(operation.id, input)
    const once = await events()
    await talk.call(operation.id, input)
    const twice = await events()
    expect({ tool: operation.id, readOnlyHint: once === before, idempotentHint: twice === once }).toEqual({
      tool: operation.id,
      readOnlyHint: annotations?.readOnlyHint ?? false,
      idempotentHint: annotations?.readOnlyHint || (annotations?.idempotentHint ?? false),
    })
  }
})
