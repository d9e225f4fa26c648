import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { User } from '../../src/contract/records/user.ts'
import { newRecord } from '../../src/core/call/records.ts'
import type { OidcSettings, Rule } from '../../src/core/oidc/settings.ts'
import { atIssuer, CookieBrowser } from '../support/cookie-browser.ts'
import { authorizationUrl, newVerifier, postForm, redemption, register, ticketOf } from '../support/oauth.ts'
import { type IssuerAndServer, PEOPLE, startWithIssuer } from '../support/oidc-issuer.ts'

const OURS = { 'sec-fetch-site': 'same-origin', 'x-requested-by': 'console' }
const NAMES = ['sales', 'support', 'other'] as const

const rule = (group: string, role: Rule['role'], workspace: string): Rule => ({ claims: { groups: [group] }, emailDomains: [], role, workspace })
const RULES: OidcSettings['rules'] = [
  rule('crm-admins', 'admin', 'default'),
  rule('staff', 'manager', 'sales'),
  rule('crm-admins', 'admin', 'sales'),
  rule('helpers', 'member', 'support'),
  rule('staff', 'member', 'support'),
  rule('others', 'member', 'other'),
]

let at: IssuerAndServer
/** The keys of the first admins of the workspaces, and the ids by which operators know them. */
const keys: { [name: string]: string } = {}
const ids: { [name: string]: string } = {}

beforeAll(async () => {
  at = await startWithIssuer({}, { rules: RULES })
  for (const Name of NAMES) {
    const { Key, WorkspaceID } = await at.server.call('create_workspace', { Name })
    keys[Name] = Key as string
    ids[Name] = WorkspaceID as string
  }
})
afterAll(() => at?.close())
beforeEach(() => void at.claims.set('ada', PEOPLE.ada ?? {}))

async function signedIn(login = 'ada'): Promise<CookieBrowser> {
  const browser = new CookieBrowser()
  const response = await browser.request(await atIssuer(browser, `${at.server.url}/sign-in/oidc`, login))
  expect(response.headers.get('location')).toBe(`${at.server.url}/`)
  return browser
}

const json = async (response: Response) => (await response.json()) as { [name: string]: unknown }
const post = (browser: CookieBrowser, path: string, body: unknown, headers: Record<string, string> = OURS) =>
  browser.request(at.server.url + path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
const me = async (browser: CookieBrowser) => json(await post(browser, '/v1/operations/get_current_user', {}))
const listed = async (browser: CookieBrowser) => (await json(await browser.request(`${at.server.url}/sign-in/workspaces`, { headers: OURS }))).Workspaces
const goTo = (browser: CookieBrowser, Workspace: unknown, headers?: Record<string, string>) => post(browser, '/sign-in/workspace', { Workspace }, headers)
const sessionOf = (browser: CookieBrowser) => browser.cookies.get(at.server.url)?.get('crm-session') as string
const bearer = (key: string | undefined) => ({ authorization: `Bearer ${key}` })
const userIn = async (name: string, Identity = `${at.issuer}#ada`) => {
  const { Records } = await at.server.call('get_many_users', { Filters: { Identity } }, bearer(keys[name]))
  return (Records as { UserID: string; Role: string; Identity: string }[])[0]
}
const setActive = async (name: string, Active: boolean) =>
  at.server.call('update_user', { UserID: (await userIn(name))?.UserID, FieldsToUpdate: { Active } }, bearer(keys[name]))

describe('a person whom rules of several workspaces match', () => {
  test('has a user in each, with the role of the first rule there, and begins in the first', async () => {
    const browser = await signedIn()
    expect(await me(browser)).toMatchObject({ Workspace: 'default', Role: 'admin', Identity: `${at.issuer}#ada` })
    expect(await userIn('sales')).toMatchObject({ Role: 'manager' })
    expect(await userIn('support')).toMatchObject({ Role: 'member' })
    expect(await userIn('other')).toBeUndefined()
    expect(await listed(browser)).toEqual(['default', 'sales', 'support'])
    const grace = await signedIn('grace')
    expect(await me(grace)).toMatchObject({ Workspace: 'sales', Role: 'manager' })
    expect(await listed(grace)).toEqual(['sales', 'support'])
  })

  test('goes over to another, where a session begins that ends when the first would have', async () => {
    const browser = await signedIn()
    const [before, secret] = [await me(browser), sessionOf(browser)]
    const response = await goTo(browser, 'sales')
    expect(await json(response)).toEqual({ Workspace: 'sales' })
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^crm-session=crm_[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)])
    expect(await me(browser)).toMatchObject({ Workspace: 'sales', Role: 'manager', ExpiresDate: before.ExpiresDate, Scopes: ['read', 'write', 'delete'] })
    expect((await at.server.post('get_current_user', {}, bearer(secret))).status).toBe(401)
    expect(await listed(browser)).toEqual(['default', 'sales', 'support'])
    // What is done there stays there.
    await post(browser, '/v1/operations/create_a_lead', { FirstName: 'Of', LastName: 'Sales' })
    expect((await at.server.call('get_many_leads', { Filters: { LastName: 'Sales' } })).Records).toEqual([])
    expect((await at.server.call('get_many_leads', { Filters: { LastName: 'Sales' } }, bearer(keys.sales))).Records).toHaveLength(1)
    const { KeyID: RecordID } = await me(browser)
    const { Records } = await at.server.call('get_many_changes', { Filters: { RecordID } }, bearer(keys.sales))
    expect(Records).toMatchObject([{ Operation: 'sign_in', KeyID: null, EventType: 'key.created' }])

    await goTo(browser, 'default')
    expect(await me(browser)).toMatchObject({ Workspace: 'default', Role: 'admin', UserID: before.UserID })
    const { Address } = await json(await post(browser, '/sign-out', {}))
    expect(new URL(Address as string).searchParams.get('id_token_hint')).toMatch(/^eyJ/)
  })

  test('begins in the next where the first is paused or has deactivated them, and is refused where none is left', async () => {
    await signedIn('grace')
    await at.server.call('pause_workspace', { WorkspaceID: ids.sales })
    const browser = await signedIn('grace')
    expect(await me(browser)).toMatchObject({ Workspace: 'support' })
    expect(await listed(browser)).toEqual(['support'])
    expect(at.server.log()).toContain('a workspace was left out of a sign-in')
    await at.server.call('pause_workspace', { WorkspaceID: ids.support })
    const refused = new CookieBrowser()
    const response = await refused.request(await atIssuer(refused, `${at.server.url}/sign-in/oidc`, 'grace'))
    expect(response.headers.get('location')).toBe(`${at.server.url}/?sign-in=paused`)
    for (const WorkspaceID of [ids.sales, ids.support]) await at.server.call('resume_workspace', { WorkspaceID })
  })

  test('is not made a user where a workspace may have no more', async () => {
    at.claims.set('ada', { ...PEOPLE.ada, groups: ['crm-admins', 'others'] })
    await at.server.call('update_workspace', { WorkspaceID: ids.other, FieldsToUpdate: { MaxUsers: 1 } })
    expect(await listed(await signedIn())).toEqual(['default', 'sales'])
    expect(await userIn('other')).toBeUndefined()
    await at.server.call('update_workspace', { WorkspaceID: ids.other, FieldsToUpdate: { MaxUsers: null } })
  })
})

describe('nothing leads to another workspace', () => {
  test('that is not theirs, does not exist, or has the same subject of another issuer', async () => {
    const browser = await signedIn()
    const { number = 0 } = (await at.server.service.store.workspace('other')) ?? {}
    await at.server.service.store.write(number, (writer) =>
      writer.create(
        User.name,
        newRecord(User, writer.newId(), { Name: 'Ada Lovelace', Email: 'ada@example.com', Role: 'admin', Identity: 'https://other.example#ada' }),
      ),
    )
    expect(await listed(browser)).toEqual(['default', 'sales', 'support'])
    for (const name of ['other', 'nowhere', '', ['sales'], { name: 'sales' }, 2, null, undefined]) {
      const response = await goTo(browser, name)
      expect([name, response.status, response.headers.getSetCookie()]).toEqual([name, 403, []])
    }
    expect(await me(browser)).toMatchObject({ Workspace: 'default' })
  })

  test('which the rules gave them once, but did not at this sign-in', async () => {
    await signedIn()
    at.claims.set('ada', { ...PEOPLE.ada, groups: ['crm-admins'] })
    const browser = await signedIn()
    expect(await userIn('support')).toMatchObject({ Active: true })
    expect(await listed(browser)).toEqual(['default', 'sales'])
    expect((await goTo(browser, 'support')).status).toBe(403)
  })

  test('in which they were deactivated, or that is paused, and sessions there end', async () => {
    const [browser, there] = [await signedIn(), await signedIn()]
    await goTo(there, 'sales')
    await setActive('sales', false)
    await vi.waitFor(async () => expect((await post(there, '/v1/operations/get_current_user', {})).status).toBe(401), 60_000)
    expect(await listed(browser)).toEqual(['default', 'support'])
    expect((await goTo(browser, 'sales')).status).toBe(403)
    await setActive('sales', true)

    const paused = await signedIn()
    await goTo(paused, 'support')
    await at.server.call('pause_workspace', { WorkspaceID: ids.support })
    await vi.waitFor(async () => expect((await post(paused, '/v1/operations/get_current_user', {})).status).toBe(403), 60_000)
    expect((await goTo(paused, 'default')).status).toBe(403)
    expect(await listed(browser)).toEqual(['default', 'sales'])
    expect((await goTo(browser, 'support')).status).toBe(403)
    await at.server.call('resume_workspace', { WorkspaceID: ids.support })
  })

  test('with a key, which is for one workspace', async () => {
    const send = { ...bearer(at.server.key), 'content-type': 'application/json' }
    const response = await fetch(`${at.server.url}/sign-in/workspace`, { method: 'POST', headers: send, body: JSON.stringify({ Workspace: 'sales' }) })
    expect([response.status, response.headers.getSetCookie()]).toEqual([400, []])
    expect((await fetch(`${at.server.url}/sign-in/workspaces`, { headers: send })).status).toBe(400)
  })

  test('from a page of another site', async () => {
    const browser = await signedIn()
    const hostile: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'x-requested-by': 'console' },
      { 'sec-fetch-site': 'cross-site', 'x-requested-by': 'console' },
      { origin: 'https://evil.example', 'x-requested-by': 'console' },
    ]
    for (const headers of hostile) expect((await goTo(browser, 'sales', headers)).status, JSON.stringify(headers)).toBe(401)
    expect((await browser.request(`${at.server.url}/sign-in/workspace?Workspace=sales`, { headers: OURS })).status).toBe(404)
    expect((await browser.request(`${at.server.url}/sign-in/workspaces`, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(401)
    expect(await me(browser)).toMatchObject({ Workspace: 'default' })
  })

  test('of several attempts at once to go over, one begins a session', async () => {
    const browser = await signedIn()
    const headers = { ...OURS, 'content-type': 'application/json', cookie: `crm-session=${sessionOf(browser)}` }
    const one = () => fetch(`${at.server.url}/sign-in/workspace`, { method: 'POST', headers, body: JSON.stringify({ Workspace: 'sales' }) })
    const answers = await Promise.all(Array.from({ length: 5 }, one))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
  })
})

describe('an agent', () => {
  async function asked(scope = 'read write admin') {
    const { client_id } = await register(at.server)
    const verifier = newVerifier()
    return { client_id, verifier, Request: await ticketOf(authorizationUrl(at.server, client_id, verifier, { scope })) }
  }

  test('is let into the workspace that the person chooses, with what they may do there', async () => {
    const browser = await signedIn()
    const { client_id, verifier, Request } = await asked()
    expect(await json(await post(browser, '/oauth/question', { Request }))).toMatchObject({
      Workspaces: [
        { Workspace: 'default', Scopes: ['read', 'write', 'admin'] },
        { Workspace: 'sales', Scopes: ['read', 'write'] },
        { Workspace: 'support', Scopes: ['read', 'write'] },
      ],
    })
    const allow = (Workspace: unknown, Scopes: string[]) => post(browser, '/oauth/consent', { Request, Allow: true, Workspace, Scopes, Confirm: true })
    expect((await allow('other', ['read'])).status).toBe(403)
    expect((await allow(['sales'], ['read'])).status).toBe(400)
    expect(await json(await allow('sales', ['read', 'admin']))).toMatchObject({ code: 'invalid_input' })
    const { Location } = await json(await allow('sales', ['read', 'write']))
    const code = new URL(Location as string).searchParams.get('code') ?? ''
    const { body } = await postForm(at.server, '/oauth/token', redemption(client_id, { code, verifier }))
    const agent = await at.server.call('get_current_user', {}, bearer(body.access_token))
    expect(agent).toMatchObject({ Workspace: 'sales', UserID: (await userIn('sales'))?.UserID, Scopes: ['read', 'write'], Confirm: 'deletes' })
    const { Records } = await at.server.call('get_many_keys', { Filters: { Kind: 'token' } }, bearer(keys.sales))
    expect(Records).toMatchObject([{ KeyID: agent.KeyID, ClientID: expect.stringContaining('registered:') }])
    // It lasts longer than the session in which it was granted.
    const [{ RenewableUntil }] = Records as [{ RenewableUntil: string }]
    expect(Date.parse(RenewableUntil)).toBeGreaterThan(Date.now() + 80 * 86_400_000)

    await setActive('sales', false)
    await vi.waitFor(async () => expect((await at.server.post('get_current_user', {}, bearer(body.access_token))).status).toBe(401), 60_000)
    await setActive('sales', true)
  })

  test('is not let in where the person was deactivated or the workspace paused after the page was shown', async () => {
    const browser = await signedIn()
    const { Request } = await asked()
    await post(browser, '/oauth/question', { Request })
    const allow = (Workspace: string) => post(browser, '/oauth/consent', { Request, Allow: true, Workspace, Scopes: ['read'] })
    await setActive('sales', false)
    await at.server.call('pause_workspace', { WorkspaceID: ids.support })
    expect([(await allow('sales')).status, (await allow('support')).status]).toEqual([403, 403])
    await setActive('sales', true)
    await at.server.call('resume_workspace', { WorkspaceID: ids.support })
    expect((await allow('default')).status).toBe(200)
  })

  test('that a key lets in is let into the workspace of the key alone', async () => {
    const { Request } = await asked()
    const send = (path: string, body: object) =>
      fetch(at.server.url + path, { method: 'POST', headers: { ...bearer(keys.sales), 'content-type': 'application/json' }, body: JSON.stringify(body) })
    expect((await json(await send('/oauth/question', { Request }))).Workspaces).toMatchObject([{ Workspace: 'sales' }])
    expect((await send('/oauth/consent', { Request, Allow: true, Workspace: 'default', Scopes: ['read'] })).status).toBe(403)
  })
})
