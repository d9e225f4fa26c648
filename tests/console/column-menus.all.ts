import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { byValue, withCondition } from '../../console/src/filters/by-value.ts'
import { type Condition, filtersOf } from '../../console/src/filters/conditions.ts'
import type { DescribedField } from '../../console/src/session/session.ts'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

beforeAll(async () => {
  const { call } = crm.server
  const { CompanyID } = await call('create_company', { CompanyName: 'Maple & Co' })
  for (const [OpportunityName, Stage, Amount, of] of [
    ['Roof', 'Prospecting', 100, CompanyID],
    ['Wall', 'Prospecting', 200, undefined],
    ['Door', 'Negotiation', 300, CompanyID],
    ['Pool', 'Closed Won', 400, undefined],
  ] as const)
    await call('create_opportunity', { OpportunityName, Stage, Amount, CloseDate: '2031-06-15', ...(of !== undefined && { CompanyID: of }) })
})

const head = (page: Page, name: string) => page.getByRole('button', { name: `Column ${name}`, exact: true })
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const items = (page: Page) => page.getByRole('menuitem').allInnerTexts()
const says = (page: Page, text: string) => expect.poll(() => page.locator('.records-about').innerText()).toBe(text)
const cell = (page: Page, name: string, text: string) => page.locator('.grid-row').filter({ hasText: name }).getByRole('gridcell').filter({ hasText: text })
const focused = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')

test('the head of a column sorts, filters by it and hides it, by keyboard too', async () => {
  const page = await crm.open('#/opportunities')
  await says(page, '4 opportunities')
  await head(page, 'Amount').focus()
  await page.keyboard.press('Enter')
  expect(await items(page)).toEqual(['Sort ascending', 'Sort descending', 'Filter by Amount', 'Hide column'])
  await expect.poll(() => focused(page)).toBe('Sort ascending')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('.grid-row').first().filter({ hasText: 'Pool' }).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')).toBe('descending')
  await expect.poll(() => focused(page)).toBe('Column Amount')

  await page.keyboard.press('Enter')
  await page.keyboard.press('f')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Filter by Amount' })
  expect(await dialog.getByLabel('Field').inputValue()).toBe('Amount')
  await dialog.getByLabel('Condition').selectOption({ label: 'is at least' })
  await dialog.getByLabel('Value').fill('200')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await says(page, '3 opportunities match')

  await head(page, 'Stage').click()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('menu').count()).toBe(0)
  await expect.poll(() => focused(page)).toBe('Column Stage')
  await head(page, 'Stage').click()
  await item(page, 'Hide column').click()
  await page.getByRole('columnheader', { name: 'Stage' }).waitFor({ state: 'detached' })
  await says(page, '3 opportunities match')
  await head(page, 'Owner').click()
  expect(await items(page)).toEqual(['Filter by Owner', 'Hide column'])
})

test('a value is shown only or excluded, and several combine', async () => {
  const page = await crm.open('#/opportunities')
  await cell(page, 'Roof', 'Prospecting').click({ button: 'right' })
  await expect.poll(() => items(page)).toEqual(['Show only Stage: Prospecting', 'Exclude Stage: Prospecting'])
  await item(page, 'Exclude Stage: Prospecting').click()
  await says(page, '2 opportunities match')
  await cell(page, 'Pool', 'Closed Won').click({ button: 'right' })
  await item(page, 'Exclude Stage: Closed Won').click()
  await says(page, '1 opportunity matches')
  await page.locator('.filter-chip', { hasText: 'not Stage is one of Prospecting, Closed Won' }).waitFor()
  await cell(page, 'Door', 'Maple').click({ button: 'right' })
  await item(page, 'Show only Company: Maple & Co').click()
  await says(page, '1 opportunity matches')
  await expect.poll(() => page.locator('.filter-chip').count()).toBe(2)

  await page.goto(`${crm.server.url}/#/opportunities?order=Amount+asc`)
  await says(page, '4 opportunities')
  await page.locator('.grid-row').first().filter({ hasText: 'Roof' }).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+F10')
  await item(page, 'Show only Stage: Prospecting').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('Opportunities')
  await page.keyboard.press('Shift+F10')
  await item(page, 'Show only Stage: Prospecting').press('Enter')
  await says(page, '2 opportunities match')
})

test('a value of a record leads to the records that have it', async () => {
  const page = await crm.open('#/opportunities')
  await page.getByRole('link', { name: 'Door' }).click()
  await page.getByRole('heading', { name: 'Door', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Filter by Stage' }).focus()
  await page.keyboard.press('Enter')
  await item(page, 'Exclude Stage: Negotiation').click()
  await says(page, '3 opportunities match')
})

test('what is excluded stays excluded beside the next', () => {
  const none = (field: string, value: unknown): Condition => ({ field, operator: 'ne', value })
  const after = (...all: readonly Condition[]) => filtersOf(all.reduce<readonly Condition[]>(withCondition, []))
  expect(after(none('A', 1))).toEqual({ A: { ne: 1 } })
  expect(after(none('A', 1), none('A', 1), none('B', 2))).toEqual({ A: { ne: 1 }, B: { ne: 2 } })
  expect(after(none('A', 1), none('A', 2), none('A', 3))).toEqual({ not: { A: { in: [1, 2, 3] } } })
  expect(after(none('A', 1), none('A', 2), none('B', 1), none('B', null))).toEqual({ not: { any: [{ A: { in: [1, 2] } }, { B: { in: [1] } }, { B: null }] } })
  expect(after({ field: 'not', operator: 'eq', value: { A: 1, B: 2 } }, none('A', 1), none('A', 2))).toEqual({
    not: { any: [{ A: 1, B: 2 }, { A: { in: [1, 2] } }] },
  })
  const field = (Type: string, Operators: readonly string[]) => ({ Name: 'F', Type, Operators, Required: false }) as unknown as DescribedField
  expect(byValue(field('timestamp', ['eq', 'ne', 'gte', 'lt']), new Date(2031, 5, 15, 23, 30).toISOString())).toEqual({
    only: { field: 'F', operator: 'eq', value: '2031-06-15' },
    exclude: undefined,
  })
  expect(byValue(field('longText', ['contains']), 'x')).toBeUndefined()
  expect(byValue(field('text', ['eq', 'ne']), '')?.only.value).toBe(null)
})
