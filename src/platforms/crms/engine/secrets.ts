/** Shorter ones would strike out parts of ordinary words. */
const SHORTEST = 6
/** How many tokens of sign-ins are remembered, those that were used last: more than hundreds of accounts have in use at once. */
const TOKENS = 1000
/** What an account is known by is no secret, and belongs in messages. */
const OPEN: readonly string[] = ['clientId', 'username']

const STRUCK = '[secret]'

const secrets = new Set<string>()
/** The forms of each token, in the order of their last use. */
const tokens = new Map<string, readonly string[]>()

/** A secret as it may be echoed: plain, or as part of a form or of JSON. */
const formsOf = (secret: string) =>
  secret.length < SHORTEST
    ? []
    : [...new Set([secret, encodeURIComponent(secret), new URLSearchParams({ '': secret }).toString().slice(1), JSON.stringify(secret).slice(1, -1)])]

/** Keeps these secrets of a configuration out of every message of a driver, since a CRM may echo what was sent to it. */
export function hideSecrets(given: { readonly [name: string]: string | undefined }): void {
  for (const [name, secret] of Object.entries(given)) if (secret !== undefined && !OPEN.includes(name)) for (const form of formsOf(secret)) secrets.add(form)
}

/** The same for what a sign-in has brought, or a request carries. */
export function hideTokens(...given: readonly (string | undefined)[]): void {
  for (const token of given) {
    if (token === undefined) continue
    const forms = tokens.get(token) ?? formsOf(token)
    tokens.delete(token)
    tokens.set(token, forms)
  }
  for (const oldest of tokens.keys()) {
    if (tokens.size <= TOKENS) return
    tokens.delete(oldest)
  }
}

/** A text, or all texts in an answer that was parsed. Errors are left as they are. */
export function withoutSecrets<T>(value: T): T {
  if (typeof value === 'string') return struck(value) as T
  if (Array.isArray(value)) return value.map(withoutSecrets) as T
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutSecrets(one)])) as T
}

function struck(text: string): string {
  // A secret may be part of another: the longer one first.
  const found = [...secrets, ...[...tokens.values()].flat()].filter((secret) => text.includes(secret)).sort((a, b) => b.length - a.length)
  return found.reduce((rest, secret) => rest.replaceAll(secret, STRUCK), text)
}
