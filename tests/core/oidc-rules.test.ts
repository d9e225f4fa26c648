import { describe, expect, test } from 'vitest'
import { readSignIn } from '../../src/config/sign-in.ts'
import type { Fault } from '../../src/contract/errors.ts'
import { grantsFor } from '../../src/core/oidc/rules.ts'

/** What the section `signIn` of the file makes of a person. */
function grant(section: object, claims: object) {
  const faults: Fault[] = []
  const settings = readSignIn(section, faults)
  expect(faults).toEqual([])
  const found = grantsFor({ ...claims }, settings).map(({ role, workspace }) => `${role} of ${workspace}`)
  return found.length === 0 ? undefined : found.join(', ')
}

const ADA = { email: 'ada@Example.com', email_verified: true }

describe('a rule', () => {
  test.each<[string, object, object, string | undefined]>([
    ['one value', { claims: { department: 'Sales' } }, { department: 'Sales' }, 'member of default'],
    ['another value', { claims: { department: 'Sales' } }, { department: 'sales' }, undefined],
    ['no such claim', { claims: { department: 'Sales' } }, {}, undefined],
    ['one of several', { claims: { department: ['Sales', 'Service'] } }, { department: 'Service' }, 'member of default'],
    ['a list that contains it', { claims: { groups: 'crm' } }, { groups: ['staff', 'crm'] }, 'member of default'],
    ['a list that does not', { claims: { groups: 'crm' } }, { groups: ['crm-admins'] }, undefined],
    ['a text that contains it', { claims: { groups: 'crm' } }, { groups: 'crm staff' }, undefined],
    ['a number and a truth value', { claims: { level: [1, 2], staff: true } }, { level: 2, staff: true }, 'member of default'],
    ['a text of the same letters as a number', { claims: { level: 2 } }, { level: '2' }, undefined],
    ['only one of two claims', { claims: { a: 'x', b: 'y' } }, { a: 'x' }, undefined],
    ['a claim inside another', { claims: { 'realm_access.roles': 'crm' } }, { realm_access: { roles: ['crm'] } }, 'member of default'],
    ['a claim with dots in its name', { claims: { 'https://example.com/roles': 'crm' } }, { 'https://example.com/roles': ['crm'] }, 'member of default'],
    ['a name that every object has', { claims: { constructor: 'x' } }, {}, undefined],
    ['the domain', { emailDomain: 'EXAMPLE.com' }, ADA, 'member of default'],
    ['one of the domains', { emailDomain: ['example.org', 'example.com'] }, ADA, 'member of default'],
    ['a longer domain', { emailDomain: 'example.com' }, { ...ADA, email: 'ada@evil-example.com' }, undefined],
    ['a domain below', { emailDomain: 'example.com' }, { ...ADA, email: 'ada@sub.example.com' }, undefined],
    ['two domains', { emailDomain: 'example.com' }, { ...ADA, email: 'ada@evil.example@example.com' }, undefined],
    ['a domain that is not verified', { emailDomain: 'example.com' }, { ...ADA, email_verified: false }, undefined],
    ['a domain that a text says is verified', { emailDomain: 'example.com' }, { ...ADA, email_verified: 'true' }, undefined],
    ['an e-mail address', { claims: { email: 'ada@Example.com' } }, ADA, 'member of default'],
    ['an e-mail address that is not verified', { claims: { email: 'ada@Example.com' } }, { email: ADA.email }, undefined],
  ])('is matched by the claims or not: %s', (_what, rule, claims, expected) => {
    expect(grant({ rules: [{ role: 'member', ...rule }] }, claims)).toBe(expected)
  })

  test('decides if it is the first of its workspace that matches, and what matches none is refused or a member', () => {
    const rules = [
      { claims: { groups: 'admins' }, role: 'admin' },
      { claims: { groups: ['sales'] }, role: 'manager', workspace: 'sales' },
      { emailDomain: 'example.com', role: 'member' },
    ]
    expect(grant({ rules }, { ...ADA, groups: ['sales', 'admins'] })).toBe('admin of default, manager of sales')
    expect(grant({ rules }, { ...ADA, groups: ['sales'] })).toBe('manager of sales, member of default')
    expect(grant({ rules }, { groups: ['sales'] })).toBe('manager of sales')
    expect(grant({ rules }, ADA)).toBe('member of default')
    expect(grant({ rules }, {})).toBeUndefined()
    expect(grant({ rules, unknown: 'refuse' }, {})).toBeUndefined()
    expect(grant({ rules, unknown: { workspace: 'guests' } }, {})).toBe('member of guests')
  })
})

test('every fault of the section is named at once', () => {
  const faults: Fault[] = []
  readSignIn(
    {
      rules: [
        { role: 'member' },
        { claims: { groups: [] }, role: 'boss' },
        { claims: { groups: { a: 1 } }, emailDomain: '@example.com', role: 'admin', workspace: 7, scope: 'x' },
        'all',
      ],
      unknown: 'member',
      linkByEmail: 'yes',
      rule: [],
    },
    faults,
  )
  expect(faults.map(({ field }) => field.replace('crm.config.json: signIn.', '')).sort()).toEqual([
    'linkByEmail',
    'rule',
    'rules.0',
    'rules.1.claims.groups',
    'rules.1.role',
    'rules.2.claims.groups',
    'rules.2.emailDomain',
    'rules.2.scope',
    'rules.2.workspace',
    'rules.3',
    'unknown',
  ])
})
