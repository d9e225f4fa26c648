import { expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const as = (key: string) => ({ authorization: `Bearer ${key}` })
const status = async (key: string) => (await crm.server.post('get_many_leads', {}, as(key))).status

test('an operator creates a workspace, pauses, resumes and deletes it', async () => {
  const page = await crm.open('#/workspaces')
  crm.refusals(page)
  await page.getByText('Yours', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByLabel('Name', { exact: false }).first().fill('Acme')
  await page.getByLabel('Users').fill('25')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('A workspace name is small letters').first().waitFor()
  await page.getByLabel('Name', { exact: false }).first().fill('acme')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'I saved it' }).click()
  expect(await page.content()).not.toContain(key)
  expect(await status(key)).toBe(200)

  const row = page.getByRole('row', { name: /acme/ })
  expect(await row.innerText()).toContain('25 users')
  await row.getByRole('button', { name: 'Pause' }).click()
  await row.getByText('Paused').waitFor()
  expect(await status(key)).toBe(403)
  await row.getByRole('button', { name: 'Resume' }).click()
  await row.getByRole('button', { name: 'Pause' }).waitFor()
  expect(await status(key)).toBe(200)

  await page.getByLabel('Search workspaces').fill('zzz')
  await page.getByText('No workspace has this name.').waitFor()
  await page.getByLabel('Search workspaces').fill('ACM')
  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByText(/1 User/).waitFor()
  await page.getByLabel('Type acme to confirm').fill('acm')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This workspace is called').waitFor()
  await page.getByLabel('Type acme to confirm').fill('acme')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await row.getByText('Being deleted').waitFor()
  expect(await status(key)).toBe(403)
  await page.close()
})

test('without the scope operator there is no page of workspaces', async () => {
  const { Key } = await crm.server.call('create_key', { Scopes: ['read', 'write', 'delete', 'admin'] })
  const page = await crm.open('#/keys', { key: Key as string })
  await page.getByText('In use', { exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Workspaces' }).count()).toBe(0)
  await page.close()
})
