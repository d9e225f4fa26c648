/** What a browser does with addresses and cookies, for tests that need no page: follows redirects by hand, and keeps the cookies of each origin. */
export class CookieBrowser {
  readonly cookies = new Map<string, Map<string, string>>()

  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url)
    const jar = this.cookies.get(origin) ?? new Map<string, string>()
    this.cookies.set(origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(attributes)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Follows redirects until an answer is none, or leads to an address that `until` names. */
  async follow(url: string, until: (location: string) => boolean = () => false): Promise<{ readonly url: string; readonly response: Response }> {
    const response = await this.request(url)
    const location = response.headers.get('location')
    if (location === null) return { url, response }
    const next = new URL(location, url).href
    return until(next) ? { url: next, response } : this.follow(next, until)
  }

  /** Sends a form of the page at an address, and follows what it answers. */
  async submit(url: string, fields: Record<string, string>, until?: (location: string) => boolean) {
    const response = await this.request(url, { method: 'POST', body: new URLSearchParams(fields) })
    const next = new URL(response.headers.get('location') ?? '', url).href
    return until?.(next) ? { url: next, response } : this.follow(next, until)
  }
}

/** Signs in at the issuer; resolves to the address of the callback, which is not called yet. */
export async function atIssuer(browser: CookieBrowser, start: string, login: string): Promise<string> {
  const isCallback = (location: string) => location.includes('/sign-in/oidc/callback')
  const page = await browser.follow(start, isCallback)
  if (isCallback(page.url)) return page.url
  const consent = await browser.submit(page.url, { prompt: 'login', login, password: 'any' }, isCallback)
  if (isCallback(consent.url)) return consent.url
  return (await browser.submit(consent.url, { prompt: 'consent' }, isCallback)).url
}
