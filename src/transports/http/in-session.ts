import type { FastifyRequest } from 'fastify'
import { CrmError } from '../../contract/errors.ts'
import type { Caller } from '../../core/service.ts'
import type { Context } from './context.ts'

/** The person of a request with a session; refuses any other key. */
export async function inSession({ signIn, credentials }: Context, request: FastifyRequest): Promise<Caller> {
  const caller = await signIn(credentials(request.raw), request)
  if (caller.session) return caller
  throw new CrmError('invalid_input', 'This key is not a session.', { hint: 'A key is for one workspace, and ends with revoke_key.' })
}
