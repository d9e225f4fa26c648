import type { FastifyReply, FastifyRequest } from 'fastify'
import { respondProblem } from './answer.ts'
import type { Context } from './context.ts'
import { asCrmError, logAnswer, logRefusal } from './refusal.ts'

type Handler<R extends FastifyRequest> = (request: R, reply: FastifyReply) => void | Promise<void>

/** A handler that answers by itself, with its refusals answered and its one line logged. */
export function answerWith<R extends FastifyRequest>(context: Context, work: Handler<R>): (request: R, reply: FastifyReply) => void {
  const run = async (request: R, reply: FastifyReply) => {
    const facts = { requestId: request.id, route: request.routeOptions.url, started: performance.now(), authorization: request.headers.authorization }
    context.underWay.add(reply.raw)
    try {
      await work(request, reply)
      logAnswer(context.log, facts)
    } catch (thrown) {
      const error = asCrmError(thrown)
      respondProblem(reply.raw, request.id, error)
      logRefusal(context.log, error, facts)
    } finally {
      context.underWay.delete(reply.raw)
    }
  }
  return (request, reply) => {
    void run(request, reply)
  }
}
