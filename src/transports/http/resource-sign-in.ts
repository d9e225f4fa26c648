import type { FastifyRequest } from 'fastify'
import { CrmError } from '../../contract/errors.ts'
import { isFor, type ResourcePath } from '../../core/oauth/resources.ts'
import type { Caller } from '../../core/service.ts'
import { challenge } from './challenge.ts'
import { type PublicAddress, publicUrl } from './public-url.ts'
import type { SignIn } from './sign-in.ts'

export type SignInRequest = Pick<FastifyRequest, 'ip' | 'protocol' | 'host' | 'url'>

/** The caller of an Authorization header of this request, at once if it is cached; or refuses. */
export type ResourceSignIn = (authorization: string | undefined, request: SignInRequest) => Caller | Promise<Caller>

/** Signs in at the resource that a request is for: a token for another one is refused, and a refusal names the resource's metadata. */
export function createResourceSignIn(signIn: SignIn, options: PublicAddress): ResourceSignIn {
  function refuse(thrown: unknown, authorization: string | undefined, request: SignInRequest): never {
    if (!(thrown instanceof CrmError) || thrown.code !== 'unauthenticated') throw thrown
    throw challenge(thrown, resourceMetadata(options, request), authorization !== undefined)
  }

  function checked(caller: Caller, authorization: string | undefined, request: SignInRequest): Caller {
    if (caller.resource === undefined || isFor(caller.resource, publicUrl(options, request), pathOf(request))) return caller
    const error = new CrmError('unauthenticated', 'This token is for another resource.', { hint: `It is for ${caller.resource}.` })
    return refuse(error, authorization, request)
  }

  return (authorization, request) => {
    try {
      const caller = signIn(authorization, request.ip)
      if (!(caller instanceof Promise)) return checked(caller, authorization, request)
      return caller.then(
        (loaded) => checked(loaded, authorization, request),
        (error) => refuse(error, authorization, request),
      )
    } catch (error) {
      return refuse(error, authorization, request)
    }
  }
}

/** Where the metadata of the resource are that a request is for (RFC 9728). */
export const resourceMetadata = (options: PublicAddress, request: SignInRequest) =>
  `${publicUrl(options, request)}/.well-known/oauth-protected-resource${pathOf(request)}`

const MCP = /^\/mcp(?:[/?]|$)/

const pathOf = ({ url }: SignInRequest): ResourcePath => (MCP.test(url) ? '/mcp' : '/v1')
