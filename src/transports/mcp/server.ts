import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Session } from './backend.ts'
import { callTool } from './call.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { offered, wanted } from './narrowing.ts'
import { getPrompt, listPrompts, unknown } from './prompts.ts'
import { completeResource, listResources, readResource, TEMPLATES } from './resources.ts'

/** How long a client may take lists for granted: a key may be given another role meanwhile. */
const LISTED = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The protocol's side of one client: tools, resources and prompts over its session. */
export function createServer(session: Session): Server {
  const { backend, narrowing } = session
  const server = new Server(
    { name: 'crm-connector', title: 'CRM Connector', version: session.version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LISTED, 'prompts/list': LISTED, 'resources/templates/list': LISTED },
    },
  )

  server.setRequestHandler('tools/list', ({ params }) =>
    understood(async () => {
      onePage(params)
      return { tools: offered(await backend.access(), narrowing).map(({ listed }) => listed) }
    }),
  )
  server.setRequestHandler('tools/call', ({ params }, context) =>
    understood(async () => {
      const tools = wanted(narrowing)
      const tool = tools.find(({ listed }) => listed.name === params.name)
      if (!tool)
        throw unknown(
          'tool',
          params.name,
          tools.map(({ listed }) => listed.name),
        )
      const { requestState, inputResponses, signal } = context.mcpReq
      return callTool(session, tool.operation, params.arguments ?? {}, {
        canAsk: canAsk(server, context),
        state: requestState<string>(),
        responses: inputResponses,
        signal,
      })
    }),
  )

  server.setRequestHandler('resources/list', ({ params }) =>
    understood(async () => {
      onePage(params)
      return { resources: await listResources(session) }
    }),
  )
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    onePage(params)
    return { resourceTemplates: TEMPLATES }
  })
  server.setRequestHandler('resources/read', ({ params }) => understood(() => readResource(session, params.uri)))

  server.setRequestHandler('prompts/list', ({ params }) =>
    understood(async () => {
      onePage(params)
      return { prompts: await listPrompts(session) }
    }),
  )
  server.setRequestHandler('prompts/get', ({ params }) => understood(() => getPrompt(session, params.name, params.arguments)))

  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    understood(async () => {
      if (ref.type === 'ref/prompt') return { completion: { values: [] } }
      if (!TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri))
        throw unknown(
          'resource template',
          ref.uri,
          TEMPLATES.map(({ uriTemplate }) => uriTemplate),
        )
      return { completion: await completeResource(session, ref.uri, argument.value) }
    }),
  )
  return server
}

/** Everything is listed at once, so that there is no cursor to come back with. */
function onePage(params: { readonly cursor?: string | undefined } | undefined): void {
  if (params?.cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such cursor: everything is listed at once.')
}

/** Whether the client can put a form before the person behind it. */
function canAsk(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
  const { elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {}) as ClientCapabilities
  // Before there were several ways to ask, a form was the only one.
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))
}

/** What the core refuses outside of a tool, in the words of the protocol. */
async function understood<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    const code = error.code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, error.message, { code: error.code, ...(error.hint !== undefined && { hint: error.hint }) })
  }
}
