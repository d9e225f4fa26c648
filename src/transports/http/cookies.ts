/** The value of a cookie in a Cookie header. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  for (let from = 0; from < header.length; ) {
    const end = header.indexOf(';', from)
    const pair = header.slice(from, end < 0 ? undefined : end).trim()
    if (pair.startsWith(name) && pair[name.length] === '=') return pair.slice(name.length + 1)
    if (end < 0) break
    from = end + 1
  }
  return undefined
}

/** The `__Host-` prefix makes browsers refuse one that another host of the domain, or a page without TLS, has set. It needs https. */
const cookieName = (name: string, secure: boolean) => (secure ? `__Host-${name}` : name)

/** A cookie that no script can read, and that other sites' pages send with navigations alone. */
export interface OwnCookie {
  /** Its value in a request that was sent to this address; over https only one that was set over https. */
  read(header: string | undefined, secure: boolean): string | undefined
  /** The Set-Cookie header; without a value, the one that removes it. */
  set(secure: boolean, value: string | undefined, seconds?: number): string
}

export const ownCookie = (name: string): OwnCookie => ({
  read: (header, secure) => cookieIn(header, cookieName(name, secure)),
  set: (secure, value = '', seconds = 0) =>
    `${cookieName(name, secure)}=${value}; Path=/; Max-Age=${value === '' ? 0 : Math.floor(seconds)}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`,
})
