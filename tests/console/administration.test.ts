import { expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const as = (key: string) => ({ authorization: `Bearer ${key}` })
const status = async (key: string, operation: string, input: object = {}) => (await crm.server.post(operation, input, as(key))).status
const user = async (Name: string) => ((await crm.server.call('get_many_users', { Filters: { Name } })).Records as { [field: string]: unknown }[])[0]

test('a key allows what was chosen, is shown once, and is worth nothing once revoked', async () => {
  const page = await crm.open('#/keys')
  await page.getByText('In use', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill('nightly import')
  await page.keyboard.press('Escape')
  await page.getByText('Discard what you typed?').waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByRole('checkbox', { name: 'read, everything' }).uncheck()
  await page.getByRole('checkbox', { name: 'write, everything' }).uncheck()
  expect(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('checkbox', { name: 'read, lead' }).check()
  await page.getByLabel('Single operations').fill('create_case')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Deletes wait for confirmation' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()

  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  // From beside the dialog too, and however often: browsers close a dialog that was asked twice.
  await page.mouse.click(5, 5)
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('Not closed yet').waitFor()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const row = page.getByRole('row', { name: /nightly import/ })
  expect(await row.innerText()).toMatch(/Deletes wait[\s\S]*read:Lead, write:create_case[\s\S]*in 3 months/)
  expect(await page.content()).not.toContain(key)

  expect(await status(key, 'get_many_leads')).toBe(200)
  expect(await status(key, 'create_case', { Subject: 'Engine jams', Description: 'The third column sticks.' })).toBe(200)
  expect(await status(key, 'get_many_cases')).toBe(403)
  expect(await status(key, 'create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).toBe(403)

  await row.getByRole('button', { name: 'Revoke' }).click()
  expect(await status(key, 'get_many_leads')).toBe(200)
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('revoked').waitFor()
  expect(await status(key, 'get_many_leads')).toBe(401)
  await page.close()
})

test('how long ago it was goes on while the page is open', async () => {
  const page = await crm.open('#/keys')
  await page.getByText('In use', { exact: true }).waitFor()
  await page.clock.install()
  await page.reload()
  const made = page
    .getByRole('row', { name: /In use/ })
    .locator('time')
    .first()
  expect(await made.innerText()).toMatch(/second|now/)
  await page.clock.fastForward('03:00:00')
  await expect.poll(() => made.innerText()).toBe('3 hours ago')
  await page.close()
})

test('a user is added below a manager, and changed', async () => {
  const page = await crm.open('#/users')
  crm.refusals(page)
  await page.getByRole('button', { name: 'Add user' }).click()
  await page.getByLabel('Name').fill('Grace Hopper')
  await page.getByLabel('E-mail').fill('nowhere')
  await page.getByLabel('Manager').selectOption({ label: 'Admin' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.locator('.field-wrong', { hasText: 'E-mail' }).getByRole('alert').waitFor()
  await page.getByLabel('E-mail').fill('grace@example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('row', { name: /Grace Hopper/ })
  await row.getByText('grace@example.com').waitFor()
  expect(await row.locator('.admin-below').count()).toBe(1)
  expect(await user('Grace Hopper')).toMatchObject({ Role: 'member', ManagerID: (await user('Admin'))?.UserID, Active: true })

  await row.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Role').selectOption('manager')
  await page.getByLabel('Manager').selectOption('')
  await page.getByRole('checkbox', { name: 'Active' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('inactive').waitFor()
  expect(await user('Grace Hopper')).toMatchObject({ Role: 'manager', ManagerID: null, Active: false })
  await page.close()
})

test('the last admin stays one, and the form says why', async () => {
  const page = await crm.open('#/users')
  crm.refusals(page)
  await page.getByRole('button', { name: 'Edit Admin' }).click()
  await page.getByLabel('Role').selectOption('member')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByRole('alert').getByText('This is the last active admin').waitFor()
  expect(await user('Admin')).toMatchObject({ Role: 'admin' })
  await page.close()
})

test('a member sees nothing of the administration', async () => {
  const { UserID } = await crm.server.call('create_user', { Name: 'Ada Member' })
  const { Key } = await crm.server.call('create_key', { UserID, Scopes: ['read', 'write', 'delete'] })
  const page = await crm.open('#/changes', { key: Key as string })
  await page.getByRole('link', { name: 'Changes' }).waitFor()
  const pages = await page.locator('.sidebar .page-link').allInnerTexts()
  expect(pages).toEqual(expect.arrayContaining(['Leads', 'Changes', 'Events', 'Operations']))
  for (const title of ['Confirmations', 'Connections', 'Webhooks', 'Keys', 'Users']) expect(pages).not.toContain(title)
  for (const path of ['plans', 'connections', 'webhooks', 'keys', 'users']) {
    await page.evaluate(`location.hash = '#/${path}'`)
    await page.getByRole('heading', { name: 'Not allowed with this key' }).waitFor()
  }
  await page.close()
})
