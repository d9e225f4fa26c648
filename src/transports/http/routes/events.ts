import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { getManyEvents } from '../../../contract/records/event.ts'
import { execute } from '../../../core/call/execute.ts'
import type { EventPage } from '../../../core/journal/events.ts'
import { positionsOf } from '../../../core/journal/positions.ts'
import type { Caller } from '../../../core/service.ts'
import { readDeadline } from '../call-headers.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { ResponseHangUp } from '../hang-up.ts'
import { pageBytes } from '../limits/answer-bytes.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { measured } from '../metrics/measure.ts'
import { accepts } from '../ndjson.ts'
import { readQuery } from '../query.ts'
import { JSON_TYPE, respond } from '../response.ts'
import { respondEvents, SSE_TYPE } from '../server-sent-events.ts'

const PARAMETERS = ['after', 'limit']

/** `GET /v1/events`: the events in pages, or live as server-sent events. */
export function eventRoutes(app: FastifyInstance, context: Context): void {
  app.get(
    '/v1/events',
    createHandler(context, async (request, reply) => {
      const { headers } = request
      const reauthenticate = () => context.signIn(context.credentials(request.raw), request)
      // Not for HEAD: the answer would only end with the stream.
      const live = request.method === 'GET' && accepts(headers.accept, SSE_TYPE)
      const { caller, first, resumeFrom, reserved } = await measured(context, getManyEvents.id, async () => {
        const caller = await reauthenticate()
        await enforceRateLimit(context, reply.raw, caller)
        const input = readInput(request)
        const last = headers['last-event-id']
        if (live && typeof last === 'string' && last !== '') input.After = last
        const resumeFrom = input.After
        if (live && resumeFrom === undefined) input.After = await newestEvent(context, caller)
        const reserved = context.memory.reserve(caller, reply.raw)
        await reserved.take(pageBytes(getManyEvents, input.Limit ?? LIMITS.defaultEvents))
        const { result } = await execute(context.service, {
          operation: getManyEvents.id,
          input,
          caller,
          transport: 'http',
          requestId: request.id,
          deadline: readDeadline(headers['request-timeout']),
          hangUp: new ResponseHangUp(reply.raw),
        })
        return { caller, first: result as EventPage, resumeFrom, reserved }
      })
      if (live) {
        reserved.free()
        const leave = context.places.eventStreams(caller)
        await respondEvents(context, reply.raw, { requestId: request.id, caller, first, resumeFrom, reauthenticate }).finally(leave)
        return
      }
      const json = JSON.stringify(first)
      reserved.answer(json.length, false)
      respond(reply.raw, request.id, 200, JSON_TYPE, json)
    }),
  )
}

async function newestEvent({ service }: Context, caller: Caller): Promise<string> {
  return positionsOf(service, caller).cursor((await service.store.journal(caller.workspace.number).span()).newest)
}

function readInput({ url }: FastifyRequest): { After?: string; Limit?: number } {
  const { params, faults } = readQuery(url, PARAMETERS)
  const after = params.get('after')
  const limit = params.get('limit')
  if (limit !== null && !(/^\d{1,6}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= LIMITS.events))
    faults.push({ field: 'limit', code: 'range', message: `limit must be a whole number from 1 to ${LIMITS.events}.`, expected: `1 to ${LIMITS.events}` })
  if (faults[0]) throw new CrmError('invalid_input', faults[0].message, { errors: faults })
  return { ...(after && { After: after }), ...(limit !== null && { Limit: Number(limit) }) }
}
