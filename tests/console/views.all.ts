import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Views' })
const tab = (page: Page, name: string) => tabs(page).getByRole('link', { name, exact: true })
const matching = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()
const where = (filters: object) => `where=${encodeURIComponent(JSON.stringify(filters))}`
const current = (page: Page) => tabs(page).locator('[aria-current]').innerText()

let member: string

beforeAll(async () => {
  const { call } = crm.server
  for (const [Subject, Status] of [
    ['Leaking roof', 'New'],
    ['Late invoice', 'New'],
    ['Lost parcel', 'Closed'],
  ])
    await call('create_case', { Subject, Status, Description: 'x' })
  const { UserID } = await call('create_user', { Name: 'Bo Lindqvist', Role: 'manager' })
  member = String((await call('create_key', { UserID, Scopes: ['read', 'write'] })).Key)
})

test('a view is a tab, is shared with the team, updated, renamed and deleted', async () => {
  const page = await crm.open(`#/cases?${where({ Status: 'New' })}`)
  await matching(page, '2 cases match')
  await button(page, 'Save view').click()
  await page.getByLabel('Name of the view').fill('New ones')
  await page.keyboard.press('Enter')
  await expect.poll(() => current(page)).toContain('New ones')
  // What was pressed is gone, and the tab has the focus.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New ones')
  expect(await button(page, 'Save view').count()).toBe(0)

  const other = await crm.open('#/operations', { key: member })
  // It has read the views before one is shared.
  await Promise.all([other.waitForResponse((response) => response.url().endsWith('/v1/views')), other.evaluate("location.hash = '#/cases'")])
  await tab(other, 'All cases').waitFor()
  await button(page, 'Edit view').click()
  await page.getByLabel('Share with the team').check()
  await page.getByLabel('Name of the view').fill('Unread')
  await page.getByRole('dialog', { name: 'Edit view' }).getByRole('button', { name: 'Save', exact: true }).click()
  await tab(page, 'Unread (shared)').waitFor()
  expect(await tab(other, 'Unread (shared)').count()).toBe(0)
  // What others have shared meanwhile is there when one comes back to the page.
  await other.evaluate("window.dispatchEvent(new Event('focus'))")
  await tab(other, 'Unread (shared)').waitFor()
  await other.reload()
  await tab(other, 'Unread (shared)').click()
  await expect.poll(() => other.locator('.records-about').innerText()).toMatch(/match/)
  expect(await current(other)).toContain('Unread')
  expect(await button(other, 'Edit view').count()).toBe(0)

  // Another filter leaves the view, until it is updated to what is shown.
  await page.goto(`${page.url().replace('New', 'Closed')}`)
  await matching(page, '1 case matches')
  expect(await current(page)).toContain('Unread')
  await button(page, 'Update view').click()
  await button(page, 'Update view').waitFor({ state: 'detached' })
  await tab(page, 'All cases').click()
  await matching(page, '3 cases')
  await tab(page, 'Unread (shared)').click()
  await matching(page, '1 case matches')

  await button(page, 'Edit view').click()
  await button(page, 'Delete view').click()
  await tab(page, 'Unread (shared)').waitFor({ state: 'detached' })
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).waitFor()
  await other.evaluate("window.dispatchEvent(new Event('focus'))")
  await tab(other, 'Unread (shared)').waitFor({ state: 'detached' })
  await matching(page, '3 cases')
  // The button may be gone by now, the key is not.
  await page.keyboard.press('Control+z')
  await tab(page, 'Unread (shared)').waitFor()
})

test('a name that is taken is refused beside it, and views of the browser are taken over once', async () => {
  const page = await crm.open('#/opportunities')
  await tab(page, 'All opportunities').waitFor()
  await page.evaluate(`localStorage.setItem('crm-connector-views:default:leads', JSON.stringify([{ name: 'From before', query: 'order=LastName+asc' }]))`)
  await page.evaluate("location.hash = '#/leads'")
  await tab(page, 'From before').click()
  await page.waitForURL(/order=LastName/)
  expect(await page.evaluate(`localStorage.getItem('crm-connector-views:default:leads')`)).toBe(null)
  await page.reload()
  await expect.poll(() => tab(page, 'From before').count()).toBe(1)
  crm.refusals(page)
  await page.goto(`${crm.server.url}/#/leads?order=FirstName+asc`)
  await button(page, 'Save view').click()
  await page.getByLabel('Name of the view').fill('from before')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'There is a view called "from before" already.' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Save view')
})

test('more views than fit are in a menu, on a phone too', async () => {
  const { url, key } = crm.server
  for (let nth = 1; nth <= 12; nth++)
    await fetch(`${url}/v1/views`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ RecordType: 'Contact', Name: `Contacts of region ${nth}`, Query: `order=LastName+${nth % 2 ? 'asc' : 'desc'}`, Shared: nth < 4 }),
    })
  for (const size of ['desktop', 'phone'] as const) {
    const page = await crm.open('#/contacts', { size, theme: size === 'phone' ? 'dark' : 'light' })
    await page.getByRole('button', { name: / more$/ }).click()
    await page.getByRole('dialog', { name: 'More views' }).getByRole('link', { name: 'Contacts of region 12' }).click()
    await expect.poll(() => current(page)).toContain('Contacts of region 12')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await page.evaluate(`document.querySelector('.view-tabs').scrollWidth <= document.querySelector('.view-tabs').clientWidth`)).toBe(true)
  }
})

test('the name of a view is shown as it is written, and that of the current one as a whole', async () => {
  const name = 'A name as long as those which people give \u202e to views that they share'
  const page = await crm.open(`#/cases?${where({ Status: 'Closed' })}`)
  await button(page, 'Save view').click()
  await page.getByLabel('Name of the view').fill(name)
  await page.keyboard.press('Enter')
  const shown = tabs(page).locator('[aria-current] > span')
  await expect.poll(() => shown.innerText()).toBe(name.replace('\u202e', '\\u202e'))
  expect(await shown.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  await page.close()
})
