import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError, type Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { getManyEvents } from '../../contract/records/event.ts'
import { execute } from '../../core/call/execute.ts'
import { type EventPage, eventIdOf } from '../../core/journal/events.ts'
import type { Caller } from '../../core/service.ts'
import { JSON_TYPE, respond } from './answer.ts'
import type { Context } from './context.ts'
import { admitted, counted } from './counted.ts'
import { respondEvents, SSE_TYPE } from './event-stream.ts'
import { answerWith } from './route.ts'
import { wantsStream } from './stream.ts'

const MEMBERS = ['after', 'limit']

/** `GET /v1/events`: what has happened, page by page or live. */
export function eventRoutes(app: FastifyInstance, context: Context): void {
  app.get(
    '/v1/events',
    answerWith(context, async (request, reply) => {
      const { headers } = request
      const still = () => context.signIn(headers.authorization, request.ip)
      // Who asks only for the headers would wait for the end of a stream.
      const live = request.method === 'GET' && wantsStream(headers.accept, SSE_TYPE)
      const { first, place } = await counted(context, getManyEvents.id, async () => {
        const caller = await still()
        await admitted(context, reply.raw, caller)
        const input = readQuery(request)
        const last = headers['last-event-id']
        if (live && typeof last === 'string' && last !== '') input.After = last
        const place = input.After
        if (live && place === undefined) input.After = await newest(context, caller)
        const { result } = await execute(context.service, { operation: getManyEvents.id, input, caller, transport: 'http', requestId: request.id })
        return { first: result as EventPage, place }
      })
      if (live) await respondEvents(context, reply.raw, { requestId: request.id, first, place, still })
      else respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify(first))
    }),
  )
}

async function newest({ service }: Context, caller: Caller): Promise<string> {
  return eventIdOf((await service.store.journal(caller.workspace.number).span()).newest)
}

function readQuery(request: FastifyRequest): { After?: string; Limit?: number } {
  const faults: Fault[] = []
  const given = new Map(new URLSearchParams(request.url.split('?')[1] ?? ''))
  for (const name of given.keys()) {
    if (MEMBERS.includes(name)) continue
    const [near] = nearest(name, MEMBERS)
    faults.push({
      field: name,
      code: 'unknown',
      message: `There is no parameter called ${quote(name)}.`,
      expected: MEMBERS.join(', '),
      ...(near && { didYouMean: near }),
    })
  }
  const after = given.get('after')
  const limit = given.get('limit')
  if (limit !== undefined && !(/^\d{1,6}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= LIMITS.events))
    faults.push({ field: 'limit', code: 'range', message: `limit must be a whole number from 1 to ${LIMITS.events}.`, expected: `1 to ${LIMITS.events}` })
  if (faults.length > 0) throw new CrmError('invalid_input', faults[0]?.message ?? '', { errors: faults })
  return { ...(after && { After: after }), ...(limit !== undefined && { Limit: Number(limit) }) }
}
