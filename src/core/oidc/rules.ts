import { isObject } from '../../helpers/is-object.ts'
import type { Grant, OidcSettings, Rule } from './settings.ts'

export interface Claims {
  readonly [name: string]: unknown
}

/** What the rules make of a person: in each workspace what the first rule about it says that matches. Nothing where they are refused. */
export function grantsFor(claims: Claims, { rules, unknown }: Pick<OidcSettings, 'rules' | 'unknown'>): readonly Grant[] {
  const grants = new Map<string, Grant>()
  for (const rule of rules) if (!grants.has(rule.workspace) && matches(claims, rule)) grants.set(rule.workspace, rule)
  return grants.size === 0 && unknown ? [unknown] : [...grants.values()]
}

function matches(claims: Claims, { claims: wanted, emailDomains }: Rule): boolean {
  const domain = verifiedEmail(claims)?.split('@').at(-1)?.toLowerCase()
  if (emailDomains.length > 0 && !(domain !== undefined && emailDomains.includes(domain))) return false
  return Object.entries(wanted).every(([name, values]) => {
    const claim = name === 'email' ? verifiedEmail(claims) : claimNamed(claims, name)
    return (Array.isArray(claim) ? claim : [claim]).some((one) => values.includes(one))
  })
}

/** The e-mail address of a person, if the issuer has verified it: any person can claim one that is not. */
export function verifiedEmail({ email, email_verified }: Claims): string | undefined {
  return typeof email === 'string' && email_verified === true && /^[^@\s]+@[^@\s]+$/.test(email) ? email : undefined
}

/** A claim by its name, or by the path of one inside another, such as `realm_access.roles`. */
function claimNamed(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  return value
}
