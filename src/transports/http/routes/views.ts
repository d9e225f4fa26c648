import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../../core/service.ts'
import { createView, deleteView, listViews, updateView } from '../../../core/views/views.ts'
import { parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { JSON_TYPE, respond } from '../response.ts'

const MAX_BYTES = 65_536

interface OfView {
  readonly Params: { readonly id: string }
}

/**
 * The views of the console's tables: `GET /v1/views` lists those that the caller may see, `POST /v1/views` makes one, `POST /v1/views/{ViewID}` changes its
 * `Name`, `Query` or `Shared`, and `POST /v1/views/{ViewID}/delete` deletes it.
 */
export function viewRoutes(app: FastifyInstance, context: Context): void {
  const { service } = context

  app.get(
    '/v1/views',
    answering(async (caller) => ({ Views: await listViews(service, caller) })),
  )
  app.post(
    '/v1/views',
    answering(async (caller, request) => createView(service, caller, await bodyOf(request))),
  )
  app.post<OfView>(
    '/v1/views/:id',
    answering(async (caller, request) => updateView(service, caller, request.params.id, await bodyOf(request))),
  )
  app.post<OfView>(
    '/v1/views/:id/delete',
    answering((caller, request) => deleteView(service, caller, request.params.id)),
  )

  function answering<R extends FastifyRequest>(answer: (caller: Caller, request: R) => Promise<object>) {
    return createHandler<R>(context, async (request, reply) => {
      const caller = await context.signIn(context.credentials(request.raw), request)
      await enforceRateLimit(context, reply.raw, caller)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify(await answer(caller, request)))
    })
  }
}

const bodyOf = async ({ raw }: FastifyRequest) => parseBody(await readBody(raw, MAX_BYTES))
