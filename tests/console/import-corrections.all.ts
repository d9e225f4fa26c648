import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleForFile, type SIZES } from '../support/console.ts'

const console_ = consoleForFile()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-corrections-'))
  await console_.server.call('create_user', { Name: 'Ruby Bennett', Email: 'ruby@example.com' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A page on which the rows of a file were checked. */
async function checked(name: string, lines: readonly string[], size: keyof typeof SIZES = 'desktop'): Promise<Page> {
  const path = join(folder, name)
  await writeFile(path, `${lines.join('\n')}\n`)
  const page = await console_.open('#/leads?import=', { size })
  await page.locator('input[type=file]').setInputFiles(path)
  await button(page, 'Check all rows').click()
  await page.locator('.files-counts').waitFor()
  return page
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const counts = async (page: Page) =>
  Object.fromEntries(
    await page
      .locator('.files-counts > div')
      .evaluateAll((all) => all.map((one) => [one.querySelector('dt')?.textContent, one.querySelector('dd')?.textContent] as const)),
  )

const leads = async (FirstName: string) =>
  (await console_.server.call('get_many_leads', { Filters: { FirstName }, OrderBy: 'LastName' })).Records as Record<string, unknown>[]

const HEAD = 'First name,Last name,E-mail,Phone,Company,Status,Owner'

describe('what was corrected in the page', () => {
  test('is kept when records are matched and columns are mapped anew, and the check says what the import does', async () => {
    const page = await checked('kept.csv', [
      HEAD,
      'Kept,One,one@example.com,,,Opn,',
      'Kept,Two,nowhere,,,Open,',
      'Kept,,three@example.com,,,Open,',
      'Kept,Four,four,,,Open,',
      'Kept,Five,five,,,Open,',
    ])
    expect(await counts(page)).toEqual({ 'can be imported': '1', 'cannot be imported': '4' })
    await page.getByLabel('Import it as a new value').check()
    await page.getByLabel('E-mail, line 3').fill('one@example.com')
    await page.getByLabel('Last name, line 4').fill('Three')
    await button(page, 'Check these 4 rows again').click()
    await button(page, 'Check these 2 rows again').waitFor()
    expect(await counts(page)).toEqual({ 'can be imported': '3', 'cannot be imported': '2' })
    expect(await page.getByLabel('Import it as a new value').isChecked()).toBe(true)
    await page.getByText('1 row of the file has the same E-mail as an earlier one.').waitFor()

    // Also what was typed, and not checked yet.
    await page.getByLabel('E-mail, line 5').fill('four@example.com')
    await button(page, 'Update records with the same E-mail').click()
    await page.getByText('will be created').waitFor()
    expect(await counts(page)).toEqual({ 'will be created': '3', 'will be updated': '1', 'cannot be imported': '1' })
    expect(await page.getByLabel('Import it as a new value').isChecked()).toBe(true)
    await page.getByText('What you corrected in 3 rows is kept.').waitFor()

    // The row that repeats another one is checked alone, and still updates the record that the other one creates.
    await page.getByLabel('E-mail, line 6').fill('four@example.com')
    await button(page, 'Check this row again').click()
    await button(page, 'Import 5 rows').waitFor()
    expect(await counts(page)).toEqual({ 'will be created': '3', 'will be updated': '2', 'cannot be imported': '0' })

    await button(page, 'Back').click()
    await page.getByText('What you corrected in 4 rows is kept.').waitFor()
    await page.getByLabel('Field for Phone').selectOption('')
    await button(page, 'Check all rows').click()
    await page.getByText('will be created').waitFor()
    expect(await counts(page)).toEqual({ 'will be created': '3', 'will be updated': '2', 'cannot be imported': '0' })
    await button(page, 'Import 5 rows').click()
    await button(page, 'Done').waitFor()
    expect(await counts(page)).toEqual({ created: '3', updated: '2', rejected: '0' })
    expect((await leads('Kept')).map(({ LastName, Email }) => [LastName, Email])).toEqual([
      ['Five', 'four@example.com'],
      ['Three', 'three@example.com'],
      ['Two', 'one@example.com'],
    ])
    await page.close()
  })

  test('is checked before anything is imported', async () => {
    const page = await checked('waiting.csv', [HEAD, 'Waiting,One,,,,Open,', 'Waiting,Two,nowhere,,,Open,', 'Waiting,Three,,,,Open'])
    await button(page, 'Import 1 row').waitFor()
    await button(page, 'Import it as shown').click()
    await button(page, 'Check 1 corrected row').waitFor()
    expect(await button(page, 'Import it as shown').count()).toBe(0)
    await page.getByLabel('E-mail, line 3').fill('two@example.com')
    await button(page, 'Check 2 corrected rows').waitFor()
    // What is as it was refused is not checked again.
    await page.getByLabel('E-mail, line 3').fill('nowhere')
    await button(page, 'Check 1 corrected row').click()
    await button(page, 'Import 2 rows').waitFor()
    await page.getByLabel('E-mail, line 3').fill('two@example.com')
    await button(page, 'Check 1 corrected row').click()
    await button(page, 'Import 3 rows').click()
    await button(page, 'Done').waitFor()
    expect((await leads('Waiting')).map(({ LastName, Email }) => [LastName, Email])).toEqual([
      ['One', null],
      ['Three', null],
      ['Two', 'two@example.com'],
    ])
    await page.close()
  })

  test('is dropped when the file is chosen again', async () => {
    const page = await checked('dropped.csv', [HEAD, 'Dropped,One,nowhere,,,,'])
    await page.getByLabel('E-mail, line 2').fill('one@example.com')
    await button(page, 'Check this row again').click()
    await button(page, 'Import 1 row').waitFor()
    await button(page, 'Back').click()
    await page.locator('input[type=file]').setInputFiles(join(folder, 'dropped.csv'))
    await page.getByText('What you corrected').waitFor({ state: 'detached' })
    await button(page, 'Check all rows').click()
    await button(page, 'Check this row again').waitFor()
    expect(await page.getByLabel('E-mail, line 2').inputValue()).toBe('nowhere')
    await page.close()
  })
})

test('a value that is nearly a known one is changed in the page, in all rows, and changed back', async () => {
  const page = await checked('near.csv', [HEAD, 'Near,One,,,,Opn,', 'Near,Two,,,,Opn,', 'Near,Three,,,,Pilot,', 'Near,Four,nowhere,,,Opn,'])
  await page.getByText('Status has 2 new values: Opn, Pilot.').waitFor()
  expect(await button(page, 'Import 3 rows').isDisabled()).toBe(true)
  const reason = await button(page, 'Import 3 rows').getAttribute('aria-describedby')
  expect(await page.locator(`[id="${reason}"]`).innerText()).toBe('Change the new values first, or allow them.')
  // No row is about a record that is there.
  expect(await page.getByText('To change the records that are there instead').count()).toBe(0)
  expect(await page.getByLabel('Change Opn to').inputValue()).toBe('Open')
  expect(await page.getByLabel('Change Pilot to').inputValue()).toBe('')
  await button(page, 'Change and check again').click()
  await page.getByText('Status has 1 new value: Pilot.').waitFor()
  await page.getByText('Opn in Status is changed to Open.').waitFor()
  expect(await page.getByLabel('Status, line 5').inputValue()).toBe('Open')
  await button(page, 'Restore Opn').click()
  await page.getByText('Status has 2 new values: Opn, Pilot.').waitFor()
  await page.getByLabel('Change Opn to').selectOption('Contacted')
  await page.getByLabel('Change Pilot to').selectOption('Qualified')
  await button(page, 'Change and check again').click()
  await page.getByText('Pilot in Status is changed to Qualified.').waitFor()
  await button(page, 'Import 3 rows').click()
  await button(page, 'Done').waitFor()
  expect((await leads('Near')).map(({ LastName, Status }) => [LastName, Status])).toEqual([
    ['One', 'Contacted'],
    ['Three', 'Qualified'],
    ['Two', 'Contacted'],
  ])
  await page.close()
})

describe('a rejected row', () => {
  test('shows all that is wrong with it at once, in terms of its columns', async () => {
    const page = await checked('all.csv', [HEAD, `All,,nowhere,,,${'x'.repeat(300)},Ruby Benett`, 'All,Two,,,,,Somebody Else', 'All,Three,,,,,ruby bennett'])
    expect(await page.locator('.files-rejects .table-above').allInnerTexts()).toEqual([
      expect.stringMatching(/^Line 2\s+Status is longer than 255.*\s+Owner is "Ruby Benett", and there is no such user here\. Did you mean Ruby Bennett\?\s+/),
      expect.stringMatching(
        /Owner is "Somebody Else", and there is no such user here\. Enter the name or the e-mail address of a user, or leave the cell empty\./,
      ),
    ])
    const [first] = await page.locator('.files-rejects .table-above').allInnerTexts()
    expect(first).toContain('Last name is required')
    expect(first).toContain('E-mail is not an e-mail address')
    // In another case a name is still the user's.
    await button(page, 'Import 1 row').click()
    await button(page, 'Done').waitFor()
    const { Records } = await console_.server.call('get_many_users', { Filters: { Name: 'Ruby Bennett' } })
    expect(await leads('All')).toMatchObject([{ LastName: 'Three', OwnerID: (Records as { UserID: string }[])[0]?.UserID }])
    await page.close()
  })

  test.each(['desktop', 'phone'] as const)('shows it in sight on a %s, however far its cells are scrolled', async (size) => {
    const page = await checked(
      `sight-${size}.csv`,
      [HEAD, `Sight,One,,,,,Nobody Whom Anybody Knows Under Such A Long Name`, 'Sight,Two,nowhere,,,,', 'Sight,Three,,,,,Ruby Bennett', 'Sight'],
      size,
    )
    const table = page.getByLabel('Rejected rows to correct')
    const fault = table.getByText('Owner is "Nobody Whom')
    const isInSight = async () => {
      const [outer, inner] = [await table.boundingBox(), await fault.boundingBox()]
      return outer !== null && inner !== null && inner.width > 0 && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width
    }
    await fault.waitFor()
    expect(await isInSight()).toBe(true)
    expect(await table.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true)
    await table.evaluate((one) => one.scrollTo({ left: one.scrollWidth }))
    await expect.poll(() => table.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0)
    expect(await isInSight()).toBe(true)
    expect(await page.locator('.dialog-body').evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true)
    await page.close()
  })
})
