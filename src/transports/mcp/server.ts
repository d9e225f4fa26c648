import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { BATCH } from '../../contract/batch.ts'
import { APP, appContents, EXTENSION, showsApps, withApps } from './apps.ts'
import type { Session } from './backend.ts'
import { hasBatch } from './batch-tool.ts'
import { callBatch } from './call-batch.ts'
import { callTool } from './call-tool.ts'
import { type Call, elicit, type Following } from './elicitation.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { progressOf } from './progress.ts'
import { completePrompt, getPrompt, listPrompts } from './prompts.ts'
import { asksByAddress, canElicit, capabilitiesOf, listHandler, logFailure, unknownTool, withProtocolErrors } from './protocol.ts'
import type { RawArguments } from './raw-params.ts'
import { completeResource, listResources, listTemplates, readResource } from './resources.ts'
import { subscribe, unsubscribe } from './subscriptions.ts'
import { isIncluded, offeredTools } from './tool-filter.ts'
import { ADMINISTRATION, listTools, TOOLS, toolsOn } from './tools.ts'
import type { Members } from './truncate.ts'

/** How long a client may cache lists. Short, since they depend on the caller's role. */
const CACHE_HINT = { ttlMs: 60_000, cacheScope: 'private' } as const

/** The MCP server of one client: tools, resources and prompts. */
export function createServer(session: Session, argumentsOf: RawArguments): Server {
  const { backend, filter, version } = session
  const server = new Server(
    { name: 'crm-connector', title: 'CRM Connector', version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {}, extensions: { [EXTENSION]: {} } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': CACHE_HINT, 'prompts/list': CACHE_HINT, 'resources/templates/list': CACHE_HINT },
    },
  )
  const hasApps = (context: ServerContext) => session.readApp !== undefined && (session.showsApps || showsApps(capabilitiesOf(server, context)))
  const all = async () => toolsOn(await backend.platform(), [...TOOLS, ...ADMINISTRATION])
  const tools = async () => offeredTools(await backend.access(), filter, await all())

  /** How a tool is called, as often as it takes to have it confirmed. */
  async function callerOf(name: string, given: Members, following: Following): Promise<Call> {
    const offered = name === BATCH.id ? await tools() : []
    if (hasBatch(offered)) return (elicitation) => callBatch(session, offered, given, { ...elicitation, ...following })
    const tool = isIncluded(name, filter) ? (await all()).find(({ id }) => id === name) : undefined
    if (!tool) throw unknownTool(name, await tools())
    return (elicitation) => callTool(session, tool, given, { ...elicitation, ...following })
  }

  server.setRequestHandler(
    'tools/list',
    listHandler(async (context) => {
      const offered = await tools()
      return { tools: hasApps(context) ? withApps(listTools(offered), offered, filter) : listTools(offered) }
    }),
  )
  server.setRequestHandler('tools/call', ({ params }, context) =>
    withProtocolErrors(async () => {
      const { id, requestState, inputResponses, signal: disconnected } = context.mcpReq
      const given = argumentsOf(id) ?? params.arguments ?? {}
      const calls = params.name === BATCH.id && Array.isArray(given.Operations) ? given.Operations.length : undefined
      const cancellation = session.cancellationOf?.(id)
      const signal = cancellation ? AbortSignal.any([disconnected, cancellation.signal]) : disconnected
      const following = { signal, progress: progressOf(context, calls), lookForCancellation: cancellation?.look }
      try {
        const call = await callerOf(params.name, given, following)
        const capabilities = capabilitiesOf(server, context)
        const asked = session.canElicit || canElicit(capabilities)
        // A client of the current revision says with each request what it can do.
        const isUnknown = session.isAnonymous && context.mcpReq.envelope === undefined
        const couldAsk = !asked && (isUnknown || session.asksByAddress || asksByAddress(capabilities))
        const elicitation = { canElicit: couldAsk ? undefined : asked, showsApps: hasApps(context), state: requestState<string>(), responses: inputResponses }
        const first = await following.progress.during(`${params.name} is under way`, () => call(elicitation))
        const result = await elicit(session, server, context, first, call, following)
        await logFailure(context, result)
        return result
      } finally {
        cancellation?.end()
      }
    }),
  )

  server.setRequestHandler(
    'resources/list',
    listHandler(async () => ({ resources: await listResources(session) })),
  )
  server.setRequestHandler(
    'resources/templates/list',
    listHandler(async () => ({ resourceTemplates: await listTemplates(session) })),
  )
  server.setRequestHandler('resources/read', ({ params }) =>
    withProtocolErrors(async () => (params.uri === APP && session.readApp ? appContents(await session.readApp()) : readResource(session, params.uri))),
  )
  server.setRequestHandler('resources/subscribe', ({ params }) => withProtocolErrors(() => subscribe(session, params.uri)))
  server.setRequestHandler('resources/unsubscribe', ({ params }) => withProtocolErrors(() => unsubscribe(session, params.uri)))

  server.setRequestHandler(
    'prompts/list',
    listHandler(async () => ({ prompts: await listPrompts(session) })),
  )
  server.setRequestHandler('prompts/get', ({ params }) => withProtocolErrors(() => getPrompt(session, params.name, params.arguments)))

  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) =>
    withProtocolErrors(async () => ({
      completion:
        ref.type === 'ref/prompt'
          ? await completePrompt(session, ref.name, argument.name, argument.value)
          : await completeResource(session, ref.uri, argument.name, argument.value),
    })),
  )
  return server
}
