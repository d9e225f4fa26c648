import type { Fault } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
import { ROLES, type Role } from '../contract/records/user.ts'
import type { Grant, OidcSettings, Rule } from '../core/oidc/settings.ts'
import { isObject } from '../helpers/is-object.ts'
import { CONFIG_FILE, isStringList } from './config-file.ts'

const AT = `${CONFIG_FILE}: signIn`
const MEMBERS = ['rules', 'unknown', 'linkByEmail']
const RULE_MEMBERS = ['claims', 'emailDomain', 'role', 'workspace']
const FIRST = 'default'

/** The section `signIn` of the file: what is made of the people who sign in. */
export function readSignIn(value: unknown, faults: Fault[]): Pick<OidcSettings, 'rules' | 'unknown' | 'linkByEmail'> {
  const nothing = { rules: [], unknown: undefined, linkByEmail: false }
  if (value === undefined) return nothing
  const fault = (field: string, message: string, more: Partial<Fault> = {}) =>
    void faults.push({ field, code: 'value', message: `${field} ${message}`, ...more })

  function known(section: object, names: readonly string[], at: string): void {
    for (const name of Object.keys(section))
      if (!names.includes(name)) fault(`${at}.${name}`, 'means nothing.', { code: 'unknown', expected: names.join(', '), ...didYouMean(name, names) })
  }

  function readWorkspace(name: unknown, at: string): string {
    if (name === undefined || (typeof name === 'string' && name !== '')) return name ?? FIRST
    fault(`${at}.workspace`, 'must be the name of a workspace.')
    return FIRST
  }

  function readRule(rule: unknown, at: string): Rule[] {
    if (!isObject(rule)) {
      fault(at, 'must be an object.', { expected: '{ "claims": { "groups": "crm-admins" }, "role": "admin" }' })
      return []
    }
    known(rule, RULE_MEMBERS, at)
    const { claims = {}, emailDomain = [], role, workspace } = rule
    if (!ROLES.includes(role as Role)) fault(`${at}.role`, `must be one of ${ROLES.join(', ')}.`, didYouMean(String(role), ROLES))
    const emailDomains = typeof emailDomain === 'string' ? [emailDomain] : emailDomain
    const domains = isStringList(emailDomains) && emailDomains.every((domain) => /^[^@\s.]+(\.[^@\s.]+)+$/.test(domain)) ? emailDomains : undefined
    if (!domains || (rule.emailDomain !== undefined && domains.length === 0))
      fault(`${at}.emailDomain`, 'must be a domain such as example.com, or a list of them.')
    const wanted = isObject(claims) ? Object.entries(claims) : undefined
    if (!wanted) fault(`${at}.claims`, 'must be an object.', { expected: '{ "groups": "crm-admins" }' })
    for (const [name, values] of wanted ?? [])
      if (!isValues(values)) fault(`${at}.claims.${name}`, 'must be a text, a number, a truth value, or a list of them.')
    if (wanted?.length === 0 && rule.emailDomain === undefined)
      fault(at, 'has no claims and no emailDomain, so that it would match every person.', { expected: 'claims or emailDomain; unknown is for all others' })
    return [
      {
        claims: Object.fromEntries((wanted ?? []).map(([name, values]) => [name, [values].flat() as string[]])),
        emailDomains: (domains ?? []).map((domain) => domain.toLowerCase()),
        role: role as Role,
        workspace: readWorkspace(workspace, at),
      },
    ]
  }

  function readUnknown(unknown: unknown): Grant | undefined {
    if (unknown === undefined || unknown === 'refuse') return undefined
    const at = `${AT}.unknown`
    if (!isObject(unknown)) {
      fault(at, 'must be "refuse", or an object with the workspace whose members they become.', { expected: '{ "workspace": "default" }' })
      return undefined
    }
    known(unknown, ['workspace'], at)
    return { role: 'member', workspace: readWorkspace(unknown.workspace, at) }
  }

  if (!isObject(value)) {
    fault(AT, 'must be an object.', { expected: '{ "rules": […], "unknown": "refuse" }' })
    return nothing
  }
  known(value, MEMBERS, AT)
  const { rules = [], linkByEmail = false } = value
  if (!Array.isArray(rules)) fault(`${AT}.rules`, 'must be a list.')
  if (typeof linkByEmail !== 'boolean') fault(`${AT}.linkByEmail`, 'must be true or false.')
  return {
    rules: Array.isArray(rules) ? rules.flatMap((rule, i) => readRule(rule, `${AT}.rules.${i}`)) : [],
    unknown: readUnknown(value.unknown),
    linkByEmail: linkByEmail === true,
  }
}

function isValues(value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value]
  return values.length > 0 && values.every((one) => ['string', 'number', 'boolean'].includes(typeof one))
}
