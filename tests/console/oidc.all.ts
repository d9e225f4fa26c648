import { createServer } from 'node:http'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type IssuerAndServer, listening, startWithIssuer } from '../support/oidc-issuer.ts'

let at: IssuerAndServer
let browser: Browser
const contexts: BrowserContext[] = []

beforeAll(async () => {
  ;[at, browser] = await Promise.all([startWithIssuer(), launchBrowser()])
})
afterAll(async () => {
  for (const context of contexts) await context.close()
  await browser?.close()
  await at?.close()
})

async function newPage(): Promise<Page> {
  const context = await browser.newContext()
  contexts.push(context)
  // Pages are slow on a loaded machine; the timeout only ends tests that hang.
  context.setDefaultTimeout(120_000)
  return context.newPage()
}

/** Signs in at the issuer's own pages. */
async function signIn(page: Page, login: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function signedIn(login: string, hash = ''): Promise<Page> {
  const page = await newPage()
  await page.goto(`${at.server.url}/${hash}`)
  await signIn(page, login)
  await page.getByRole('navigation').waitFor()
  return page
}

describe('a person', () => {
  test('signs in with the organisation, is shown, stays signed in after a reload and in another tab, and no script can read the session', async () => {
    const page = await signedIn('ada', '#/leads')
    expect(page.url()).toBe(`${at.server.url}/#/leads`)
    await page.getByTitle('ada@example.com').waitFor()
    expect(await page.evaluate('document.cookie + JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain('crm_')
    await page.reload()
    await page.getByTitle('ada@example.com').waitFor()
    const another = await page.context().newPage()
    await another.goto(at.server.url)
    await another.getByTitle('ada@example.com').waitFor()
    // Writes work, and live events do.
    await page.goto(`${at.server.url}/#/users`)
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    const { status } = (await page.evaluate(
      `fetch('v1/operations/create_a_lead', { method: 'POST', headers: { 'x-requested-by': 'console', 'content-type': 'application/json' }, body: '{"FirstName":"G","LastName":"H"}' }).then(({ status }) => ({ status }))`,
    )) as { status: number }
    expect(status).toBe(200)
  })

  test('signs out here and at the issuer', async () => {
    const page = await signedIn('ada')
    await page.getByRole('button', { name: 'Sign out' }).click()
    // The issuer asks whether to end its own session too.
    await page.getByRole('button', { name: /yes/i }).click()
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor()
    expect(await page.context().cookies(at.server.url)).not.toContainEqual(expect.objectContaining({ name: 'crm-session' }))
    await page.getByRole('link', { name: 'Sign in with Acme' }).click()
    // Signed out there as well, so that it asks again.
    await page.locator('input[name=login]').waitFor()
  })

  test('whom no rule matches is told so, once, and can still use a key', async () => {
    const page = await newPage()
    await page.goto(at.server.url)
    await signIn(page, 'eve')
    await page.getByText('No rule of this service lets you in. Ask an admin.').waitFor()
    expect(page.url()).toBe(`${at.server.url}/`)
    await page.reload()
    await page.getByLabel('Key', { exact: true }).waitFor()
    expect(await page.getByText('No rule of this service').count()).toBe(0)
    await page.getByLabel('Key', { exact: true }).fill(at.server.key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation').waitFor()
  })

  test('who is deactivated is signed out, and told so', async () => {
    const page = await signedIn('grace')
    const { Records } = await at.server.call('get_many_users', { Filters: { Name: 'Grace Hopper' } })
    const { UserID } = (Records as { UserID: string }[])[0] as { UserID: string }
    await at.server.call('update_user', { UserID, FieldsToUpdate: { Active: false } })
    await page.evaluate("location.hash = '#/leads'")
    await page.getByText('Your session has ended. Sign in again.').waitFor()
    await at.server.call('update_user', { UserID, FieldsToUpdate: { Active: true } })
  })
})

test('a page of another site can neither act with a session nor read with it', async () => {
  const page = await signedIn('ada')
  const target = `${at.server.url}/v1/operations/create_a_lead`
  const http = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(
      `<form id="form" method="post" enctype="text/plain" action="${target}"><input name='{"FirstName":"Forged","LastName":"By form","x":"' value='"}'></form>`,
    )
  })
  // localhost is another site than 127.0.0.1, as the issuer is.
  const evil = `http://localhost:${await listening(http)}`
  try {
    const attack = await page.context().newPage()
    await attack.goto(evil)
    const post = (url: string, init: string) =>
      attack.evaluate(`fetch('${url}', { method: 'POST', credentials: 'include', ${init} }).then(({ status }) => status, () => 'blocked')`)
    // The first request arrives, and its answer is blocked; the second is not even sent.
    expect(await post(target, `mode: 'no-cors', body: '{"FirstName":"Forged","LastName":"By fetch"}'`)).toBe('blocked')
    expect(await post(target, `headers: { 'x-requested-by': 'console' }, body: '{"FirstName":"Forged","LastName":"By fetch"}'`)).toBe('blocked')
    expect(await post(`${at.server.url}/sign-out`, `mode: 'no-cors'`)).toBe('blocked')
    await attack.evaluate("document.getElementById('form').submit()")
    await attack.waitForURL(target)
    expect(await attack.content()).toContain('unauthenticated')
    const { Records } = await at.server.call('get_many_leads', { Filters: { FirstName: 'Forged' } })
    expect(Records).toEqual([])
    // The session goes on.
    await page.reload()
    await page.getByTitle('ada@example.com').waitFor()
  } finally {
    http.closeAllConnections()
    http.close()
  }
})
