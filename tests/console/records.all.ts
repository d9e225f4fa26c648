import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consoleForFile, openLive } from '../support/console.ts'

const crm = consoleForFile()

const rows = (page: Page) => page.locator('.grid-row:has(a)')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const field = (page: Page, label: string) => page.locator('dialog').getByLabel(new RegExp(`^${label}( \\*)?$`))
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text })

const createLead = async (LastName: string, more: object = {}) =>
  (await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName, ...more })).LeadID as string
const keyWith = async (input: object) => (await crm.server.call('create_key', input)).Key as string

test('a record is created, with what is wrong said beside the field it is about', async () => {
  const page = await crm.open('#/leads')
  crm.refusals(page)
  await button(page, 'Create lead').click()
  await field(page, 'First name').fill('Grace')
  await field(page, 'Last name').fill('Hopper')
  await field(page, 'E-mail').fill('nope')
  await button(page, 'Create').click()
  const wrong = page.locator('dialog .field-wrong')
  await wrong.waitFor()
  expect(await wrong.count()).toBe(1)
  expect(await wrong.locator('label').innerText()).toBe('E-mail')
  expect(await wrong.locator('.field-fault').innerText()).toContain('E-mail is not an e-mail address.')
  expect(await page.locator('dialog .refusal-line').count()).toBe(0)

  await field(page, 'E-mail').fill('grace@example.org')
  await button(page, 'Create').click()
  await row(page, 'Hopper').waitFor()
  expect(await row(page, 'Hopper').innerText()).toContain('grace@example.org')
  expect(await page.locator('dialog').count()).toBe(0)

  // Undoing a creation deletes, so it asks first.
  await toast(page, 'Grace Hopper created.').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog', { name: 'Delete Grace Hopper?' }).getByRole('button', { name: 'Cancel' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await row(page, 'Hopper').count()).toBe(1)
  await page.keyboard.press('c')
  await field(page, 'First name').fill('Grace')
  await field(page, 'Last name').fill('Murray')
  await button(page, 'Create').click()
  await toast(page, 'Grace Murray created.').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog', { name: 'Delete Grace Murray?' }).getByRole('button', { name: 'Undo and delete' }).click()
  await toast(page, 'Undone: Grace Murray created.').waitFor()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await row(page, 'Murray').waitFor({ state: 'detached' })
})

test('a record that is refused gives the keyboard back at the first fault, and opens once it is there', async () => {
  const page = await crm.open('#/leads?new')
  crm.refusals(page)
  await button(page, 'Create').focus()
  await page.keyboard.press('Enter')
  await page.locator('dialog .field-fault').first().waitFor()
  expect(await page.locator('dialog .field-fault').allInnerTexts()).toEqual(['First name is required.', 'Last name is required.'])
  await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('First name *')
  await field(page, 'First name').fill('Mary')
  await field(page, 'Last name').fill('Opened')
  await field(page, 'E-mail').fill('mary@example.org')
  await page.keyboard.press('Enter')
  await toast(page, 'Mary Opened created.').getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { name: 'Mary Opened', level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'mary@example.org' }).getAttribute('href')).toBe('mailto:mary@example.org')
})

test('a record of which nobody knows whether it was saved is saved once, however often that is asked for', async () => {
  const page = await crm.open('#/leads?new')
  crm.refusals(page)
  // It arrives each time, and the answer is lost on the way back.
  await page.route('**/v1/operations/create_a_lead', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await field(page, 'First name').fill('Only')
  await field(page, 'Last name').fill('Once')
  await button(page, 'Create').click()
  const line = page.locator('dialog .refusal-line')
  await line.waitFor()
  expect(await line.innerText()).toContain('It may or may not have been saved. Press the same button again')
  await page.unroute('**/v1/operations/create_a_lead')
  await button(page, 'Create').click()
  await toast(page, 'Only Once created.').waitFor()
  expect((await crm.server.call('get_many_leads', { Filters: { LastName: 'Once' } })).Records).toHaveLength(1)
})

test('a record is edited, and the change undone from where it was made', async () => {
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

test('a record that two people edit at once shows the second what the first has done', async () => {
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
  expect(await conflict.locator('dt').allInnerTexts()).toEqual(['Phone', 'Status'])
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Phone: '+1 theirs', Revision: 2 })
  await button(page, 'Overwrite with mine').click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Phone: '+1 mine', Status: 'Theirs', Revision: 3 })
})

test('a record is deleted after asking, and comes back from its own page', async () => {
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

test('a record that must not go unconfirmed says that its delete waits', async () => {
  const LeadID = await createLead('Guarded')
  const key = await keyWith({ Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
  const page = await crm.open(`#/leads/${LeadID}`, { key })
  crm.refusals(page)
  await button(page, 'Delete').click()
  await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor()
  expect((await crm.server.post('get_leads', { LeadID })).status).toBe(200)
})

test('a record keeps what is typed until it is given up on purpose', async () => {
  const page = await crm.open('#/leads?new')
  await field(page, 'First name').fill('Unsaved')
  await page.keyboard.press('Escape')
  await page.getByText('Discard what you typed?').waitFor()
  await button(page, 'Keep editing').click()
  expect(await field(page, 'First name').inputValue()).toBe('Unsaved')
  await page.keyboard.press('Escape')
  await button(page, 'Discard').click()
  expect(await page.locator('dialog').count()).toBe(0)
})

test('a record shows notes, campaigns and history, and what is written elsewhere at once', async () => {
  const LeadID = await createLead('Noted')
  const { CampaignID } = await crm.server.call('create_campaign', { CampaignName: 'Spring fair' })
  const page = await openLive(crm, `#/leads/${LeadID}`)
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
  const line = page.locator('.record-list li').filter({ hasText: 'changed Status of this lead' })
  await line.waitFor()
  expect(await line.locator('ins').innerText()).toBe('Qualified')
  await line.getByRole('button', { name: 'Undo' }).click()
  await toast(page, 'Undone: changed Status of lead').waitFor()
  expect(await crm.server.call('get_leads', { LeadID })).toMatchObject({ Status: 'Open' })
  await page.getByRole('link', { name: 'Spring fair' }).click()
  await page.getByRole('link', { name: 'Ada Noted' }).waitFor()
})

test('texts of several lines have them whatever their ends are, and a note hides nothing either', async () => {
  const text = 'First\r\nsecond\rthird\u202e\u0007'
  const LeadID = await createLead('Lines', { Description: text })
  await crm.server.call('add_notes_to_leads', { LeadID, Note: text })
  const page = await crm.open(`#/leads/${LeadID}`)
  const shown = 'First\nsecond\nthird\\u202e\\u0007'
  await expect.poll(() => page.locator('.record-long dd').filter({ hasText: 'First' }).innerText()).toBe(shown)
  await expect.poll(() => page.locator('.record-list p').filter({ hasText: 'First' }).innerText()).toBe(shown)
  await page.goto(`${crm.server.url}/#/leads?columns=LastName,Description&where=${encodeURIComponent('{"LastName":"Lines"}')}`)
  await expect.poll(() => row(page, 'Lines').innerText()).toContain('First second third\\u202e\\u0007')
})

test('a name that would change its direction or hide characters is shown as it is, and one in Arabic leaves the words around it in place', async () => {
  const override = '\u202enosnhoj'
  const LeadID = await createLead(override, { FirstName: 'Ann', Company: '\u2067Umbrella' })
  const page = await crm.open(`#/leads?where=${encodeURIComponent(JSON.stringify({ FirstName: 'Ann' }))}`)
  const shown = 'Ann \\u202enosnhoj'
  const deceives = () => page.evaluate<boolean>(String.raw`/[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText + document.title)`)
  await row(page, '\\u202enosnhoj').getByText('\\u2067Umbrella').waitFor()
  expect(await deceives()).toBe(false)
  await page.goto(`${crm.server.url}/#/leads/${LeadID}`)
  await page.getByRole('heading', { name: shown, level: 1 }).waitFor()
  expect(await page.title()).toBe(`${shown} · CRM Connector`)
  expect(await page.getByRole('navigation', { name: 'Breadcrumb' }).innerText()).toContain(shown)
  expect(await page.locator('.record-facts').innerText()).toContain('\\u2067Umbrella')
  expect(await deceives()).toBe(false)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('nosnhoj')
  await page.getByRole('option', { name: shown }).first().waitFor()
  expect(await deceives()).toBe(false)
  await page.keyboard.press('Escape')
  await button(page, 'Delete').click()
  await page
    .getByRole('dialog', { name: `Delete ${shown}?` })
    .getByRole('button', { name: 'Delete' })
    .click()
  await toast(page, `${shown} deleted.`).waitFor()
  expect(await deceives()).toBe(false)

  const arabic = await createLead('العربية (2)', { FirstName: 'نور' })
  await page.goto(`${crm.server.url}/#/leads/${arabic}`)
  const heading = page.getByRole('heading', { level: 1 })
  await heading.locator('bdi').getByText('نور العربية (2)', { exact: true }).waitFor()
  // Nothing is copied with it.
  expect(await heading.innerText()).toBe('نور العربية (2)')
  await button(page, 'Delete').click()
  expect(await page.locator('dialog h2').innerText()).toBe('Delete نور العربية (2)?')
  // The question mark stands behind the name, not before it.
  const places = await page.locator('dialog h2').evaluate((title) =>
    [...title.childNodes].map((node) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      return Math.round(range.getBoundingClientRect().left)
    }),
  )
  expect(places).toHaveLength(3)
  expect(places.toSorted((a, b) => a - b)).toEqual(places)

  // What is written out in such a name reads from left to right.
  await page.goto(`${crm.server.url}/#/leads/${await createLead('\u202e evil', { FirstName: 'نور' })}`)
  const written = heading.getByText('\\u202e', { exact: true })
  const [sign, code] = await written.evaluate(({ firstChild }) =>
    [0, 1].map((at) => {
      const range = document.createRange()
      range.setStart(firstChild as Node, at)
      range.setEnd(firstChild as Node, at + 1)
      return range.getBoundingClientRect().left
    }),
  )
  expect(sign).toBeLessThan(code ?? 0)
  await page.close()
})

test('a record is text, whatever it is made of', async () => {
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

test('a record of one long word fits, and so does what is said of it', async () => {
  const word = 'W'.repeat(255)
  const LeadID = await createLead(word)
  const { CaseID } = await crm.server.call('create_case', { Subject: `https://example.com/${'a'.repeat(85)}`, Description: 'Long.' })
  for (const size of ['phone', 'desktop'] as const)
    for (const hash of [`#/leads/${LeadID}`, `#/cases/${CaseID}`]) {
      const page = await crm.open(hash, { size })
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      expect(await page.evaluate('document.querySelector("main").scrollWidth <= innerWidth')).toBe(true)
      expect((await page.getByRole('navigation', { name: 'Breadcrumb' }).boundingBox())?.height).toBeLessThan(40)
      await page.close()
    }
  const page = await crm.open(`#/leads/${LeadID}`, { size: 'phone' })
  await button(page, 'Edit').click()
  await field(page, 'Phone').fill('+44 2')
  await button(page, 'Save').click()
  const said = toast(page, word).locator('span').first()
  await said.waitFor()
  expect((await said.boundingBox())?.height).toBeLessThan(50)
  await page.close()
})

test('a record shows in its history what was refused, in whole words', async () => {
  const LeadID = await createLead('Refused')
  await crm.server.post('update_lead', { LeadID, FieldsToUpdate: { Email: 'not an address' } })
  const page = await crm.open(`#/leads/${LeadID}`)
  const badge = page.locator('.record-line .badge', { hasText: 'invalid input' })
  await badge.waitFor()
  for (const width of [1360, 375]) {
    await page.setViewportSize({ width, height: 812 })
    expect(await badge.evaluate((shown) => shown.scrollWidth <= shown.clientWidth)).toBe(true)
  }
  await page.close()
})

test('a record of somebody who was not there when the page was opened has their name', async () => {
  const page = await openLive(crm, '#/leads')
  await row(page, 'Ada').first().waitFor()
  const { UserID } = await crm.server.call('create_user', { Name: 'Late Comer', Email: 'late@example.com', Role: 'member' })
  const { Key } = await crm.server.call('create_key', { UserID, Scopes: ['write'] })
  await crm.server.call('create_a_lead', { FirstName: 'Ada', LastName: 'Of the newcomer' }, { authorization: `Bearer ${Key}` })
  await button(page, /1 change/).click()
  await row(page, 'Of the newcomer').getByText('Late Comer').waitFor()
  await page.close()
})

test('a record cannot be written with a key that only reads', async () => {
  const LeadID = await createLead('Looked at')
  const key = await keyWith({ Scopes: ['read'] })
  const page = await crm.open('#/leads', { key })
  await row(page, 'Looked at').waitFor()
  expect(await page.getByRole('button', { name: /Create lead|Import/ }).count()).toBe(0)
  expect(await page.locator('.grid input[type=checkbox]').count()).toBe(0)
  await page.goto(`${crm.server.url}/#/leads/${LeadID}`)
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  expect(await page.getByRole('button', { name: /Edit|Delete|Add|Undo/ }).count()).toBe(0)
})

test('a long address is broken between its parts only', async () => {
  const Email = 'wilhelmina.featherstonehaugh@international-shipbuilding.example.com'
  const { LeadID } = await crm.server.call('create_a_lead', { FirstName: 'Wilhelmina', LastName: 'Featherstonehaugh', Email })
  const page = await crm.open(`#/leads/${LeadID}`)
  await page.setViewportSize({ width: 1024, height: 860 })
  const link = page.locator('.record-fields').getByRole('link', { name: Email })
  await link.waitFor()
  const lines = await link.evaluate((one) => {
    const range = one.ownerDocument.createRange()
    const found = new Map<number, string>()
    for (const part of one.childNodes)
      for (let at = 0; at < (part.textContent ?? '').length; at++) {
        range.setStart(part, at)
        range.setEnd(part, at + 1)
        const { top } = range.getBoundingClientRect()
        found.set(top, (found.get(top) ?? '') + range.toString())
      }
    return [...found.values()]
  })
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/[@./_-]$/)
  expect(lines.join('')).toBe(Email)
  await page.close()
})
