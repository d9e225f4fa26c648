import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const rows = (page: Page) => page.locator('.grid-row:has(a)')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const field = (page: Page, label: string) => page.locator('dialog').getByLabel(label, { exact: false })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })

const createLead = async (LastName: string, more: object = {}) =>
  (await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName, ...more })).LeadID as string
const keyWith = async (input: object) => (await crm.server.call('create_key', input)).Key as string

test('a record is created, with what is wrong said beside the field it is about', async () => {
  const page = await crm.open('#/leads')
  crm.refusals(page)
  await button(page, 'New lead').click()
  await field(page, 'First name').fill('Grace')
  await field(page, 'Last name').fill('Hopper')
  await field(page, 'E-mail').fill('nope')
  await button(page, 'Create').click()
  const wrong = page.locator('dialog .field-wrong')
  await wrong.waitFor()
  expect(await wrong.count()).toBe(1)
  expect(await wrong.locator('label').innerText()).toBe('E-mail')
  expect(await wrong.locator('.field-fault').innerText()).toContain('Email')
  expect(await page.locator('dialog .refusal-line').count()).toBe(0)

  await field(page, 'E-mail').fill('grace@example.org')
  await button(page, 'Create').click()
  await row(page, 'Hopper').waitFor()
  expect(await row(page, 'Hopper').innerText()).toContain('grace@example.org')
  expect(await page.locator('dialog').count()).toBe(0)

  await toast(page, 'created').getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Undone.').waitFor()
  await row(page, 'Hopper').waitFor({ state: 'detached' })
})

test('a record is edited, and the change undone from where it was made', async () => {
  const LeadID = await createLead('Byron', { Phone: '+44 1' })
  const page = await crm.open(`#/leads/${LeadID}`)
  await button(page, 'Edit').click()
  await field(page, 'Last name').fill('Lovelace')
  await field(page, 'Phone').fill('')
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor()
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ LastName: 'Lovelace', Phone: null, Status: 'Open', Revision: 2 })
  await toast(page, 'Ada Lovelace saved.').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Ada Byron', level: 1 }).waitFor()
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ LastName: 'Byron', Phone: '+44 1' })
})

test('a record that two people edit at once shows the second what the first has done', async () => {
  const LeadID = await createLead('Conflict')
  const page = await crm.open(`#/leads/${LeadID}`)
  crm.refusals(page)
  await button(page, 'Edit').click()
  await field(page, 'Phone').fill('+1 mine')
  await crm.server.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Theirs', Phone: '+1 theirs' } })
  await button(page, 'Save').click()
  const conflict = page.locator('.conflict')
  await conflict.waitFor()
  expect(await conflict.innerText()).toContain('+1 theirs')
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Phone: '+1 theirs', Revision: 2 })
  await button(page, 'Save mine over it').click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Phone: '+1 mine', Status: 'Theirs', Revision: 3 })
})

test('a record is deleted after asking, and comes back from its own page', async () => {
  const LeadID = await createLead('Goner')
  const page = await crm.open(`#/leads/${LeadID}`)
  crm.refusals(page)
  await button(page, 'Delete').click()
  expect((await crm.server.post('get_leads', { LeadID })).status).toBe(200)
  await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL(/#\/leads$/)
  expect((await crm.server.post('get_leads', { LeadID })).status).toBe(404)

  await page.goto(`${crm.server.url}/#/leads/${LeadID}`)
  await page.getByText('This lead was deleted').waitFor()
  await page.locator('.state').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Ada Goner', level: 1 }).waitFor()
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ LastName: 'Goner' })
})

test('a record that must not go unconfirmed says that its delete waits', async () => {
  const LeadID = await createLead('Guarded')
  const key = await keyWith({ Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
  const page = await crm.open(`#/leads/${LeadID}`, { key })
  crm.refusals(page)
  await button(page, 'Delete').click()
  await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: 'It waits to be confirmed' }).waitFor()
  expect((await crm.server.post('get_leads', { LeadID })).status).toBe(200)
})

test('a record keeps what is typed until it is given up on purpose', async () => {
  const page = await crm.open('#/leads?new')
  await field(page, 'First name').fill('Unsaved')
  await page.keyboard.press('Escape')
  await page.getByText('Discard what you typed?').waitFor()
  await button(page, 'Go on editing').click()
  expect(await field(page, 'First name').inputValue()).toBe('Unsaved')
  await page.keyboard.press('Escape')
  await button(page, 'Discard').click()
  expect(await page.locator('dialog').count()).toBe(0)
})

test('a record shows notes, campaigns and history, and what is written elsewhere at once', async () => {
  const LeadID = await createLead('Noted')
  const { CampaignID } = await crm.server.call('create_campaign', { CampaignName: 'Spring fair' })
  const page = await crm.open(`#/leads/${LeadID}`)
  await page.getByLabel('New note').fill('<b>Asked</b> for a quote')
  await button(page, 'Add note').click()
  await page.locator('.record-list p').getByText('<b>Asked</b> for a quote').waitFor()
  await button(page, 'Add to campaign').click()
  await page
    .locator('dialog')
    .getByRole('button', { name: /Spring fair/ })
    .click()
  await page.getByRole('link', { name: 'Spring fair' }).waitFor()
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ NotesTotal: 1, Campaigns: [{ CampaignID }] })

  await crm.server.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Qualified' } })
  const line = page.locator('.record-list li').filter({ hasText: 'Update Lead' })
  await line.waitFor()
  expect(await line.locator('ins').innerText()).toBe('Qualified')
  await line.getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Undone.').waitFor()
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Status: 'Open' })
  await page.getByRole('link', { name: 'Spring fair' }).click()
  await page.getByRole('link', { name: 'Ada Noted' }).waitFor()
})

test('a record is text, whatever it is made of', async () => {
  const hostile = '<img src=x onerror="window.hacked=1">'
  const LeadID = await createLead(hostile)
  const page = await crm.open(`#/leads?where=${encodeURIComponent(JSON.stringify({ LastName: hostile }))}`)
  await row(page, hostile).waitFor()
  expect(await rows(page).count()).toBe(1)
  await page.goto(`${crm.server.url}/#/leads/${LeadID}`)
  await page.getByRole('heading', { name: `Ada ${hostile}`, level: 1 }).waitFor()
  expect(await page.locator('main img').count()).toBe(0)
  expect(await page.evaluate('window.hacked')).toBeUndefined()
})

test('a record cannot be written with a key that only reads', async () => {
  const LeadID = await createLead('Looked at')
  const key = await keyWith({ Scopes: ['read'] })
  const page = await crm.open('#/leads', { key })
  await row(page, 'Looked at').waitFor()
  expect(await page.getByRole('button', { name: /New lead|Import/ }).count()).toBe(0)
  expect(await page.locator('.grid input[type=checkbox]').count()).toBe(0)
  await page.goto(`${crm.server.url}/#/leads/${LeadID}`)
  await page.getByRole('heading', { name: 'History' }).waitFor()
  expect(await page.getByRole('button', { name: /Edit|Delete|Add|Undo/ }).count()).toBe(0)
})
