import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { CrmError } from '../../contract/errors.ts'

/**
 * Refuses pages of other origins, unless CORS allows them. To prevent DNS rebinding, a page counts as of the same origin only at an IP
 * address or localhost: any other host name may have been pointed here by an attacker, and has to be listed in CRM_CORS_ORIGIN.
 */
export function refuseOtherOrigins({ headers }: IncomingMessage, raw: ServerResponse): void {
  const { origin, host = '' } = headers
  if (origin === undefined || raw.hasHeader('Access-Control-Allow-Origin') || isSameOrigin(origin, host)) return
  throw new CrmError('forbidden', 'Pages of this origin may not call.', { hint: 'Name it in CRM_CORS_ORIGIN.' })
}

function isSameOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return url.host === host.toLowerCase() && (name === 'localhost' || isIP(name) !== 0)
}
