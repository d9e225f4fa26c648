import type { FastifyInstance } from 'fastify'
import { redeemSignInLink } from '../../../core/access/sign-in-links.ts'
import { endSession } from '../../../core/oidc/sessions.ts'
import { parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { inSession } from '../in-session.ts'
import { JSON_TYPE, respond } from '../response.ts'

const MAX_BYTES = 4_096
const SESSION_MS = 12 * 3_600_000

/** `POST /sign-in/link` answers with the key of a session for the ticket of a link. It is a POST, so that a program that previews links uses none up. */
export function signInLinkRoute(app: FastifyInstance, context: Context): void {
  const { service, oidc, log } = context
  app.post(
    '/sign-in/link',
    createHandler(context, async (request, reply) => {
      const { Ticket } = Object(parseBody(await readBody(request.raw, MAX_BYTES))) as { readonly Ticket?: unknown }
      const { secret, userId, expires } = await redeemSignInLink(service, String(Ticket), oidc?.sessionMs ?? SESSION_MS, request.id)
      log.info({ requestId: request.id, userId }, 'signed in')
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ Key: secret, ExpiresDate: expires }))
    }),
  )
}

/** `POST /sign-out` ends the session that it is called with. */
export function signOutRoute(app: FastifyInstance, context: Context): void {
  app.post(
    '/sign-out',
    createHandler(context, async (request, reply) => {
      await endSession(context.service, await inSession(context, request), request.id)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ Address: null }))
    }),
  )
}
