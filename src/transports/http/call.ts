import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import { execute, stream, streams } from '../../core/execute.ts'
import type { Caller } from '../../core/service.ts'
import { JSON_TYPE, type Lines, respond, respondProblem } from './answer.ts'
import { parseBody, readBody } from './body.ts'
import type { Context } from './context.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { asCrmError, logAnswer, logRefusal } from './refusal.ts'
import { respondStream, wantsStream } from './stream.ts'

/** `POST /v1/operations/:name`: the door every call comes through. */
export function callRoute(app: FastifyInstance, context: Context): void {
  const limiter = context.rateLimit ? createLimiter({ limit: context.rateLimit, windowMs: 60_000, names: 100_000 }) : undefined
  app.post<{ Params: { name: string } }>('/v1/operations/:name', (request, reply) => {
    // The promise never rejects, and the answer does not go through Fastify, so there is nothing for it to wait for.
    void carryOut(context, limiter, request, reply)
  })
}

async function carryOut(
  context: Context,
  limiter: Limiter | undefined,
  request: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
): Promise<void> {
  const { raw } = reply
  const { id: requestId } = request
  const started = performance.now()
  let operation: Operation | undefined
  let caller: Caller | undefined
  let lines: Lines | undefined
  let fault: unknown
  context.underWay.add(raw)
  try {
    operation = findOperation(request.params.name)
    const body = readBody(request.raw)
    caller = await context.signIn(request)
    if (limiter !== undefined) {
      const left = limiter.take(caller.keyId ?? caller.userId)
      lines = ['RateLimit-Limit', String(context.rateLimit), 'RateLimit-Remaining', String(left.remaining), 'RateLimit-Reset', String(left.reset)]
      if (!left.allowed) throw new CrmError('rate_limited', `This key allows ${context.rateLimit} calls a minute.`, { retryAfter: left.reset })
    }
    const bytes = await body
    if (bytes instanceof CrmError) throw bytes
    const call = { operation: operation.id, input: parseBody(bytes), caller }
    if (streams(operation) && wantsStream(request.headers.accept)) fault = await respondStream(raw, requestId, stream(context.service, call), lines)
    else respond(raw, requestId, 200, JSON_TYPE, JSON.stringify(await execute(context.service, call)), lines)
  } catch (error) {
    fault = error
  }
  context.underWay.delete(raw)

  const facts = { requestId, operation: operation?.id, started, caller, authorization: request.headers.authorization }
  const seconds = (performance.now() - started) / 1000
  if (fault === undefined) {
    context.metrics.count(facts.operation ?? 'unknown', 'ok', seconds)
    logAnswer(context.log, facts)
  } else {
    const error = asCrmError(fault)
    respondProblem(raw, requestId, error, lines)
    context.metrics.count(facts.operation ?? 'unknown', error.code, seconds)
    logRefusal(context.log, error, facts)
  }
}
