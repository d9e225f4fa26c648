/** Clicks Allow or Deny on the page of a simulator at which a person lets an app in, without a browser. Where the browser would go then. */
export async function decide(address: string, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
  const answer = await fetch(address, { method: 'POST', body: new URLSearchParams({ decision }), redirect: 'manual' })
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`${answer.status}: ${await answer.text()}`)
  return new URL(location)
}
