import { Server } from '@modelcontextprotocol/server'
import { askMeanwhile } from './ask.ts'
import type { Session } from './backend.ts'
import { callTool } from './call.ts'
import type { Asking } from './confirmation.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { isWanted, offered } from './narrowing.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { canAsk, listing, logFailure, understood, unknownName } from './protocol.ts'
import { completeResource, listResources, readResource, TEMPLATES } from './resources.ts'
import type { ArgumentsOf } from './sent.ts'
import { toolsOn } from './tools.ts'

/** How long a client may take lists for granted: a user may be given another role meanwhile. */
const LISTED = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The protocol's side of one client: tools, resources and prompts over its session. */
export function createServer(session: Session, argumentsOf: ArgumentsOf): Server {
  const { backend, narrowing, version } = session
  const server = new Server(
    { name: 'crm-connector', title: 'CRM Connector', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LISTED, 'prompts/list': LISTED, 'resources/templates/list': LISTED },
    },
  )
  const all = async () => toolsOn(await backend.platform())
  const tools = async () => offered(await backend.access(), narrowing, await all()).map(({ listed }) => listed)

  server.setRequestHandler(
    'tools/list',
    listing(async () => ({ tools: await tools() })),
  )
  server.setRequestHandler('tools/call', ({ params }, context) =>
    understood(async () => {
      const tool = isWanted(params.name, narrowing) ? (await all()).find(({ listed }) => listed.name === params.name) : undefined
      if (!tool)
        throw unknownName(
          'tool',
          params.name,
          (await tools()).map(({ name }) => name),
        )
      const { id, requestState, inputResponses, signal } = context.mcpReq
      const given = argumentsOf(id) ?? params.arguments ?? {}
      const call = (asking: Asking) => callTool(session, tool.operation, given, { ...asking, signal })
      const result = await askMeanwhile(
        context,
        await call({ canAsk: canAsk(server, context), state: requestState<string>(), responses: inputResponses }),
        call,
      )
      await logFailure(context, result)
      return result
    }),
  )

  server.setRequestHandler(
    'resources/list',
    listing(async () => ({ resources: await listResources(session) })),
  )
  server.setRequestHandler(
    'resources/templates/list',
    listing(async () => ({ resourceTemplates: TEMPLATES })),
  )
  server.setRequestHandler('resources/read', ({ params }) => understood(() => readResource(session, params.uri)))

  server.setRequestHandler(
    'prompts/list',
    listing(async () => ({ prompts: await listPrompts(session) })),
  )
  server.setRequestHandler('prompts/get', ({ params }) => understood(() => getPrompt(session, params.name, params.arguments)))

  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    understood(async () => ({ completion: ref.type === 'ref/prompt' ? { values: [] } : await completeResource(session, ref.uri, argument.value) })),
  )
  return server
}
