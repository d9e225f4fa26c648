import type { FastifyInstance } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import type { Context } from '../context.ts'
import { logError, logSuccess } from '../errors.ts'
import { respond, respondProblem } from '../response.ts'

interface Route {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/**
 * Answers what no route does. The error table has no code for a method that does not fit, so it is `not_found`, with the
 * methods that do in Allow and in the hint.
 */
export function notFound(app: FastifyInstance, context: Context): void {
  const routes = new Map<string, Route>()

  app.addHook('onRoute', ({ url, method }) => {
    const entry = routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    routes.set(url, entry)
    for (const each of [method].flat()) entry.methods.add(each)
  })

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = [...routes.values()].filter(({ pattern }) => pattern.test(path)).flatMap((entry) => [...entry.methods])
    const allow = [...new Set(methods)].sort().join(', ')
    const facts = { requestId: request.id, started: undefined }
    if (request.method === 'OPTIONS' && allow !== '') {
      respond(reply.raw, request.id, 204, 'text/plain', '', ['Allow', `${allow}, OPTIONS`])
      logSuccess(context.log, facts)
      return
    }
    const error =
      allow === ''
        ? nothingHere()
        : new CrmError('not_found', `There is nothing for ${request.method} at this address.`, { hint: `Use ${allow.replaceAll(', ', ' or ')}.` })
    respondProblem(reply.raw, request.id, error, allow === '' ? [] : ['Allow', allow])
    logError(context.log, error, facts)
  })
}

export const nothingHere = () =>
  new CrmError('not_found', 'There is nothing at this address.', {
    hint: 'Operations are at POST /v1/operations/{id}; GET /v1/operations lists them, and /docs explains them.',
  })

/** A route's pattern as a regular expression: `/v1/operations/:name`. */
function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/')
  return new RegExp(`^${source}$`)
}
