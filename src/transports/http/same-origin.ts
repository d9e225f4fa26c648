import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { CrmError } from '../../contract/errors.ts'

/**
 * Refuses a page of another origin, unless it was allowed to call us. A name may have been made to lead here by whoever owns it, so
 * a page counts as ours only at an address, or on this machine; any other has to be among the origins of CRM_CORS_ORIGIN.
 */
export function refuseOtherOrigins({ headers }: IncomingMessage, raw: ServerResponse): void {
  const { origin, host = '' } = headers
  if (origin === undefined || raw.hasHeader('Access-Control-Allow-Origin') || isOurs(origin, host)) return
  throw new CrmError('forbidden', 'Pages of this origin may not call.', { hint: 'Name it in CRM_CORS_ORIGIN.' })
}

function isOurs(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return url.host === host.toLowerCase() && (name === 'localhost' || isIP(name) !== 0)
}
