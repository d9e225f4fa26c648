import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { respond } from './response.ts'

const METHODS = 'GET, HEAD, POST'
const ALLOWED =
  'Authorization, Content-Type, Accept, X-Request-Id, Idempotency-Key, Dry-Run, Confirm, Confirmation-Token, If-Match, Request-Timeout, Last-Event-ID'
/** Further headers of MCP clients. */
const MCP_ALLOWED = 'Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id'
const EXPOSED =
  'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Change-Id, Idempotency-Replayed, ETag, WWW-Authenticate, Mcp-Session-Id'

export type Cors = (request: IncomingMessage, raw: ServerResponse) => void

/** Allows these origins: one, several separated by commas, or `*`. */
export function createCors(corsOrigin: string): Cors {
  const origins = corsOrigin
    .split(',')
    .map((origin) => origin.trim().replace(/\/$/, ''))
    .filter((origin) => origin !== '')
  const anyOrigin = origins.includes('*')

  return (request, raw) => {
    const { origin } = request.headers
    if (!anyOrigin) raw.setHeader('Vary', 'Origin')
    if (origin === undefined || !(anyOrigin || origins.includes(origin))) return
    raw.setHeader('Access-Control-Allow-Origin', anyOrigin ? '*' : origin)
    if (isPreflight(request)) {
      raw.setHeader('Access-Control-Allow-Methods', METHODS)
      raw.setHeader('Access-Control-Allow-Headers', `${ALLOWED}, ${MCP_ALLOWED}`)
      raw.setHeader('Access-Control-Max-Age', '600')
    } else raw.setHeader('Access-Control-Expose-Headers', EXPOSED)
  }
}

const isPreflight = (request: IncomingMessage) => request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined

/** Puts the headers on every answer, and answers preflights. */
export function corsHook(app: FastifyInstance, cors: Cors): void {
  app.addHook('onRequest', (request, reply, done) => {
    cors(request.raw, reply.raw)
    if (isPreflight(request.raw) && reply.raw.hasHeader('Access-Control-Allow-Origin')) {
      reply.hijack()
      respond(reply.raw, request.id, 204, 'text/plain', '')
    } else done()
  })
}
