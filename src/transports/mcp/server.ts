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
import { listTools, toolsOn } from './tools.ts'

/** How long a client may cache lists. Short, since they depend on the caller's role. */
const CACHE_HINT = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The MCP server of one client: tools, resources and prompts. */
export function createServer(session: Session, argumentsOf: RawArguments): Server {
  const { backend, filter, version } = session
  const server = new Server(
    { name: 'crm-connector', title: 'CRM Connector', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': CACHE_HINT, 'prompts/list': CACHE_HINT, 'resources/templates/list': CACHE_HINT },
    },
  )
  const all = async () => toolsOn(await backend.platform())
  const tools = async () => offeredTools(await backend.access(), filter, await all())

  server.setRequestHandler(
    'tools/list',
    listHandler(async () => ({ tools: listTools(await tools()) })),
  )
  server.setRequestHandler('tools/call', ({ params }, context) =>
    withProtocolErrors(async () => {
      const tool = isIncluded(params.name, filter) ? (await all()).find(({ id }) => id === params.name) : undefined
      if (!tool)
        throw unknownName(
          'tool',
          params.name,
          (await tools()).map(({ id }) => id),
        )
      const { id, requestState, inputResponses, signal } = context.mcpReq
      const given = argumentsOf(id) ?? params.arguments ?? {}
      const call = (elicitation: Elicitation) => callTool(session, tool, given, { ...elicitation, signal })
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
