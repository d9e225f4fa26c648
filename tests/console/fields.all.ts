import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consoleForFile, openLive } from '../support/console.ts'
import { placeForFiles } from '../support/files.ts'

const crm = consoleForFile()

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page, label: string) => dialog(page).getByLabel(new RegExp(`^${label}( \\*)?$`))
const row = (page: Page, text: string) => page.locator('.grid-row:has(a)').filter({ hasText: text })

interface Described {
  readonly Name: string
  readonly [member: string]: unknown
}

async function described(type: string): Promise<readonly Described[]> {
  const { RecordTypes } = (await crm.server.call('describe', { RecordType: type })) as { RecordTypes: { Fields: Described[] }[] }
  return RecordTypes[0]?.Fields.filter(({ Own }) => Own) ?? []
}

test('an admin defines a field, changes its label and values, and retires it', async () => {
  const page = await crm.open('#/fields/contacts')
  crm.refusals(page)
  await page.getByText('Contacts have the standard fields only').waitFor()
  expect(await page.getByRole('button', { name: /Define/ }).count()).toBe(1)
  await button(page, 'Define field').click()
  await field(page, 'Label').fill('Favourite meal')
  expect(await field(page, 'Name').inputValue()).toBe('FavouriteMeal')
  await field(page, 'Kind').selectOption({ label: 'Choice' })
  await field(page, 'Values').fill('Soup\n\nSalad\n')
  await button(page, 'Define').click()
  const line = page.getByRole('row', { name: /Favourite meal/ })
  await line.getByText('Soup, Salad').waitFor()
  expect(await described('Contact')).toMatchObject([{ Name: 'FavouriteMeal', Type: 'choice', AllowedValues: ['Soup', 'Salad'], Required: false }])

  await button(page, 'Edit Favourite meal').click()
  expect(await field(page, 'Kind').count()).toBe(0)
  await field(page, 'Label').fill('Lunch')
  await field(page, 'Values').fill('Soup\nSalad\nBread')
  await field(page, 'Required').check()
  await button(page, 'Save').click()
  await page.getByRole('row', { name: /Lunch/ }).getByText('Required').waitFor()
  expect(await described('Contact')).toMatchObject([{ Label: 'Lunch', AllowedValues: ['Soup', 'Salad', 'Bread'], Required: true }])

  await button(page, 'Define field').click()
  await field(page, 'Label').fill('E-mail')
  await field(page, 'Name').fill('Email')
  await button(page, 'Define').click()
  await dialog(page).getByRole('alert').first().waitFor()
  await page.keyboard.press('Escape')
  await button(page, 'Discard').click()

  await button(page, 'Retire Lunch').click()
  await dialog(page).getByText('Records keep its values').waitFor()
  await dialog(page).getByRole('button', { name: 'Retire', exact: true }).click()
  await page.getByText('Contacts have the standard fields only').waitFor()
  expect(await described('Contact')).toEqual([])
  await page.close()
})

test('fields of one’s own are in forms, tables, filters and records like the standard ones', async () => {
  const define = (FieldName: string, Kind: string, more: object = {}) => crm.server.call('define_field', { RecordType: 'Lead', FieldName, Kind, ...more })
  await define('Score', 'integer', { Required: true })
  await define('Interests', 'choices', { Values: ['Boats', 'Engines', 'Cards'] })
  await define('MentorID', 'reference', { Label: 'Mentor', RefersTo: 'Contact' })
  await define('DeputyID', 'reference', { Label: 'Deputy', RefersTo: 'User' })
  await define('Settings', 'json')
  await crm.server.call('create_contact', { FirstName: 'Charles', LastName: 'Babbage' })

  const page = await crm.open('#/leads?new=')
  crm.refusals(page)
  await field(page, 'First name').fill('Ada')
  await field(page, 'Last name').fill('Lovelace')
  // What is required is in the first part of the form.
  await field(page, 'Score').fill('x')
  await page.getByText('More fields').click()
  await dialog(page).getByRole('checkbox', { name: 'Boats' }).check()
  await dialog(page).getByRole('checkbox', { name: 'Cards' }).check()
  await field(page, 'Deputy').selectOption({ label: 'Admin' })
  await field(page, 'Settings').fill('{ "colour": "red" }')
  await field(page, 'Mentor').click()
  await page.locator('.pick-list').getByRole('button', { name: 'Charles Babbage' }).click()
  await button(page, 'Create').click()
  await page.locator('.field-wrong', { hasText: 'Score' }).getByRole('alert').waitFor()
  await field(page, 'Score').fill('7')
  await button(page, 'Create').click()
  await row(page, 'Lovelace').waitFor()
  const { Records } = await crm.server.call('get_many_leads', {})
  expect(Records).toMatchObject([{ Score: 7, Interests: ['Boats', 'Cards'], Settings: { colour: 'red' } }])

  await button(page, 'Columns').click()
  // The columns are in the address, which changes after the click.
  for (const label of ['Score', 'Interests', 'Mentor', 'Deputy']) {
    const box = page.getByRole('checkbox', { name: label, exact: true })
    await box.click()
    await expect.poll(() => box.isChecked()).toBe(true)
  }
  await page.keyboard.press('Escape')
  await row(page, 'Lovelace').getByText('Boats, Cards').waitFor()
  await row(page, 'Lovelace').getByRole('link', { name: 'Charles Babbage' }).waitFor()
  await row(page, 'Lovelace').getByText('Admin').first().waitFor()

  await button(page, 'Filter').click()
  await page.getByLabel('Field', { exact: true }).selectOption({ label: 'Interests' })
  await page.getByLabel('Value', { exact: true }).selectOption('Engines')
  await button(page, 'Apply').click()
  await page.getByText('No leads match').waitFor()
  await button(page, 'Interests contains Engines').click()
  await page.getByLabel('Value', { exact: true }).selectOption('Cards')
  await button(page, 'Apply').click()
  await row(page, 'Lovelace').getByRole('link').first().click()

  await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor()
  await page.locator('.record-fields').getByRole('link', { name: 'Charles Babbage' }).waitFor()
  await button(page, 'Edit').click()
  await page.getByText('More fields').click()
  await dialog(page).getByRole('checkbox', { name: 'Boats' }).uncheck()
  await button(page, 'Save').click()
  await page.locator('.toast').getByText('Ada Lovelace saved.').waitFor()
  expect((await crm.server.call('get_many_leads', {})).Records).toMatchObject([{ Score: 7, Interests: ['Cards'] }])
  await page.evaluate("location.hash = '#/changes'")
  await page.getByText('changed Interests of').first().waitFor()
  await page.close()
})

test('a file is imported into fields of one’s own and matched by them, and an export has them', async () => {
  for (const [FieldName, Kind, more] of [
    ['Code', 'text', { Unique: true }],
    ['Tags', 'choices', { Values: ['A', 'B', 'C'] }],
    ['Founded', 'date', {}],
  ] as const)
    await crm.server.call('define_field', { RecordType: 'Company', FieldName, Kind, ...more })
  await crm.server.call('create_company', { CompanyName: 'Engines Ltd', Code: 'E1', Tags: ['A'] })
  const place = await placeForFiles({ CRM_URL: crm.server.url, CRM_KEY: crm.server.key })
  const path = place.file(
    'companies.csv',
    'Company name,Code,Tags,Founded\nEngines and Sons,E1,A; C,1837-06-01\nCards Ltd,C1,"[""B""]",1801-01-01\nBad Ltd,B1,X,\n',
  )
  const page = await crm.open('#/companies?import=')
  await page.locator('input[type=file]').setInputFiles(path)
  await page.getByLabel('Update the records that match').check()
  const matching = page.getByRole('group', { name: 'Match by' })
  expect(await matching.getByRole('checkbox', { name: 'Tags' }).count()).toBe(0)
  expect(await matching.getByRole('checkbox', { name: 'Code' }).isChecked()).toBe(true)
  await button(page, 'Check all rows').click()
  await page.getByText('will be updated').waitFor()
  expect(await page.locator('.files-rejects .table-above').allInnerTexts()).toEqual([expect.stringMatching(/Line 4\s+Tags is "X"\. Expected: A, B, C\./)])
  await button(page, 'Import 2 rows').click()
  await button(page, 'Done').click()
  expect((await crm.server.call('get_many_companies', { OrderBy: 'Code' })).Records).toMatchObject([
    { CompanyName: 'Cards Ltd', Code: 'C1', Tags: ['B'], Founded: '1801-01-01' },
    { CompanyName: 'Engines and Sons', Code: 'E1', Tags: ['A', 'C'], Founded: '1837-06-01' },
  ])

  await button(page, 'Export').click()
  const [download] = await Promise.all([page.waitForEvent('download'), dialog(page).getByRole('button', { name: 'Export' }).click()])
  const text = await readFile(await download.path(), 'utf8')
  expect(text.split('\r\n')[0]?.split(',')).toEqual(expect.arrayContaining(['CompanyName', 'Code', 'Tags', 'Founded']))
  expect(text).toContain('"[""A"",""C""]"')
  await page.close()
})

test('a page that is open learns of a field that is defined meanwhile', async () => {
  const page = await openLive(crm, '#/cases?new=')
  await field(page, 'Subject').waitFor()
  await crm.server.call('define_field', { RecordType: 'Case', FieldName: 'Urgency', Kind: 'integer', Required: true })
  await field(page, 'Urgency').waitFor()
  await page.close()
})
