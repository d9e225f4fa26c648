import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleForFile } from '../support/console.ts'

const console_ = consoleForFile()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-repair-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function chosen(page: Page, name: string, text: string | Uint8Array): Promise<void> {
  const path = join(folder, name)
  await writeFile(path, text)
  await page.locator('input[type=file]').setInputFiles(path)
}

const counts = async (page: Page) =>
  Object.fromEntries(
    await page
      .locator('.files-counts > div')
      .evaluateAll((all) => all.map((one) => [one.querySelector('dt')?.textContent, one.querySelector('dd')?.textContent] as const)),
  )

const leads = async (Filters: object, Select?: readonly string[]) =>
  (await console_.server.call('get_many_leads', { Filters, OrderBy: 'LastName', ...(Select && { Select }) })).Records as Record<string, unknown>[]

describe('rejected rows', () => {
  test('are paged through where they are many, and corrected on any page', async () => {
    const page = await console_.open('#/leads?import=')
    const rows = Array.from({ length: 250 }, (_, i) => `Many,Row ${i + 1},nowhere`)
    await chosen(page, 'many.csv', `First name,Surname,E-mail\n${rows.join('\n')}\n`)
    await page.getByRole('button', { name: 'Check all rows' }).click()
    const pages = page.getByRole('navigation', { name: 'Pages of rejected rows' })
    await pages.getByText('Rows 1 to 100 of 250').waitFor()
    expect(await pages.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true)
    await page.getByLabel('E-mail, line 2', { exact: true }).fill('first@example.com')
    await pages.getByRole('button', { name: 'Next' }).click()
    await pages.getByRole('button', { name: 'Next' }).click()
    await pages.getByText('Rows 201 to 250 of 250').waitFor()
    expect(await pages.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    await page.getByLabel('E-mail, line 251', { exact: true }).fill('last@example.com')
    await pages.getByRole('button', { name: 'Previous' }).click()
    await pages.getByRole('button', { name: 'Previous' }).click()
    await expect.poll(() => page.getByLabel('E-mail, line 2', { exact: true }).inputValue()).toBe('first@example.com')
    await page.getByRole('button', { name: 'Check these 250 rows again' }).click()
    await page.getByRole('button', { name: 'Check these 248 rows again' }).waitFor()
    expect(await counts(page)).toEqual({ 'can be imported': '2', 'cannot be imported': '248' })
    await page.close()
  })

  test('are corrected in the page where they are wrong, checked again, and imported once', async () => {
    const page = await console_.open('#/leads?import=')
    await chosen(
      page,
      'repair.csv',
      'First name,Surname,E-mail\nRep,One,one@example.com\nRep,Two,nowhere\nRep,Three\nRep,Four,four@example.com,more\n,Five,five@example.com\n',
    )
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByRole('button', { name: 'Check these 4 rows again' }).waitFor()
    expect(await counts(page)).toEqual({ 'can be imported': '1', 'cannot be imported': '4' })

    // What is wrong is tied to its cell.
    const email = page.getByLabel('E-mail, line 3')
    expect(await email.inputValue()).toBe('nowhere')
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator(`[id="${await email.getAttribute('aria-describedby')}"]`).innerText()).toContain('E-mail is not an e-mail address')
    expect(await page.getByLabel('First name, line 3').getAttribute('aria-invalid')).toBe('false')
    expect(await page.getByLabel('E-mail, line 5').inputValue()).toBe('four@example.com,more')

    // A row with the wrong number of cells is not accepted as it is.
    await email.fill('two@example.com')
    await email.press('Enter')
    await page.getByRole('button', { name: 'Check these 3 rows again' }).waitFor()
    expect(await counts(page)).toEqual({ 'can be imported': '2', 'cannot be imported': '3' })
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('button', { name: 'Import these 3 rows again' }).waitFor()
    expect(await counts(page)).toEqual({ imported: '2', rejected: '3' })

    await page.getByRole('row', { name: 'Line 4' }).getByRole('button', { name: 'Import it as shown' }).click()
    await page.getByLabel('E-mail, line 5').fill('four@example.com')
    await page.getByRole('button', { name: 'Import these 3 rows again' }).click()
    await page.getByRole('button', { name: 'Import this row again' }).waitFor()
    expect(await counts(page)).toEqual({ imported: '4', rejected: '1' })
    expect(await leads({ FirstName: 'Rep' }, ['LastName', 'Email'])).toMatchObject([
      { LastName: 'Four', Email: 'four@example.com' },
      { LastName: 'One', Email: 'one@example.com' },
      { LastName: 'Three', Email: null },
      { LastName: 'Two', Email: 'two@example.com' },
    ])

    // What is left is saved as it was corrected.
    await page.getByLabel('First name, line 6').fill('Rep')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    const left = await readFile(await download.path(), 'utf8')
    expect(left).toMatch(/^First name,Surname,E-mail,line,error\r\nRep,Five,five@example\.com,6,First name is required\..*\r\n$/)
    await page.getByRole('button', { name: 'Import this row again' }).click()
    await expect.poll(() => counts(page)).toEqual({ imported: '5', rejected: '0' })
    expect(await page.locator('.files-rejects').count()).toBe(0)

    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Import' }).click()
    await chosen(page, 'repair.rejects.csv', left)
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await counts(page)).toEqual({ imported: '0', 'imported before': '1', rejected: '0' })
    expect(await leads({ FirstName: 'Rep' })).toHaveLength(5)
    await page.close()
  })

  test('show the columns in the order of the file', async () => {
    const page = await console_.open('#/leads?import=')
    await chosen(page, 'wrong.csv', 'First name,Surname,Phone,City,E-mail\nRep,Two,+44 1,Kiel,nowhere\n')
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByLabel('E-mail, line 2').waitFor()
    expect(await page.getByLabel('Rejected rows to correct').locator('th').allTextContents()).toEqual(['First name', 'Surname', 'Phone', 'City', 'E-mail'])
    await page.close()
  })

  test('fit a phone', async () => {
    const page = await console_.open('#/leads?import=', { size: 'phone' })
    await chosen(page, 'phone.csv', 'First name,Surname,E-mail\nRep,Two,nowhere\n')
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByLabel('E-mail, line 2').fill('phone@example.com')
    expect(await page.locator('.dialog-body').evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true)
    await page.getByRole('button', { name: 'Check this row again' }).click()
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor()
    expect(await page.locator('.dialog-body').evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true)
    await page.close()
  })
})

test('owners are taken by name, and one that several users could be is rejected with all of them', async () => {
  for (const [Name, Email] of [
    ['Olive Owner', 'olive@example.com'],
    ['Twin Owner', 'twin1@example.com'],
    ['Twin Owner', 'twin2@example.com'],
  ])
    await console_.server.call('create_user', { Name, Email })
  const page = await console_.open('#/leads?import=')
  await chosen(page, 'owned.csv', 'First name,Last name,Owner\nOwned,A,Olive Owner\nOwned,B,Twin Owner\n')
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByRole('row', { name: 'Line 3' }).getByText('twin1@example.com').waitFor()
  await page.getByLabel('Owner, line 3').fill('twin2@example.com')
  await page.getByRole('button', { name: 'Check this row again' }).click()
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('button', { name: 'Done' }).waitFor()
  const owned = await leads({ FirstName: 'Owned' }, ['OwnerID'])
  const { Records: users } = await console_.server.call('get_many_users', {
    Filters: { UserID: { in: owned.map(({ OwnerID }) => OwnerID) } },
    OrderBy: 'Email',
  })
  expect(users).toMatchObject([{ Email: 'olive@example.com' }, { Email: 'twin2@example.com' }])
  await page.close()
})

test('a mapping is remembered for the columns that it was made for, and can be taken back', async () => {
  const page = await console_.open('#/leads?import=')
  await chosen(page, 'first.csv', 'Vorname,Nachname,Ort\nErika,Muster,Köln\n')
  await page.getByLabel('Field for Vorname').selectOption('FirstName')
  await page.getByLabel('Field for Nachname').selectOption('LastName')
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Import' }).click()
  await chosen(page, 'other.csv', 'Nachname,Ort,Vorname\nBeispiel,Bonn,Max\n')
  await page.getByText('Mapped as you mapped the last file with these columns.').waitFor()
  expect(await page.getByLabel('Field for Vorname').inputValue()).toBe('FirstName')
  await page.getByRole('cell', { name: 'Beispiel' }).waitFor()
  await page.getByRole('button', { name: 'Map by name' }).click()
  expect(await page.getByLabel('Field for Vorname').inputValue()).toBe('')
  await chosen(page, 'wider.csv', 'Nachname,Ort,Vorname,Land\nBeispiel,Bonn,Max,DE\n')
  await page.getByText('wider.csv').waitFor()
  await page.getByLabel('Field for Land').waitFor()
  expect(await page.getByLabel('Field for Vorname').inputValue()).toBe('')
  await page.close()
})

test('rows with the same e-mail address are counted, and the records that have it are updated where that is wanted', async () => {
  await console_.server.call('create_a_lead', { FirstName: 'Same', LastName: 'Old', Email: 'same@example.com' })
  const page = await console_.open('#/leads?import=')
  await chosen(page, 'same.csv', 'FirstName,LastName,Email\nSame,New,same@example.com\nSame,Other,other@example.com\nSame,Again,OTHER@example.com\n')
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('1 row of the file has the same E-mail as an earlier one').waitFor()
  expect(await counts(page)).toEqual({ 'can be imported': '3', 'cannot be imported': '0' })
  await page.getByText('1 row has the E-mail of a record that is there already, and would become a second one.').waitFor()
  await page.getByText('a row updates the record that has its E-mail; where none has, it creates one.').waitFor()
  await page.getByRole('button', { name: 'Update records with the same E-mail' }).click()
  await page.getByText('will be updated').waitFor()
  expect(await counts(page)).toEqual({ 'will be created': '1', 'will be updated': '2', 'cannot be imported': '0' })
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByRole('button', { name: 'Done' }).waitFor()
  expect(await leads({ Email: 'same@example.com' })).toMatchObject([{ LastName: 'New' }])
  await page.close()
})

test('a status that no record has is named by the check, and imported only when it is allowed', async () => {
  await console_.server
    .call('create_a_lead', { FirstName: 'In', LastName: 'Use' })
    .then(({ LeadID }) => console_.server.call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Contacted' } }))
  const page = await console_.open('#/leads?import=')
  await chosen(page, 'typo.csv', 'FirstName,LastName,Status\nTypo,One,Opne\nTypo,Two,Contacted\nTypo,Three,Open\n')
  await page.getByRole('button', { name: 'Check all rows' }).click()
  await page.getByText('Status has 1 new value: Opne.').waitFor()
  const run = page.getByRole('button', { name: 'Import 3 rows' })
  expect(await run.isDisabled()).toBe(true)
  await page.getByLabel('Import it as a new value').check()
  await run.click()
  await page.getByRole('button', { name: 'Done' }).waitFor()
  expect((await leads({ FirstName: 'Typo' })).map(({ Status }) => Status)).toEqual(['Opne', 'Open', 'Contacted'])
  await page.close()
})

describe('export', () => {
  /** The bytes of an export with these choices. */
  async function exported(hash: string, choices: Readonly<Record<string, string>>): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const page = await console_.open(hash)
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog')
    for (const [label, option] of Object.entries(choices)) await dialog.getByLabel(label).selectOption(option)
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export' }).click()])
    const bytes = await readFile(await download.path())
    await dialog.getByRole('button', { name: 'Done' }).waitFor()
    await page.close()
    return { name: download.suggestedFilename(), bytes }
  }

  const hash = `#/leads?columns=LastName,OwnerID&where=${encodeURIComponent(JSON.stringify({ FirstName: 'Formula' }))}`
  let owner: string
  beforeAll(async () => {
    await console_.server.call('create_a_lead', { FirstName: 'Formula', LastName: '=1+1', Phone: '+49 é' })
    owner = ((await console_.server.call('get_current_user', {})) as { Name: string }).Name
  })

  test('saves the columns shown, with owners by name and the mark by which Excel knows UTF-8', async () => {
    const { name, bytes } = await exported(hash, { Format: 'excel', Columns: 'shown', Owners: 'name' })
    expect(name).toMatch(/^leads-\d{4}-\d\d-\d\d\.csv$/)
    expect(bytes.toString('utf8')).toBe(`\uFEFFLastName,OwnerName\r\n'=1+1,${owner}\r\n`)
    const page = await console_.open('#/leads?import=')
    await chosen(page, 'back.csv', bytes)
    await page.getByLabel('Field for LastName').waitFor()
    expect(await page.getByLabel('Field for OwnerName').inputValue()).toBe('OwnerID')
    await page.close()
  })

  test('saves a workbook, in which no text is a formula', async () => {
    const { name, bytes } = await exported(hash, { Format: 'xlsx', Owners: 'both' })
    expect(name).toMatch(/^leads-.*\.xlsx$/)
    const sheet = unzipped(bytes).get('xl/worksheets/sheet1.xml') ?? ''
    expect(sheet).toMatch(/<c [^>]*t="inlineStr"[^>]*><is><t[^>]*>=1\+1<\/t><\/is><\/c>/)
    expect(sheet).toContain('+49 é')
    expect(sheet).toContain('>OwnerID<')
    expect(sheet).toContain('>OwnerName<')
    expect(sheet).toContain(`>${owner}<`)
    expect(sheet).not.toContain('<f>')
  })
})

/** The texts in a ZIP archive, by the directory at its end. */
function unzipped(zip: Buffer): Map<string, string> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const files = new Map<string, string>()
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === 0x02014b50; ) {
    const [method, size, names, extra, comment] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), ...[28, 30, 32].map((by) => zip.readUInt16LE(at + by))]
    const from = zip.readUInt32LE(at + 42)
    const data = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28)
    const packed = zip.subarray(data, data + (size ?? 0))
    files.set(zip.toString('utf8', at + 46, at + 46 + (names ?? 0)), (method === 0 ? packed : inflateRawSync(packed)).toString('utf8'))
    at += 46 + (names ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return files
}
