import { afterAll, beforeAll, expect, test } from 'vitest'
import { CookieBrowser } from '../support/cookie-browser.ts'
import { type Forgery, startForgingIssuer } from '../support/forging-issuer.ts'
import { settingsFor } from '../support/oidc-issuer.ts'
import { startServer, type TestServer } from '../support/server.ts'

const { clientSecret = '' } = settingsFor('')
let issuer: Awaited<ReturnType<typeof startForgingIssuer>>
let server: TestServer

beforeAll(async () => {
  issuer = await startForgingIssuer(clientSecret)
  server = await startServer({ oidc: settingsFor(issuer.issuer) })
})
afterAll(async () => {
  await server?.close()
  await issuer?.close()
})

/** Where a sign-in ends whose ID token is forged like this. */
async function outcome(forgery: Forgery): Promise<{ readonly location: string | null; readonly cookies: readonly string[] }> {
  const browser = new CookieBrowser()
  const { searchParams } = new URL((await browser.request(`${server.url}/sign-in/oidc`)).headers.get('location') ?? '')
  issuer.forge(forgery, searchParams.get('nonce') ?? '')
  const answer = new URLSearchParams({ code: 'any', state: searchParams.get('state') ?? '' })
  const response = await browser.request(`${server.url}/sign-in/oidc/callback?${answer}`)
  return { location: response.headers.get('location'), cookies: response.headers.getSetCookie() }
}

test('a proper ID token signs in', async () => {
  expect((await outcome({})).location).toBe(`${server.url}/`)
})

const past = Math.floor(Date.now() / 1000) - 3600

const FORGERIES: { readonly [what: string]: Forgery } = {
  'for another client': { claims: { aud: 'another' } },
  'for several clients, granted to another': { claims: { aud: ['crm', 'another'], azp: 'another' } },
  'of another issuer': { claims: { iss: 'https://evil.example' } },
  expired: { claims: { iat: past - 60, exp: past } },
  'with the nonce of another sign-in': { claims: { nonce: 'another' } },
  'without a nonce': { claims: { nonce: undefined } },
  'signed with another key': { signature: 'other' },
  'signed with the secret of the client': { signature: 'secret' },
  'not signed': { signature: 'none' },
  'with a subject that is too long': { claims: { sub: 'x'.repeat(256) } },
}

test.each(Object.keys(FORGERIES))('an ID token %s is refused', async (what) => {
  const { location, cookies } = await outcome(FORGERIES[what] as Forgery)
  expect(location).toBe(`${server.url}/?sign-in=invalid`)
  expect(cookies).toEqual([])
})

test('an issuer that does not answer is said to', async () => {
  const lonely = await startServer({ oidc: settingsFor('http://localhost:9') })
  try {
    const response = await fetch(`${lonely.url}/sign-in/oidc`, { redirect: 'manual' })
    expect(response.headers.get('location')).toBe(`${lonely.url}/?sign-in=unavailable`)
  } finally {
    await lonely.close()
  }
})

test('a service that is reached without TLS from elsewhere starts no sign-in', async () => {
  const response = await server.app.inject({ url: '/sign-in/oidc', headers: { host: 'crm.example.com' } })
  expect(response.headers.location).toBe('http://crm.example.com/?sign-in=insecure')
})

test('without OpenID Connect a cookie means nothing', async () => {
  const plain = await startServer()
  try {
    expect(await (await fetch(`${plain.url}/sign-in`)).json()).toEqual({ Oidc: null, SignedIn: false })
    const headers = { cookie: `crm-session=${plain.key}`, 'sec-fetch-site': 'same-origin', 'x-requested-by': 'console' }
    expect((await fetch(`${plain.url}/v1/events`, { headers })).status).toBe(401)
    expect((await fetch(`${plain.url}/sign-in/oidc`, { redirect: 'manual' })).status).toBe(404)
  } finally {
    await plain.close()
  }
})
