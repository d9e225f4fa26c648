import type { IncomingMessage } from 'node:http'
import type { OidcSettings } from '../../core/oidc/settings.ts'
import { isLocalHost } from '../../helpers/local-host.ts'
import { ownCookie } from './cookies.ts'

export const SESSION = ownCookie('crm-session')

/** The Authorization header of a request, or what stands for it: the session in its cookie. */
export type Credentials = (request: IncomingMessage) => string | undefined

/**
 * A cookie is sent by the browser, whichever page has caused the request. So it counts only with proof that a page of ours has: what the browser says of the
 * page's origin and, for a method that may change something, a header that forms cannot send and other origins are not allowed to.
 */
export function createCredentials({ oidc, publicUrl }: { readonly oidc?: OidcSettings | undefined; readonly publicUrl?: string | undefined }): Credentials {
  if (!oidc) return ({ headers }) => headers.authorization
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  return ({ headers, method }) => {
    const { authorization, cookie, host = '' } = headers
    if (authorization !== undefined || cookie === undefined) return authorization
    // Plain http is for this machine alone.
    const secure = known ? known.protocol === 'https:' : !isLocalHost(host)
    const session = SESSION.read(cookie, true) ?? (secure ? undefined : SESSION.read(cookie, false))
    if (!session || !isFromOurPage(headers, known)) return undefined
    return method === 'GET' || method === 'HEAD' || headers['x-requested-by'] !== undefined ? `Bearer ${session}` : undefined
  }
}

function isFromOurPage(headers: IncomingMessage['headers'], known: URL | undefined): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  return known ? origin === known.origin : new URL(origin).host === host
}
