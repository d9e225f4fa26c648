import type { WireAnswer, WireRequest } from '../simulated.ts'

export interface Consent {
  /** The name of the CRM. */
  readonly crm: string
  readonly scopes: readonly string[]
  readonly redirectUri: string
  /** Called when the person allows it: issues the code. */
  readonly code: () => string
}

/** Shows the page with the buttons Allow and Deny; a POST with `decision=allow` or `decision=deny` is a click on one of them. */
export function answerConsent(request: WireRequest, { crm, scopes, redirectUri, code }: Consent): WireAnswer {
  const decision = request.method === 'POST' ? new URLSearchParams(request.body).get('decision') : null
  if (decision === 'allow') return redirect(request, redirectUri, { code: code() })
  if (decision === 'deny') return redirect(request, redirectUri, { error: 'access_denied', error_description: 'end-user denied authorization' })
  return { status: 200, headers: { 'content-type': 'text/html;charset=utf-8', 'cache-control': 'no-store' }, body: page(crm, scopes, redirectUri) }
}

/** Sends the browser back to the app, with the state that it came with. */
export function redirect({ query }: WireRequest, redirectUri: string, members: { readonly [name: string]: string }): WireAnswer {
  const to = new URL(redirectUri)
  for (const [name, value] of Object.entries(members)) to.searchParams.set(name, value)
  const state = query.get('state')
  if (state !== null) to.searchParams.set('state', state)
  return { status: 302, headers: { location: to.href } }
}

/** Whether a browser can be sent there: over https, or to this machine. */
export function isRedirectUri(given: string | null): given is string {
  if (given === null || !URL.canParse(given)) return false
  const { protocol, hostname } = new URL(given)
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const page = (crm: string, scopes: readonly string[], redirectUri: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Allow access? · simulated ${crm}</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem } button { font: inherit; padding: .4rem 1.2rem }</style>
<h1>Allow access?</h1>
<p>An app at <b>${escaped(new URL(redirectUri).host)}</b> asks for access to this account of the simulated ${crm}:</p>
<ul>${scopes.map((scope) => `<li>${escaped(scope)}</li>`).join('')}</ul>
<form method="post">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>
</html>
`
