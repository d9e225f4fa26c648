import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Session } from './backend.ts'
import { type ArgumentsOf, argumentsIn, paramsFault } from './sent.ts'
import { createServer } from './server.ts'
import type { Members } from './shorten.ts'

/** Answers one request of the protocol, whichever revision it speaks. */
export type Exchange = (request: Request, body: unknown, session: Session) => Promise<Response>

/** Every request stands for itself, so that any process can answer it. What goes wrong aside of any answer is told to `trouble`. */
export function createExchange(trouble: (error: Error) => void): Exchange {
  const servers = new WeakMap<Request, () => ReturnType<typeof createServer>>()
  const { fetch } = createMcpHandler(
    ({ requestInfo }) => {
      const server = requestInfo && servers.get(requestInfo)
      if (!server) throw new Error('A request without a session.')
      return server()
    },
    { onerror: trouble },
  )
  return async (request, body, session) => {
    const fault = paramsFault(body)
    if (fault !== undefined) return Response.json({ jsonrpc: '2.0', id: idOf(body) ?? null, error: { code: ProtocolErrorCode.InvalidParams, message: fault } })
    servers.set(request, () => createServer(session, argumentsSent(body)))
    return fetch(request, { parsedBody: body })
  }
}

const idOf = (message: unknown) => (Object(message) as Members).id

/** The arguments of each call in a body, which may be a batch. */
function argumentsSent(body: unknown): ArgumentsOf {
  const calls = new Map([body].flat().map((message) => [idOf(message), argumentsIn(message)]))
  return (id) => calls.get(id)
}
