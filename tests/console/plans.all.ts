import { expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'
import { problemIn } from '../support/server.ts'

const crm = consoleForFile()

/** A lead that somebody wants deleted, and has to wait. */
async function planned(LastName: string) {
  const { LeadID } = await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName })
  const problem = await problemIn(await crm.server.post('delete_lead', { LeadID }, { confirm: 'deletes' }))
  return { LeadID, plan: problem.plan?.PlanID, isThere: async () => (await crm.server.post('get_leads', { LeadID })).status === 200 }
}

test('what an agent wants to delete appears by itself, and is gone once it was allowed', async () => {
  const page = await crm.open('#/plans')
  await page.getByText('No deletions are waiting').waitFor()
  await page.getByText('crm mcp --confirm deletes').waitFor()

  const { plan, isThere } = await planned('Allowed')
  const card = page.locator(`[data-plan="${plan}"]`)
  await card.getByRole('heading', { name: 'Delete Lead: ‘Ada Allowed’' }).waitFor()
  await page.locator('.sidebar .pending-badge').getByText('1').waitFor()
  expect(await card.innerText()).toMatch(/Requested by Admin .* (1[0-5]|\d):\d\d left to decide/)
  expect(await card.locator('.difference del').allInnerTexts()).toEqual(['Ada', 'Allowed', 'Open', 'No', 'Admin'])

  await card.getByRole('button', { name: 'Allow' }).click()
  expect(await isThere()).toBe(true)
  await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click()
  await card.getByText('Done', { exact: true }).waitFor()
  expect(await isThere()).toBe(false)

  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(isThere).toBe(true)
  await expect.poll(() => page.locator('.pending-badge').count()).toBe(0)
  await page.close()
})

test('a batch is one card, which names and counts what goes, and one undo', async () => {
  const ids: string[] = []
  for (const LastName of ['First', 'Second']) ids.push((await crm.server.call('create_a_lead', { FirstName: 'Grace', LastName })).LeadID as string)
  await crm.server.call('add_notes_to_leads', { LeadID: ids[0], Note: 'Called.' })
  const there = async () => (await Promise.all(ids.map((LeadID) => crm.server.post('get_leads', { LeadID })))).map(({ status }) => status === 200)
  const response = await fetch(`${crm.server.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.server.key}`, 'content-type': 'application/json', confirm: 'deletes' },
    body: JSON.stringify({ Operations: ids.map((LeadID) => ({ Operation: 'delete_lead', Input: { LeadID } })) }),
  })
  const { plan } = await problemIn(response)
  const page = await crm.open('#/plans')
  const card = page.locator(`[data-plan="${plan?.PlanID}"]`)
  await card.getByRole('heading', { name: 'Batch: 2 × Delete Lead' }).waitFor()
  expect(await card.locator('.plan-records li').allInnerTexts()).toEqual(expect.arrayContaining(['Grace First', 'Grace Second']))
  expect(await card.innerText()).toContain('With them goes 1 note. It can be undone.')

  await card.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('dialog').getByText('runs at once on 2 records').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click()
  await card.getByText('Done', { exact: true }).waitFor()
  expect(await there()).toEqual([false, false])
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(there).toEqual([true, true])
  await page.close()
})

test('what was refused stays, and so does what was only asked about', async () => {
  const { plan, isThere } = await planned('Declined')
  const page = await crm.open('#/plans')
  const card = page.locator(`[data-plan="${plan}"]`)
  await card.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await card.getByText('Waiting', { exact: true }).waitFor()

  await card.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await card.getByText('Refused', { exact: true }).waitFor()
  expect(await card.innerText()).toContain('refused by Admin')
  expect(await card.getByRole('button').count()).toBe(0)
  expect(await isThere()).toBe(true)
  await page.close()
})

test('a plan whose record has changed since says so, and can only be refused', async () => {
  const { plan, LeadID, isThere } = await planned('Changed')
  const page = await crm.open('#/plans')
  const card = page.locator(`[data-plan="${plan}"]`)
  await card.getByRole('button', { name: 'Allow' }).waitFor()
  expect(await card.getByText('has changed since').count()).toBe(0)
  await crm.server.call('update_lead', { LeadID, FieldsToUpdate: { Phone: '1' } })
  await card.getByText('The lead has changed since this was requested').waitFor()
  expect(await card.getByRole('button', { name: 'Allow' }).count()).toBe(0)
  await card.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
  await card.getByText('Refused', { exact: true }).waitFor()
  expect(await isThere()).toBe(true)
  await page.close()
})

test('what changes while somebody is asked is not carried out, in words for them', async () => {
  const { plan, LeadID, isThere } = await planned('Just changed')
  const page = await crm.open('#/plans')
  crm.refusals(page)
  await page.locator(`[data-plan="${plan}"]`).getByRole('button', { name: 'Allow' }).click()
  await crm.server.call('update_lead', { LeadID, FieldsToUpdate: { Phone: '1' } })
  await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click()
  const said = page.getByRole('dialog').getByRole('alert')
  await said.getByText('The Lead has changed since this was planned').waitFor()
  expect(await said.innerText()).toMatch(/Refuse it; it can then be requested again\.$/)
  expect(await isThere()).toBe(true)
  await page.close()
})

test('a plan whose record is gone says so', async () => {
  const { plan, LeadID } = await planned('Gone')
  await crm.server.call('delete_lead', { LeadID })
  const page = await crm.open('#/plans')
  const card = page.locator(`[data-plan="${plan}"]`)
  await card.getByText('The lead no longer exists.').waitFor()
  expect(await card.getByRole('button', { name: 'Allow' }).count()).toBe(0)
  await page.evaluate("location.hash = '#/changes'")
  await page
    .getByText(`requested approval of plan ‘Delete Lead …${String(LeadID).slice(-6)}’`)
    .first()
    .waitFor()
  await page.close()
})
