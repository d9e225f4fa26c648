import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Session } from './backend.ts'
import { paramsError, type RawArguments, rawArguments } from './raw-params.ts'
import { createServer } from './server.ts'
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
  const { fetch } = createMcpHandler(
    ({ requestInfo }) => {
      const server = requestInfo && servers.get(requestInfo)
      if (!server) throw new Error('A request without a session.')
      return server()
    },
    { onerror: onError },
  )
  return {
    parameters: FILTER_OPTIONS,
    readFilter: readToolFilter,
    async respondTo(request, body, session) {
      const message = paramsError(body)
      if (message !== undefined) return Response.json({ jsonrpc: '2.0', id: idOf(body) ?? null, error: { code: ProtocolErrorCode.InvalidParams, message } })
      servers.set(request, () => createServer(session, argumentsIn(body)))
      return fetch(request, { parsedBody: body })
    },
  }
}

const idOf = (message: unknown) => (Object(message) as Members).id

/** The arguments of each call in a body, which may be a batch. */
function argumentsIn(body: unknown): RawArguments {
  const calls = new Map([body].flat().map((message) => [idOf(message), rawArguments(message)]))
  return (id) => calls.get(id)
}
