import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError, type Fault, problemOf } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { nearest } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'
import { type EventPage, eventIdOf, readEvents } from '../../core/events.ts'
import { execute } from '../../core/execute.ts'
import type { Caller } from '../../core/service.ts'
import { headerLines, JSON_TYPE, type Lines, respond } from './answer.ts'
import type { Context } from './context.ts'
import { asCrmError } from './refusal.ts'
import { answerWith } from './route.ts'
import { drained, wantsStream } from './stream.ts'

export const SSE_TYPE = 'text/event-stream'

/** How often an idle stream says that it is still there, so that nothing on the way takes it for dead. */
const HEARTBEAT_MS = 15_000

/** How long a reader should wait before it comes back. */
const RETRY_MS = 2000

const MEMBERS = ['after', 'limit']

/** `GET /v1/events`: what has happened, page by page or live. */
export function eventRoutes(app: FastifyInstance, context: Context): void {
  app.get(
    '/v1/events',
    answerWith(context, async (request, reply) => {
      const { headers } = request
      const signIn = () => context.signIn(headers.authorization, request.ip)
      const caller = await signIn()
      const admission = context.admit(caller)
      if (admission?.refusal) throw admission.refusal
      const live = wantsStream(headers.accept, SSE_TYPE)
      const input = readQuery(request)
      const last = headers['last-event-id']
      if (live && typeof last === 'string' && last !== '') input.After = last
      if (live && input.After === undefined) input.After = await newest(context, caller)
      const { result } = await execute(context.service, { operation: 'get_many_events', input, caller, transport: 'http', requestId: request.id })
      if (live) await stream(context, reply.raw, request.id, result as EventPage, signIn, admission?.lines)
      else respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify(result), admission?.lines)
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

/** Sends events as they happen, until the reader goes, the key ends or the service stops. */
async function stream(
  { service, live }: Context,
  raw: ServerResponse,
  requestId: string,
  first: EventPage,
  signIn: () => Caller | Promise<Caller>,
  more: Lines = [],
): Promise<void> {
  raw.writeHead(200, [...headerLines(requestId, SSE_TYPE), 'X-Accel-Buffering', 'no', ...more])
  raw.write(`retry: ${RETRY_MS}\n\n`)
  let wake = () => {}
  let woken = true
  let over = false
  const stir = () => {
    woken = true
    wake()
  }
  const end = () => {
    over = true
    wake()
  }
  const unwatch = service.store.watch(stir)
  live.add(end)
  raw.on('close', end)
  try {
    for (let page = first; !over; ) {
      let text = ''
      for (const event of page.Events) text += `id: ${event.EventID}\nevent: ${event.Type}\ndata: ${JSON.stringify(event)}\n\n`
      // What was looked through and is not for this reader need not be looked through again.
      if (page.Events.at(-1)?.EventID !== page.NextCursor) text += `id: ${page.NextCursor}\n\n`
      if (text !== '' && !raw.write(text)) await drained(raw)
      const idle = page.Events.length === 0
      if (idle && !woken && !over) await sleep()
      woken = false
      if (over) break
      page = await readEvents(service, await signIn(), Number(page.NextCursor), LIMITS.events)
    }
  } catch (error) {
    if (!raw.destroyed) raw.write(`event: error\ndata: ${JSON.stringify(problemOf(asCrmError(error), requestId))}\n\n`)
  } finally {
    unwatch()
    live.delete(end)
    if (!raw.destroyed) raw.end()
  }

  /** Until something happens, or it is time to say that nothing has. */
  function sleep(): Promise<void> {
    return new Promise((resolve) => {
      const beat = setTimeout(done, HEARTBEAT_MS)
      wake = done
      function done() {
        clearTimeout(beat)
        wake = () => {}
        resolve()
      }
    })
  }
}
