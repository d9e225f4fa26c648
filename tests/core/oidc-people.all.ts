import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Key } from '../../src/contract/records/key.ts'
import { User } from '../../src/contract/records/user.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { createVault } from '../../src/core/access/vault.ts'
import { findRecords } from '../../src/core/call/records.ts'
import { callersOf } from '../../src/core/oidc/memberships.ts'
import { signInPerson } from '../../src/core/oidc/people.ts'
import { endSession, moveSession } from '../../src/core/oidc/sessions.ts'
import type { OidcSettings } from '../../src/core/oidc/settings.ts'
import { type Caller, createService, type Service } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/store.ts'
import { settingsFor } from '../support/oidc-issuer.ts'
import { STORES } from '../support/stores.ts'

const ISSUER = 'https://login.example.com'
const ADMINS: OidcSettings = settingsFor(ISSUER, { rules: [], unknown: { role: 'admin', workspace: 'default' } })
const MEMBERS: OidcSettings = { ...ADMINS, unknown: { role: 'member', workspace: 'default' } }
const TOKEN = 'eyJ.a-token-of-the-issuer.x'

describe.each(STORES)('on $platform', ({ open }) => {
  let store: Store
  let service: Service

  beforeEach(async () => {
    store = await open()
    service = createService({ platform: store, store })
    await bootstrap(service)
  })
  afterEach(() => store.close())

  const signIn = (settings: OidcSettings, claims: object = {}, on = service) =>
    signInPerson(on, settings, { claims: { iss: ISSUER, sub: 'ada', ...claims }, idToken: TOKEN }, 'test')

  const all = <T extends typeof User | typeof Key>(type: T) =>
    findRecords(store.reader(1), type, { where: [], order: { field: 'CreatedDate', descending: false }, limit: 100 })

  test('several first sign-ins of a person at once make one user', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => signIn(MEMBERS)))
    expect(new Set(sessions.map(({ userId }) => userId)).size).toBe(1)
    expect((await all(User)).filter(({ Identity }) => Identity === `${ISSUER}#ada`)).toHaveLength(1)
  })

  test('the same subject of another issuer is another person', async () => {
    const [one, other] = [await signIn(MEMBERS), await signIn(MEMBERS, { iss: 'https://other.example.com' })]
    expect(one.userId).not.toBe(other.userId)
  })

  test('the last admin is not made a member, and is refused meanwhile', async () => {
    const { userId } = await signIn(ADMINS)
    const [first] = await all(User)
    await store.write(1, (writer) => writer.update(User.name, first?.UserID as string, { Active: false }))
    await expect(signIn(MEMBERS)).rejects.toMatchObject({ reason: 'last-admin' })
    expect((await all(User)).find(({ UserID }) => UserID === userId)).toMatchObject({ Role: 'admin' })
    await store.write(1, (writer) => writer.update(User.name, first?.UserID as string, { Active: true }))
    await signIn(MEMBERS)
    expect((await all(User)).find(({ UserID }) => UserID === userId)).toMatchObject({ Role: 'member' })
  })

  test('a workspace that does not exist is said to, and nothing is created', async () => {
    const before = (await all(User)).length
    await expect(signIn({ ...MEMBERS, unknown: { role: 'member', workspace: 'nowhere' } })).rejects.toMatchObject({ reason: 'workspace' })
    expect(await all(User)).toHaveLength(before)
  })

  test('a person of several workspaces is a caller in each, and a session goes over from one to the other with all it has', async () => {
    const sales = await store.addWorkspace('sales')
    const rules = ['default', 'nowhere', 'sales'].map((workspace) => ({ claims: {}, emailDomains: [], role: 'member' as const, workspace }))
    const { secret, expires, refusals } = await signIn({ ...MEMBERS, rules })
    expect(refusals).toMatchObject([{ reason: 'workspace' }])
    const authenticate = createAuthenticator(service)
    const caller = await authenticate(secret)
    const [own, other] = (await callersOf(service, caller)) as [Caller, Caller]
    expect(own).toBe(caller)
    expect(other).toMatchObject({ workspace: { number: sales?.number }, keyId: null, session: true, scopes: ['read', 'write', 'delete'], expires })

    const moved = await authenticate((await moveSession(service, caller, other, 'test')).secret)
    expect(moved).toMatchObject({ workspace: { name: 'sales' }, userId: other.userId, session: true, expires })
    await expect(moveSession(service, caller, other, 'test')).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await callersOf(service, moved)).map(({ workspace, userId }) => [workspace.name, userId])).toEqual([
      ['default', caller.userId],
      ['sales', other.userId],
    ])
    await store.write(1, (writer) => writer.update(User.name, caller.userId, { Active: false }))
    expect(await callersOf(service, moved)).toEqual([moved])
    expect(await endSession(service, moved, 'test')).toBe(TOKEN)
  })

  test('a name is that of the claims without control characters, and an address that is not verified is not kept', async () => {
    await signIn(MEMBERS, { name: ' Ada\u0000\u202e Lovelace\n', email: 'ada@example.com' })
    expect((await all(User)).at(-1)).toMatchObject({ Name: 'Ada Lovelace', Email: null })
  })

  test('the ID token is stored sealed, given back once when the session ends, and not stored where nothing can seal it', async () => {
    const { secret } = await signIn(MEMBERS)
    const caller = await createAuthenticator(service)(secret)
    expect(caller).toMatchObject({ session: true, role: 'member', scopes: ['read', 'write', 'delete'] })
    const stored = JSON.stringify(await all(Key))
    for (const plain of [TOKEN, secret]) expect(stored).not.toContain(plain)
    expect(await endSession(service, caller, 'test')).toBe(TOKEN)
    expect(await endSession(service, caller, 'test')).toBeUndefined()
    await signIn(MEMBERS, {}, { ...service, vault: createVault([], { find: () => [] }) })
    expect((await all(Key)).at(-1)).toMatchObject({ Kind: 'session', IDToken: null })
  })
})
