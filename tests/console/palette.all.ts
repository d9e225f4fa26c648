import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { fit } from '../../console/src/shell/palette/match.ts'
import { consoleForFile } from '../support/console.ts'

const console_ = consoleForFile()
let leadId: string

beforeAll(async () => {
  const { call } = console_.server
  leadId = String((await call('create_a_lead', { FirstName: 'Zenobia', LastName: 'Quartermaine', Email: 'zq@example.com' })).LeadID)
  await call('create_opportunity', { OpportunityName: 'Quartz mine', Stage: 'Prospecting', CloseDate: '2026-12-31' })
  await call('create_case', { Subject: 'Quarrel about quartz', Description: 'x' })
})

const box = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' })
/** The option that the box says is chosen. */
const chosen = async (page: Page) => page.locator(`[id="${await box(page).getAttribute('aria-activedescendant')}"]`)
const options = (page: Page) => page.getByRole('option').allInnerTexts()

describe('by keyboard alone', () => {
  test('an operation is found by a few letters and opened', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('crea lead')
    await expect.poll(async () => (await chosen(page)).innerText()).toContain('Create A Lead')
    expect(await (await chosen(page)).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Create A Lead' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.close()
  })

  test('arrows go through what there is, and round', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('theme')
    await expect.poll(() => options(page)).toEqual(['Theme: system', 'Theme: light', 'Theme: dark'])
    await page.keyboard.press('ArrowUp')
    expect(await (await chosen(page)).innerText()).toBe('Theme: dark')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.close()
  })

  test('records are found by their names, and the one looked at is recent then', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('quart')
    await expect.poll(async () => (await options(page)).join('\n')).toContain('Zenobia Quartermaine')
    const found = (await options(page)).join('\n')
    expect(found).toContain('Quartz mine')
    expect(found).toContain('Quarrel about quartz')
    await box(page).fill('zenobia quarter')
    await expect.poll(() => options(page)).toEqual([expect.stringContaining('Zenobia Quartermaine')])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/#/leads/${leadId}**`)
    await page.getByRole('heading', { name: /Zenobia/ }).waitFor()
    await page.evaluate("location.hash = '#/operations'")
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('Control+k')
    await expect.poll(async () => (await options(page))[0]).toContain('Zenobia')
    await page.close()
  })

  test('Escape leaves, the shortcuts are told, and two letters go to a page', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('nothing is called so')
    await page.getByText('Nothing matches').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.waitForURL('**/#/users')
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await page.close()
  })

  test('whoever types is left alone', async () => {
    const page = await console_.open('#/operations')
    await page.getByLabel('Search operations').fill('')
    await page.getByLabel('Search operations').pressSequentially('g/u?')
    expect(await page.getByLabel('Search operations').inputValue()).toBe('g/u?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.close()
  })
})

test('shows nothing that the key does not allow', async () => {
  const { Key } = (await console_.server.call('create_key', { Scopes: ['read:Case'] })) as { Key: string }
  const page = await console_.open('#/operations', { key: Key })
  await page.getByRole('heading', { name: 'Operations' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('quart')
  await expect.poll(async () => (await options(page)).join('\n')).toContain('Quarrel about quartz')
  expect((await options(page)).join('\n')).not.toContain('Zenobia')
  await box(page).fill('leads')
  await expect.poll(() => options(page)).toEqual([])
  await page.close()
})

test('is there on a phone, and signs out', async () => {
  const page = await console_.open('#/operations', { size: 'phone' })
  await page.getByRole('button', { name: 'Search and commands' }).click()
  await page.keyboard.type('sign out')
  await page.getByRole('option', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.close()
})

test('what was typed fits by words, their beginnings, initials and letters in order', () => {
  const order = ['lead', 'lea', 'ead', 'cal', 'crte'].map((typed) => fit(typed, 'Create A Lead') ?? 0)
  expect(order).toEqual([...order].sort((a, b) => b - a))
  expect(order.every((score) => score > 0)).toBe(true)
  expect(fit('lead update', 'Create A Lead')).toBeUndefined()
  expect(fit('MULLER', 'Jörg Müller')).toBeGreaterThan(0)
})
