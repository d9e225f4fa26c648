import { withoutTrailingSlashes } from '../../helpers/trailing-slashes.ts'
import { OAuthError } from './errors.ts'

/** What tokens can be for, below the address of the service. */
export const RESOURCE_PATHS = ['/mcp', '/v1'] as const
export type ResourcePath = (typeof RESOURCE_PATHS)[number]

/** The resource that a request names (RFC 8707): the service as a whole where it names none. */
export function readResource(base: string, given: string | undefined): string {
  if (given === undefined) return base
  const resource = withoutTrailingSlashes(given)
  const known = [base, ...RESOURCE_PATHS.map((path) => base + path)]
  if (known.includes(resource)) return resource
  throw new OAuthError('invalid_target', `This service does not issue tokens for that resource. It is one of ${known.join(', ')}.`)
}

/** Whether a token for a resource is accepted at a path of the service. */
export const isFor = (resource: string, base: string, path: ResourcePath): boolean => resource === base || resource === base + path
