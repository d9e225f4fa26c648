import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import type { Operation } from '../../../contract/operation.ts'
import { findOperation } from '../../../contract/operations.ts'
import { isAllowed } from '../../../core/access/access.ts'
import { execute } from '../../../core/call/execute.ts'
import { stream, streams } from '../../../core/call/stream.ts'
import { recordRefusal } from '../../../core/journal/refusals.ts'
import type { Call, Caller } from '../../../core/service.ts'
import { AnswerCache } from '../answer-cache.ts'
import { bytesToRead, parseBody, parseForAudit, readBody } from '../body.ts'
import { outcomeHeaders, readCall, readDeadline } from '../call-headers.ts'
import { challengeScope } from '../challenge.ts'
import type { Context } from '../context.ts'
import { asCrmError, endOf, logError, logSuccess } from '../errors.ts'
import { ResponseHangUp } from '../hang-up.ts'
import { limitIn, pageBytes } from '../limits/answer-bytes.ts'
import { parsedBytes, type Reservation, SMALL_BYTES } from '../limits/memory.ts'
import { accepts, respondNdjson } from '../ndjson.ts'
import { publicUrl } from '../public-url.ts'
import { resourceMetadata, type SignInRequest } from '../resource-sign-in.ts'
import { type HeaderLines, JSON_TYPE, respond, respondProblem } from '../response.ts'

/** How long a stream may go on after the service has begun to stop. */
const STREAM_GRACE_MS = 3000

export interface CallRequest {
  readonly requestId: string
  /** The operation's name as typed. */
  readonly name: string
  readonly request: IncomingMessage
  readonly raw: ServerResponse
  /** Where the caller is, and at what address it has called. */
  readonly from: SignInRequest
}

/** Executes a call and answers it. Never rejects. */
export type CallHandler = (request: CallRequest) => Promise<void>

export function createCallHandler(context: Context): CallHandler {
  const { service, metrics, inFlight, log } = context
  const answers = new AnswerCache(service)

  return async (asked) => {
    const { requestId, name, request, raw, from } = asked
    const started = performance.now()
    const { accept } = request.headers
    const authorization = context.credentials(request)
    let operation: Operation | undefined
    let caller: Caller | undefined
    let call: Call | undefined
    let lines: HeaderLines | undefined
    let reserved: Reservation | undefined
    let thrown: unknown
    inFlight.add(raw)
    try {
      operation = findOperation(name)
      // A small body costs no more than signing its caller in, and is read meanwhile.
      const length = bytesToRead(request)
      const early = length < SMALL_BYTES ? readBody(request) : undefined
      const signedIn = context.signIn(authorization, from)
      caller = signedIn instanceof Promise ? await signedIn : signedIn
      const counted = context.checkRateLimit(caller)
      const limit = counted && (await counted)
      lines = limit?.lines
      if (limit?.refusal) throw limit.refusal
      // A call that the key does not allow is refused by the core, whatever its body holds: a large one is not even read.
      const allowed = isAllowed(caller, operation)
      if (allowed && !early) {
        reserved = context.memory.reserve(caller, raw)
        await reserved.take(parsedBytes(length), readDeadline(request.headers['request-timeout']))
      }
      const body = await (early ?? (allowed ? readBody(request) : undefined))
      const paged = allowed && streams(operation)
      const streamed = paged && accepts(accept)
      const cached = allowed && Buffer.isBuffer(body) && !streamed ? answers.placeOf(caller, operation, body) : undefined
      const input = cached?.answer ? undefined : allowed && body ? parseBody(body) : parseForAudit(body)
      call = readCall(request.headers, operation, { input, caller, requestId, publicUrl: () => publicUrl(context, from), hangUp: new ResponseHangUp(raw) })
      if (streamed) {
        reserved ??= context.memory.reserve(caller, raw)
        thrown = await respondStream(asked, operation, call, reserved, lines)
      } else if (cached?.answer) {
        respond(raw, requestId, 200, JSON_TYPE, cached.answer.json, outcomeHeaders(cached.answer, lines))
      } else {
        const bytes = paged ? pageBytes(operation, limitIn(input)) : 0
        if (bytes >= SMALL_BYTES) {
          reserved ??= context.memory.reserve(caller, raw)
          await reserved.take(bytes, call.deadline)
        }
        const outcome = await execute(service, call)
        const json = outcome.json ?? JSON.stringify(outcome.result)
        cached?.keep(outcome, json)
        if (json.length >= SMALL_BYTES) reserved ??= context.memory.reserve(caller, raw)
        reserved?.answer(json.length, operation.effect !== 'read')
        respond(raw, requestId, 200, JSON_TYPE, json, outcomeHeaders(outcome, lines))
      }
    } catch (error) {
      thrown = error
      // The core audits what it refuses itself; a request that could not be read as a call never reaches it.
      if (operation && caller && !call) {
        const dryRun = request.headers['dry-run'] === 'true'
        await recordRefusal(service, { operation: operation.id, input: undefined, caller, transport: 'http', requestId, dryRun }, asCrmError(error))
      }
    }
    inFlight.delete(raw)

    const id = operation?.id ?? 'unknown'
    const seconds = (performance.now() - started) / 1000
    const facts = { requestId, operation: operation?.id, started, caller, authorization }
    if (thrown === undefined) {
      metrics.count(id, 'ok', seconds)
      logSuccess(log, facts)
    } else {
      const error = asCrmError(thrown)
      if (operation && caller) challengeScope(error, caller, operation, resourceMetadata(context, from))
      respondProblem(raw, requestId, error, lines)
      metrics.count(id, endOf(error), seconds)
      logError(log, error, facts)
    }
  }

  /** Answers page by page, with memory for one page at a time. Resolves to what ended it early. */
  async function respondStream(
    { requestId, request, raw, from }: CallRequest,
    operation: Operation,
    call: Call,
    reserved: Reservation,
    lines: HeaderLines | undefined,
  ): Promise<unknown> {
    const bytes = pageBytes(operation, (Object(call.input) as { Limit?: unknown }).Limit)
    const leave = context.places.recordStreams(call.caller)
    /** Ends the stream of a revoked key, and of a service that is stopping. */
    const beforePage = async () => {
      if (context.closing && performance.now() - context.closingSince > STREAM_GRACE_MS)
        throw new CrmError('platform_unavailable', 'The service is stopping.', { retryAfter: 1 })
      const caller = await context.signIn(context.credentials(request), from)
      await reserved.take(bytes)
      return caller
    }
    return respondNdjson(raw, requestId, stream(service, call, beforePage), reserved, lines).finally(leave)
  }
}

/** `POST /v1/operations/:name`: executes an operation. */
export function callRoute(app: FastifyInstance, context: Context): void {
  const handle = createCallHandler(context)
  app.post<{ Params: { name: string } }>('/v1/operations/:name', (request, reply) => {
    // Not returned: the answer does not go through Fastify, which would otherwise wait for a value to send.
    void handle({ requestId: request.id, name: request.params.name, request: request.raw, raw: reply.raw, from: request })
  })
}
