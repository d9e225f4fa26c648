import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

// Failed sign-ins block an address for a window, which must not delay the tests after them.
const crm = consoleForFile({ limitWindowMs: 2_000 })

const kept = (page: Page) => page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
const links = (page: Page) => page.getByRole('navigation').getByRole('link').allInnerTexts()

async function signIn(page: Page, key: string, { always = false } = {}): Promise<void> {
  await page.getByLabel('Key').fill(key)
  if (always) await page.getByLabel('Keep me signed in on this device').check()
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('signing in', () => {
  test('with a key that is none says so, and keeps nothing', async () => {
    const page = await crm.open('#/', { key: null })
    crm.refusals(page)
    await signIn(page, 'not-a-key')
    await page.getByText('This key is unknown, expired or revoked.').waitFor()
    expect(await kept(page)).not.toContain('not-a-key')
  })

  test('says at once that what cannot be a key is none, and nothing moves', async () => {
    const page = await crm.open('#/', { key: null })
    const button = page.getByRole('button', { name: 'Sign in' })
    const before = await button.boundingBox()
    await signIn(page, 'clé-🔑')
    await page.getByText('This is not a key.').waitFor()
    expect(await button.boundingBox()).toEqual(before)
    expect(await page.getByText('data/admin-key').isVisible()).toBe(true)
  })

  test('names its fields shortly, and says the rest beside them', async () => {
    const page = await crm.open('#/', { key: null })
    const keep = page.getByRole('checkbox', { name: 'Keep me signed in on this device', exact: true })
    await keep.waitFor()
    const hint = await keep.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${hint}"]`).innerText()).toBe('Otherwise the key is forgotten when the tab is closed.')
    expect(await page.getByLabel('Key').count()).toBe(1)
  })

  test('leads to the content, and the way to it is shown to the keyboard alone', async () => {
    const page = await crm.open('#/', { key: null })
    await signIn(page, crm.server.key)
    await page.getByRole('navigation').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    const skip = page.getByRole('button', { name: 'Skip to content' })
    const isSeen = async () => ((await skip.boundingBox())?.y ?? -1) >= 0
    expect(await isSeen()).toBe(false)
    await page.reload()
    await skip.waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(isSeen).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    expect(await isSeen()).toBe(false)
  })

  test('keeps the key for the tab alone, and signing out forgets it', async () => {
    const page = await crm.open('#/', { key: null })
    await signIn(page, ` ${crm.server.key} `)
    await page.getByRole('navigation').waitFor()
    const [tab, device] = JSON.parse(await kept(page)) as [object, object]
    expect(JSON.stringify(tab)).toContain(crm.server.key)
    expect(JSON.stringify(device)).not.toContain(crm.server.key)
    const another = await page.context().newPage()
    await another.goto(crm.server.url)
    await another.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('navigation').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key', { exact: true }).waitFor()
    expect(await kept(page)).not.toContain(crm.server.key)
  })

  test('keeps it for the browser where that is asked for', async () => {
    const page = await crm.open('#/', { key: null })
    await signIn(page, crm.server.key, { always: true })
    await page.getByRole('navigation').waitFor()
    const another = await page.context().newPage()
    await another.goto(crm.server.url)
    await another.getByRole('navigation').waitFor()
    // Whoever signs out does so in all tabs, and whoever signs in again as well.
    await page.getByRole('button', { name: 'Sign out' }).click()
    await another.getByLabel('Key', { exact: true }).waitFor()
    await signIn(page, crm.server.key, { always: true })
    await another.getByRole('navigation').waitFor()
  })
})

describe('what is shown', () => {
  test('is what the key allows', async () => {
    const { Key } = await crm.server.call('create_key', { Scopes: ['read:Lead'], Label: 'leads alone' })
    const page = await crm.open('#/', { key: String(Key) })
    await page.getByRole('navigation').getByRole('link', { name: 'Leads' }).waitFor()
    expect(await links(page)).toEqual(['Overview', 'Leads', 'Changes', 'Events', 'Operations', 'Connected agents', 'Documentation'])
    await page.goto(`${crm.server.url}/#/keys`)
    await page.getByText('Not allowed with this key').waitFor()
  })

  test('begins with the operations where the key may read nothing', async () => {
    const { Key } = await crm.server.call('create_key', { Scopes: ['write:Case'], Label: 'writes alone' })
    const page = await crm.open('#/', { key: String(Key) })
    await page.waitForURL(/#\/operations$/)
    await page.goto(`${crm.server.url}/#/cases`)
    await page.getByText('This key does not allow reading cases.').waitFor()
  })

  test('an address that leads nowhere says so', async () => {
    const page = await crm.open('#/nowhere/%E0%A4%A')
    await page.getByText('Page not found').waitFor()
    await page.getByRole('link', { name: 'Open the overview' }).click()
    await page.waitForURL(/#\/$/)
  })
})

describe('the theme', () => {
  test('follows the device until one is chosen, and the choice stays', async () => {
    const page = await crm.open('#/operations', { theme: 'dark' })
    await page.getByRole('navigation').waitFor()
    const shown = () => page.evaluate('document.documentElement.dataset.theme')
    expect(await shown()).toBe('dark')
    await page.getByRole('button', { name: 'Theme: system' }).click()
    expect(await shown()).toBe('light')
    await page.reload()
    await page.getByRole('navigation').waitFor()
    expect(await shown()).toBe('light')
  })
})

describe('on a phone', () => {
  test('the menu opens, leads somewhere and closes', async () => {
    const page = await crm.open('#/operations', { size: 'phone' })
    const link = page.getByRole('navigation').getByRole('link', { name: 'Leads' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    await page.waitForURL(/#\/leads/)
    await link.waitFor({ state: 'hidden' })
  })

  test('the menu has the focus while it is open, and Escape gives it back', async () => {
    const page = await crm.open('#/operations', { size: 'phone' })
    const focused = () => page.evaluate<string>('document.activeElement.textContent || document.activeElement.ariaLabel')
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Operations')
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate("document.activeElement === document.body || document.activeElement.closest('nav') !== null")).toBe(true)
    }
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Menu')
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Operations')
    await page.getByRole('navigation').getByRole('link', { name: 'Leads' }).press('Enter')
    await page.waitForURL(/#\/leads/)
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
  })
})

test('a page that cannot be loaded says why, and is there once the service answers', async () => {
  const first = await crm.open('#/operations')
  const context = first.context()
  const page = await context.newPage()
  await first.close()
  await page.goto(`${crm.server.url}/#/operations`)
  await page.getByRole('navigation').waitFor()
  await context.setOffline(true)
  await page.evaluate("location.hash = '#/webhooks'")
  await page.getByRole('heading', { name: 'The service did not answer' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'The service still does not answer' }).waitFor()
  await page.evaluate("location.hash = '#/operations'")
  await page.getByRole('heading', { name: 'Operations' }).first().waitFor()
  await context.setOffline(false)
  await page.evaluate("location.hash = '#/webhooks'")
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
})

describe('the service serves it', () => {
  test('under a policy that allows nothing inline and nothing from elsewhere', async () => {
    const response = await fetch(crm.server.url)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(await response.text()).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|style=/)
  })

  test('with assets that a browser may keep, and nothing beside them', async () => {
    const [script = ''] = /assets\/[\w.-]+\.js/.exec(await (await fetch(crm.server.url)).text()) ?? []
    const response = await fetch(`${crm.server.url}/${script}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    for (const name of ['index.html', '..%2findex.html', '%2e%2e%2f%2e%2e%2fmain.js', 'x.js', '']) {
      const refused = await fetch(`${crm.server.url}/assets/${name}`)
      expect([name, refused.status, refused.headers.get('content-type')]).toEqual([name, 404, 'application/problem+json'])
    }
  })
})

test('a key that is revoked ends the session at the next call, and says so', async () => {
  const { Key, KeyID } = await crm.server.call('create_key', { Scopes: ['read'], Label: 'ends soon' })
  const page = await crm.open('#/', { key: String(Key) })
  await page.getByRole('navigation').waitFor()
  await crm.server.call('revoke_key', { KeyID })
  crm.refusals(page)
  await page.evaluate("location.hash = '#/leads'")
  await page.getByText('This key is unknown, expired or revoked.').waitFor()
  expect(JSON.parse(await kept(page))[0]).toEqual({})
})
