import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { consoleForFile, openLive } from '../support/console.ts'

const crm = consoleForFile()

const rows = (page: Page) => page.locator('.grid-row:has(a)')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })

async function batch(Operations: readonly object[]): Promise<void> {
  const response = await fetch(`${crm.server.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ Operations }),
  })
  expect(response.status).toBe(200)
}

/** Chooses a filter as a person does. */
async function filter(page: Page, fieldName: string, condition: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Filter' })
  await panel.getByLabel('Field').selectOption({ label: fieldName })
  await panel.getByLabel('Condition').selectOption({ label: condition })
  await panel.getByLabel('Value').fill(value)
  await panel.getByRole('button', { name: 'Apply' }).click()
}

const DEALS = 1500

beforeAll(async () => {
  const deals = Array.from({ length: DEALS }, (_, nth) => ({
    Operation: 'create_opportunity',
    Input: {
      OpportunityName: `Deal ${String(nth).padStart(5, '0')}`,
      Stage: nth % 2 === 0 ? 'Prospecting' : 'Negotiation',
      CloseDate: `20${String(30 + (nth % 50)).padStart(2, '0')}-06-15`,
      Amount: nth,
    },
  }))
  for (let from = 0; from < DEALS; from += 1000) await batch(deals.slice(from, from + 1000))
})

test('two parts of one text apply together, each as a filter of its own, also beside a search', async () => {
  const page = await crm.open('#/opportunities')
  const chips = page.locator('.filter-chip')
  await filter(page, 'Opportunity name', 'contains', 'Deal 012')
  await page.getByText('100 opportunities match').waitFor()
  await filter(page, 'Opportunity name', 'contains', '50')
  await page.getByText('1 opportunity matches').waitFor()
  expect(await chips.allInnerTexts()).toEqual(['Opportunity name contains Deal 012', 'Opportunity name contains 50'])
  expect(await page.getByLabel('Search opportunities').inputValue()).toBe('')

  await page.getByLabel('Search opportunities').fill('125')
  // The address is there before the page has taken it up.
  await page.getByText('1 opportunity matches in Opportunity name').waitFor()
  expect(await page.getByLabel('Search opportunities').inputValue()).toBe('125')
  expect(await chips.count()).toBe(2)
  await page.getByLabel('Remove the filter: Opportunity name contains 50').click()
  await page.getByText('10 opportunities match').waitFor()
  await page.close()
})

test('a table is filtered by text, number and date, and its address shows the same to others', async () => {
  const page = await crm.open('#/opportunities')
  await page.getByText('1,500 opportunities', { exact: true }).waitFor()
  await page.getByLabel('Search opportunities').fill('Deal 012')
  await page.getByText('100 opportunities match').waitFor()
  await filter(page, 'Amount', 'is at least', '1250')
  await page.getByText('50 opportunities match').waitFor()
  await filter(page, 'Close date', 'is before', '2031-01-01')
  await page.getByText('1 opportunity matches').waitFor()
  expect(await rows(page).count()).toBe(1)
  expect(await rows(page).innerText()).toContain('Deal 01250')

  const again = await crm.open(new URL(page.url()).hash)
  await again.getByText('1 opportunity matches').waitFor()
  expect(await rows(again).innerText()).toContain('Deal 01250')
  expect(await again.getByLabel('Search opportunities').inputValue()).toBe('Deal 012')
  await button(again, /Remove the filter: Close date/).click()
  await again.getByText('50 opportunities match').waitFor()
})

test('a table finds a person by whatever somebody knows of them, and says where', async () => {
  const people = [
    ['Niamh', 'Ashworth', 'niamh@maple.example'],
    ['Ash', 'Niamhson', 'ash@maple.example'],
    ['Mary Ann', 'Smith', 'mas@willow.example'],
  ] as const
  await batch(people.map(([FirstName, LastName, Email]) => ({ Operation: 'create_a_lead', Input: { FirstName, LastName, Email, Phone: '+44 20 7946 0687' } })))
  const page = await crm.open('#/leads')
  const about = page.locator('.records-about')
  for (const [typed, says] of [
    ['Niamh Ashworth', '1 lead matches in First name and Last name'],
    ['  Ashworth ', '1 lead matches in Last name'],
    ['Ashworth, Niamh', '1 lead matches in First name and Last name'],
    ['mary ann smith', '1 lead matches in First name and Last name'],
    ['@willow', '1 lead matches in E-mail'],
    ['7946', '3 leads match in Phone'],
    ['niamh', '1 lead matches in Last name, also in First name, E-mail'],
    ['nobody of that name', '0 leads match in any field'],
  ] as const) {
    await page.getByLabel('Search leads').fill(typed)
    await expect.poll(() => about.innerText()).toBe(says)
    expect(await page.getByLabel('Search leads').inputValue()).toBe(typed)
  }
  await page.getByLabel('Search leads').fill('niamh')
  await about.getByRole('button', { name: 'First name' }).click()
  await row(page, 'Ashworth').waitFor()
  expect(await page.getByLabel('Search leads').inputValue()).toBe('niamh')
  await page.getByLabel('Search leads').fill('Niamh Ashworth')
  await page.waitForURL(/FirstName.*LastName/)
  const again = await crm.open(new URL(page.url()).hash)
  await row(again, 'Ashworth').waitFor()
  expect(await again.getByLabel('Search leads').inputValue()).toBe('Niamh Ashworth')
  // Owners are names to a reader, and ids to the service.
  const owner = again.getByRole('columnheader', { name: 'Owner' })
  expect(await owner.getByRole('button').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual(['Column Owner'])
  expect(await owner.getAttribute('aria-sort')).toBe(null)
})

test('a table lets its columns be widened, and keeps them so', async () => {
  const page = await crm.open('#/opportunities')
  const head = page.getByRole('columnheader', { name: 'Amount' })
  const width = async () => (await head.boundingBox())?.width ?? 0
  const before = await width()
  await page.getByRole('separator', { name: 'Width of Amount' }).focus()
  for (let presses = 0; presses < 5; presses++) await page.keyboard.press('ArrowRight')
  await expect.poll(width).toBeGreaterThan(before + 70)
  await page.reload()
  await head.waitFor()
  expect(await width()).toBeGreaterThan(before + 70)
  await page.getByRole('separator', { name: 'Width of Amount' }).dblclick()
  await expect.poll(async () => Math.abs((await width()) - before)).toBeLessThan(2)
})

test('a table is sorted by its headers, and by none again', async () => {
  const page = await crm.open('#/opportunities')
  const first = rows(page).first()
  await button(page, 'Amount').click()
  await first.filter({ hasText: 'Deal 00000' }).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')).toBe('ascending')
  await button(page, 'Amount').click()
  await first.filter({ hasText: 'Deal 01499' }).waitFor()
  expect(decodeURIComponent(page.url().replaceAll('+', ' '))).toContain('order=Amount desc')
  await button(page, 'Amount').click()
  await page.waitForURL(/#\/opportunities$/)
})

test('a table goes back and forward through its filters, orders and views', async () => {
  const page = await crm.open('#/cases')
  await page.evaluate("location.hash = '#/opportunities'")
  const about = page.locator('.records-about')
  const says = (text: string) => expect.poll(() => about.innerText()).toBe(text)
  await says('1,500 opportunities')
  await filter(page, 'Amount', 'is less than', '20')
  await says('20 opportunities match')
  await button(page, 'Amount').click()
  await rows(page).first().filter({ hasText: 'Deal 00000' }).waitFor()
  await button(page, /Remove the filter: Amount is less than 20/).click()
  await says('1,500 opportunities')
  // A dialog is no step, and a search is one, however many letters are typed.
  await button(page, 'Create opportunity').click()
  await page.keyboard.press('Escape')
  await page.getByLabel('Search opportunities').pressSequentially('Deal 001', { delay: 120 })
  await says('100 opportunities match in Opportunity name')

  await page.goBack()
  await says('1,500 opportunities')
  expect(await page.getByLabel('Search opportunities').inputValue()).toBe('')
  await page.goBack()
  await says('20 opportunities match')
  await page.locator('.filter-chip', { hasText: 'Amount is less than 20' }).waitFor()
  const sorted = () => page.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')
  expect(await sorted()).toBe('ascending')
  await page.goBack()
  await expect.poll(sorted).not.toBe('ascending')
  await says('20 opportunities match')
  await page.goBack()
  await says('1,500 opportunities')
  expect(await page.locator('.filter-chip').count()).toBe(0)
  await page.goForward()
  await says('20 opportunities match')
  await page.goForward()
  await rows(page).first().filter({ hasText: 'Deal 00000' }).waitFor()
  await page.goForward()
  await says('1,500 opportunities')
  await page.goForward()
  await says('100 opportunities match in Opportunity name')
  expect(await page.getByLabel('Search opportunities').inputValue()).toBe('Deal 001')
  for (let steps = 0; steps < 5; steps++) await page.goBack()
  await page.waitForURL(/#\/cases$/)
  await page.close()
})

test('a table of any length shows each row once and in order, and keeps few of them', async () => {
  const page = await crm.open('#/opportunities?order=OpportunityName')
  await rows(page).first().waitFor()
  // What is in view is read once all of it is drawn. A page that a machine under load has not answered in time is asked for again, as a person would.
  const seen = (await page.evaluate(`(async () => {
    const seen = new Map()
    let most = 0
    for (let still = 0; still < 5; ) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const grid = document.querySelector('.grid')
      if (!grid?.querySelector('.grid-row')) {
        for (const one of document.querySelectorAll('.state button')) if (one.textContent === 'Try again') one.click()
        continue
      }
      const view = grid.getBoundingClientRect()
      const all = [...grid.querySelectorAll('.grid-row')]
      const drawn = all[0].getBoundingClientRect().top <= view.top + 40 && all.at(-1).getBoundingClientRect().bottom >= view.bottom - 2
      if (!drawn || grid.querySelector('.skeleton')) continue
      most = Math.max(most, all.length)
      for (const row of all) seen.set(Number(row.getAttribute('aria-rowindex')), row.querySelector('a').textContent)
      const before = grid.scrollTop
      grid.scrollTop += 600
      still = grid.scrollTop === before ? still + 1 : 0
    }
    return { names: [...seen].sort(([a], [b]) => a - b), most }
  })()`)) as { names: [number, string][]; most: number }
  expect(seen.names).toEqual(Array.from({ length: DEALS }, (_, nth) => [nth + 2, `Deal ${String(nth).padStart(5, '0')}`]))
  expect(seen.most).toBeLessThan(100)
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(DEALS + 1))

  // What was let go of is asked for again.
  await page.evaluate(`document.querySelector('.grid').scrollTop = 0`)
  await row(page, 'Deal 00000').waitFor()
})

test('any row is jumped to, and the rows around it are those of the order', async () => {
  const page = await crm.open('#/opportunities?order=OpportunityName')
  await rows(page).first().waitFor()
  await page.getByText('1,500 opportunities', { exact: true }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('get_many_opportunities') && asked.push(request.postData() ?? ''))
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await row(page, 'Deal 01499').waitFor()
  expect(await row(page, 'Deal 01490').getAttribute('aria-rowindex')).toBe('1492')
  // One page from the end, and no row before it.
  expect(asked.map((body) => JSON.parse(body).OrderBy)).toEqual(['OpportunityName desc'])

  for (const nth of [900, 300, 1200, 700]) {
    await page.evaluate(`document.querySelector('.grid').scrollTop = ${nth} * 40`)
    await row(page, `Deal ${String(nth).padStart(5, '0')}`).waitFor()
    expect(await row(page, `Deal ${String(nth).padStart(5, '0')}`).getAttribute('aria-rowindex')).toBe(String(nth + 2))
  }
  // A range from the beginning to the end has every row, whether it was read or not.
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  await row(page, 'Deal 00000').getByRole('checkbox').click()
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await row(page, 'Deal 01499').waitFor()
  await row(page, 'Deal 01499')
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('1,500 selected').first().waitFor()
})

test('a table is walked through by keyboard, and found again where it was left', async () => {
  const page = await crm.open('#/opportunities?order=OpportunityName')
  await rows(page).first().waitFor()
  await page.getByRole('grid').focus()
  for (let presses = 0; presses < 40; presses++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Deal 00040', level: 1 }).waitFor()
  await page.goBack()
  await row(page, 'Deal 00040').waitFor()
  expect(await page.evaluate(`document.querySelector('.grid').scrollTop`)).toBeGreaterThan(500)
})

test('a table says what has changed elsewhere, without moving, and shows it when asked', async () => {
  const page = await openLive(crm, '#/cases')
  await page.getByText('No cases yet').waitFor()
  const before = await button(page, 'Filter').boundingBox()
  const { CaseID } = await crm.server.call('create_case', { Subject: 'Card jammed', Description: 'The third one.' })
  await button(page, /1 change/).waitFor()
  expect(await button(page, 'Filter').boundingBox()).toEqual(before)
  await button(page, /1 change/).click()
  await row(page, 'Card jammed').waitFor()
  await crm.server.call('update_case', { CaseID, FieldsToUpdate: { Subject: 'Card freed' } })
  await row(page, 'Card freed').waitFor()
  await crm.server.call('case_delete', { CaseID })
  await page.locator('.grid-deleted').waitFor()
  await button(page, /1 change/).click()
  await page.getByText('No cases yet').waitFor()
})

test('a table deletes many at once, and brings them back', async () => {
  const page = await crm.open(`#/opportunities?where=${encodeURIComponent('{"Amount":{"lt":4}}')}`)
  await page.getByText('4 opportunities match').waitFor()
  await rows(page).nth(0).getByRole('checkbox').check()
  await rows(page)
    .nth(2)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await page.getByText('3 selected').waitFor()
  await page.getByLabel('Selected rows').getByRole('button', { name: 'Delete' }).click()
  expect(await page.locator('.records-named li').count()).toBe(3)
  await button(page, 'Delete 3').click()
  await page.getByText('1 opportunity matches').waitFor()
  await toast(page, '3 opportunities deleted.').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('4 opportunities match').waitFor()
  expect(await rows(page).count()).toBe(4)
})

test('a table has views with names, which are addresses', async () => {
  const page = await crm.open(`#/opportunities?where=${encodeURIComponent('{"Amount":{"lt":10}}')}&columns=OpportunityName,Amount`)
  await page.getByText('10 opportunities match').waitFor()
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Selected', 'Opportunity name', 'Amount'])
  await button(page, 'Save view').click()
  await page.getByLabel('Name of the view').fill('Small ones')
  await button(page, 'Save').click()
  await page.getByRole('link', { name: 'All opportunities' }).click()
  await page.getByText('1,500 opportunities', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Small ones' }).click()
  await page.getByText('10 opportunities match').waitFor()
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Selected', 'Opportunity name', 'Amount'])
  await button(page, 'Edit view').click()
  await button(page, 'Delete view').click()
  await page.getByRole('link', { name: 'Small ones' }).waitFor({ state: 'detached' })
})

test('a table whose address is no view says what is wrong with it, and shows all when asked', async () => {
  const page = await crm.open('#/opportunities')
  crm.refusals(page)
  for (const [query, says] of [
    ['where=nonsense', 'This view cannot be read'],
    ['where=[1]', 'This view cannot be read'],
    [`where=${encodeURIComponent('{"Nope":1}')}`, 'There is no field called "Nope"'],
    [`where=${encodeURIComponent('{"Amount":{"gte":{"a":1}}}')}`, 'The filter by Amount must be a number'],
    [`where=${encodeURIComponent('{"CreatedDate":{"within":"someday"}}')}`, 'The filter by Created cannot be read.'],
    [`where=${encodeURIComponent('{"__proto__":{"gte":1}}')}`, 'There is no field called "__proto__"'],
    ['order=Nope%20sideways', 'The order is not a field and a direction'],
  ] as const) {
    await page.goto(`${crm.server.url}/#/opportunities?${query}`)
    await page.locator('.state').getByText(says).waitFor()
    expect(await page.locator('.state').innerText()).not.toMatch(/GET|Get Many|Filters/)
    await button(page, 'Show all opportunities').click()
    await page.getByText('1,500 opportunities', { exact: true }).waitFor()
  }
})

test('a table fits a phone', async () => {
  const page = await crm.open('#/opportunities', { size: 'phone', theme: 'dark' })
  await rows(page).first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
  expect(await page.evaluate(`document.querySelector('.grid').scrollWidth <= document.querySelector('.grid').clientWidth`)).toBe(true)
  await page.getByLabel('Sort by').selectOption({ label: 'Amount ↑' })
  await rows(page).first().getByLabel('Select Deal 00000').check()
  await page.getByText('1 selected').waitFor()
  await rows(page).first().getByText('Deal 00000').click()
  await page.getByRole('heading', { name: 'Deal 00000', level: 1 }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
  expect(await page.evaluate('document.querySelector("main").scrollWidth')).toBe(375)
})

test('a long state ends with its row on a phone, and leaves what is below it whole', async () => {
  const Status = 'Waiting for the legal department of the parent company to answer'
  await crm.server.call('create_a_lead', { FirstName: 'Mary', LastName: 'Waiting', Email: 'mary@example.com', Status })
  const page = await crm.open('#/leads', { size: 'phone' })
  await row(page, 'Waiting').locator('.badge').waitFor()
  const cut = await row(page, 'Waiting')
    .locator('.grid-card > a')
    .evaluate((card) => {
      const end = card.getBoundingClientRect().right
      return [...card.querySelectorAll('.badge, strong, small')].filter((one) => one.getBoundingClientRect().right > end).map((one) => one.textContent)
    })
  expect(cut).toEqual([])
  await page.close()
})

test('in a small window the tools stay in sight beside a record, and the placeholder of the search is whole', async () => {
  const page = await crm.open('#/opportunities')
  await page.setViewportSize({ width: 1024, height: 860 })
  await rows(page).first().waitFor()
  const top = async () => (await page.locator('.grid').boundingBox())?.y
  const before = await top()
  await page.evaluate("location.hash = '#/opportunities?order=Amount+desc'")
  await button(page, 'Save view').waitFor()
  expect(await top()).toBe(before)
  const search = page.getByLabel('Search opportunities')
  const placeholder = await search.evaluate((input) => {
    const { font } = getComputedStyle(input)
    const canvas = document.createElement('canvas').getContext('2d')
    if (canvas) canvas.font = font
    return canvas?.measureText(input.getAttribute('placeholder') ?? '').width ?? 0
  })
  // The padding and the browser's button that clears.
  expect(await search.evaluate((input) => input.clientWidth - 32)).toBeGreaterThanOrEqual(placeholder)
  await rows(page).first().getByRole('gridcell').nth(2).click()
  const panel = page.locator('.record-panel')
  await panel.waitFor()
  const [left, right] = [await panel.boundingBox(), await page.locator('.grid').boundingBox()]
  expect((right?.x ?? 0) + (right?.width ?? 0)).toBeLessThanOrEqual(left?.x ?? 0)
  for (const name of ['Filter', 'Columns']) await button(page, name).click({ trial: true })
  await page.close()
})

test('the columns of a table fit into a usual window, and its states into a small one', async () => {
  await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Narrow', Email: 'ada.narrow@analytical-engines.example.com', Status: 'Unqualified' })
  const page = await crm.open('#/opportunities')
  const fits = () => page.evaluate('document.querySelector(".grid").scrollWidth <= document.querySelector(".grid").clientWidth')
  await page.setViewportSize({ width: 1440, height: 860 })
  await rows(page).first().waitFor()
  await expect.poll(fits).toBe(true)
  await page.setViewportSize({ width: 1024, height: 860 })
  await page.evaluate("location.hash = '#/leads'")
  const state = row(page, 'Narrow').locator('.badge')
  await state.waitFor()
  expect((await row(page, 'Narrow').getByText('ada.narrow@').boundingBox())?.height).toBeLessThan(30)
  const right = (box: { x: number; width: number } | null) => (box ? box.x + box.width : Number.NaN)
  await expect.poll(async () => right(await state.boundingBox()) <= right(await page.locator('.grid').boundingBox())).toBe(true)
  await page.close()
})

test('the link of a long name ends with its cell, and is high enough to be hit', async () => {
  const { CompanyID } = await crm.server.call('create_company', { CompanyName: 'Summit Energy and Northern Heating Group' })
  await crm.server.call('create_case', { Subject: 'Linked', Description: 'x', CompanyID })
  const page = await crm.open('#/cases')
  const cell = row(page, 'Linked').getByRole('gridcell').filter({ hasText: 'Summit Energy' })
  const [link, whole] = [await cell.getByRole('link').boundingBox(), await cell.boundingBox()]
  expect((link?.x ?? 0) + (link?.width ?? 0)).toBeLessThanOrEqual((whole?.x ?? 0) + (whole?.width ?? 0))
  expect(link?.height).toBeGreaterThanOrEqual(24)
  await page.close()
})
