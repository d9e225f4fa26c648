import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Session } from './backend.ts'
import { createServer } from './server.ts'

/** Answers one request of the protocol, whichever revision it speaks. */
export type Exchange = (request: Request, body: unknown, session: Session) => Promise<Response>

/** Every request stands for itself, so that any process can answer it. What goes wrong aside of any answer is told to `trouble`. */
export function createExchange(trouble: (error: Error) => void): Exchange {
  const sessions = new WeakMap<Request, Session>()
  const { fetch } = createMcpHandler(
    ({ requestInfo }) => {
      const session = requestInfo && sessions.get(requestInfo)
      if (!session) throw new Error('A request without a session.')
      return createServer(session)
    },
    { onerror: trouble },
  )
  return (request, body, session) => {
    sessions.set(request, session)
    return fetch(request, { parsedBody: body })
  }
}
