import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { isPushPath, notePush } from '../../../core/watch/push.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { JSON_TYPE, respond } from '../response.ts'

type PushRequest = FastifyRequest<{ Params: { workspace: string; account: string; token: string } }>

/** `POST /push/…`: a CRM tells that something was changed in an account. A path that is no longer needed is answered with 410, upon which the CRM forgets it. */
export function pushRoute(app: FastifyInstance, context: Context): void {
  const { service } = context
  app.post(
    '/push/:workspace/:account/:token',
    createHandler<PushRequest>(context, async (request, reply) => {
      const { workspace, account, token } = request.params
      const number = Number(workspace)
      if (!Number.isSafeInteger(number) || !isPushPath(service.store, number, account, token))
        throw new CrmError('not_found', 'No account tells of its changes here.')
      const isFollowed = service.watch !== undefined && (await notePush(service.store, number, account))
      request.raw.resume()
      respond(reply.raw, request.id, isFollowed ? 200 : 410, JSON_TYPE, '{}')
    }),
  )
}
