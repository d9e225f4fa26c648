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
  throw new DriverError('invalid_input', `${JSON.stringify(address)} is no address of a Salesforce account.`, {
    hint: 'It is the My Domain, such as salesforce:https://acme.my.salesforce.com.',
  })
}

/** Whom an assertion is for: the login server of the account's kind, or what pretends to be Salesforce. */
export function audienceOf(origin: string): string {
  const { hostname } = new URL(origin)
  if (!/(^|\.)(salesforce|force|cloudforce|database)\.com$/.test(hostname)) return origin
  return /(^|\.)(sandbox|scratch|test)\./.test(hostname) || hostname.includes('--') ? SANDBOX_LOGIN : LOGIN
}
