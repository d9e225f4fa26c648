import { WORKSPACE_TIERS } from '../../contract/operation.ts'
import { AUTH_METHODS, GRANT_TYPES, RESPONSE_TYPES } from './client-metadata.ts'
import type { ResourcePath } from './resources.ts'

/** RFC 8414: where the endpoints are, and what they can do. */
export const authorizationServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: WORKSPACE_TIERS,
  response_types_supported: RESPONSE_TYPES,
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs`,
})

/** RFC 9728: what tokens are for, and who issues them. Agents have no tools for administration, so that they are not led to ask for it. */
export const protectedResource = (issuer: string, path: ResourcePath | '') => ({
  resource: issuer + path,
  authorization_servers: [issuer],
  scopes_supported: path === '/mcp' ? WORKSPACE_TIERS.filter((tier) => tier !== 'admin') : WORKSPACE_TIERS,
  bearer_methods_supported: ['header'],
  resource_name: 'CRM Connector',
  resource_documentation: `${issuer}/docs`,
})
