import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import { execute } from '../../core/call/execute.ts'
import { stream, streams } from '../../core/call/stream.ts'
import { recordRefusal } from '../../core/journal/refusals.ts'
import type { Call, Caller } from '../../core/service.ts'
import { JSON_TYPE, type Lines, respond, respondProblem } from './answer.ts'
import { parseBody, readBody } from './body.ts'
import type { Context } from './context.ts'
import { outcomeLines, readCall } from './headers.ts'
import { asCrmError, logAnswer, logRefusal } from './refusal.ts'
import { respondStream, wantsStream } from './stream.ts'

/** How long a stream may go on while the service stops. */
const STREAM_GRACE_MS = 3000

/** A call as it comes in. */
export interface Incoming {
  readonly requestId: string
  /** The operation's name as typed. */
  readonly name: string
  readonly request: IncomingMessage
  readonly raw: ServerResponse
  /** The caller's address. */
  readonly ip: string
}

/** Carries out a call and answers it. It never rejects. */
export type CarryOut = (incoming: Incoming) => Promise<void>

export function createCarryOut(context: Context): CarryOut {
  const { service, metrics, underWay, log } = context

  return async ({ requestId, name, request, raw, ip }) => {
    const started = performance.now()
    const { authorization, accept } = request.headers
    let operation: Operation | undefined
    let caller: Caller | undefined
    let call: Call | undefined
    let lines: Lines | undefined
    let fault: unknown
    underWay.add(raw)
    try {
      operation = findOperation(name)
      const body = readBody(request)
      const known = context.signIn(authorization, ip)
      caller = known instanceof Promise ? await known : known
      const asked = context.admit(caller)
      const admission = asked instanceof Promise ? await asked : asked
      lines = admission?.lines
      if (admission?.refusal) throw admission.refusal
      const bytes = await body
      if (bytes instanceof CrmError) throw bytes
      call = readCall(request.headers, operation, { input: parseBody(bytes), caller, requestId })
      // A long stream outlives neither its key nor, but for a moment, the service.
      const stillThere = () => {
        if (context.closing && performance.now() - context.closingSince > STREAM_GRACE_MS)
          throw new CrmError('platform_unavailable', 'The service is stopping.', { retryAfter: 1 })
        return context.signIn(authorization, ip)
      }
      if (streams(operation) && wantsStream(accept)) fault = await respondStream(raw, requestId, stream(service, call, stillThere), lines)
      else {
        const outcome = await execute(service, call)
        respond(raw, requestId, 200, JSON_TYPE, outcome.json ?? JSON.stringify(outcome.result), outcomeLines(outcome, lines))
      }
    } catch (error) {
      fault = error
      // The core leaves a line of what it refuses; what makes no sense as a call never gets there.
      if (operation && caller && !call) {
        const dryRun = request.headers['dry-run'] === 'true'
        await recordRefusal(service, { operation: operation.id, input: undefined, caller, transport: 'http', requestId, dryRun }, asCrmError(error))
      }
    }
    underWay.delete(raw)

    const id = operation?.id ?? 'unknown'
    const seconds = (performance.now() - started) / 1000
    const facts = { requestId, operation: operation?.id, started, caller, authorization }
    if (fault === undefined) {
      metrics.count(id, 'ok', seconds)
      logAnswer(log, facts)
    } else {
      const error = asCrmError(fault)
      respondProblem(raw, requestId, error, lines)
      metrics.count(id, error.code, seconds)
      logRefusal(log, error, facts)
    }
  }
}

/** `POST /v1/operations/:name`: the door every call comes through. */
export function callRoute(app: FastifyInstance, carryOut: CarryOut): void {
  app.post<{ Params: { name: string } }>('/v1/operations/:name', (request, reply) => {
    // The answer does not go through Fastify, so there is nothing for it to wait for.
    void carryOut({ requestId: request.id, name: request.params.name, request: request.raw, raw: reply.raw, ip: request.ip })
  })
}
