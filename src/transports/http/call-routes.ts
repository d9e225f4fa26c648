import type { RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { OPERATIONS } from '../../contract/operations.ts'
import type { CarryOut } from './call.ts'
import type { Context } from './context.ts'
import type { RequestIds } from './request-id.ts'

const PATH = '/v1/operations/'
const IDS: ReadonlySet<string> = new Set(OPERATIONS.map(({ id }) => id))

/** `POST /v1/operations/:name`: the door every call comes through. */
export function callRoute(app: FastifyInstance, carryOut: CarryOut): void {
  app.post<{ Params: { name: string } }>(`${PATH}:name`, (request, reply) => {
    // The answer does not go through Fastify, so there is nothing for it to wait for.
    void carryOut({ requestId: request.id, name: request.params.name, request: request.raw, raw: reply.raw, ip: request.ip })
  })
}

/**
 * Lets calls addressed by an operation's very id go past Fastify to the same function: they need neither its router nor its
 * hooks, and save a microsecond or two of about thirty. Whoever adds a hook that calls must see must leave this out.
 */
export function callShortcut({ server }: FastifyInstance, context: Context, carryOut: CarryOut, requestIds: RequestIds): void {
  const [usual] = server.listeners('request') as RequestListener[]
  if (!usual) return
  server.removeListener('request', usual)
  server.on('request', (request, raw) => {
    const name = request.method === 'POST' && request.url?.startsWith(PATH) ? request.url.slice(PATH.length) : ''
    if (!IDS.has(name) || context.closing) usual(request, raw)
    else void carryOut({ requestId: requestIds(request), name, request, raw, ip: request.socket.remoteAddress ?? '' })
  })
}
