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
    await expect.poll(() => page.getByRole('dialog').getByRole('status').innerText()).toBe('1 result')
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
    const told = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await told.waitFor()
    for (const width of [390, 1360]) {
      await page.setViewportSize({ width, height: 860 })
      const over = await told
        .locator('dt')
        .evaluateAll(
          (all) =>
            all.filter((one) => (one.lastElementChild?.getBoundingClientRect().right ?? 0) > (one.nextElementSibling?.getBoundingClientRect().left ?? 0))
              .length,
        )
      expect(over, `${width}`).toBe(0)
    }
    const deeds = await told.locator('dd').allInnerTexts()
    expect(deeds.length).toBe(new Set(deeds).size)
    await page.keyboard.press('Escape')
    // The second letter counts for a moment only.
    const jumped = async () => {
      for (const letter of 'gu') await page.keyboard.press(letter)
      return page.url()
    }
    await expect.poll(jumped).toMatch(/#\/users$/)
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await page.close()
  })

  test('“go to” before the name of a page leads to the page', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('go to leads')
    await expect.poll(async () => (await chosen(page)).innerText()).toBe('Leads')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/#/leads')
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

test('what is called exactly as typed comes before the records that the words are in', async () => {
  await console_.server.call('create_case', { Subject: 'Cannot sign out', Description: 'x' })
  const page = await console_.open('#/operations')
  await page.getByRole('heading', { name: 'Operations' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sign out')
  await expect.poll(async () => (await options(page)).join('\n')).toContain('Cannot sign out')
  expect((await options(page))[0]).toBe('Sign out')
  await page.close()
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

describe('acts', () => {
  /** Chooses what is first for a text. */
  async function choose(page: Page, typed: string, title: string) {
    await page.keyboard.press('Control+k')
    await box(page).fill(typed)
    await expect.poll(async () => (await chosen(page)).innerText()).toContain(title)
    await page.keyboard.press('Enter')
  }

  test('begins a record and an import from any page, and keeps the view of the table', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await choose(page, 'new opp', 'New opportunity')
    await page.getByRole('dialog', { name: 'Create opportunity' }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${console_.server.url}/#/leads?order=LastName+asc`)
    await page.getByRole('grid').waitFor()
    await choose(page, 'import lea', 'Import leads')
    await page.getByRole('dialog', { name: /Import/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(/#\/leads\?order=LastName\+asc$/)
    await choose(page, 'export', 'Export this view')
    await page.getByRole('dialog', { name: /Export/ }).waitFor()
    await page.close()
  })

  test('changes the status of what is selected', async () => {
    const page = await console_.open('#/cases')
    await page.getByLabel('Select Quarrel about quartz').check()
    await choose(page, 'status', 'Change status of the one selected')
    const dialog = page.getByRole('dialog', { name: 'Edit 1 case' })
    expect(await dialog.getByLabel('Field', { exact: true }).inputValue()).toBe('Status')
    await page.close()
  })

  test('finds every record type, and shows all results in the table', async () => {
    const { call } = console_.server
    for (const name of ['Basalt Works', 'Basalt Trading']) await call('create_company', { CompanyName: name })
    await call('create_contact', { FirstName: 'Bea', LastName: 'Basalt' })
    await call('create_campaign', { CampaignName: 'Basalt spring' })
    await call('create_custom_object', { ObjectName: 'Stone', Fields: { Title: { Type: 'String', Label: 'Title', Value: 'Basalt block' } } })
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('basalt')
    await expect
      .poll(async () => (await options(page)).map((one) => one.split('\n')[0]).sort())
      .toEqual(['Basalt Trading', 'Basalt Works', 'Basalt block', 'Basalt spring', 'Bea Basalt', 'Show all results for “basalt” in Companies'])
    await page.getByRole('option', { name: /Show all results/ }).click()
    await page.getByText('2 companies match').waitFor()
    expect(await page.getByLabel('Search companies').inputValue()).toBe('basalt')
    await choose(page, 'new stone', 'New Stone')
    await page.getByRole('dialog', { name: 'Create Stone' }).waitFor()
    await page.close()
  })

  test('switches the workspace', async () => {
    const { call, key } = console_.server
    const { Key } = (await call('create_workspace', { Name: 'acme' })) as { Key: string }
    const page = await console_.open('', { key: null })
    const held = { default: { key, session: false }, acme: { key: Key, session: false } }
    await page.evaluate(`sessionStorage.setItem('crm-connector-workspaces', ${JSON.stringify(JSON.stringify(held))})`)
    await page.evaluate(`sessionStorage.setItem('crm-connector-key', ${JSON.stringify(key)})`)
    await page.reload()
    const shown = page.getByRole('combobox', { name: 'Workspace', exact: true })
    await expect.poll(() => shown.inputValue()).toBe('default')
    await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor()
    await choose(page, 'acme', 'Switch to workspace acme')
    await expect.poll(() => shown.inputValue().catch(() => '')).toBe('acme')
    await page.close()
  })

  test('offers nothing that the key may not do', async () => {
    const { Key } = (await console_.server.call('create_key', { Scopes: ['read'] })) as { Key: string }
    const page = await console_.open('#/cases', { key: Key })
    await page.getByRole('grid').waitFor()
    await page.keyboard.press('Control+k')
    await box(page).fill('this view')
    const offered = () => page.getByRole('listbox', { name: 'Results' }).getByRole('option').allInnerTexts()
    await expect.poll(offered).toEqual(['Export this view'])
    for (const typed of ['new case', 'import', 'switch to']) {
      await box(page).fill(typed)
      await expect.poll(async () => (await offered()).filter((one) => /^(New|Import|Switch)/.test(one))).toEqual([])
    }
    await page.close()
  })
})

test('is there on a phone, and signs out', async () => {
  const page = await console_.open('#/operations', { size: 'phone' })
  await page.getByRole('button', { name: 'Search and commands' }).click()
  await page.keyboard.type('sign out')
  await page.getByRole('option', { name: 'Sign out', exact: true }).click()
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
