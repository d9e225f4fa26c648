import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import type { Caller } from '../../../core/service.ts'
import { isLoopback } from '../address.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { JSON_TYPE, respond } from '../response.ts'
import { namesOwnHost } from '../same-origin.ts'

const READY_MS = 5_000

/** How long a CRM may take to answer before it is named as one that does not. */
const CRM_MS = 2_000

/** `/healthz`, `/readyz` and `/metrics`: for operations. */
export function healthRoutes(app: FastifyInstance, context: Context): void {
  const { text } = context.metrics
  const metrics = context.allMetrics?.(text) ?? text
  app.get(
    '/healthz',
    createHandler(context, async (request, reply) => respond(reply.raw, request.id, 200, JSON_TYPE, '{"status":"ok"}')),
  )

  app.get(
    '/readyz',
    createHandler(context, async (request, reply) => {
      await ready(context)
      const silent = await silentPlatforms(context)
      respond(reply.raw, request.id, 200, JSON_TYPE, JSON.stringify({ status: 'ready', ...(silent.length > 0 && { unavailable: silent }) }))
    }),
  )

  app.get(
    '/metrics',
    createHandler(context, async (request, reply) => {
      if (!isLocal(request) || !namesOwnHost(request.raw, context.corsOrigin)) mayAdminister(await context.signIn(context.credentials(request.raw), request))
      respond(reply.raw, request.id, 200, 'text/plain; version=0.0.4; charset=utf-8', await metrics())
    }),
  )
}

/** Refuses where nothing can be answered. A CRM that is down is no reason: its mirror, the journal and other workspaces are served. */
async function ready({ service, closing }: Context): Promise<void> {
  if (closing) throw new CrmError('platform_unavailable', 'The service is shutting down.', { retryAfter: 1 })
  try {
    await within(READY_MS, service.store.ping())
  } catch (cause) {
    const known = service.store.classify(cause)
    // No Retry-After: a damaged store does not recover by itself.
    if (known?.code === 'internal') throw new CrmError('platform_unavailable', known.message, { ...(known.hint !== undefined && { hint: known.hint }), cause })
    throw new CrmError('platform_unavailable', 'The store does not answer.', { retryAfter: 1, cause })
  }
}

/** The names of the configured CRMs that do not answer. */
async function silentPlatforms({ service: { store, platform, platforms } }: Context): Promise<string[]> {
  const configured = [platform, ...platforms.values()].filter((one) => one !== store)
  const silent = await Promise.all(
    configured.map(async (one) =>
      within(CRM_MS, one.ping()).then(
        () => [],
        () => [one.name],
      ),
    ),
  )
  return [...new Set(silent.flat())]
}

async function within(ms: number, answer: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Whether a request comes from this machine, and not through a proxy on it, whose forwarding headers the caller can forge. */
function isLocal({ headers, socket }: FastifyRequest): boolean {
  const passedOn = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined
  return !passedOn && isLoopback(socket.remoteAddress ?? '')
}

function mayAdminister({ role, scopes }: Caller): void {
  if (role !== 'admin' || !scopes.includes('admin'))
    throw new CrmError('forbidden', 'The metrics are for admins.', { hint: 'Use the key of an admin with the scope admin, or call from the machine itself.' })
}
