import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Caller } from '../../../core/service.ts'
import { lazy } from '../../../helpers/lazy.ts'
import { coreBackend } from '../../mcp/core-backend.ts'
import { bytesToRead, parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { asCrmError, logError, logSuccess } from '../errors.ts'
import { sendFetchResponse, toFetchRequest } from '../fetch-api.ts'
import { parsedBytes, SMALL_BYTES } from '../limits/memory.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { drained } from '../ndjson.ts'
import { readQuery } from '../query.ts'
import { JSON_TYPE, respond, respondProblem } from '../response.ts'
import { refuseOtherOrigins } from '../same-origin.ts'

/** The label in the metrics of a request that calls no operation. */
const NO_OPERATION = 'mcp'
const PARSE_ERROR = -32700
/** Ids of sessions are ours, and short. */
const LONGEST_SESSION = 100

/** `/mcp`: the operations as tools for agents. Methods other than POST are answered as the protocol requires. */
export function mcpRoute(app: FastifyInstance, context: Context): void {
  const { service, version, log, metrics, inFlight, liveStreams, loadMcp = () => import('../../mcp/http.ts') } = context
  // Loaded with the first request, because the protocol's library slows down the start. A failed load is tried again with the next request.
  const exchange = lazy(async () => (await loadMcp()).createExchange((error) => log.debug({ reason: error.message }, 'mcp')))

  const readApp = () => readFile(join(context.built, 'apps/answer.html'), 'utf8')

  // In onRequest, before Fastify refuses the body of a method that has none.
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => {
    void answer(request, reply.raw)
  }
  app.all('/mcp', { onRequest }, () => {})

  async function answer(request: FastifyRequest, raw: ServerResponse): Promise<void> {
    const { authorization } = request.headers
    let caller: Caller | undefined
    let recorded = 0
    /** Counts and logs one call, or a request that calls no operation. */
    const record = (operation: string | undefined, started: number, thrown: unknown) => {
      const facts = { requestId: request.id, started, caller, authorization, ...(operation === undefined ? { route: '/mcp' } : { operation }) }
      const error = thrown === undefined ? undefined : asCrmError(thrown)
      metrics.count(operation ?? NO_OPERATION, error?.code ?? 'ok', (performance.now() - started) / 1000)
      if (error) logError(log, error, facts)
      else logSuccess(log, facts)
      recorded += 1
    }

    const started = performance.now()
    const disconnected = new AbortController()
    const disconnect = () => disconnected.abort()
    raw.on('close', disconnect)
    // A server that closes does not wait for a person.
    const onWait = (end: () => void) => {
      liveStreams.add(end)
      return () => liveStreams.delete(end)
    }
    let leave = () => {}
    inFlight.add(raw)
    try {
      refuseOtherOrigins(request.raw, raw)
      caller = await context.signIn(authorization, request)
      const { parameters, readFilter, respondTo } = await exchange()
      const { params, faults } = readQuery(request.url, parameters)
      if (faults[0]) throw new CrmError('invalid_input', faults[0].message, { errors: faults })
      const filter = readFilter(Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name).join(',')])))
      const length = request.method === 'POST' ? bytesToRead(request.raw) : 0
      if (length >= SMALL_BYTES) await context.memory.reserve(caller, raw).take(parsedBytes(length))
      const bytes = request.method === 'POST' ? await readBody(request.raw) : undefined
      if (bytes instanceof CrmError) throw bytes
      const message = bytes && parsed(bytes)
      if (Array.isArray(message) && message.length > LIMITS.batch)
        throw new CrmError('too_large', `The body has more than ${LIMITS.batch} messages.`, { hint: 'Send less in one request.' })
      const refusal = await overLimit(enforceRateLimit(context, raw, caller, callsIn(message)))
      // An agent reads the result of a tool, but rarely an HTTP status: a tool call over the limit is refused in its result.
      if (refusal && methodOf(message) !== 'tools/call') throw refusal
      if (message instanceof CrmError) respond(raw, request.id, 400, JSON_TYPE, parseError(message))
      else {
        // Ends only when the client disconnects, the key ends or the server closes.
        const isStream = methodOf(message) === 'subscriptions/listen' || request.method === 'GET'
        if (isStream) {
          liveStreams.add(disconnect)
          leave = context.places.eventStreams(caller)
        }
        const reauthenticate = () => context.signIn(authorization, request)
        const drain = async () => (raw.writableNeedDrain ? drained(raw) : undefined)
        const session = request.headers['mcp-session-id']?.toString().slice(0, LONGEST_SESSION)
        const backend = coreBackend(service, caller, request.id, { session, onCall: record, onWait, reauthenticate, drained: drain, refusal })
        await sendFetchResponse(
          raw,
          request.id,
          await respondTo(toFetchRequest(request.raw, disconnected.signal), message, { backend, filter, version, readApp }),
        )
      }
      if (recorded === 0) record(undefined, started, undefined)
    } catch (thrown) {
      respondProblem(raw, request.id, asCrmError(thrown))
      record(undefined, started, thrown)
    } finally {
      leave()
      inFlight.delete(raw)
      liveStreams.delete(disconnect)
    }
  }
}

/** How many calls a body has: each message is one, and so is each call of a batch. */
function callsIn(message: unknown): number {
  if (Array.isArray(message))
    return Math.max(
      1,
      Math.min(
        LIMITS.batch,
        message.map(callsIn).reduce((sum, calls) => sum + calls, 0),
      ),
    )
  const { name, arguments: given } = Object(Object(message).params) as { readonly name?: unknown; readonly arguments?: unknown }
  const { Operations } = Object(given) as { readonly Operations?: unknown }
  return name === 'batch' && Array.isArray(Operations) ? Math.max(1, Math.min(LIMITS.batch, Operations.length)) : 1
}

const methodOf = (message: unknown) => (Object(message) as { method?: unknown }).method

/** The refusal of a key that has used up its rate limit; any other error is thrown. */
async function overLimit(check: Promise<void>): Promise<CrmError | undefined> {
  try {
    await check
    return undefined
  } catch (error) {
    if (error instanceof CrmError && error.code === 'rate_limited') return error
    throw error
  }
}

/** The message in a body, or the CrmError that describes why it is not JSON. A body that is too large is thrown. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseBody(bytes)
  } catch (error) {
    if (error instanceof CrmError && error.code === 'too_large') throw error
    return error
  }
}

function parseError({ message }: CrmError): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: `Parse error: ${message}` } })
}
