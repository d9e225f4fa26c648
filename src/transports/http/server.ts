import type { Server } from 'node:http'
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { createOAuth } from '../../core/oauth/oauth.ts'
import type { Context, HttpOptions } from './context.ts'
import { corsHook, createCors } from './cors.ts'
import { asCrmError, logError } from './errors.ts'
import { Memory } from './limits/memory.ts'
import { createRateLimit } from './limits/rate-limit.ts'
import { createShares } from './limits/shares.ts'
import { createMetrics } from './metrics/calls.ts'
import { createRequestIds } from './request-id.ts'
import { createResourceSignIn } from './resource-sign-in.ts'
import { respondProblem } from './response.ts'
import { batchRoute } from './routes/batch.ts'
import { callRoute } from './routes/call.ts'
import { connectRoutes } from './routes/connect.ts'
import { consoleRoutes } from './routes/console.ts'
import { contractRoutes } from './routes/contract.ts'
import { demoRoute } from './routes/demo.ts'
import { docsRoutes } from './routes/docs.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { mcpRoute } from './routes/mcp.ts'
import { notFound } from './routes/not-found.ts'
import { oauthRoutes } from './routes/oauth.ts'
import { oauthConsentRoutes } from './routes/oauth-consent.ts'
import { oauthMetadataRoutes } from './routes/oauth-metadata.ts'
import { platformUserRoute } from './routes/platform-users.ts'
import { pushRoute } from './routes/push.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { viewRoutes } from './routes/views.ts'
import { createCredentials } from './session-cookie.ts'
import { createSignIn } from './sign-in.ts'
import { answerExpectation, answerUnreadable } from './unreadable-request.ts'

const REQUEST_MS = 30_000
const HEADERS_MS = 10_000
/** Longer than the 60 s of most load balancers, so that the server never closes a connection that is about to be used. */
const KEEP_ALIVE_MS = 72_000
const LIMIT_WINDOW_MS = 60_000

/** The HTTP transport as a Fastify instance that does not listen yet. Further routes may be added until it does. */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { log, limitWindowMs = LIMIT_WINDOW_MS } = options
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_MS
  const requestIds = createRequestIds()
  const cors = options.corsOrigin ? createCors(options.corsOrigin) : undefined

  const settings: FastifyHttpOptions<Server> = {
    // Fastify would make a child logger for every request.
    logger: false,
    genReqId: requestIds,
    trustProxy: trustedProxies(options.trustProxy),
    requestTimeout,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A request on an open connection is still answered while the server closes, as the last on that connection.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    http: {
      headersTimeout: Math.min(HEADERS_MS, requestTimeout),
      connectionsCheckingInterval: Math.min(1_000, requestTimeout / 4),
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    clientErrorHandler: (fault, socket) => answerUnreadable(log, () => requestIds({ headers: {} }), fault, socket),
    frameworkErrors: (fault, request, reply) => {
      cors?.(request.raw, reply.raw)
      const error = asCrmError(fault)
      respondProblem(reply.raw, request.id, error)
      logError(log, error, { requestId: request.id })
    },
  }
  const app = Fastify(settings)
  app.server.prependListener('request', () => options.service.store.refresh?.())
  app.server.on('checkExpectation', (request, raw) => answerExpectation(log, requestIds, request, raw))

  const inFlight: Context['inFlight'] = new Set()
  const memory = new Memory(options.memoryBytes)
  const context: Context = {
    ...options,
    credentials: createCredentials(options),
    signIn: createResourceSignIn(createSignIn(options.authenticate, options.service.store, limitWindowMs), options),
    oauth: createOAuth(options.service, options.clientDocuments),
    checkRateLimit: createRateLimit(options.service.store, limitWindowMs, options.rateLimit),
    places: {
      batches: createShares(LIMITS.batches, 'batches under way'),
      recordStreams: createShares(LIMITS.recordStreams, 'streams of records open'),
      eventStreams: createShares(LIMITS.eventStreams, 'streams of events open'),
    },
    memory,
    metrics: createMetrics(
      () => inFlight.size,
      async () => memory.metrics() + ((await options.moreMetrics?.()) ?? ''),
    ),
    inFlight,
    liveStreams: new Set(),
    closing: false,
    closingSince: 0,
  }

  app.addHook('preClose', (done) => {
    context.closing = true
    context.closingSince = performance.now()
    // Otherwise their connections would be kept alive and delay closing.
    for (const raw of inFlight) raw.shouldKeepAlive = false
    for (const end of context.liveStreams) end()
    done()
  })
  // Routes read the body themselves, after authentication; Fastify's body parsing takes a tenth of the time of a call.
  app.addHttpMethod('POST', { hasBody: false, overrideExisting: true })
  app.removeAllContentTypeParsers()
  app.setErrorHandler((fault, request, reply) => {
    const error = asCrmError(fault)
    respondProblem(reply.raw, request.id, error)
    logError(log, error, { requestId: request.id, route: request.routeOptions.url, authorization: request.headers.authorization })
  })
  if (cors) corsHook(app, cors)

  notFound(app, context)
  callRoute(app, context)
  batchRoute(app, context)
  eventRoutes(app, context)
  mcpRoute(app, context)
  oauthMetadataRoutes(app, context)
  oauthRoutes(app, context)
  oauthConsentRoutes(app, context)
  contractRoutes(app, context)
  connectRoutes(app, context)
  pushRoute(app, context)
  signInRoutes(app, context)
  consoleRoutes(app, context)
  docsRoutes(app, context)
  demoRoute(app, context)
  viewRoutes(app, context)
  platformUserRoute(app, context)
  healthRoutes(app, context)
  return app
}

/** Without addresses only the last hop is trusted: the caller can forge everything before it. */
function trustedProxies(trust: HttpOptions['trustProxy']): boolean | string | ((address: string, hop: number) => boolean) {
  if (trust === undefined || trust === false || trust === '') return false
  const hops = trust === true || trust === 'true' ? 1 : Number(trust)
  return typeof trust === 'string' && Number.isNaN(hops) ? trust : (_address, hop) => hop < hops
}
