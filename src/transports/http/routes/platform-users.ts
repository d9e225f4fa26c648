import type { FastifyInstance } from 'fastify'
import { listPlatformUsers } from '../../../core/access/platform-users.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { JSON_TYPE, respond } from '../response.ts'

/** `GET /v1/platform-users`: the names of the users of the CRM, by which the console names owners who are no users of the connector. */
export function platformUserRoute(app: FastifyInstance, context: Context): void {
  app.get(
    '/v1/platform-users',
    createHandler(context, async (request, reply) => {
      const caller = await context.signIn(context.credentials(request.raw), request)
      await enforceRateLimit(context, reply.raw, caller)
      const Users = await listPlatformUsers(context.service, caller)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ Users }))
    }),
  )
}
