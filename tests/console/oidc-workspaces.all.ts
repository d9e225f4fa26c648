import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { authorizationUrl, newVerifier, postForm, redemption, register } from '../support/oauth.ts'
import { type IssuerAndServer, startWithIssuer } from '../support/oidc-issuer.ts'

const rule = (group: string, role: 'admin' | 'member', workspace: string) => ({ claims: { groups: [group] }, emailDomains: [], role, workspace })

let at: IssuerAndServer
let browser: Browser
let salesId: string
const contexts: BrowserContext[] = []

beforeAll(async () => {
  const rules = [rule('crm-admins', 'admin', 'default'), rule('staff', 'member', 'sales')]
  ;[at, browser] = await Promise.all([startWithIssuer({}, { rules }), launchBrowser()])
  salesId = (await at.server.call('create_workspace', { Name: 'sales' })).WorkspaceID as string
})
afterAll(async () => {
  for (const context of contexts) await context.close()
  await browser?.close()
  await at?.close()
})

/** A page on which a person signs in at the issuer's own pages, and comes back to the address. */
async function signedIn(login: string, address: string): Promise<Page> {
  const context = await browser.newContext()
  contexts.push(context)
  // Pages are slow on a loaded machine; the timeout only ends tests that hang.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('link', { name: 'Sign in with Acme' }).click()
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  return page
}

const choice = (page: Page) => page.getByRole('combobox', { name: 'Workspace' })

test('a person goes over to another of their workspaces, in all tabs, and comes back', async () => {
  const page = await signedIn('ada', `${at.server.url}/#/users`)
  await page.getByText('admin · ').waitFor()
  expect(await choice(page).locator('option').allInnerTexts()).toEqual(['default', 'sales'])
  const other = await page.context().newPage()
  await other.goto(`${at.server.url}/#/leads`)
  await choice(other).waitFor()

  await choice(page).selectOption('sales')
  for (const tab of [page, other]) {
    await tab.getByText('member · ').waitFor()
    expect(await choice(tab).inputValue()).toBe('sales')
    expect(tab.url()).toBe(`${at.server.url}/`)
    // Members do not administrate.
    expect(await tab.getByRole('link', { name: 'Users' }).count()).toBe(0)
  }
  await choice(other).selectOption('default')
  await page.getByText('admin · ').waitFor()
})

test('a workspace that is paused meanwhile is refused in words, and not offered afterwards', async () => {
  const page = await signedIn('ada', at.server.url)
  await choice(page).waitFor()
  await at.server.call('pause_workspace', { WorkspaceID: salesId })
  await choice(page).selectOption('sales')
  await page.getByText('Still in default: You cannot go over to this workspace.').waitFor()
  expect(await choice(page).inputValue()).toBe('default')
  await page.reload()
  await page.getByText('admin · default').waitFor()
  expect(await choice(page).count()).toBe(0)
  await at.server.call('resume_workspace', { WorkspaceID: salesId })
})

test('the consent page offers the workspaces, with what the person may grant in each', async () => {
  const callback = `${at.server.url}/callback`
  const { client_id } = await register(at.server, { client_name: 'Sales agent', redirect_uris: [callback] })
  const verifier = newVerifier()
  const page = await signedIn('ada', authorizationUrl(at.server, client_id, verifier, { redirect_uri: callback, scope: 'read write admin' }))
  await page.getByRole('heading', { name: 'Allow Sales agent to act for you?' }).waitFor()
  expect(await choice(page).inputValue()).toBe('default')
  await page.getByRole('checkbox', { name: 'Administer' }).waitFor()
  await choice(page).selectOption('sales')
  expect(await page.getByRole('checkbox', { name: 'Administer' }).count()).toBe(0)
  await page.getByRole('checkbox', { name: 'Create and change' }).uncheck()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL((url) => url.pathname === '/callback')
  const code = new URL(page.url()).searchParams.get('code') ?? ''
  const { body } = await postForm(at.server, '/oauth/token', { ...redemption(client_id, { code, verifier }), redirect_uri: callback })
  const me = await at.server.call('get_current_user', {}, { authorization: `Bearer ${body.access_token}` })
  expect(me).toMatchObject({ Name: 'Ada Lovelace', Workspace: 'sales', Role: 'member', Scopes: ['read'] })
})

test('a person of one workspace is shown its name alone', async () => {
  const page = await signedIn('grace', at.server.url)
  await page.getByText('member · sales').waitFor()
  expect(await choice(page).count()).toBe(0)
})
