import { Server } from '@modelcontextprotocol/server'
import type { Session } from './backend.ts'
import { callTool } from './call-tool.ts'
import type { Elicitation } from './confirmation.ts'
import { elicit } from './elicitation.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { canElicit, listHandler, logFailure, unknownName, withProtocolErrors } from './protocol.ts'
import type { RawArguments } from './raw-params.ts'
import { completeResource, listResources, readResource, TEMPLATES } from './resources.ts'
import { isIncluded, offeredTools } from './tool-filter.ts'
import { toolsOn } from './tools.ts'

/** How long a client may take lists for granted: a user may be given another role meanwhile. */
const LISTED = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The protocol's side of one client: tools, resources and prompts over its session. */
export function createServer(session: Session, argumentsOf: RawArguments): Server {
  const { backend, filter, version } = session
  const server = new Server(
    { name: 'crm-connector', title: 'CRM Connector', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LISTED, 'prompts/list': LISTED, 'resources/templates/list': LISTED },
    },
  )
  const all = async () => toolsOn(await backend.platform())
  const tools = async () => offeredTools(await backend.access(), filter, await all()).map(({ listed }) => listed)

  server.setRequestHandler(
    'tools/list',
    listHandler(async () => ({ tools: await tools() })),
  )
  server.setRequestHandler('tools/call', ({ params }, context) =>
    withProtocolErrors(async () => {
      const tool = isIncluded(params.name, filter) ? (await all()).find(({ listed }) => listed.name === params.name) : undefined
      if (!tool)
        throw unknownName(
          'tool',
          params.name,
          (await tools()).map(({ name }) => name),
        )
      const { id, requestState, inputResponses, signal } = context.mcpReq
      const given = argumentsOf(id) ?? params.arguments ?? {}
      const call = (elicitation: Elicitation) => callTool(session, tool.operation, given, { ...elicitation, signal })
      const result = await elicit(
        context,
        await call({ canElicit: canElicit(server, context), state: requestState<string>(), responses: inputResponses }),
        call,
      )
      await logFailure(context, result)
      return result
    }),
  )

  server.setRequestHandler(
    'resources/list',
    listHandler(async () => ({ resources: await listResources(session) })),
  )
  server.setRequestHandler(
    'resources/templates/list',
    listHandler(async () => ({ resourceTemplates: TEMPLATES })),
  )
  server.setRequestHandler('resources/read', ({ params }) => withProtocolErrors(() => readResource(session, params.uri)))

  server.setRequestHandler(
    'prompts/list',
    listHandler(async () => ({ prompts: await listPrompts(session) })),
  )
  server.setRequestHandler('prompts/get', ({ params }) => withProtocolErrors(() => getPrompt(session, params.name, params.arguments)))

  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    withProtocolErrors(async () => ({ completion: ref.type === 'ref/prompt' ? { values: [] } : await completeResource(session, ref.uri, argument.value) })),
  )
  return server
}
