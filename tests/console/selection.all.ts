import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { consoleForFile, openLive } from '../support/console.ts'

const crm = consoleForFile()

const DEALS = 2600

const rows = (page: Page) => page.locator('.grid-row:has(a)')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })
const bar = (page: Page) => page.getByLabel('Selected rows')
const dialog = (page: Page) => page.getByRole('dialog')
const head = (page: Page) => page.getByLabel('Select all loaded rows')
const where = (filters: object) => `where=${encodeURIComponent(JSON.stringify(filters))}`
const name = (nth: number) => `Deal ${String(nth).padStart(5, '0')}`
const selects = (page: Page, text: string) => bar(page).getByText(text, { exact: true }).waitFor()

async function deals(Filters: object): Promise<{ readonly OpportunityID: string; readonly OpportunityName: string }[]> {
  const { Records } = (await crm.server.call('get_many_opportunities', { Filters, Limit: 1000 })) as { Records: never[] }
  return Records
}
const countOf = async (Filters: object) => (await crm.server.call('get_summary_opportunity', { Filters })).Total
const newestBatch = async () => ((await crm.server.call('get_many_changes', { Limit: 1 })) as { Records: { BatchID: string }[] }).Records[0]?.BatchID

/** Scrolls to a row, which is loaded page by page. */
async function scrollTo(page: Page, text: string, index: number): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate(`document.querySelector('.grid').scrollTop = ${index} * 40`)
      return row(page, text).count()
    })
    .toBe(1)
}

beforeAll(async () => {
  const Operations = Array.from({ length: DEALS }, (_, nth) => ({
    Operation: 'create_opportunity',
    Input: { OpportunityName: name(nth), Stage: nth % 2 === 0 ? 'Prospecting' : 'Negotiation', CloseDate: '2030-06-15', Amount: nth },
  }))
  for (let from = 0; from < DEALS; from += 1000) {
    const headers = { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ Operations: Operations.slice(from, from + 1000) })
    expect((await fetch(`${crm.server.url}/v1/batch`, { method: 'POST', headers, body })).status).toBe(200)
  }
})

test('the checkbox of the header selects what is loaded, and says when that is not all', async () => {
  const page = await crm.open(`#/opportunities?${where({ Amount: { lt: 3 } })}`)
  await rows(page).nth(2).waitFor()
  const mixed = () => head(page).evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate)
  await rows(page).first().getByRole('checkbox').check()
  expect([await head(page).isChecked(), await mixed()]).toEqual([false, true])
  await head(page).click()
  await selects(page, '3 selected')
  expect([await head(page).isChecked(), await mixed()]).toEqual([true, false])
  expect(
    await bar(page)
      .getByRole('button', { name: /Select all/ })
      .count(),
  ).toBe(0)
  await head(page).click()
  await bar(page).waitFor({ state: 'detached' })

  // By keyboard alone.
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await selects(page, '3 selected')
  await page.close()

  const all = await crm.open('#/opportunities')
  await rows(all).first().waitFor()
  await head(all).click()
  await bar(all).getByRole('button', { name: 'Select all 2,600', exact: true }).waitFor()
  expect(await head(all).isChecked()).toBe(false)
  await all.close()
})

test('all that match are changed as one group, in batches, and undone as one', async () => {
  const page = await crm.open(`#/opportunities?${where({ Stage: 'Negotiation' })}`)
  await rows(page).first().getByRole('checkbox').check()
  await bar(page).getByRole('button', { name: 'Select all 1,300 that match' }).click()
  await selects(page, '1,300 selected')
  expect(await head(page).isChecked()).toBe(true)
  // What comes later is not selected.
  const { OpportunityID } = await crm.server.call('create_opportunity', { OpportunityName: 'Late', Stage: 'Negotiation', CloseDate: '2030-01-01' })

  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  expect(await dialog(page).getByRole('heading').innerText()).toBe('Edit 1,300 opportunities')
  expect(await dialog(page).locator('.records-named li').last().innerText()).toBe('and 1,292 more')
  await dialog(page).getByText('All that match: Stage is Negotiation', { exact: true }).waitFor()
  await dialog(page).getByLabel('New value').fill('Proposal')
  await button(page, 'Change Stage of 1,300').click()
  await toast(page, '1,300 opportunities changed.').waitFor()
  expect(await countOf({ Stage: 'Proposal' })).toBe(1300)
  expect(await crm.server.call('get_opportunity', { OpportunityID })).toMatchObject({ Stage: 'Negotiation' })
  await bar(page).waitFor({ state: 'detached' })

  // The undo stays on Changes, where all of it is one line.
  await page.goto(`${crm.server.url}/#/changes`)
  const group = page.locator(`[data-batch="${await newestBatch()}"]`)
  await group.getByText('changed 1,300 opportunities').waitFor()
  await group.getByRole('button', { name: 'Undo' }).click()
  await button(page, 'Undo 1,300').click()
  await group.getByRole('button', { name: 'Undone' }).waitFor()
  expect(await countOf({ Stage: 'Proposal' })).toBe(0)
  await crm.server.call('opportunity_delete', { OpportunityID })
  await page.close()
})

test('what has no summary is counted when all of it is selected', async () => {
  const headers = { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json' }
  const Operations = Array.from({ length: 300 }, (_, nth) => ({ Operation: 'create_company', Input: { CompanyName: `Company ${nth}` } }))
  expect((await fetch(`${crm.server.url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ Operations }) })).status).toBe(200)
  const page = await crm.open('#/companies')
  await page.getByText('More than 200 companies', { exact: true }).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Select all', exact: true }).click()
  await selects(page, '300 selected')
  await page.getByText('300 companies', { exact: true }).waitFor()
  expect(await head(page).isChecked()).toBe(true)
  expect(
    await bar(page)
      .getByRole('button', { name: /Select all/ })
      .count(),
  ).toBe(0)
  await page.close()
})

test('the selection is kept while a record is opened, and for its own view alone', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { lt: 9 } })}`)
  for (const nth of [0, 1, 2]) await row(page, name(nth)).getByRole('checkbox').check()
  await row(page, name(5)).getByRole('link').press('Enter')
  await page.getByRole('heading', { name: name(5), level: 1 }).waitFor()
  await page.goBack()
  await selects(page, '3 selected')
  expect(await row(page, name(1)).getByRole('checkbox').isChecked()).toBe(true)
  await row(page, name(5)).getByRole('link').press('Enter')
  await page.getByRole('heading', { name: name(5), level: 1 }).waitFor()
  await page.evaluate(`location.hash = ${JSON.stringify(`#/opportunities?order=Amount&${where({ Amount: { lt: 8 } })}`)}`)
  await row(page, name(7)).waitFor()
  expect(await bar(page).count()).toBe(0)
  await page.goBack()
  await page.goBack()
  await row(page, name(8)).waitFor()
  expect(await bar(page).count()).toBe(0)
  await page.close()
})

test('a change of many that waits for the connection says so', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 800, lt: 803 } })}`)
  crm.refusals(page)
  await row(page, name(802)).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  await dialog(page).getByLabel('New value').fill('Proposal')
  await page.route('**/v1/batch', (route) => route.abort())
  await button(page, 'Change Stage of 3').click()
  await dialog(page).getByText('Waiting for the connection').waitFor()
  await page.unroute('**/v1/batch')
  await toast(page, '3 opportunities changed.').waitFor()
  await page.close()
})

test('a range has every row between its ends, also those that were scrolled out of memory', async () => {
  const page = await crm.open('#/opportunities?order=Amount')
  await row(page, name(10)).getByRole('checkbox').check()
  await scrollTo(page, name(2500), 2500)
  await row(page, name(2500))
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await selects(page, '2,491 selected')
  await page.close()
})

test('a range is selected by keyboard, and refused where its rows have changed', async () => {
  const page = await openLive(crm, `#/opportunities?order=Amount&${where({ Amount: { lt: 50 } })}`)
  await row(page, name(0)).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press(' ')
  for (let presses = 0; presses < 4; presses++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ ')
  await selects(page, '5 selected')

  const [first] = await deals({ OpportunityName: name(4) })
  await crm.server.call('update_opportunity', { OpportunityID: first?.OpportunityID, FieldsToUpdate: { Amount: 48.5 } })
  await button(page, /1 change/).click()
  await expect.poll(() => rows(page).nth(4).innerText()).toContain(name(5))
  await row(page, name(8))
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] })
  await toast(page, 'the rows in between have changed').waitFor()
  await selects(page, '5 selected')
  await crm.server.call('update_opportunity', { OpportunityID: first?.OpportunityID, FieldsToUpdate: { Amount: 4 } })
  await page.close()
})

test('a selection is changed by keyboard alone, which ends up in the table again', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 300, lt: 303 } })}`)
  await row(page, name(300)).waitFor()
  const focused = () => page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent ?? ''")
  const tabTo = async (label: string) => {
    for (let presses = 0; presses < 30 && (await focused()) !== label; presses++) await page.keyboard.press('Tab')
    expect(await focused()).toBe(label)
  }
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+a')
  await selects(page, '3 selected')
  await tabTo('Edit field')
  await page.keyboard.press('Enter')
  await dialog(page).waitFor()
  await tabTo('New value')
  await page.keyboard.type('By hand')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await toast(page, '3 opportunities changed.').waitFor()
  await expect.poll(focused).toBe('Opportunities')
  expect(await countOf({ Stage: 'By hand' })).toBe(3)
  await page.close()
})

test('a field of all selected is cleared only where that is asked for', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 600, lt: 603 } })}`)
  await row(page, name(602)).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  const [change, value] = [button(page, 'Change Stage of 3'), dialog(page).getByLabel('New value')]
  await expect
    .poll(() =>
      dialog(page)
        .getByLabel('Field')
        .evaluate((field) => field.matches(':focus')),
    )
    .toBe(true)
  expect(await change.isDisabled()).toBe(true)
  await value.click()
  await page.getByRole('option', { name: 'Negotiation' }).waitFor()
  // The first Enter closes the list, and the second has nothing to send.
  await page.keyboard.press('Enter')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await value.fill('Nonsuch')
  expect(await change.isDisabled()).toBe(true)
  expect(await dialog(page).getByText('Clear the field').count()).toBe(0)

  await dialog(page).getByLabel('Field').selectOption({ label: 'Description' })
  expect(await button(page, 'Change Description of 3').isDisabled()).toBe(true)
  await dialog(page).getByLabel('New value').fill('To be cleared')
  await button(page, 'Change Description of 3').click()
  await toast(page, '3 opportunities changed.').waitFor()
  expect(await countOf({ Stage: null })).toBe(0)

  await head(page).click()
  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  await dialog(page).getByLabel('Field').selectOption({ label: 'Description' })
  await dialog(page).getByLabel('Clear the field').check()
  expect(await dialog(page).getByLabel('New value').count()).toBe(0)
  await button(page, 'Clear Description of 3').click()
  await toast(page, '3 opportunities changed.').last().waitFor()
  await expect.poll(() => countOf({ Description: 'To be cleared' })).toBe(0)
  await page.close()
})

test('a change of the owner begins with the new owner', async () => {
  const page = await crm.open(`#/opportunities?${where({ Amount: { gte: 600, lt: 603 } })}`)
  await row(page, name(602)).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Change owner' }).click()
  await expect
    .poll(() =>
      dialog(page)
        .getByLabel('New value')
        .evaluate((field) => field.matches(':focus')),
    )
    .toBe(true)
  await page.close()
})

test('other filters clear the selection, another order does not, and it names what it has', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { lt: 9 } })}`)
  for (const nth of [0, 1, 2, 3]) await row(page, name(nth)).getByRole('checkbox').check()
  await bar(page)
    .getByText(`${name(0)}, ${name(1)} and 2 more`)
    .waitFor()
  await button(page, 'Amount').click()
  await rows(page)
    .first()
    .filter({ hasText: name(8) })
    .waitFor()
  await selects(page, '4 selected')
  await page.getByLabel('Search opportunities').fill(name(5))
  await bar(page).waitFor({ state: 'detached' })
  await page.goBack()
  await row(page, name(0)).waitFor()
  expect(await bar(page).count()).toBe(0)
  await page.close()
})

test('what was so already is counted, what fails is listed by record and stays selected', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 100, lt: 105 } })}`)
  await row(page, name(104)).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  await dialog(page).getByLabel('New value').fill('Prospecting')
  await button(page, 'Change Stage of 5').click()
  await toast(page, '2 opportunities changed, 3 already had this value.').waitFor()

  await head(page).click()
  const [changed] = await deals({ OpportunityName: name(102) })
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  await crm.server.call('update_opportunity', { OpportunityID: changed?.OpportunityID, FieldsToUpdate: { Probability: 40 } })
  await button(page, 'Delete 5').click()
  await dialog(page).getByRole('heading', { name: '4 opportunities deleted, 1 failed.' }).waitFor()
  expect(await dialog(page).locator('.records-refused li').allInnerTexts()).toEqual([expect.stringContaining(name(102))])
  await button(page, 'Close').last().click()
  // The undo is offered again once the dialog does not cover it.
  await toast(page, '4 opportunities deleted, 1 failed.').getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Undone: 4 opportunities deleted, 1 failed.').waitFor()
  await selects(page, '1 selected')
  await bar(page).getByText(name(102)).waitFor()
  expect(await countOf({ Amount: { gte: 100, lt: 105 } })).toBe(5)

  // Once they have been listed, they are changed when asked again.
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  await button(page, 'Delete 1').click()
  await toast(page, '1 opportunity deleted.').waitFor()
  expect(await countOf({ Amount: { gte: 100, lt: 105 } })).toBe(4)
  await page.close()
})

test('what no longer matches when it is changed is left as it is', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 500, lt: 503 }, Stage: { ne: 'Closed Lost' } })}`)
  await row(page, name(502)).waitFor()
  await bar(page).waitFor({ state: 'detached' })
  await row(page, name(500)).getByRole('checkbox').check()
  await bar(page).getByRole('button', { name: 'Select all 3 that match' }).click()
  await selects(page, '3 selected')
  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  const [lost] = await deals({ OpportunityName: name(501) })
  await crm.server.call('update_opportunity', { OpportunityID: lost?.OpportunityID, FieldsToUpdate: { Stage: 'Closed Lost' } })
  await dialog(page).getByLabel('New value').fill('Proposal')
  await button(page, 'Change Stage of 3').click()
  await dialog(page).getByRole('heading', { name: '2 opportunities changed, 1 failed.' }).waitFor()
  expect(await crm.server.call('get_opportunity', { OpportunityID: lost?.OpportunityID })).toMatchObject({ Stage: 'Closed Lost' })
  await page.close()
})

test.each([
  { act: 'Delete', done: 'deleted' },
  { act: 'Edit field', done: 'changed' },
])('what others have changed since it was selected is left as it is, also where the table shows the change: $act', async ({ act, done }) => {
  const page = await openLive(crm, `#/opportunities?order=Amount&${where({ Amount: { gte: 700, lt: 704 }, Stage: 'Prospecting' })}`)
  await row(page, name(702)).waitFor()
  await head(page).click()
  await selects(page, '2 selected')
  const [theirs] = await deals({ OpportunityName: name(702) })
  await crm.server.call('update_opportunity', { OpportunityID: theirs?.OpportunityID, FieldsToUpdate: { Stage: 'Qualification' } })
  await row(page, name(702)).getByText('Qualification').waitFor()
  await bar(page).getByRole('button', { name: act }).click()
  if (act === 'Edit field') await dialog(page).getByLabel('New value').fill('Proposal')
  await button(page, act === 'Delete' ? 'Delete 2' : 'Change Stage of 2').click()
  await dialog(page)
    .getByRole('heading', { name: `1 opportunity ${done}, 1 failed.` })
    .waitFor()
  expect(await dialog(page).locator('.records-refused li').allInnerTexts()).toEqual([expect.stringContaining(name(702))])
  await dialog(page).getByText('It has been changed meanwhile. Open it to see how it is now').waitFor()
  // The way to the record leaves the undo there.
  await dialog(page)
    .getByRole('link', { name: name(702) })
    .click()
  await Promise.all([
    page.getByRole('heading', { name: name(702), level: 1 }).waitFor(),
    toast(page, `1 opportunity ${done}, 1 failed.`).getByRole('button', { name: 'Undo' }).waitFor(),
  ])
  expect(await crm.server.call('get_opportunity', { OpportunityID: theirs?.OpportunityID })).toMatchObject({ Stage: 'Qualification' })

  // As it was before.
  await crm.server.call('undo_change', { BatchID: await newestBatch() })
  await crm.server.call('update_opportunity', { OpportunityID: theirs?.OpportunityID, FieldsToUpdate: { Stage: 'Prospecting' } })
  await page.close()
})

test('what one has changed and undone oneself since selecting it is no reason to leave it', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 710, lt: 713 } })}`)
  await row(page, name(712)).waitFor()
  await head(page).click()
  await selects(page, '3 selected')
  await row(page, name(711)).getByText('711.00').dblclick()
  await page.getByRole('form', { name: 'Edit Amount' }).getByLabel('Amount').fill('711.5')
  await page.keyboard.press('Enter')
  await row(page, name(711)).getByText('711.50').waitFor()
  await page.locator('.cell-editor').waitFor({ state: 'detached' })
  const change = async (stage: string) => {
    await bar(page).getByRole('button', { name: 'Edit field' }).click()
    await dialog(page).getByLabel('New value').fill(stage)
    await button(page, 'Change Stage of 3').click()
    await bar(page).waitFor({ state: 'detached' })
    expect(await countOf({ Stage: stage, Amount: { gte: 710, lt: 713 } })).toBe(3)
  }
  await change('Proposal')

  // The undo of a batch, while its records are selected again.
  await expect.poll(async () => (await rows(page).allInnerTexts()).filter((text) => text.includes('Proposal')).length).toBe(3)
  await head(page).click()
  await selects(page, '3 selected')
  // The table is read again once it is known what the undo has made of the selected rows.
  let isRead = false
  const refreshed = page.waitForRequest((request) => {
    isRead ||= request.url().endsWith('get_many_changes')
    return isRead && request.url().endsWith('get_many_opportunities')
  })
  // The button may be gone by now, the key is not.
  await page.keyboard.press('Control+z')
  await toast(page, 'Undone: 3 opportunities changed.').waitFor()
  await refreshed
  await change('Closed Lost')
  await page.close()
})

test('an undo says which record has changed since and is left as it is, and leads to it', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 720, lt: 722 } })}`)
  crm.refusals(page)
  await row(page, name(721)).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Edit field' }).click()
  await dialog(page).getByLabel('New value').fill('Proposal')
  await button(page, 'Change Stage of 2').click()
  await toast(page, '2 opportunities changed.').waitFor()
  const [changed] = await deals({ OpportunityName: name(721) })
  await crm.server.call('update_opportunity', { OpportunityID: changed?.OpportunityID, FieldsToUpdate: { Probability: 40 } })
  // The button may be gone by now, the key is not.
  await page.keyboard.press('Control+z')
  const said = toast(page, '1 change undone')
  await said.waitFor()
  expect(await said.locator('span').first().innerText()).toBe(`1 change undone, 1 not: Opportunity ‘${name(721)}’ has changed since.`)
  await said.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { name: name(721), level: 1 }).waitFor()
  expect(await deals({ OpportunityName: { in: [name(720), name(721)] }, Stage: 'Proposal' })).toHaveLength(1)
  expect(page.url()).toContain(`/opportunities/${changed?.OpportunityID}`)
  await page.close()
})

test('a change of many is stopped between two steps, and the rest stays selected', async () => {
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 1000, lt: 1250 } })}`)
  await row(page, name(1000)).getByRole('checkbox').check()
  await bar(page).getByRole('button', { name: 'Select all 250 that match' }).click()
  await selects(page, '250 selected')
  let [steps, go] = [0, () => {}]
  const second = new Promise<void>((resolve) => {
    go = resolve
  })
  await page.route('**/v1/batch', async (route) => {
    if (++steps === 2) await second
    await route.continue()
  })
  await bar(page).getByRole('button', { name: 'Change owner' }).click()
  await dialog(page).getByLabel('New value').waitFor()
  expect(await dialog(page).getByLabel('Field').inputValue()).toBe('OwnerID')
  await dialog(page).getByLabel('Field').selectOption({ label: 'Stage' })
  await dialog(page).getByLabel('New value').fill('Stopped')
  await page.getByRole('option', { name: 'Use “Stopped” as a new value' }).click()
  await button(page, 'Change Stage of 250').click()
  await dialog(page).getByText('100 of 250 opportunities').waitFor()
  await button(page, 'Stop').click()
  go()
  await dialog(page).getByRole('heading', { name: '200 opportunities changed, 50 not done.' }).waitFor()
  expect(await countOf({ Stage: 'Stopped' })).toBe(200)
  expect(await page.locator('.toast').count()).toBe(0)
  await dialog(page).getByRole('button', { name: 'Undo' }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await toast(page, 'Undone: 200 opportunities changed, 50 not done.').waitFor()
  expect(await countOf({ Stage: 'Stopped' })).toBe(0)
  await selects(page, '50 selected')
  await page.close()
})

test('deletions that wait for approval are one group, and say so', async () => {
  const { Key } = await crm.server.call('create_key', { Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
  const page = await crm.open(`#/opportunities?order=Amount&${where({ Amount: { gte: 200, lt: 350 } })}`, { key: String(Key) })
  crm.refusals(page)
  await row(page, name(200)).waitFor()
  await head(page).click()
  await bar(page).getByRole('button', { name: 'Delete' }).click()
  await button(page, 'Delete 150').click()
  await dialog(page).getByRole('heading', { name: '0 opportunities deleted, 150 wait for approval.' }).waitFor()
  expect(await countOf({ Amount: { gte: 200, lt: 350 } })).toBe(150)
  const { Records } = (await crm.server.call('get_many_plans', {})) as { Records: { Preview: { Deletes: number } }[] }
  expect(Records.map(({ Preview }) => Preview.Deletes)).toEqual([150])
  await page.close()
})

test('on a phone everything that is loaded is selected at once, too', async () => {
  const page = await crm.open(`#/opportunities?${where({ Amount: { lt: 3 } })}`, { size: 'phone' })
  await rows(page).nth(2).waitFor()
  await page.getByText('Select all', { exact: true }).waitFor()
  await head(page).click()
  await selects(page, '3 selected')
  expect(await page.locator('.grid').evaluate((grid) => grid.scrollWidth <= grid.clientWidth)).toBe(true)
  await page.close()
})

test('on a phone, too, what is loaded is told from all that match, and these are selected as well', async () => {
  const page = await crm.open('#/opportunities', { size: 'phone' })
  await rows(page).first().waitFor()
  await page.getByText(/^Select the \d+ loaded$/).waitFor()
  await head(page).click()
  const everything = bar(page).getByRole('button', { name: /^Select all 2,\d\d\d$/ })
  await everything.waitFor()
  expect(await everything.innerText()).toBe(`Select all ${Number(await countOf({})).toLocaleString('en-US')}`)
  await everything.click()
  await selects(page, `${Number(await countOf({})).toLocaleString('en-US')} selected`)
  await everything.waitFor({ state: 'detached' })
  await page.close()
})
