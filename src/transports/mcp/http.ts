import { randomUUID } from 'node:crypto'
import { type ClientCapabilities, createMcpHandler, type McpServerFactory, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Reply } from '../../core/journal/questions.ts'
import { showsApps } from './apps.ts'
import type { Questions, Session } from './backend.ts'
import { cancellationIn, recordCancellations } from './http-cancellation.ts'
import { endSession, listen, sessionStream, storedSubscriptions } from './http-streams.ts'
import { asksByAddress, canElicit } from './protocol.ts'
import { paramsError, type RawArguments, rawArguments } from './raw-params.ts'
import { createServer } from './server.ts'
import { subscribingRefusal } from './subscriptions.ts'
import { FILTER_OPTIONS, readToolFilter } from './tool-filter.ts'
import type { Members } from './truncate.ts'

/** MCP over HTTP, whichever revision of the protocol a client speaks. */
export interface Exchange {
  /** The query parameters that filter the tools, and their reader. */
  readonly parameters: readonly string[]
  readonly readFilter: typeof readToolFilter
  respondTo(request: Request, body: unknown, session: Session): Promise<Response>
}

/** Stateless: there is a new server for each request, so that any process can answer it. `onError` receives errors outside of any answer. */
export function createExchange(onError: (error: Error) => void): Exchange {
  const servers = new WeakMap<Request, () => ReturnType<typeof createServer>>()
  const factory: McpServerFactory = ({ requestInfo }) => {
    const server = requestInfo && servers.get(requestInfo)
    if (!server) throw new Error('A request without a session.')
    return server()
  }
  const { fetch } = createMcpHandler(factory, { onerror: onError })
  return {
    parameters: FILTER_OPTIONS,
    readFilter: readToolFilter,
    async respondTo(request, body, session) {
      const given = isRemoved(request, body) ? undefined : paramsError(body)
      const message = given ?? (subscribes(body) ? (await subscribingRefusal(session))?.message : undefined)
      if (message !== undefined) return Response.json({ jsonrpc: '2.0', id: idOf(body) ?? null, error: { code: ProtocolErrorCode.InvalidParams, message } })
      const id = request.headers.get(SESSION)
      // A client that gets 404 initializes anew, and so says again whether its person can be asked.
      if (id !== null && (!hasFormOfSession(id) || (await session.backend.sessions?.read(id))?.ended)) return new Response(null, { status: 404 })
      if (id !== null && request.method === 'GET' && !(await subscribingRefusal(session))) return sessionStream(session, id, request, onError)
      if (id !== null && request.method === 'DELETE') return endSession(session, id)
      const messages = [body].flat()
      const replies = messages.filter(isReply)
      for (const reply of replies) await recordReply(session.backend.questions, reply)
      if (replies.length > 0 && replies.length === messages.length) return new Response(null, { status: 202 })
      const { sessions } = session.backend
      if (id !== null && sessions) await recordCancellations(sessions, id, messages)
      const stored = id !== null &&
        sessions && { subscriptions: storedSubscriptions(session, id), cancellationOf: cancellationIn.bind(undefined, sessions, id) }
      servers.set(request, () => createServer({ ...session, ...traitsOf(request), ...stored }, argumentsIn(messages)))
      const response = subscribes(body) ? await listen(factory, onError, request, body, session) : await fetch(request, { parsedBody: body })
      const [initialize] = messages.filter(isInitialize)
      if (response.ok && initialize) response.headers.set(SESSION, newSession(traitsIn(initialize)))
      return response
    },
  }
}

/**
 * A client of 2025 sends its capabilities once, when it initializes. There are no sessions that could keep them, so what matters of them is in the id that it
 * sends with each later request.
 */
const SESSION = 'mcp-session-id'
const newSession = (traits: readonly string[]) => `${traits.join('.')}-${randomUUID()}`

/** Whether an id may be one of this server's. That of another would be read as one of a client without capabilities, whose person cannot be asked. */
function hasFormOfSession(id: string): boolean {
  const [, traits, rest] = /^([^-]*)-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(id) ?? []
  return rest !== undefined && (traits === '' || traits?.split('.').every((trait) => Object.hasOwn(TRAITS, trait)) === true)
}

const TRAITS: { readonly [trait: string]: (capabilities: ClientCapabilities) => boolean } = { elicitation: canElicit, address: asksByAddress, ui: showsApps }

function traitsOf({ headers }: Request): Pick<Session, 'canElicit' | 'asksByAddress' | 'showsApps' | 'isAnonymous'> {
  const id = headers.get(SESSION)
  const traits = (id?.split('-')[0] ?? '').split('.')
  return {
    isAnonymous: id === null,
    canElicit: traits.includes('elicitation'),
    asksByAddress: traits.includes('address'),
    showsApps: traits.includes('ui'),
  }
}

const isInitialize = (message: unknown) => (Object(message) as Members).method === 'initialize'

function traitsIn(message: unknown): string[] {
  const capabilities = Object((Object((message as Members).params) as Members).capabilities) as ClientCapabilities
  return Object.entries(TRAITS).flatMap(([trait, has]) => (has(capabilities) ? [trait] : []))
}

const isReply = (message: unknown) => !('method' in Object(message)) && ('result' in Object(message) || 'error' in Object(message))

/** Records what the person behind the client has replied. */
async function recordReply(questions: Questions | undefined, message: unknown): Promise<void> {
  const { id, result } = message as Members
  const { action } = Object(result) as Members
  const reply: Reply = action === 'accept' || action === 'decline' || action === 'cancel' ? action : 'failed'
  if (typeof id !== 'string' || !questions) throw new CrmError('invalid_input', 'This server has sent no request with this id.')
  await questions.record(id, reply)
}

/** Whether a client of the current revision opens a stream of resources that it wants to be told of. */
function subscribes(message: unknown): boolean {
  const { method, params } = Object(message) as Members
  const { resourceSubscriptions } = Object((Object(params) as Members).notifications) as Members
  return method === 'subscriptions/listen' && Array.isArray(resourceSubscriptions) && resourceSubscriptions.length > 0
}

/** Whether the current revision has a method of the earlier ones no more. Such a request is answered as that of an unknown method. */
const isRemoved = ({ headers }: Request, message: unknown) =>
  (headers.get('mcp-protocol-version') ?? '') >= '2026' && /^resources\/(un)?subscribe$/.test(String((Object(message) as Members).method))

const idOf = (message: unknown) => (Object(message) as Members).id

/** The arguments of each call among these messages. */
function argumentsIn(messages: readonly unknown[]): RawArguments {
  const calls = new Map(messages.map((message) => [idOf(message), rawArguments(message)]))
  return (id) => calls.get(id)
}
