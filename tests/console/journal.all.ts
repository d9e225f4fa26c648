import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const crm = consoleForFile()

const create = async (LastName: string) => (await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName })).LeadID as string
const update = (LeadID: string, FieldsToUpdate: object) => crm.server.call('update_lead', { LeadID, FieldsToUpdate })
const lines = (page: Page) => page.locator('.change')

async function openChanges(query = ''): Promise<Page> {
  const page = await crm.open(`#/changes${query}`)
  await lines(page).first().waitFor()
  return page
}

/** Opens the page anew, until its stream of events has begun. */
async function listening(page: Page): Promise<void> {
  await Promise.all([page.waitForResponse((response) => response.url().includes('/v1/events')), page.reload()])
}

describe('changes', () => {
  test('one that is made elsewhere is announced, reads as a sentence and can be undone', async () => {
    const LeadID = await create('Lovelace')
    const page = await openChanges()
    await listening(page)
    await lines(page).first().waitFor()
    await update(LeadID, { Status: 'Contacted' })
    await page.getByRole('button', { name: '1 new change' }).click()
    const line = lines(page).filter({ hasText: 'changed Status of lead' })
    expect(await line.locator('.change-sentence').innerText()).toBe('Admin changed Status of lead ‘Ada Lovelace’')

    await line.locator('.change-toggle').click()
    expect(await line.locator('.difference del').innerText()).toBe('Open')
    expect(await line.locator('.difference ins').innerText()).toBe('Contacted')
    expect(await line.getByRole('link', { name: 'Open the record' }).getAttribute('href')).toBe(`#/leads/${LeadID}`)

    await line.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.toast').getByText('Change undone.').waitFor()
    expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Status: 'Open' })
    await expect.poll(() => lines(page).first().innerText()).toContain('Undo')
    await line.getByRole('button', { name: 'Undone' }).waitFor()
    await page.close()
  })

  test('what can no longer be undone says why, in its place', async () => {
    const LeadID = await create('Byron')
    await update(LeadID, { Status: 'Contacted' })
    await update(LeadID, { Phone: '1' })
    const page = await openChanges(`?record=${LeadID}`)
    crm.refusals(page)
    const line = lines(page).filter({ hasText: 'changed Status' })
    await line.getByRole('button', { name: 'Undo' }).click()
    await line.getByRole('alert').getByText('The record has changed since').waitFor()
    expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Status: 'Contacted' })
    await page.close()
  })

  test('filters are in the address, and stay when it is opened anew', async () => {
    await create('Filtered')
    await crm.server.call('create_case', { Subject: 'Engine jams', Description: 'The third column sticks.' })
    await crm.server.post('delete_lead', { LeadID: 'nobody' })
    const page = await openChanges()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Record type').selectOption('Case')
    await expect.poll(() => lines(page).allInnerTexts()).toEqual([expect.stringContaining('created case ‘Engine jams’')])
    expect(page.url()).toContain('type=Case')
    await page.reload()
    await expect.poll(() => lines(page).count()).toBe(1)

    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByLabel('Outcome').selectOption('refused')
    await page.getByLabel('Operation').selectOption('delete_lead')
    await expect.poll(() => lines(page).allInnerTexts()).toEqual([expect.stringMatching(/tried Delete Lead on lead ‘…nobody’[\s\S]*not_found/)])
    expect(await lines(page).getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.close()
  })

  test('a long text shows the words that went and came; a custom object its values by their path', async () => {
    const before = 'The third column of the engine sticks whenever the handle is turned too quickly by the operator.'
    const { CaseID } = await crm.server.call('create_case', { Subject: 'Words', Description: before })
    await crm.server.call('update_case', { CaseID, FieldsToUpdate: { Description: before.replace('too quickly', 'rather slowly') } })
    const page = await openChanges(`?record=${CaseID}&operation=update_case`)
    await lines(page).locator('.change-toggle').click()
    expect(await page.locator('.difference del').allInnerTexts()).toEqual(['too quickly'])
    expect(await page.locator('.difference ins').allInnerTexts()).toEqual(['rather slowly'])

    const boat = await crm.server.call('create_custom_object', {
      ObjectName: 'Boat',
      Fields: { HullLength: { Type: 'Number', Label: 'Hull length', Value: 7.5 } },
    })
    await page.evaluate(`location.hash = '#/changes?record=${boat.ObjectID}'`)
    await lines(page).filter({ hasText: 'created Boat' }).locator('.change-toggle').click()
    expect(await page.locator('.difference').innerText()).toMatch(/Values\.HullLength\s+7\.5/)
    await page.close()
  })

  test('a change has an address of its own', async () => {
    await create('Addressed')
    const { Records } = (await crm.server.call('get_many_changes', { Limit: 1 })) as { Records: { ChangeID: string }[] }
    const page = await crm.open(`#/changes/${Records[0]?.ChangeID}`)
    await lines(page).getByText('‘Ada Addressed’').waitFor()
    expect(await page.locator('.difference').innerText()).toContain('Addressed')
    await page.close()
  })

  test('older ones follow page by page', async () => {
    const Operations = Array.from({ length: 60 }, (_, i) => ({ Operation: 'create_campaign', Input: { CampaignName: `Fair ${i}` } }))
    const headers = { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json' }
    expect((await fetch(`${crm.server.url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ Operations }) })).status).toBe(200)
    const page = await openChanges('?type=Campaign')
    expect(await lines(page).count()).toBe(50)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => lines(page).count()).toBe(60)
    await page.close()
  })
})

describe('events', () => {
  const events = (page: Page) => page.locator('.event')

  test('the latest are there, new ones come by themselves, and wait while paused', async () => {
    await create('Earlier')
    const page = await crm.open('#/events')
    await events(page).first().getByText('‘Ada Earlier’').waitFor()
    await listening(page)
    await events(page).first().waitFor()
    await create('Live')
    await events(page).first().getByText('‘Ada Live’').waitFor()

    await page.getByRole('button', { name: 'Pause' }).click()
    await create('Held')
    await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor()
    expect(await events(page).first().innerText()).toContain('Ada Live')
    await page.getByRole('button', { name: 'Resume (1 new)' }).click()
    await events(page).first().getByText('‘Ada Held’').waitFor()

    await events(page).first().locator('button').first().click()
    expect(JSON.parse(await events(page).first().locator('pre').innerText())).toMatchObject({ Type: 'lead.created', Record: { LastName: 'Held' } })
    await page.close()
  })

  test('are offered by the types of records that the key may read', async () => {
    const { Key } = await crm.server.call('create_key', { Scopes: ['read:Case'] })
    const page = await crm.open('#/events', { key: String(Key) })
    const offered = page.getByLabel('Type').locator('optgroup')
    await offered.first().waitFor({ state: 'attached' })
    expect(await offered.evaluateAll((groups) => groups.map((group) => group.getAttribute('label')))).toEqual(['case.*'])
    await page.close()
  })

  test('are filtered by their type', async () => {
    await crm.server.call('create_case', { Subject: 'Typed', Description: 'x' })
    await create('Untyped')
    const page = await crm.open('#/events')
    await events(page).first().waitFor()
    await page.getByLabel('Type').selectOption('case.*')
    await events(page).first().getByText('‘Typed’').waitFor()
    expect(await events(page).getByText('lead.created').count()).toBe(0)
    expect(page.url()).toContain('type=case.*')
    await page.close()
  })
})
