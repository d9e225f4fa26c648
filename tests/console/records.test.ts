import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
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

describe('a record', () => {
  test('is created, with what is wrong said beside the field it is about', async () => {
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

  test('is edited, and the change undone from where it was made', async () => {
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

  test('that two people edit at once shows the second what the first has done', async () => {
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

  test('is deleted after asking, and comes back from its own page', async () => {
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

  test('that must not go unconfirmed says that its delete waits', async () => {
    const LeadID = await createLead('Guarded')
    const key = await keyWith({ Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
    const page = await crm.open(`#/leads/${LeadID}`, { key })
    crm.refusals(page)
    await button(page, 'Delete').click()
    await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'It waits to be confirmed' }).waitFor()
    expect((await crm.server.post('get_leads', { LeadID })).status).toBe(200)
  })

  test('keeps what is typed until it is given up on purpose', async () => {
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

  test('shows notes, campaigns and history, and what is written elsewhere at once', async () => {
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

  test('is text, whatever it is made of', async () => {
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

  test('cannot be written with a key that only reads', async () => {
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
})

const DEALS = 2500

describe('a table', () => {
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

  test('is filtered by text, number and date, and its address shows the same to others', async () => {
    const page = await crm.open('#/opportunities')
    await page.getByText('2,500 opportunities', { exact: true }).waitFor()
    await page.getByLabel('Search opportunities').fill('Deal 012')
    await page.getByText('100 opportunities match').waitFor()
    await filter(page, 'Amount', 'is at least', '1250')
    await page.getByText('50 opportunities match').waitFor()
    await filter(page, 'Close date', 'is before', '2031-01-01')
    await page.getByText('1 opportunity match').waitFor()
    expect(await rows(page).count()).toBe(1)
    expect(await rows(page).innerText()).toContain('Deal 01250')

    const again = await crm.open(new URL(page.url()).hash)
    await again.getByText('1 opportunity match').waitFor()
    expect(await rows(again).innerText()).toContain('Deal 01250')
    expect(await again.getByLabel('Search opportunities').inputValue()).toBe('Deal 012')
    await button(again, /Remove the filter: Close date/).click()
    await again.getByText('50 opportunities match').waitFor()
  })

  test('is sorted by its headers, and by none again', async () => {
    const page = await crm.open('#/opportunities')
    const first = rows(page).first()
    await button(page, 'Amount').click()
    await first.filter({ hasText: 'Deal 00000' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')).toBe('ascending')
    await button(page, 'Amount').click()
    await first.filter({ hasText: 'Deal 02499' }).waitFor()
    expect(decodeURIComponent(page.url().replaceAll('+', ' '))).toContain('order=Amount desc')
    await button(page, 'Amount').click()
    await page.waitForURL(/#\/opportunities$/)
  })

  test('of any length shows each row once and in order, and keeps few of them', async () => {
    const page = await crm.open('#/opportunities?order=OpportunityName')
    await rows(page).first().waitFor()
    // A row may be read while another is drawn in its place; so it is read when all in view are there.
    const seen = (await page.evaluate(`(async () => {
      const grid = document.querySelector('.grid')
      const seen = new Map()
      let most = 0
      for (let still = 0; still < 5; ) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        if (grid.querySelector('.skeleton')) continue
        const all = [...grid.querySelectorAll('.grid-row')]
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
  }, 30_000)

  test('is walked through by keyboard, and found again where it was left', async () => {
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

  test('says what has changed elsewhere, without moving, and shows it when asked', async () => {
    const page = await crm.open('#/cases')
    await page.getByText('No cases yet').waitFor()
    await Promise.all([page.waitForResponse((response) => response.url().includes('/v1/events')), page.reload()])
    const { CaseID } = await crm.server.call('create_case', { Subject: 'Card jammed', Description: 'The third one.' })
    await button(page, /1 change/).click()
    await row(page, 'Card jammed').waitFor()
    await crm.server.call('update_case', { CaseID, FieldsToUpdate: { Subject: 'Card freed' } })
    await row(page, 'Card freed').waitFor()
    await crm.server.call('case_delete', { CaseID })
    await page.locator('.grid-gone').waitFor()
    await button(page, /1 change/).click()
    await page.getByText('No cases yet').waitFor()
  })

  test('deletes many at once, and brings them back', async () => {
    const page = await crm.open(`#/opportunities?where=${encodeURIComponent('{"Amount":{"lt":4}}')}`)
    await page.getByText('4 opportunities match').waitFor()
    await rows(page).nth(0).getByRole('checkbox').check()
    await rows(page)
      .nth(2)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 chosen').waitFor()
    await page.getByLabel('Chosen rows').getByRole('button', { name: 'Delete' }).click()
    await button(page, 'Delete 3').click()
    await page.getByText('1 opportunity match').waitFor()
    await toast(page, '3 of 3 deleted.').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('4 opportunities match').waitFor()
    expect(await rows(page).count()).toBe(4)
  })

  test('has views with names, which are addresses', async () => {
    const page = await crm.open(`#/opportunities?where=${encodeURIComponent('{"Amount":{"lt":10}}')}&columns=OpportunityName,Amount`)
    await page.getByText('10 opportunities match').waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Chosen', 'Opportunity name', 'Amount'])
    await button(page, 'Views').click()
    await page.getByLabel('Save what is shown as').fill('Small ones')
    await button(page, 'Save view').click()
    await page.getByRole('link', { name: 'All opportunities' }).click()
    await page.getByText('2,500 opportunities', { exact: true }).waitFor()
    await page.reload()
    await button(page, 'Views').click()
    await page.getByRole('link', { name: 'Small ones' }).click()
    await page.getByText('10 opportunities match').waitFor()
    await button(page, 'Small ones').click()
    await button(page, 'Delete the view Small ones').click()
    await page.getByRole('link', { name: 'Small ones' }).waitFor({ state: 'detached' })
  })

  test.each([
    ['?where=nonsense', 'This view cannot be read'],
    ['?where=[1]', 'This view cannot be read'],
    [`?where=${encodeURIComponent('{"Nope":1}')}`, 'There is no field called "Nope"'],
    [`?where=${encodeURIComponent('{"Amount":{"gte":{"a":1}}}')}`, 'Amount'],
    [`?where=${encodeURIComponent('{"__proto__":{"gte":1}}')}`, '__proto__'],
    ['?order=Nope%20sideways', 'Nope'],
  ])('with the address %s says what is wrong with it, and shows all when asked', async (query, says) => {
    const page = await crm.open(`#/opportunities${query}`)
    crm.refusals(page)
    await page.locator('.state').getByText(says).waitFor()
    await button(page, 'Show all opportunities').click()
    await page.getByText('2,500 opportunities', { exact: true }).waitFor()
  })

  test('fits a phone', async () => {
    const page = await crm.open('#/opportunities', { size: 'phone', theme: 'dark' })
    await rows(page).first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
    expect(await page.locator('.grid').evaluate('(grid) => grid.scrollWidth <= grid.clientWidth')).toBe(true)
    await page.getByLabel('Sort by').selectOption({ label: 'Amount ↓' })
    await rows(page).first().filter({ hasText: 'Deal 02499' }).click()
    await page.getByRole('heading', { name: 'Deal 02499', level: 1 }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
  })
})
