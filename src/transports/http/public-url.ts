import type { FastifyRequest } from 'fastify'

export interface PublicAddress {
  /** The address under which people and clients reach the service; that of each request unless given. */
  readonly publicUrl?: string | undefined
}

/** The address under which the service is reached, without a slash at its end: CRM_PUBLIC_URL, or else the one that this request was sent to. */
export function publicUrl({ publicUrl }: PublicAddress, request: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return publicUrl ?? `${request.protocol}://${request.host}`
}

export const isSecure = (address: string): boolean => address.startsWith('https:')
