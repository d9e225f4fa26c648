import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consoleForFile, openLive } from '../support/console.ts'

const crm = consoleForFile()

const line = (page: Page, nth: number) => page.getByRole('group', { name: `Field ${nth}` })
const rows = (page: Page) => page.locator('.grid-row:has(a)')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function define(page: Page, nth: number, label: string, type: string, value: string): Promise<void> {
  await line(page, nth).getByLabel('Label').fill(label)
  await line(page, nth).getByLabel('Type').selectOption({ label: type })
  await line(page, nth).getByLabel('First value').fill(value)
}

test('an object is defined with its first record, filled, filtered and given more fields', async () => {
  const page = await crm.open('#/objects')
  crm.refusals(page)
  await page.getByText('No custom objects yet').waitFor()
  await button(page, 'Define an object').click()
  await page.getByLabel('Object name').fill('Boat')
  await define(page, 1, 'Home harbour', 'Text', 'Kiel')
  await button(page, 'Add field').click()
  await define(page, 2, 'Hull length', 'Number', '7.5')
  await button(page, 'Add field').click()
  await define(page, 3, 'Built', 'Date', '1999-05-01')
  await button(page, 'Define').click()
  await page.waitForURL(/#\/objects\/Boat$/)
  await rows(page).first().waitFor()
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(expect.arrayContaining(['Home harbour', 'Hull length', 'Built']))
  const { Records } = (await crm.server.call('get_many_custom_objects', { Filters: { ObjectName: 'Boat' } })) as { Records: { Values: unknown }[] }
  expect(Records.map(({ Values }) => Values)).toEqual([{ HomeHarbour: 'Kiel', HullLength: 7.5, Built: '1999-05-01' }])

  await button(page, 'Create Boat').click()
  await page.locator('dialog').getByLabel('Home harbour').fill('Bergen')
  await page.locator('dialog').getByLabel('Hull length').fill('long')
  await button(page, 'Create').click()
  const wrong = page.locator('dialog .field-wrong')
  await wrong.waitFor()
  expect(await wrong.locator('label').innerText()).toBe('Hull length')
  expect(await wrong.locator('.field-fault').innerText()).toMatch(/^Hull length /)
  await page.locator('dialog').getByLabel('Hull length').fill('12')
  await button(page, 'Create').click()
  await rows(page).filter({ hasText: 'Bergen' }).waitFor()

  await button(page, 'Filter').click()
  const panel = page.getByRole('dialog', { name: 'Filter' })
  await panel.getByLabel('Field').selectOption({ label: 'Hull length' })
  await panel.getByLabel('Condition').selectOption({ label: 'is more than' })
  await panel.getByLabel('Value').fill('8')
  await panel.getByRole('button', { name: 'Apply' }).click()
  await rows(page).filter({ hasText: 'Kiel' }).waitFor({ state: 'detached' })
  expect(await rows(page).count()).toBe(1)
  await button(page, 'Remove the filter: Hull length is more than 8').click()
  await button(page, 'Hull length').click()
  await rows(page).nth(1).filter({ hasText: 'Bergen' }).waitFor()
  expect(await rows(page).first().innerText()).toContain('Kiel')

  await rows(page).filter({ hasText: 'Bergen' }).click()
  await button(page, 'Edit').click()
  await page.locator('dialog').getByLabel('Built').fill('2001-02-03')
  await button(page, 'Save').click()
  await page.locator('.toast').getByText('Bergen saved.').waitFor()
  await page.getByText('Feb 3, 2001').first().waitFor()

  await page.goto(`${crm.server.url}/#/objects/Boat`)
  await button(page, 'Add fields').click()
  await define(page, 1, 'Has an engine', 'Text', 'yes')
  await page.locator('dialog').getByRole('button', { name: 'Add fields' }).click()
  await page.getByRole('columnheader', { name: 'Has an engine' }).waitFor()
})

test('an object that is defined elsewhere is there without loading the page anew', async () => {
  const make = (ObjectName: string, field: string) =>
    crm.server.call('create_custom_object', { ObjectName, Fields: { [field]: { Type: 'String', Label: field, Value: `The ${field}` } } })
  const page = await openLive(crm, '#/objects')
  await page.getByRole('heading', { name: 'Custom objects' }).waitFor()
  await make('Harbour', 'Quay')
  await page.getByRole('heading', { name: 'Harbour' }).waitFor()
  await page.evaluate("location.hash = '#/objects/Harbour'")
  await rows(page).filter({ hasText: 'The Quay' }).waitFor()
  await make('Harbour', 'Depth')
  await page.getByRole('columnheader', { name: 'Depth' }).waitFor()
  await page.close()

  // A key that hears of nothing asks before it says that there is none.
  const { Key } = await crm.server.call('create_key', { Scopes: ['read:CustomObject', 'read:describe'] })
  const deaf = await crm.open('#/operations', { key: String(Key) })
  await deaf.getByRole('navigation').waitFor()
  await deaf.route('**/v1/events*', (route) => route.abort())
  await make('Lighthouse', 'Range')
  await deaf.evaluate("location.hash = '#/objects/Lighthouse'")
  await rows(deaf).filter({ hasText: 'The Range' }).waitFor()
  await deaf.close()
})

test('choices are defined with their values, and a reference with what it points to', async () => {
  const { CompanyID } = await crm.server.call('create_company', { CompanyName: 'Analytical Engines' })
  const page = await crm.open('#/objects')
  crm.refusals(page)
  await button(page, 'Define an object').click()
  await page.getByLabel('Object name').fill('Rig')
  await line(page, 1).getByLabel('Label').fill('Sail plan')
  await line(page, 1).getByLabel('Type').selectOption({ label: 'Choice' })
  await line(page, 1).getByLabel('Values').fill('Sloop\nKetch\n')
  await line(page, 1).getByLabel('First value').selectOption('Ketch')
  await button(page, 'Add field').click()
  await line(page, 2).getByLabel('Label').fill('Yard')
  await line(page, 2).getByLabel('Type').selectOption({ label: 'Reference' })
  await line(page, 2).getByLabel('Refers to').selectOption('Company')
  await line(page, 2).getByLabel('First value').fill(String(CompanyID))
  await button(page, 'Define').click()
  await page.waitForURL(/#\/objects\/Rig$/)
  await rows(page).filter({ hasText: 'Ketch' }).waitFor()
  const { CustomObjects } = (await crm.server.call('describe', { RecordType: 'CustomObject' })) as {
    CustomObjects: { ObjectName: string; Fields: { Name: string; AllowedValues: unknown; RefersTo: unknown }[] }[]
  }
  const rig = CustomObjects.find(({ ObjectName }) => ObjectName === 'Rig')?.Fields
  expect(rig?.map(({ Name, AllowedValues, RefersTo }) => [Name, AllowedValues, RefersTo])).toEqual([
    ['SailPlan', ['Sloop', 'Ketch'], null],
    ['Yard', null, 'Company'],
  ])
})

test('an object nobody has defined, and a name that is no name, are said to be so', async () => {
  const page = await crm.open('#/objects/__proto__')
  crm.refusals(page)
  await page.getByText('There is no object called __proto__.').waitFor()
  await page.goto(`${crm.server.url}/#/objects`)
  await button(page, 'Define an object').click()
  await page.getByLabel('Object name').fill('9 lives')
  await define(page, 1, '1st colour', 'Text', 'black')
  expect(await line(page, 1).getByLabel('Name').inputValue()).toBe('Colour1st')
  await button(page, 'Define').click()
  await page.locator('dialog .field-wrong').filter({ hasText: 'Object name' }).waitFor()
})

test('what is defined is seen, and nothing offered, with a key that only reads', async () => {
  await crm.server.call('create_custom_object', { ObjectName: 'Visit', Fields: { Reason: { Type: 'String', Label: 'Reason', Value: '<script>' } } })
  const { Key } = await crm.server.call('create_key', { Scopes: ['read'] })
  const page = await crm.open('#/objects', { key: String(Key), size: 'phone' })
  await page.getByRole('heading', { name: 'Visit' }).waitFor()
  expect(await page.getByRole('button', { name: /Define/ }).count()).toBe(0)
  await page.getByRole('listitem').filter({ hasText: 'Visit' }).getByRole('link', { name: 'Open' }).click()
  await rows(page).filter({ hasText: '<script>' }).waitFor()
  expect(await page.getByRole('button', { name: /Create|Add fields|Import/ }).count()).toBe(0)
})
