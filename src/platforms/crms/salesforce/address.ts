import { quoted } from '../../../contract/visible-text.ts'
import { withoutTrailingSlashes } from '../../../helpers/trailing-slashes.ts'
import { DriverError } from '../engine/errors.ts'

/** Where Salesforce lets people in who do not say where their account lives. */
const LOGIN = 'https://login.salesforce.com'
const SANDBOX_LOGIN = 'https://test.salesforce.com'

/** The origin that an address means: a whole one, or a host alone. */
export function originOf(address: string): string {
  const given = withoutTrailingSlashes(address.trim())
  if (given === '') return LOGIN
  try {
    const { origin, protocol } = new URL(/^[a-z]+:\/\//i.test(given) ? given : `https://${given}`)
    if (protocol === 'https:' || protocol === 'http:') return origin
  } catch {
    // Reported below.
  }
  throw new DriverError('invalid_input', `${quoted(address)} is no address of a Salesforce account.`, {
    hint: 'It is the My Domain, such as salesforce:https://acme.my.salesforce.com.',
  })
}

/** The domains of Salesforce itself, those for China and for the American government included. */
const OWN_DOMAIN = /(?:^|\.)(?:(?:salesforce|force|cloudforce|database)\.com|salesforce\.mil|sfcrmproducts\.cn)$/

/** Whether an address that a sign-in has answered with may be sent its token: Salesforce's own, or the host that is configured. */
export function isTrusted(origin: string, configured: readonly string[]): boolean {
  const { hostname } = new URL(origin)
  return OWN_DOMAIN.test(hostname) || configured.some((one) => new URL(one).hostname === hostname)
}

/** Whom an assertion is for: the login server of the account's kind, or what pretends to be Salesforce. */
export function audienceOf(origin: string): string {
  const { hostname } = new URL(origin)
  if (!OWN_DOMAIN.test(hostname)) return origin
  return /(^|\.)(sandbox|scratch|test)\./.test(hostname) || hostname.includes('--') ? SANDBOX_LOGIN : LOGIN
}
