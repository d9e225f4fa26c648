import type { FastifyRequest } from 'fastify'
import type { HttpOptions } from './context.ts'

/** The address under which the service is reached, without a slash at its end: CRM_PUBLIC_URL, or else the one that this request was sent to. */
export function publicUrl({ publicUrl }: Pick<HttpOptions, 'publicUrl'>, request: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return publicUrl ?? `${request.protocol}://${request.host}`
}
