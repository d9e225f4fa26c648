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
  const { host: its, hostname } = new URL(origin)
  return its === host.toLowerCase() && isAddress(hostname)
}

/** Whether a request names the server by an IP address, localhost or a host of CRM_CORS_ORIGIN: a page that got here by DNS rebinding does not. */
export function namesOwnHost({ headers: { host } }: IncomingMessage, corsOrigin = ''): boolean {
  // Browsers always send it.
  if (host === undefined) return true
  if (!URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  const origins = corsOrigin.split(',').map((origin) => origin.trim())
  return isAddress(hostname) || origins.some((origin) => origin === '*' || (URL.canParse(origin) && new URL(origin).hostname === hostname))
}

const isAddress = (hostname: string) => hostname === 'localhost' || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
