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

describe('changes', () => {
  test('one that is made elsewhere is announced, reads as a sentence and can be undone', async () => {
    const LeadID = await create('Lovelace')
    const page = await openChanges()
    await page.locator('.live-mark').waitFor()
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

  test('how a change came, and when, stand beside each other, whichever way it was', async () => {
    const ways = ['cli', 'crm', 'mcp', 'service']
    for (const nth of ways.keys()) await create(`Way ${nth}`)
    const page = await crm.open('#/keys')
    await page.route('**/get_many_changes', async (route) => {
      const response = await route.fetch()
      const { Records, ...rest } = (await response.json()) as { Records: object[] }
      await route.fulfill({ response, json: { ...rest, Records: Records.map((one, nth) => ({ ...one, Transport: ways[nth % ways.length] })) } })
    })
    await page.evaluate("location.hash = '#/changes'")
    await lines(page).getByText('command line').first().waitFor()
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const cut = await page
        .locator('.change-transport, .change-time')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0).length)
      expect(cut, `${width}`).toBe(0)
      const boxes = await lines(page)
        .first()
        .locator('.change-transport, .change-time')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
      expect(boxes[0]?.right, `${width}`).toBeLessThan(boxes[1]?.left ?? 0)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.close()
  })

  test('what was undone elsewhere is not offered again, and an undo says what it is', async () => {
    const LeadID = await create('Reverted')
    await update(LeadID, { Status: 'Contacted' })
    const { Records } = (await crm.server.call('get_many_changes', { Filters: { RecordID: LeadID }, Limit: 1 })) as { Records: { ChangeID: string }[] }
    await crm.server.call('undo_change', { ChangeID: Records[0]?.ChangeID })
    const page = await openChanges(`?record=${LeadID}`)
    await lines(page).nth(1).getByRole('button', { name: 'Undone', exact: true }).waitFor()
    expect(await lines(page).nth(1).getByRole('button', { name: 'Undone', exact: true }).isDisabled()).toBe(true)
    await lines(page).first().getByText('Undoes an earlier change').waitFor()
    await lines(page).first().getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await page.evaluate(`location.hash = '#/changes/${Records[0]?.ChangeID}'`)
    await expect.poll(() => lines(page).getByRole('button', { name: 'Undone', exact: true }).count()).toBe(1)
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
    await line.getByRole('alert').getByText('Lead ‘Ada Byron’ has changed since. Undo the later changes first').waitFor()
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

    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByLabel('Outcome').selectOption('refused')
    await page.getByLabel('Operation').selectOption('delete_lead')
    await expect.poll(() => lines(page).allInnerTexts()).toEqual([expect.stringMatching(/tried Delete Lead on lead ‘…nobody’[\s\S]*not found/)])
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
    for (let i = 0; i < 60; i++) await crm.server.call('create_campaign', { CampaignName: `Fair ${i}` })
    const page = await openChanges('?type=Campaign')
    expect(await lines(page).count()).toBe(50)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => lines(page).count()).toBe(60)
    await page.close()
  })
})

describe('groups', () => {
  const groups = (page: Page) => page.locator('[data-batch]')
  const batch = async (Operations: readonly object[], BatchID?: string) => {
    const headers = { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json' }
    const response = await fetch(`${crm.server.url}/v1/batch`, { method: 'POST', headers, body: JSON.stringify({ Operations, BatchID }) })
    expect(response.status).toBe(200)
    return ((await response.json()) as { BatchID: string }).BatchID
  }
  const companies = (count: number) => Array.from({ length: count }, (_, i) => ({ Operation: 'create_company', Input: { CompanyName: `Grouped ${i}` } }))

  test('a batch is one line however long it is, with what came before and after it', async () => {
    await crm.server.call('create_company', { CompanyName: 'Before' })
    const BatchID = await batch(companies(120))
    await batch(companies(3), BatchID)
    await batch([{ Operation: 'create_company', Input: { CompanyName: 'Alone' } }])
    await crm.server.call('create_company', { CompanyName: 'After' })
    const page = await openChanges('?type=Company')
    const sentences = page.locator('.changes-day > ol > .change > .change-line .change-sentence')
    await expect
      .poll(() => sentences.allInnerTexts())
      .toEqual(['Admin created company ‘After’', 'Admin created company ‘Alone’', 'Admin created 123 companies', 'Admin created company ‘Before’'])

    await groups(page).locator('.change-toggle').first().click()
    await groups(page).locator('.change').nth(49).waitFor()
    await groups(page).getByRole('button', { name: 'Show more' }).click()
    await groups(page).locator('.change').nth(99).waitFor()
    await groups(page).getByRole('link', { name: 'Open this group' }).click()
    await expect.poll(() => sentences.allInnerTexts()).toEqual(['Admin created 123 companies'])
    await page.close()
  })

  test('a batch is undone as one after asking, and its undo in turn', async () => {
    const ids = await Promise.all(['One', 'Two'].map(create))
    const BatchID = await batch(ids.map((LeadID) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Status: 'Grouped' } } })))
    const statuses = async () => (await Promise.all(ids.map((LeadID) => crm.server.call('get_leads', { LeadID })))).map(({ Status }) => Status)
    const page = await openChanges('?type=Lead')
    const group = page.locator(`[data-batch="${BatchID}"]`)
    await group.getByText('changed 2 leads').waitFor()
    await group.getByRole('button', { name: 'Undo' }).click()
    expect(await statuses()).toEqual(['Grouped', 'Grouped'])
    await page.getByRole('dialog', { name: 'Undo 2 changes?' }).getByRole('button', { name: 'Undo 2' }).click()
    await group.getByRole('button', { name: 'Undone' }).waitFor()
    expect(await statuses()).toEqual(['Open', 'Open'])
    await group.locator('.change-toggle').first().click()
    await expect.poll(() => group.locator('.change').getByRole('button', { name: 'Undone' }).count()).toBe(2)
    expect(await group.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
    await groups(page)
      .filter({ has: page.locator('.badge', { hasText: 'Undo' }) })
      .getByRole('button', { name: 'Undo', exact: true })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo 2' }).click()
    await expect.poll(statuses).toEqual(['Grouped', 'Grouped'])
    await page.close()
  })

  test('a batch of which one record has changed since is undone but for that, which is named, and the rest is offered again', async () => {
    const ids = await Promise.all(['Steady', 'Moved'].map(create))
    const BatchID = await batch(ids.map((LeadID) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Status: 'Grouped' } } })))
    await update(String(ids[1]), { Phone: '1' })
    const page = await openChanges('?type=Lead')
    crm.refusals(page)
    const group = page.locator(`[data-batch="${BatchID}"]`)
    await group.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog').getByText('Those that have changed since are left as they are.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo 2' }).click()
    await page.locator('.toast').getByText('1 change undone, 1 not: Lead ‘Ada Moved’ has changed since.').waitFor()
    expect(await crm.server.call('get_leads', { LeadID: ids[0] })).toMatchObject({ Status: 'Open' })
    expect(await crm.server.call('get_leads', { LeadID: ids[1] })).toMatchObject({ Status: 'Grouped', Phone: '1' })

    await group.getByText('1 of 2 undone').waitFor()
    await group.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('dialog', { name: 'Undo 1 change?' }).getByRole('button', { name: 'Undo 1' }).click()
    await page.getByRole('dialog').getByRole('alert').getByText('Lead ‘Ada Moved’ has changed since.').waitFor()
    await page.close()
  })

  test('a creation is undone only after asking, since that deletes', async () => {
    const LeadID = await create('Created')
    const isThere = async () => (await crm.server.post('get_leads', { LeadID })).status === 200
    for (const hash of [`#/changes?record=${LeadID}`, `#/leads/${LeadID}`]) {
      const page = await crm.open(hash)
      crm.refusals(page)
      await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
      const dialog = page.getByRole('dialog', { name: 'Delete Ada Created?' })
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect(await isThere()).toBe(true)
      await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
      await dialog.getByRole('button', { name: 'Undo and delete' }).click()
      await expect.poll(isThere).toBe(false)
      const { Records } = (await crm.server.call('get_many_changes', { Filters: { RecordID: LeadID }, Limit: 1 })) as { Records: { ChangeID: string }[] }
      await crm.server.call('undo_change', { ChangeID: Records[0]?.ChangeID })
      await page.close()
    }
  })
})

describe('events', () => {
  const events = (page: Page) => page.locator('.event')

  test('the latest are there, new ones come by themselves, and wait while paused', async () => {
    await create('Earlier')
    const page = await crm.open('#/events')
    await events(page).first().getByText('‘Ada Earlier’').waitFor()
    await page.locator('.live-mark').waitFor()
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

  test('of notes name the record that they are on', async () => {
    const LeadID = await create('Noted')
    await crm.server.call('add_notes_to_leads', { LeadID, Note: 'Called back.' })
    const page = await crm.open('#/events?type=lead.note_added')
    await events(page).first().getByText('‘Ada Noted’').waitFor()
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

// Last, since the tests above count the companies and campaigns that there are.
describe('values', () => {
  test('values are shown as the fields of the record show them, references and campaigns by name', async () => {
    const { CompanyID } = await crm.server.call('create_company', { CompanyName: 'Engines Ltd' })
    const input = { OpportunityName: 'Shown', Stage: 'Proposal', CloseDate: '2031-01-04', Amount: 48016, CompanyID }
    const { OpportunityID } = await crm.server.call('create_opportunity', input)
    const LeadID = await create('Member')
    const { CampaignID } = await crm.server.call('create_campaign', { CampaignName: 'Spring fair' })
    await crm.server.call('add_leads_to_campaign', { LeadID, CampaignID })

    const page = await openChanges(`?record=${OpportunityID}`)
    await lines(page).locator('.change-toggle').click()
    for (const shown of ['48,016.00', 'Jan 4, 2031', 'Engines Ltd']) await page.locator('.difference').getByText(shown, { exact: true }).waitFor()
    await page.evaluate(`location.hash = '#/opportunities/${OpportunityID}'`)
    for (const shown of ['48,016.00', 'Jan 4, 2031', 'Engines Ltd']) await page.locator('.difference').getByText(shown, { exact: true }).waitFor()
    await page.evaluate(`location.hash = '#/leads/${LeadID}'`)
    await page.getByText('added this lead to campaign ‘Spring fair’').waitFor()
    await page.evaluate(`location.hash = '#/changes?record=${LeadID}'`)
    await lines(page).getByText('added lead ‘Ada Member’ to campaign ‘Spring fair’').waitFor()
    await page.close()
  })
})
