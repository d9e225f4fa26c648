import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { consoleForFile, openLive } from '../support/console.ts'

const crm = consoleForFile()
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Deals {
  readonly ByStage: readonly { readonly Stage: string; readonly Count: number; readonly Amount: number }[]
}

const PROSPECTS = 70

const lane = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const card = (page: Page, name: string) => page.locator('.board-card').filter({ hasText: name })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const cardsIn = (page: Page, name: string) => lane(page, name).locator('.board-name').allInnerTexts()
const figuresOf = (page: Page, name: string) => lane(page, name).locator('header p').innerText()
const spoken = (page: Page) => page.locator('.board [role="status"]')
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })

async function create(OpportunityName: string, Stage: string, Amount = 100): Promise<string> {
  return (await crm.server.call('create_opportunity', { OpportunityName, Stage, Amount, CloseDate: '2030-06-15' })).OpportunityID as string
}

/** The column and the name of the card that has the focus. */
const focusedCard = (page: Page) =>
  page.evaluate<unknown>(
    "[document.activeElement.closest('[data-lane]')?.dataset.lane, document.activeElement.closest('[data-lane]') && document.activeElement.textContent]",
  )

const stageOf = async (OpportunityID: string) => (await crm.server.call('get_opportunity', { OpportunityID })).Stage

beforeAll(async () => {
  const response = await fetch(`${crm.server.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      Operations: Array.from({ length: PROSPECTS }, (_, nth) => ({
        Operation: 'create_opportunity',
        Input: { OpportunityName: `Bulk ${String(nth).padStart(3, '0')}`, Stage: 'Prospecting', Amount: 10.25, CloseDate: '2030-06-15' },
      })),
    }),
  })
  expect(response.status).toBe(200)
  await create('Of a stage of our own', 'In legal', 7)
})

test('the columns are the stages in order, with the figures of the summary and not of the cards that are loaded', async () => {
  const page = await crm.open('#/opportunities?as=board')
  await lane(page, 'Prospecting').locator('.board-card').first().waitFor()
  expect(await page.locator('.board-lane h2').allInnerTexts()).toEqual([
    'Prospecting',
    'Qualification',
    'Proposal',
    'Negotiation',
    'Closed Won',
    'Closed Lost',
    'In legal',
  ])
  const { ByStage } = (await crm.server.call('get_summary_opportunity', {})) as unknown as Deals
  const prospects = ByStage.find(({ Stage }) => Stage === 'Prospecting')
  expect(await lane(page, 'Prospecting').locator('.board-card').count()).toBeLessThan(PROSPECTS)
  const amount = prospects?.Amount.toLocaleString('en-US', { minimumFractionDigits: 2 })
  expect(await figuresOf(page, 'Prospecting')).toBe(`${prospects?.Count} opportunities · ${amount}`)
  expect(await figuresOf(page, 'In legal')).toBe('1 opportunity · 7.00')
  expect(await figuresOf(page, 'Proposal')).toBe('0 opportunities · 0.00')
  await page.close()
})

test('a column loads more when it is scrolled, and each card is there once', async () => {
  const page = await crm.open('#/opportunities?as=board&order=OpportunityName+asc')
  await card(page, 'Bulk 000').waitFor()
  await expect
    .poll(async () => {
      await lane(page, 'Prospecting')
        .locator('ul')
        .evaluate((list) => list.scrollTo(0, list.scrollHeight))
      return (await cardsIn(page, 'Prospecting')).filter((name) => name.startsWith('Bulk')).length
    })
    .toBe(PROSPECTS)
  expect(new Set(await cardsIn(page, 'Prospecting')).size).toBe((await cardsIn(page, 'Prospecting')).length)
  await page.close()
})

test('a card is dragged to another column, and Undo takes it back', async () => {
  const id = await create('To be dragged', 'Prospecting', 5)
  const page = await crm.open('#/opportunities?as=board')
  await card(page, 'To be dragged').dragTo(lane(page, 'Qualification'))
  await toast(page, 'To be dragged moved to Qualification.').waitFor()
  expect(await cardsIn(page, 'Qualification')).toEqual(['To be dragged'])
  expect(await stageOf(id)).toBe('Qualification')
  await expect.poll(() => figuresOf(page, 'Qualification')).toBe('1 opportunity · 5.00')
  await toast(page, 'To be dragged').getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Undone: To be dragged moved to Qualification.').waitFor()
  await expect.poll(() => cardsIn(page, 'Qualification')).toEqual([])
  await expect.poll(() => figuresOf(page, 'Qualification')).toBe('0 opportunities · 0.00')
  await expect.poll(() => cardsIn(page, 'Prospecting')).toContain('To be dragged')
  expect(await stageOf(id)).toBe('Prospecting')
  await page.close()
})

test('a card is moved by keyboard alone, is announced, keeps the focus, and Ctrl Z undoes it', async () => {
  const id = await create('By keyboard', 'Prospecting')
  const page = await crm.open('#/opportunities?as=board')
  await link(page, 'By keyboard').focus()
  await page.keyboard.press('Space')
  await expect.poll(() => spoken(page).innerText()).toContain('By keyboard picked up from Prospecting, column 1 of 7.')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => spoken(page).innerText()).toBe('Over Proposal, column 3 of 7.')
  await page.keyboard.press('Escape')
  await expect.poll(() => spoken(page).innerText()).toBe('By keyboard stays in Prospecting, column 1 of 7.')
  expect(await stageOf(id)).toBe('Prospecting')

  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Space')
  await toast(page, 'By keyboard moved to Qualification.').waitFor()
  expect(await stageOf(id)).toBe('Qualification')
  expect(await cardsIn(page, 'Qualification')).toEqual(['By keyboard'])
  expect(await page.evaluate('document.activeElement.textContent')).toBe('By keyboard')

  await page.keyboard.press('Control+z')
  await toast(page, 'Undone: By keyboard moved to Qualification.').waitFor()
  expect(await stageOf(id)).toBe('Prospecting')
  await expect.poll(() => cardsIn(page, 'Qualification')).toEqual([])
  await expect.poll(() => focusedCard(page)).toEqual(['Prospecting', 'By keyboard'])

  // By the button of the message, too.
  for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key)
  await expect.poll(() => focusedCard(page)).toEqual(['Qualification', 'By keyboard'])
  await toast(page, 'By keyboard moved to Qualification.').getByRole('button', { name: 'Undo' }).press('Enter')
  await expect.poll(() => cardsIn(page, 'Qualification')).toEqual([])
  await expect.poll(() => focusedCard(page)).toEqual(['Prospecting', 'By keyboard'])
  await page.keyboard.press('o')
  await page.getByRole('heading', { name: 'By keyboard', level: 1 }).waitFor()
  await page.close()
})

test('arrow keys go from card to card, and Enter or O opens the record', async () => {
  const page = await crm.open(
    `#/opportunities?${new URLSearchParams({ where: JSON.stringify({ OpportunityName: { startsWith: 'Bulk' } }), order: 'OpportunityName asc', as: 'board' })}`,
  )
  await link(page, 'Bulk 000').focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Bulk 001')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Bulk 000', level: 1 }).waitFor()
  await page.goBack()
  await link(page, 'Bulk 001').focus()
  await page.keyboard.press('o')
  await page.getByRole('heading', { name: 'Bulk 001', level: 1 }).waitFor()
  await page.close()
})

test('a card with a long name leaves the columns as wide as they are while it is carried', async () => {
  const name = `Long ${'and longer '.repeat(15)}`.trim()
  await create(name, 'Prospecting')
  const page = await crm.open('#/opportunities?as=board')
  await page.setViewportSize({ width: 1000, height: 860 })
  await link(page, name).focus()
  const widths = () => page.locator('.board-lane').evaluateAll((lanes) => lanes.map((lane) => lane.getBoundingClientRect().width))
  const before = await widths()
  for (const key of ['Space', 'ArrowRight']) await page.keyboard.press(key)
  await lane(page, 'Qualification').locator('.board-incoming').waitFor()
  expect(await widths()).toEqual(before)
  await page.keyboard.press('Escape')
  await page.close()
})

test('a card that was changed elsewhere is not overwritten: the conflict is shown, and the person decides', async () => {
  const id = await create('Contested', 'Prospecting')
  const page = await crm.open('#/opportunities?as=board')
  crm.refusals(page)
  await card(page, 'Contested').waitFor()
  // After the page has sent it.
  await page.route(
    '**/v1/operations/update_opportunity',
    async (route) => {
      await crm.server.call('update_opportunity', { OpportunityID: id, FieldsToUpdate: { Amount: 4711 } })
      await route.continue()
    },
    { times: 1 },
  )
  await card(page, 'Contested').getByLabel('Move Contested').selectOption('Negotiation')
  const dialog = page.getByRole('dialog', { name: 'Contested was not moved' })
  await dialog.getByText('4,711.00').waitFor()
  expect(await stageOf(id)).toBe('Prospecting')
  expect(await cardsIn(page, 'Prospecting')).toContain('Contested')
  await dialog.getByRole('button', { name: 'Overwrite with mine' }).click()
  await toast(page, 'Contested moved to Negotiation.').waitFor()
  expect(await crm.server.call('get_opportunity', { OpportunityID: id })).toMatchObject({ Stage: 'Negotiation', Amount: 4711 })
  await page.close()
})

test('a move that the service refuses is taken back and said', async () => {
  const id = await create('Refused', 'Prospecting')
  const page = await crm.open('#/opportunities?as=board')
  crm.refusals(page)
  await page.route('**/v1/operations/update_opportunity', (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'platform_rejected', detail: 'A validation rule says no.', status: 422 }),
    }),
  )
  await card(page, 'Refused').getByLabel('Move Refused').selectOption('Proposal')
  await toast(page, 'Not moved: A validation rule says no.').waitFor()
  expect(await cardsIn(page, 'Proposal')).toEqual([])
  expect(await cardsIn(page, 'Prospecting')).toContain('Refused')
  expect(await stageOf(id)).toBe('Prospecting')
  await page.close()
})

test('a move whose answer is lost is said and shown as the record is, and can be undone', async () => {
  const id = await create('Answer lost', 'Prospecting')
  const page = await crm.open('#/opportunities?as=board')
  crm.refusals(page)
  await card(page, 'Answer lost').waitFor()
  // It arrives, and its answers are lost until the record is read back.
  let isRead = false
  await page.route('**/v1/operations/update_opportunity', async (route) => {
    if (isRead) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.route('**/v1/operations/get_opportunity', async (route) => {
    isRead = true
    await route.continue()
  })
  await card(page, 'Answer lost').dragTo(lane(page, 'Qualification'))
  await toast(page, 'Answer lost moved to Qualification.').getByRole('button', { name: 'Undo' }).waitFor()
  expect(await toast(page, 'Not moved').count()).toBe(0)
  expect(await cardsIn(page, 'Qualification')).toContain('Answer lost')
  expect(await crm.server.call('get_opportunity', { OpportunityID: id })).toMatchObject({ Stage: 'Qualification', Revision: 2 })
  await toast(page, 'Answer lost moved').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => cardsIn(page, 'Prospecting')).toContain('Answer lost')
  await page.close()
})

test('a move whose request is lost is taken back, and looked up once the service answers', async () => {
  const id = await create('Request lost', 'Prospecting')
  const page = await crm.open('#/opportunities?as=board')
  crm.refusals(page)
  await card(page, 'Request lost').waitFor()
  await page.route('**/v1/operations/update_opportunity', (route) => route.abort())
  await page.route('**/v1/operations/get_opportunity', (route) => route.abort())
  await card(page, 'Request lost').getByLabel('Move Request lost').selectOption('Proposal')
  await toast(page, 'It is not known whether Request lost was moved to Proposal. It is looked up once the service answers.').waitFor()
  expect(await cardsIn(page, 'Prospecting')).toContain('Request lost')
  await page.unroute('**/v1/operations/get_opportunity')
  await toast(page, 'Not moved: The service did not answer.').waitFor()
  expect(await cardsIn(page, 'Prospecting')).toContain('Request lost')
  expect(await stageOf(id)).toBe('Prospecting')
  await page.close()
})

test('table and board share their filters, and the board its address', async () => {
  const page = await crm.open(`#/opportunities?${new URLSearchParams({ where: JSON.stringify({ OpportunityName: { contains: 'Of a stage' } }) })}`)
  await page.getByText('1 opportunity matches').waitFor()
  await page.getByRole('button', { name: 'Board', exact: true }).click()
  await page.waitForURL(/where=.*as=board/)
  // A column is loaded when it is seen.
  await lane(page, 'In legal').scrollIntoViewIfNeeded()
  await card(page, 'Of a stage of our own').waitFor()
  expect(await page.locator('.board-card').count()).toBe(1)
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await page.locator('.grid-row:has(a)').waitFor()
  expect(page.url()).not.toContain('as=board')

  // A filter by the stage leaves its column.
  await page.evaluate(
    `location.hash = ${JSON.stringify(`#/opportunities?${new URLSearchParams({ where: JSON.stringify({ Stage: 'In legal' }), as: 'board' })}`)}`,
  )
  await expect.poll(() => page.locator('.board-lane h2').allInnerTexts()).toEqual(['In legal'])
  await page.evaluate(
    `location.hash = ${JSON.stringify(`#/opportunities?${new URLSearchParams({ where: JSON.stringify({ OpportunityName: 'none of that name' }), as: 'board' })}`)}`,
  )
  await page.getByRole('heading', { name: 'No opportunities match' }).waitFor()
  await page.getByRole('button', { name: 'Show all opportunities' }).click()
  await lane(page, 'Prospecting').waitFor()
  expect(page.url()).toContain('as=board')
  await page.close()
})

test('a card that a colleague moves goes over by itself', async () => {
  const id = await create('Moved by a colleague', 'Prospecting')
  await create('Already there', 'Negotiation')
  const page = await openLive(crm, '#/opportunities?as=board')
  await card(page, 'Moved by a colleague').waitFor()
  await card(page, 'Already there').waitFor()
  await crm.server.call('update_opportunity', { OpportunityID: id, FieldsToUpdate: { Stage: 'Negotiation' } })
  await expect.poll(() => cardsIn(page, 'Negotiation')).toContain('Moved by a colleague')
  expect(await cardsIn(page, 'Prospecting')).not.toContain('Moved by a colleague')
  // With the focus.
  await link(page, 'Moved by a colleague').focus()
  await crm.server.call('update_opportunity', { OpportunityID: id, FieldsToUpdate: { Stage: 'Proposal' } })
  await expect.poll(() => focusedCard(page)).toEqual(['Proposal', 'Moved by a colleague'])
  await page.close()
})

test('a key that may not update sees the board, and moves nothing', async () => {
  const { Key } = await crm.server.call('create_key', { Scopes: ['read'] })
  const page = await crm.open('#/opportunities?as=board', { key: Key as string })
  await page.locator('.board-card').first().waitFor()
  expect(await page.locator('.board-card[draggable="true"], .board-move').count()).toBe(0)
  await page.close()
})

test('leads and cases have boards by status', async () => {
  const { CaseID } = await crm.server.call('create_case', { Subject: 'Card jammed', Description: 'It sticks.' })
  await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const page = await crm.open('#/cases?as=board')
  await card(page, 'Card jammed').waitFor()
  expect(await page.locator('.board-lane h2').allInnerTexts()).toEqual(['New', 'Open', 'In Progress', 'Closed'])
  expect(await figuresOf(page, 'New')).toBe('1 case')
  await card(page, 'Card jammed').dragTo(lane(page, 'Closed'))
  await toast(page, 'Card jammed moved to Closed.').waitFor()
  expect(await crm.server.call('get_case', { CaseID })).toMatchObject({ Status: 'Closed' })
  await page.evaluate("location.hash = '#/leads?as=board'")
  await lane(page, 'Open').getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await page.evaluate("location.hash = '#/companies?as=board'")
  await page.getByRole('heading', { name: 'No companies yet' }).waitFor()
  expect(await page.getByRole('button', { name: 'Board', exact: true }).count()).toBe(0)
  await page.close()
})

test('the path on a record shows its stage, and a click moves it, with Undo', async () => {
  const id = await create('On its way', 'Qualification')
  const page = await crm.open(`#/opportunities/${id}`)
  const path = page.getByRole('navigation', { name: 'Stage' })
  await path.getByRole('button', { name: 'Prospecting' }).waitFor()
  expect(await path.getByRole('button').allInnerTexts()).toEqual(
    expect.arrayContaining(['Prospecting', 'Qualification', 'Proposal', 'Negotiation', 'Closed Won', 'Closed Lost']),
  )
  expect(await path.locator('[aria-current="step"]').innerText()).toBe('Qualification')
  await path.getByRole('button', { name: 'Negotiation' }).focus()
  await page.keyboard.press('Enter')
  await toast(page, 'On its way moved to Negotiation.').waitFor()
  await expect.poll(() => path.locator('[aria-current="step"]').innerText()).toBe('Negotiation')
  await toast(page, 'On its way').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => path.locator('[aria-current="step"]').innerText()).toBe('Qualification')
  expect(await stageOf(id)).toBe('Qualification')
  await page.close()
})

test('the path ticks what comes earlier in a known order, and statuses of our own come after it by name', async () => {
  for (const Status of ['Warm', 'Nurtured', 'Warm'])
    await crm.server.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper', Status, Company: 'Ordered' })
  const { LeadID } = await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Ordered', Status: 'Warm' })
  const page = await crm.open(`#/leads/${LeadID}`)
  const path = page.getByRole('navigation', { name: 'Status' })
  await path.locator('[aria-current="step"]').getByText('Warm').waitFor()
  await expect.poll(async () => (await path.getByRole('button').allInnerTexts()).slice(-2)).toEqual(['Nurtured', 'Warm'])
  expect(await path.locator('.stage-past').count()).toBe(0)
  await page.evaluate(`location.hash = '#/leads?as=board'`)
  await lane(page, 'Warm').waitFor()
  expect((await page.locator('.board-lane h2').allInnerTexts()).slice(-2)).toEqual(['Nurtured', 'Warm'])

  const id = await create('Ticked', 'Proposal')
  await page.evaluate(`location.hash = '#/opportunities/${id}'`)
  await expect.poll(() => page.locator('.stage-past').allInnerTexts()).toEqual(['Prospecting', 'Qualification'])
  await page.close()
})

test('a lead becomes converted by its conversion only, from the board, the path and the forms', async () => {
  const { LeadID } = await crm.server.call('create_a_lead', { FirstName: 'Mary', LastName: 'Somerville', Company: 'Somerville Ltd' })
  await crm.server.call('create_a_lead', { FirstName: 'Once', LastName: 'Before', Status: 'Converted' })
  const statusOf = async () => (await crm.server.call('get_leads', { LeadID })).Status
  const page = await crm.open('#/leads?as=board')
  // All five lanes beside each other.
  await page.setViewportSize({ width: 2000, height: 900 })
  const dialog = page.getByRole('dialog', { name: 'Convert Mary Somerville' })
  await card(page, 'Mary Somerville').dragTo(lane(page, 'Converted'))
  await dialog.getByText('Somerville Ltd').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => cardsIn(page, 'Open')).toContain('Mary Somerville')
  expect(await cardsIn(page, 'Converted')).not.toContain('Mary Somerville')
  expect(await statusOf()).toBe('Open')

  await card(page, 'Mary Somerville').getByLabel('Move Mary Somerville').selectOption('Converted')
  await dialog.getByRole('button', { name: 'Convert', exact: true }).click()
  await page.getByRole('dialog', { name: 'Mary Somerville is converted' }).getByRole('button', { name: 'Close' }).last().click()
  await expect.poll(() => cardsIn(page, 'Converted')).toContain('Mary Somerville')
  expect(await statusOf()).toBe('Converted')
  const contacts = await crm.server.call('get_many_contacts', { Filters: { LastName: 'Somerville' } })
  expect(contacts.Records).toMatchObject([{ FirstName: 'Mary' }])

  const another = (await crm.server.call('create_a_lead', { FirstName: 'Joan', LastName: 'Clarke' })).LeadID
  await page.evaluate(`location.hash = '#/leads/${another}'`)
  await page.getByRole('navigation', { name: 'Status' }).getByRole('button', { name: 'Converted' }).click()
  await page.getByRole('dialog', { name: 'Convert Joan Clarke' }).getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.locator('.stage-path [aria-current]').innerText()).toBe('Open')
  await page.getByRole('button', { name: 'Edit Status' }).click()
  await page.keyboard.type('Converted')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Convert Joan Clarke' }).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Status').fill('Converted')
  await page.getByText('A lead becomes converted by Convert, which makes its contact and company.').waitFor()
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Save' }).isEnabled()).toBe(false)
  expect(await crm.server.call('get_leads', { LeadID: another })).toMatchObject({ Status: 'Open', Revision: 1 })
  await page.close()
})

test.each([
  { theme: 'light', size: 'desktop' },
  { theme: 'dark', size: 'phone' },
] as const)('the board is accessible and fits: $theme, $size', async (how) => {
  const page = await crm.open('#/opportunities?as=board', how)
  await lane(page, 'Prospecting').locator('.board-card').first().waitFor()
  await page.evaluate(await readFile(axe, 'utf8'))
  const violations = await page.evaluate<{ id: string }[]>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, html: nodes[0].html })))",
  )
  expect(violations).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth && document.querySelector("main").scrollWidth <= innerWidth')).toBe(true)
  await page.close()
})
