import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { atIssuer, CookieBrowser } from '../support/cookie-browser.ts'
import { type IssuerAndServer, settingsFor, startWithIssuer } from '../support/oidc-issuer.ts'
import { problemIn, startServer } from '../support/server.ts'

let at: IssuerAndServer

beforeAll(async () => {
  at = await startWithIssuer()
})
afterAll(() => at?.close())

const start = () => `${at.server.url}/sign-in/oidc`
const JSON_BODY = { 'content-type': 'application/json' }
const OURS = { 'sec-fetch-site': 'same-origin', 'x-requested-by': 'console' }

/** Signs a person in; resolves to where the browser ends up. */
async function signIn(browser: CookieBrowser, login: string, address = start()): Promise<Response> {
  return browser.request(await atIssuer(browser, address, login))
}

const me = (browser: CookieBrowser, headers: Record<string, string> = OURS) =>
  browser.request(`${at.server.url}/v1/operations/get_current_user`, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body: '{}' })

async function signedIn(login: string): Promise<CookieBrowser> {
  const browser = new CookieBrowser()
  expect((await signIn(browser, login)).headers.get('location')).toBe(`${at.server.url}/`)
  return browser
}

const reasonIn = (response: Response) => new URL(response.headers.get('location') ?? '').searchParams.get('sign-in')

describe('signing in', () => {
  test('makes a person what the first rule says that matches, and the same user each time', async () => {
    const first = (await (await me(await signedIn('ada'))).json()) as Record<string, unknown>
    expect(first).toMatchObject({ Name: 'Ada Lovelace', Email: 'ada@example.com', Role: 'admin', Workspace: 'default', Identity: `${at.issuer}#ada` })
    expect(first.Scopes).toEqual(['read', 'write', 'delete', 'admin'])
    const again = (await (await me(await signedIn('ada'))).json()) as Record<string, unknown>
    expect(again.UserID).toBe(first.UserID)
    expect(again.KeyID).not.toBe(first.KeyID)
    const member = (await (await me(await signedIn('grace'))).json()) as Record<string, unknown>
    expect(member).toMatchObject({ Role: 'member', Scopes: ['read', 'write', 'delete'] })
  })

  test('follows the claims: a role that the rules no longer grant is lost, in sessions that are open too', async () => {
    const before = await signedIn('ada')
    at.claims.set('ada', { ...at.claims.get('ada'), groups: [] })
    try {
      const after = await signedIn('ada')
      for (const browser of [before, after]) {
        const response = await browser.request(`${at.server.url}/v1/operations/create_user`, {
          method: 'POST',
          headers: { ...OURS, ...JSON_BODY },
          body: JSON.stringify({ Name: 'X' }),
        })
        expect((await problemIn(response)).code).toBe('forbidden')
      }
    } finally {
      at.claims.set('ada', { ...at.claims.get('ada'), groups: ['crm-admins'] })
    }
    expect(await (await me(await signedIn('ada'))).json()).toMatchObject({ Role: 'admin' })
  })

  test.each([
    ['mallory', 'whose e-mail address is not verified'],
    ['eve', 'whom no rule matches'],
  ])('refuses %s, %s, and creates no user', async (login) => {
    const browser = new CookieBrowser()
    const response = await signIn(browser, login)
    expect(response.headers.get('location')).toBe(`${at.server.url}/?sign-in=unknown`)
    expect(response.headers.getSetCookie()).toEqual([])
    const { Records } = await at.server.call('get_many_users', { Filters: { Identity: `${at.issuer}#${login}` } })
    expect(Records).toEqual([])
  })

  test('says where the person asked for ended, and never leads to another site', async () => {
    const place = async (given: string) => (await signIn(new CookieBrowser(), 'grace', `${start()}?place=${encodeURIComponent(given)}`)).headers.get('location')
    expect(await place('/leads?where={"Status":"Open"}')).toBe(`${at.server.url}/#/leads?where={"Status":"Open"}`)
    for (const hostile of ['https://evil.example', '//evil.example', '@evil.example', '/x\r\nLocation: https://evil.example']) {
      const location = await place(hostile)
      expect(new URL(location ?? '').origin).toBe(at.server.url)
      expect(location).not.toMatch(/[\r\n]/)
    }
  })

  test('sets a cookie that scripts cannot read and other sites do not send, and stores only its digest', async () => {
    const browser = new CookieBrowser()
    const response = await signIn(browser, 'grace')
    const [session = '', binding = ''] = response.headers.getSetCookie()
    expect(session).toMatch(/^crm-session=crm_[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/)
    expect(binding).toMatch(/^crm-sign-in=; Path=\/; Max-Age=0; HttpOnly/)
    const { Records } = await at.server.call('get_many_keys', { Filters: { Kind: 'session' } })
    const secret = /=(crm_[\w-]+)/.exec(session)?.[1] as string
    expect(JSON.stringify(Records)).not.toContain(secret)
    expect((Records as { ExpiresDate: string }[]).every(({ ExpiresDate }) => Date.parse(ExpiresDate) <= Date.now() + 3_600_000)).toBe(true)
  })

  test('has the prefix __Host- and Secure where the service is reached by https', async () => {
    const secure = await startWithIssuer({ publicUrl: 'https://crm.example.com' })
    try {
      const response = await fetch(`${secure.server.url}/sign-in/oidc`, { redirect: 'manual' })
      expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-crm-sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/)
      expect(new URL(response.headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe('https://crm.example.com/sign-in/oidc/callback')
    } finally {
      await secure.close()
    }
  })

  test('a user whom an admin made with the same e-mail address is another one, unless linking is configured', async () => {
    const linking = await startWithIssuer({}, { linkByEmail: true })
    try {
      const { UserID } = await linking.server.call('create_user', { Name: 'G. Hopper', Email: 'grace@example.com', Role: 'manager' })
      const browser = new CookieBrowser()
      await browser.request(await atIssuer(browser, `${linking.server.url}/sign-in/oidc`, 'grace'))
      const { Records } = await linking.server.call('get_many_users', { Filters: { Email: 'grace@example.com' } })
      expect(Records).toMatchObject([{ UserID, Identity: `${linking.issuer}#grace`, Role: 'member' }])
    } finally {
      await linking.close()
    }
    const { UserID } = await at.server.call('create_user', { Name: 'Another Grace', Email: 'grace@example.com', Role: 'admin' })
    const other = (await (await me(await signedIn('grace'))).json()) as Record<string, unknown>
    expect(other.UserID).not.toBe(UserID)
  })
})

describe('a sign-in cannot be taken over', () => {
  test('its state is for the browser in which it was started', async () => {
    const victim = new CookieBrowser()
    const callback = await atIssuer(victim, start(), 'ada')
    const attacker = new CookieBrowser()
    expect(reasonIn(await attacker.request(callback))).toBe('expired')
    await attacker.request(start())
    expect(reasonIn(await attacker.request(callback))).toBe('expired')
    expect((await victim.request(callback)).headers.get('location')).toBe(`${at.server.url}/`)
  })

  test('its state and code work once', async () => {
    const browser = new CookieBrowser()
    const callback = await atIssuer(browser, start(), 'ada')
    const binding = new Map(browser.cookies.get(at.server.url))
    await browser.request(callback)
    const replaying = new CookieBrowser()
    replaying.cookies.set(at.server.url, binding)
    expect(reasonIn(await replaying.request(callback))).toBe('expired')
    // The code in a sign-in of one's own: PKCE and the issuer refuse it.
    const own = new URL(await atIssuer(replaying, start(), 'eve'))
    own.searchParams.set('code', new URL(callback).searchParams.get('code') ?? '')
    expect(reasonIn(await replaying.request(own.href))).toBe('invalid')
  })

  test('of several attempts at once with one answer, one succeeds', async () => {
    const browser = new CookieBrowser()
    const callback = await atIssuer(browser, start(), 'ada')
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.request(callback)))
    expect(answers.filter((answer) => answer.headers.get('location') === `${at.server.url}/`)).toHaveLength(1)
  })

  test('the answer of another issuer is refused', async () => {
    const browser = new CookieBrowser()
    const callback = new URL(await atIssuer(browser, start(), 'ada'))
    expect(callback.searchParams.get('iss')).toBe(at.issuer)
    callback.searchParams.set('iss', 'https://evil.example')
    expect(reasonIn(await browser.request(callback.href))).toBe('invalid')
  })

  test('an answer without iss, of an issuer that sends it, is refused', async () => {
    const browser = new CookieBrowser()
    const callback = new URL(await atIssuer(browser, start(), 'ada'))
    callback.searchParams.delete('iss')
    expect(reasonIn(await browser.request(callback.href))).toBe('invalid')
  })

  test('a refusal at the issuer, and an answer with nothing in it, are said in words', async () => {
    const browser = new CookieBrowser()
    const { searchParams } = new URL((await browser.request(start())).headers.get('location') ?? '')
    const denied = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '', iss: at.issuer })
    expect(reasonIn(await browser.request(`${start()}/callback?${denied}`))).toBe('cancelled')
    expect(reasonIn(await browser.request(`${start()}/callback`))).toBe('expired')
  })

  test('no code, state, token or secret is logged', async () => {
    const browser = new CookieBrowser()
    const callback = await atIssuer(browser, start(), 'ada')
    await browser.request(callback)
    await browser.request(callback)
    const { searchParams } = new URL(callback)
    for (const name of ['code', 'state']) expect(at.server.log()).not.toContain(searchParams.get(name))
    expect(at.server.log()).not.toContain(browser.cookies.get(at.server.url)?.get('crm-session'))
    expect(at.server.log()).not.toMatch(/eyJ[\w-]+\.eyJ/)
    expect(at.server.log()).toContain('sign-in refused')
  })
})

describe('a session', () => {
  test('counts only for requests of our own pages', async () => {
    const browser = await signedIn('grace')
    const post = (headers: Record<string, string>) => me(browser, headers)
    expect((await post(OURS)).status).toBe(200)
    expect((await post({ origin: at.server.url, 'x-requested-by': 'console' })).status).toBe(200)
    const hostile: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'x-requested-by': 'console' },
      { 'sec-fetch-site': 'cross-site', 'x-requested-by': 'console' },
      { 'sec-fetch-site': 'same-site', origin: at.server.url, 'x-requested-by': 'console' },
      { origin: 'https://evil.example', 'x-requested-by': 'console' },
      { origin: 'null', 'x-requested-by': 'console' },
    ]
    for (const headers of hostile) expect((await post(headers)).status, JSON.stringify(headers)).toBe(401)
    const events = (headers: Record<string, string>) => browser.request(`${at.server.url}/v1/events`, { headers })
    expect((await events({ 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    for (const site of ['cross-site', 'same-site', 'none']) expect((await events({ 'sec-fetch-site': site })).status).toBe(401)
  })

  test('is never allowed to other origins by CORS', async () => {
    const open = await startWithIssuer({ corsOrigin: 'https://app.example.com' })
    try {
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-requested-by' }
      const preflight = await fetch(`${open.server.url}/v1/operations/get_current_user`, { method: 'OPTIONS', headers })
      expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('x-requested-by')
    } finally {
      await open.close()
    }
  })

  test('is restored, and opens batches, streams and the contract of its workspace', async () => {
    const browser = await signedIn('grace')
    const get = (path: string, headers: Record<string, string> = {}) => browser.request(`${at.server.url}${path}`, { headers: { ...OURS, ...headers } })
    expect(await (await get('/sign-in')).json()).toEqual({ Oidc: { Name: 'Acme' }, SignedIn: true })
    expect(await (await fetch(`${at.server.url}/sign-in`)).json()).toEqual({ Oidc: { Name: 'Acme' }, SignedIn: false })
    expect((await get('/openapi.json')).headers.get('cache-control')).toContain('private')
    const body = JSON.stringify({ Operations: [{ Operation: 'get_current_user', Input: {} }] })
    expect((await browser.request(`${at.server.url}/v1/batch`, { method: 'POST', headers: { ...OURS, ...JSON_BODY }, body })).status).toBe(200)
    const live = await get('/v1/events', { accept: 'text/event-stream' })
    expect(live.headers.get('content-type')).toContain('text/event-stream')
    await live.body?.cancel()
  })

  test('is ended by signing out, here and at the issuer', async () => {
    const browser = await signedIn('grace')
    const signOut = (headers: Record<string, string>) => browser.request(`${at.server.url}/sign-out`, { method: 'POST', headers })
    // Another page cannot sign a person out.
    expect((await signOut({ 'sec-fetch-site': 'cross-site', 'x-requested-by': 'console' })).status).toBe(401)
    expect((await browser.request(`${at.server.url}/sign-out`)).status).toBe(404)
    const secret = browser.cookies.get(at.server.url)?.get('crm-session') as string
    const response = await signOut(OURS)
    const { Address } = (await response.json()) as { Address: string }
    expect(response.headers.getSetCookie()[0]).toContain('crm-session=; Path=/; Max-Age=0')
    const { origin, searchParams } = new URL(Address)
    expect(origin).toBe(at.issuer)
    expect(searchParams.get('id_token_hint')).toMatch(/^eyJ/)
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${at.server.url}/`)
    const bearer = await at.server.post('get_current_user', {}, { authorization: `Bearer ${secret}` })
    expect((await problemIn(bearer)).detail).toBe('This key has been revoked.')
  })

  test('ends with its user, within a second and for streams that are open', async () => {
    const browser = await signedIn('grace')
    const { UserID } = (await (await me(browser)).json()) as { UserID: string }
    const live = await browser.request(`${at.server.url}/v1/events`, { headers: { ...OURS, accept: 'text/event-stream' } })
    const read = live.text()
    await at.server.call('update_user', { UserID, FieldsToUpdate: { Active: false } })
    await vi.waitFor(async () => expect((await me(browser)).status).toBe(401), { timeout: 60_000 })
    expect(await read).toContain('unauthenticated')
    const state = await browser.request(`${at.server.url}/sign-in`, { headers: OURS })
    expect(await state.json()).toMatchObject({ SignedIn: false })
    expect(state.headers.getSetCookie()).toEqual([expect.stringContaining('crm-session=; Path=/; Max-Age=0')])
    expect(reasonIn(await signIn(new CookieBrowser(), 'grace'))).toBe('inactive')
    await at.server.call('update_user', { UserID, FieldsToUpdate: { Active: true } })
  })

  test('of an admin creates keys that last', async () => {
    const browser = await signedIn('ada')
    const body = JSON.stringify({ Label: 'for a program' })
    const response = await browser.request(`${at.server.url}/v1/operations/create_key`, { method: 'POST', headers: { ...OURS, ...JSON_BODY }, body })
    expect(await response.json()).toMatchObject({ ExpiresDate: null, Kind: null })
  })

  test('is begun and known in all processes of the store, and ends in all of them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crm-oidc-'))
    const open = () => openSqlite(join(folder, 'crm.db'))
    const one = await startWithIssuer({ open })
    const two = await startServer({ open, key: one.server.key, oidc: settingsFor(one.issuer) })
    try {
      const browser = new CookieBrowser()
      const callback = await atIssuer(browser, `${one.server.url}/sign-in/oidc`, 'grace')
      browser.cookies.set(two.url, new Map(browser.cookies.get(one.server.url)))
      const signedIn = await browser.request(callback.replace(one.server.url, two.url))
      expect(signedIn.headers.get('location')).toBe(`${one.server.url}/`)
      expect(reasonIn(await browser.request(callback))).toBe('expired')
      const cookie = `crm-session=${browser.cookies.get(two.url)?.get('crm-session')}`
      const status = async (url: string) => (await fetch(`${url}/v1/events`, { headers: { ...OURS, cookie } })).status
      expect([await status(one.server.url), await status(two.url)]).toEqual([200, 200])
      const { Records } = await one.server.call('get_many_users', { Filters: { Identity: `${one.issuer}#grace` } })
      const [{ UserID }] = Records as [{ UserID: string }]
      await one.server.call('update_user', { UserID, FieldsToUpdate: { Active: false } })
      await vi.waitFor(async () => expect([await status(one.server.url), await status(two.url)]).toEqual([401, 401]), { timeout: 60_000 })
    } finally {
      await two.close()
      await one.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
