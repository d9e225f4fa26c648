import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CrmError, ERRORS } from '../../contract/errors.ts'
import { OAuthError } from '../../core/oauth/errors.ts'
import type { Context } from './context.ts'
import { asCrmError, logError, logSuccess } from './errors.ts'
import { type HeaderLines, JSON_TYPE, problemHeaders, respond } from './response.ts'

/** Clients in browsers are of any origin, and send no credentials of ours. */
const ANY_ORIGIN: HeaderLines = ['Access-Control-Allow-Origin', '*']
const PREFLIGHT: HeaderLines = [
  ...ANY_ORIGIN,
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST',
  'Access-Control-Allow-Headers',
  'Authorization, Content-Type, Accept, Mcp-Protocol-Version',
  'Access-Control-Max-Age',
  '600',
]

/** What a route answers: its status, and a body as JSON. */
export interface Answer {
  readonly status?: number
  readonly body?: object
}

/** Adds a route whose refusals are those of OAuth, which pages of any origin may call, and that logs each request once. */
export function oauthRoute(
  app: FastifyInstance,
  context: Context,
  method: 'GET' | 'POST',
  url: string,
  work: (request: FastifyRequest) => Promise<Answer>,
): void {
  const run = async (request: FastifyRequest, { raw }: FastifyReply) => {
    const facts = { requestId: request.id, route: url, started: performance.now(), authorization: request.headers.authorization }
    context.inFlight.add(raw)
    try {
      const { status = 200, body } = await work(request)
      respond(raw, request.id, status, JSON_TYPE, body === undefined ? '' : JSON.stringify(body), ANY_ORIGIN)
      logSuccess(context.log, facts)
    } catch (thrown) {
      const error = asCrmError(thrown)
      const more = error.code === 'unauthenticated' ? ['WWW-Authenticate', 'Basic realm="crm"'] : problemHeaders(error)
      respond(raw, request.id, ERRORS[error.code].status, JSON_TYPE, JSON.stringify(refusalOf(error)), [...ANY_ORIGIN, ...more])
      logError(context.log, error, facts)
    } finally {
      context.inFlight.delete(raw)
    }
  }
  app.route({ method, url, handler: (request, reply) => void run(request, reply) })
  app.options(url, (request, reply) => void respond(reply.raw, request.id, 204, 'text/plain', '', PREFLIGHT))
}

const CODES: { readonly [code: string]: string } = {
  unauthenticated: 'invalid_client',
  invalid_input: 'invalid_request',
  not_found: 'invalid_request',
  too_large: 'invalid_request',
  rate_limited: 'temporarily_unavailable',
  platform_unavailable: 'temporarily_unavailable',
}

const refusalOf = (error: CrmError) => ({
  error: error instanceof OAuthError ? error.error : (CODES[error.code] ?? 'server_error'),
  error_description: [error.message, error.hint].filter(Boolean).join(' '),
})
