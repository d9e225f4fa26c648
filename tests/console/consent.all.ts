import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consoleForFile, type HowToOpen } from '../support/console.ts'
import { authorizationUrl, newVerifier, postForm, redemption, register } from '../support/oauth.ts'

const crm = consoleForFile()

/** The browser comes back to an address of the service itself, where there is nothing. */
const callback = () => `${crm.server.url}/callback`

/** The consent page for a new client, as a browser gets there. */
async function asked(params: { readonly [name: string]: string } = {}, how?: HowToOpen) {
  const { client_id } = await register(crm.server, { client_name: 'Sales agent', redirect_uris: [callback()] })
  const verifier = newVerifier()
  const address = authorizationUrl(crm.server, client_id, verifier, { redirect_uri: callback(), scope: 'read write delete', ...params })
  const page = await crm.open(address.slice(crm.server.url.length + 1), how)
  crm.refusals(page)
  return { page, client_id, verifier }
}

async function answerIn(page: Page): Promise<URLSearchParams> {
  await page.waitForURL((url) => url.pathname === '/callback')
  return new URL(page.url()).searchParams
}

const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })

test('a person signs in, sees who asks and for what, and grants less', async () => {
  const { page, client_id, verifier } = await asked({}, { key: null })
  await page.getByLabel('Key').fill(crm.server.key)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('heading', { name: 'Allow Sales agent to act for you?' }).waitFor()
  const text = await page.locator('main').innerText()
  for (const shown of ['Registered itself', new URL(crm.server.url).host, 'Admin, workspace default']) expect(text).toContain(shown)
  expect(await box(page, 'Confirm deletes').isChecked()).toBe(true)
  await box(page, 'Create and change').uncheck()
  await page.getByRole('button', { name: 'Allow' }).click()

  const answer = await answerIn(page)
  expect([answer.get('state'), answer.get('iss')]).toEqual(['state-1', crm.server.url])
  const { body } = await postForm(crm.server, '/oauth/token', {
    ...redemption(client_id, { code: answer.get('code') ?? '', verifier }),
    redirect_uri: callback(),
  })
  expect(await crm.server.call('get_current_user', {}, { authorization: `Bearer ${body.access_token}` })).toMatchObject({
    Scopes: ['read', 'delete'],
    Confirm: 'deletes',
  })
})

test('a member sees the agents that they have let in, and disconnects one', async () => {
  const { UserID } = await crm.server.call('create_user', { Name: 'Grace Hopper', Role: 'member' })
  const { Key } = await crm.server.call('create_key', { UserID, Scopes: ['read', 'write', 'delete'] })
  const { page, client_id, verifier } = await asked({}, { key: Key as string })
  await page.getByRole('button', { name: 'Allow' }).click()
  const code = (await answerIn(page)).get('code') ?? ''
  const { body } = await postForm(crm.server, '/oauth/token', { ...redemption(client_id, { code, verifier }), redirect_uri: callback() })
  await page.goto(`${crm.server.url}/#/`)
  await page.getByRole('link', { name: 'Connected agents' }).click()
  await page.getByRole('cell', { name: 'Sales agent Deletions wait' }).waitFor()
  await page.getByRole('cell', { name: 'Read, Create and change, Delete' }).waitFor()
  await page.getByRole('button', { name: 'Disconnect Sales agent' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Sales agent disconnected.').waitFor()
  await page.getByRole('heading', { name: 'No connected agents' }).waitFor()
  await page.getByText(/\/mcp$/).waitFor()
  expect((await crm.server.post('get_current_user', {}, { authorization: `Bearer ${body.access_token}` })).status).toBe(401)
})

test('a person has deletes confirmed by people alone', async () => {
  const { page, client_id, verifier } = await asked()
  await box(page, 'Only a person confirms them').check()
  await box(page, 'Confirm deletes').uncheck()
  expect(await box(page, 'Only a person confirms them').count()).toBe(0)
  await box(page, 'Confirm deletes').check()
  await page.getByRole('button', { name: 'Allow' }).click()
  const code = (await answerIn(page)).get('code') ?? ''
  const { body } = await postForm(crm.server, '/oauth/token', { ...redemption(client_id, { code, verifier }), redirect_uri: callback() })
  expect(await crm.server.call('get_current_user', {}, { authorization: `Bearer ${body.access_token}` })).toMatchObject({ Confirm: 'person' })
})

test('a person denies, and the program is told so', async () => {
  const { page } = await asked()
  await page.getByRole('button', { name: 'Deny' }).click()
  expect((await answerIn(page)).get('error')).toBe('access_denied')
})

test('administration is asked for by name and chosen by hand', async () => {
  const { page } = await asked({ scope: 'read admin write:Lead' })
  await box(page, 'Administer').waitFor()
  expect(await box(page, 'Administer').isChecked()).toBe(false)
  expect(await box(page, 'Create and change leads').isChecked()).toBe(true)
  await box(page, 'Read').uncheck()
  await box(page, 'Create and change leads').uncheck()
  expect(await page.getByRole('button', { name: 'Allow' }).isDisabled()).toBe(true)
})

test('a request that is none says so', async () => {
  const page = await crm.open('#/authorize?request=nonsense')
  crm.refusals(page)
  await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor()
})

test('on a phone everything fits', async () => {
  const { page } = await asked({}, { size: 'phone', theme: 'dark' })
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
})

test('no other site can show the page in a frame', async () => {
  const { headers } = await fetch(`${crm.server.url}/`)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('x-frame-options')).toBe('DENY')
})
