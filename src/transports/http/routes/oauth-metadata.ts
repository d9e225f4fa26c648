import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { authorizationServer, protectedResource } from '../../../core/oauth/documents.ts'
import { RESOURCE_PATHS, type ResourcePath } from '../../../core/oauth/resources.ts'
import { withoutTrailingSlashes } from '../../../helpers/trailing-slashes.ts'
import type { Context } from '../context.ts'
import { oauthRoute } from '../oauth-handler.ts'
import { publicUrl } from '../public-url.ts'

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

/** What tokens are needed for, and how clients get them: RFC 9728 and RFC 8414. A proxy may serve them with the path of the service at their end. */
export function oauthMetadataRoutes(app: FastifyInstance, context: Context): void {
  const own = context.publicUrl === undefined ? '' : withoutTrailingSlashes(new URL(context.publicUrl).pathname)
  for (const suffix of ['', '/*']) {
    add(RESOURCE, protectedResource)
    add(SERVER, authorizationServer)

    function add(place: string, document: (base: string, path: ResourcePath | '') => object): void {
      oauthRoute(app, context, 'GET', place + suffix, async (request) => ({
        body: document(publicUrl(context, request), resourceIn(request, place, own)),
      }))
    }
  }
}

/** The resource that the end of an address names, behind the path of the service or alone. */
function resourceIn({ url }: FastifyRequest, place: string, own: string): ResourcePath | '' {
  const path = withoutTrailingSlashes((url.split('?', 1)[0] ?? '').slice(place.length))
  const found = ([...RESOURCE_PATHS, ''] as const).find((one) => path === one || path === own + one)
  if (found !== undefined) return found
  throw new CrmError('not_found', 'There is no such resource.', { hint: `Those of this service are ${RESOURCE_PATHS.join(' and ')}.` })
}
