import type { FastifyInstance } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { callersOf } from '../../../core/oidc/memberships.ts'
import { moveSession } from '../../../core/oidc/sessions.ts'
import { parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { inSession } from '../in-session.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { isSecure, publicUrl } from '../public-url.ts'
import { JSON_TYPE, respond } from '../response.ts'
import { SESSION } from '../session-cookie.ts'

const MAX_BYTES = 4_096

/** `GET /sign-in/workspaces` names the workspaces of the person of a session, and `POST /sign-in/workspace` goes over to another of them. */
export function workspaceRoutes(app: FastifyInstance, context: Context): void {
  const { service } = context

  app.get(
    '/sign-in/workspaces',
    createHandler(context, async (request, reply) => {
      const caller = await inSession(context, request)
      await enforceRateLimit(context, reply.raw, caller)
      const names = (await callersOf(service, caller)).map(({ workspace }) => workspace.name)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ Workspaces: names }))
    }),
  )

  app.post(
    '/sign-in/workspace',
    createHandler(context, async (request, reply) => {
      const caller = await inSession(context, request)
      await enforceRateLimit(context, reply.raw, caller)
      const { Workspace } = Object(parseBody(await readBody(request.raw, MAX_BYTES))) as { readonly Workspace?: unknown }
      const there = (await callersOf(service, caller)).find(({ workspace }) => workspace.name === Workspace)
      if (!there) throw new CrmError('forbidden', 'You cannot go over to this workspace.', { hint: 'Sign in again to see which workspaces you have.' })
      const { secret, expires } = await moveSession(service, caller, there, request.id)
      const seconds = (Date.parse(expires) - service.now().getTime()) / 1000
      const cookie = SESSION.set(isSecure(publicUrl(context, request)), secret, seconds)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ Workspace }), ['Set-Cookie', cookie])
    }),
  )
}
