import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { asCrmError, logError, logSuccess } from './errors.ts'
import { respondProblem } from './response.ts'

/** Work that writes its answer itself. */
type Work<R extends FastifyRequest> = (request: R, reply: FastifyReply) => Promise<void>

/** A route handler that answers errors as problems and logs each request once. */
export function createHandler<R extends FastifyRequest>(context: Context, work: Work<R>): (request: R, reply: FastifyReply) => void {
  const run = async (request: R, reply: FastifyReply) => {
    const facts = { requestId: request.id, route: request.routeOptions.url, started: performance.now(), authorization: request.headers.authorization }
    context.inFlight.add(reply.raw)
    try {
      await work(request, reply)
      logSuccess(context.log, facts)
    } catch (thrown) {
      const error = asCrmError(thrown)
      respondProblem(reply.raw, request.id, error)
      logError(context.log, error, facts)
    } finally {
      context.inFlight.delete(reply.raw)
    }
  }
  return (request, reply) => {
    void run(request, reply)
  }
}
