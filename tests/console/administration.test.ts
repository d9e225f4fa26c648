import { expect, test } from 'vitest'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { startKeyUse } from '../../src/core/access/key-use.ts'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const as = (key: string) => ({ authorization: `Bearer ${key}` })
const status = async (key: string, operation: string, input: object = {}) => (await crm.server.post(operation, input, as(key))).status
const user = async (Name: string) => ((await crm.server.call('get_many_users', { Filters: { Name } })).Records as { [field: string]: unknown }[])[0]

test('a key can be made whose deletes a person alone allows', async () => {
  const page = await crm.open('#/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill('careful agent')
  await page.getByRole('checkbox', { name: 'Read, everything' }).check()
  await page.getByRole('checkbox', { name: 'Deletions wait for approval' }).check()
  await page.getByRole('checkbox', { name: 'Only a person approves them' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'I saved it' }).click()
  await page
    .getByRole('row', { name: /careful agent/ })
    .getByText('Deletions wait for a person')
    .waitFor()
  await page.close()
})

test('a new key allows nothing until scopes are chosen, one by one or by a preset', async () => {
  const page = await crm.open('#/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  const ticked = () =>
    dialog
      .locator('.scopes-table input:checked:enabled')
      .evaluateAll<string[], HTMLInputElement>((boxes) => boxes.map((box) => box.getAttribute('aria-label') ?? ''))
  const preset = (name: string) => dialog.getByRole('group', { name: 'Presets' }).getByRole('button', { name })
  const waits = dialog.getByRole('checkbox', { name: 'Deletions wait for approval' })
  expect(await ticked()).toEqual([])
  expect(await dialog.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true)

  await preset('Agent').click()
  expect(await ticked()).toEqual(['Read, everything', 'Create and change, everything', 'Delete, everything'])
  expect(await waits.isChecked()).toBe(true)
  await preset('Import').click()
  expect(await ticked()).toEqual(['Read, everything', 'Create and change, everything'])
  expect(await waits.isChecked()).toBe(false)
  await preset('Everything').click()
  expect(await ticked()).toContain('Administer, everything')
  await preset('Read leads').click()
  expect(await ticked()).toEqual(['Read, lead'])
  expect(await preset('Read leads').getAttribute('aria-pressed')).toBe('true')
  expect(await preset('Agent').getAttribute('aria-pressed')).toBe('false')
  await dialog.getByLabel('Label').fill('report')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'I saved it' }).click()
  expect(await status(key, 'get_many_leads')).toBe(200)
  expect(await status(key, 'get_many_cases')).toBe(403)
  await page.close()
})

test('a key allows what was chosen, is shown once, and is worth nothing once revoked', async () => {
  const page = await crm.open('#/keys')
  await page.getByText('In use', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Label').fill('nightly import')
  await page.keyboard.press('Escape')
  await page.getByText('Discard what you typed?').waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  expect(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('checkbox', { name: 'Read, lead' }).check()
  await page.getByLabel('Single operations').fill('create_case')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Deletions wait for approval' }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()

  const key = await page.getByLabel('Key', { exact: true }).inputValue()
  // From beside the dialog too, and however often: browsers close a dialog that was asked twice.
  await page.mouse.click(5, 5)
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('Not closed yet').waitFor()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const row = page.getByRole('row', { name: /nightly import/ })
  expect(await row.innerText()).toMatch(/Deletions wait[\s\S]*Read leads, Create Case[\s\S]*in 3 months/)
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

test('the list says when a key was last used', async () => {
  const { KeyID } = await crm.server.call('create_key', { Label: 'idle', Scopes: ['read'] })
  const { KeyID: used, Key: secret } = await crm.server.call('create_key', { Label: 'busy', Scopes: ['read'] })
  const { service } = crm.server
  const use = startKeyUse(service)
  await createAuthenticator(service, use.note)(secret as string)
  await use.stop()
  const page = await crm.open('#/keys')
  const cell = (label: string) =>
    page
      .getByRole('row', { name: new RegExp(label) })
      .getByRole('cell')
      .nth(3)
  await cell('busy').locator('time').waitFor()
  expect(await cell('idle').innerText()).toContain('never')
  const { Records } = await crm.server.call('get_many_keys', { Filters: { LastUsedDate: { ne: null } } })
  expect((Records as { KeyID: unknown }[]).map((key) => key.KeyID)).toEqual([used])
  for (const key of [KeyID, used]) await crm.server.call('revoke_key', { KeyID: key })
  await page.close()
})

test('how long ago it was goes on while the page is open', async () => {
  const page = await crm.open('#/keys')
  await page.getByText('In use', { exact: true }).waitFor()
  const made = page
    .getByRole('row', { name: /In use/ })
    .locator('time')
    .first()
  await page.clock.install({ time: (await made.getAttribute('datetime')) ?? '' })
  await page.reload()
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
  for (const title of ['Approvals', 'Connections', 'Webhooks', 'API keys', 'Users']) expect(pages).not.toContain(title)
  for (const path of ['plans', 'connections', 'webhooks', 'keys', 'users']) {
    await page.evaluate(`location.hash = '#/${path}'`)
    await page.getByRole('heading', { name: 'Not allowed with this key' }).waitFor()
  }
  await page.close()
})
