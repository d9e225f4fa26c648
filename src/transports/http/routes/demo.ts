import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientOf } from '../../../contract/client/client.ts'
import { CrmError, problemOf } from '../../../contract/errors.ts'
import { listDemos, markDemo, openDemo } from '../../../core/access/demo-workspaces.ts'
import { inProcessTransport } from '../../../core/call/in-process.ts'
import type { Caller } from '../../../core/service.ts'
import { parseBody, readBody } from '../body.ts'
import type { Context } from '../context.ts'
import { asCrmError, logError } from '../errors.ts'
import { createHandler } from '../handler.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { NDJSON_TYPE } from '../ndjson.ts'
import { commonHeaders, JSON_TYPE, respond } from '../response.ts'

const NAME = 'demo'
/** How many names are tried before the caller is told. */
const NAMES = 20
const MAX_BYTES = 4_096

/**
 * `POST /v1/demo` makes a workspace with the data of `crm demo`, beside what is there. It answers with a line for each step, `{"Part":0.4,"Changes":812}`, and
 * at the end with the workspace and a ticket that signs in to it once. `GET /v1/demo` lists those that are there, and `POST /v1/demo/open` answers with a
 * ticket for one of them. The caller needs what `create_workspace` needs.
 */
export function demoRoute(app: FastifyInstance, context: Context): void {
  const { service, loadDemo, log } = context
  let running = false

  async function newWorkspace(caller: Caller): Promise<string> {
    const crm = clientOf(inProcessTransport(service, () => caller, 'http'))
    for (let i = 1; ; i++) {
      const Name = i === 1 ? NAME : `${NAME}-${i}`
      try {
        await crm.workspaces.create({ Name })
        return Name
      } catch (error) {
        if (!(error instanceof CrmError && error.code === 'conflict') || i === NAMES) throw error
      }
    }
  }

  const answering = (answer: (caller: Caller, request: FastifyRequest) => Promise<object>) =>
    createHandler(context, async (request, reply) => {
      const caller = await context.signIn(context.credentials(request.raw), request)
      await enforceRateLimit(context, reply.raw, caller)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify(await answer(caller, request)))
    })

  app.get(
    '/v1/demo',
    answering(async (caller) => ({ Workspaces: await listDemos(service, caller) })),
  )
  app.post(
    '/v1/demo/open',
    answering(async (caller, request) => {
      const { Workspace } = Object(parseBody(await readBody(request.raw, MAX_BYTES))) as { readonly Workspace?: unknown }
      if (typeof Workspace !== 'string')
        throw new CrmError('invalid_input', 'Workspace is required, as a text.', {
          errors: [{ field: 'Workspace', code: Workspace === undefined ? 'missing' : 'type', message: 'Workspace is required, as a text.', expected: 'text' }],
        })
      return { Ticket: await openDemo(service, caller, Workspace) }
    }),
  )
  app.post(
    '/v1/demo',
    createHandler(context, async (request, reply) => {
      const { raw } = reply
      const caller = await context.signIn(context.credentials(request.raw), request)
      await enforceRateLimit(context, raw, caller)
      if (!loadDemo)
        throw new CrmError('unsupported', 'This service has no store that demo data could be loaded into.', {
          hint: 'On a machine of your own: crm demo --platform sqlite:demo.db, then crm serve --platform sqlite:demo.db',
        })
      if (running) throw new CrmError('in_progress', 'Demo data is being loaded already.', { retryAfter: 10, hint: 'It takes less than a minute.' })
      running = true
      const stop = new AbortController()
      const abort = () => stop.abort()
      context.liveStreams.add(abort)
      try {
        const workspace = await newWorkspace(caller)
        raw.writeHead(200, commonHeaders(request.id, NDJSON_TYPE))
        const line = (value: object) => raw.destroyed || raw.write(`${JSON.stringify(value)}\n`)
        try {
          // It goes on where the caller hangs up: a workspace that is half full would be of no use.
          await loadDemo(workspace, { signal: stop.signal, progress: ({ part, done }) => line({ Part: part, Changes: done }) })
          await markDemo(service, workspace)
          line({ Workspace: workspace, Ticket: await openDemo(service, caller, workspace) })
        } catch (thrown) {
          const error = asCrmError(thrown)
          line({ error: problemOf(error, request.id) })
          logError(log, error, { requestId: request.id, route: '/v1/demo' })
        }
        raw.end()
      } finally {
        running = false
        context.liveStreams.delete(abort)
      }
    }),
  )
}
