import type { FastifyInstance } from 'fastify'
import { authorizationServer, protectedResource } from '../../../core/oauth/documents.ts'
import { RESOURCE_PATHS } from '../../../core/oauth/resources.ts'
import type { Context } from '../context.ts'
import { oauthRoute } from '../oauth-handler.ts'
import { publicUrl } from '../public-url.ts'

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

/** What tokens are needed for, and how clients get them: RFC 9728 and RFC 8414. A proxy may serve them with the path of the service at their end. */
export function oauthMetadataRoutes(app: FastifyInstance, context: Context): void {
  for (const suffix of ['', '/*']) {
    oauthRoute(app, context, 'GET', `${RESOURCE}${suffix}`, async (request) => {
      const path = request.url.split('?', 1)[0] ?? ''
      return { body: protectedResource(publicUrl(context, request), RESOURCE_PATHS.find((one) => path.endsWith(one)) ?? '') }
    })
    oauthRoute(app, context, 'GET', `${SERVER}${suffix}`, async (request) => ({ body: authorizationServer(publicUrl(context, request)) }))
  }
}
