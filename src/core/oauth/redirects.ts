const MAX_LENGTH = 500
/** Schemes that run in the page that redirects to them, or that no client can receive a code by. */
const REFUSED_SCHEMES: readonly string[] = [
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'about:',
  'file:',
  'view-source:',
  'ws:',
  'wss:',
  'ftp:',
  'mailto:',
  'tel:',
]

/** Why a redirect address cannot be registered; one that can is https, http to the machine itself, or an app's own scheme. */
export function redirectFault(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !URL.canParse(text)) return `is not an absolute URL of at most ${MAX_LENGTH} characters`
  const { protocol, hostname, username, password } = new URL(text)
  if (text.includes('#') || username !== '' || password !== '') return 'has a fragment or a user name'
  if (protocol === 'http:' && !isLoopback(hostname)) return 'has http and is not on the machine itself; use https'
  return REFUSED_SCHEMES.includes(protocol) ? `begins with ${protocol}` : undefined
}

/** Exact, but for the port of a loopback address, which an app on the machine chooses when it starts (RFC 8252). */
export function matchesRedirect(registered: string, given: string): boolean {
  if (registered === given) return true
  if (!URL.canParse(registered) || !URL.canParse(given)) return false
  const [one, other] = [new URL(registered), new URL(given)]
  if (one.protocol !== 'http:' || !isLoopback(one.hostname)) return false
  return other.protocol === 'http:' && `${other.username}${other.password}` === '' && !given.includes('#') && sameButPort(one, other)
}

const sameButPort = (one: URL, other: URL) => one.hostname === other.hostname && one.pathname === other.pathname && one.search === other.search

const isLoopback = (hostname: string) => hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)

/** Where a person is sent, as they recognise it: the host, or the scheme of an app. */
export function placeOf(redirect: string): string {
  const { host, protocol } = new URL(redirect)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1)
}

/** The site of a redirect address; undefined for programs on the person's own machine. */
export function siteOf(redirect: string): string | undefined {
  const { protocol, host } = new URL(redirect)
  return protocol === 'https:' ? host : undefined
}

/** The redirect address with the answer in its query. */
export function withAnswer(redirect: string, answer: { readonly [name: string]: string | undefined }): string {
  const given = Object.entries(answer).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]))
  const separator = !redirect.includes('?') ? '?' : /[?&]$/.test(redirect) ? '' : '&'
  return redirect + separator + new URLSearchParams(given).toString()
}
