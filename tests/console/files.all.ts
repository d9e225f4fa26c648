import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../console/src/files/sha256.ts'
import { CsvReader } from '../../src/files/reading/csv-reader.ts'
import { consoleForFile } from '../support/console.ts'
import { placeForFiles } from '../support/files.ts'

const console_ = consoleForFile()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const GOOD = ['Ada,Lovelace,ada@example.com,Contacted,"Asked, twice"', 'Grace,"O""Hara\nHopper",,,', 'Alan,Turing,alan@example.com,,']
const BAD = [',Nameless,x@example.com,,', 'Linus,Torvalds,not-an-address,,', 'Cut,off']
const CSV = `First name,Surname,E-mail,Status,Note\r\n${[GOOD[0], BAD[0], GOOD[1], BAD[1], GOOD[2], BAD[2]].join('\r\n')}\r\n`

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

/** Chooses a file, checks it, and imports what is right. */
async function importing(page: Page, path: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(path)
  await page.getByText('The first rows').waitFor()
  await page.getByRole('button', { name: 'Check all rows' }).click()
}

const counts = async (page: Page) => {
  const pairs = await page
    .locator('.files-counts > div')
    .evaluateAll((all) => all.map((one) => [one.querySelector('dt')?.textContent, one.querySelector('dd')?.textContent]))
  return Object.fromEntries(pairs) as Record<string, string>
}

async function saved(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

const leads = async (Filters?: object) =>
  (await console_.server.call('get_many_leads', { ...(Filters && { Filters }), OrderBy: 'LastName' })).Records as Record<string, unknown>[]

describe('import', () => {
  test('checks every row first, imports those that are right, gives back the others, and imports nothing twice', async () => {
    const path = await file('people.csv', CSV)
    const page = await console_.open('#/leads?import=')
    await importing(page, path)
    await page.getByText('can be imported').waitFor()
    expect(await counts(page)).toEqual({ 'can be imported': '3', 'cannot be imported': '3' })
    expect(await leads()).toEqual([])
    expect(await page.locator('.files-rejects .table-above').allInnerTexts()).toEqual([
      expect.stringMatching(/Line 3\s+First name is required/),
      expect.stringMatching(/Line 6\s+E-mail is not an e-mail address/),
      expect.stringMatching(/Line 8\s+It has 2 cells where the first line names 5 columns/),
    ])
    await page.getByRole('button', { name: 'Import 3 rows' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await counts(page)).toEqual({ imported: '3', rejected: '3' })
    const made = await leads()
    expect(made.map(({ LastName, Status, Email }) => [LastName, Status, Email])).toEqual([
      ['Lovelace', 'Contacted', 'ada@example.com'],
      ['O"Hara\nHopper', 'Open', null],
      ['Turing', 'Open', 'alan@example.com'],
    ])
    expect(await console_.server.call('get_many_notes', { RecordID: made[0]?.LeadID })).toMatchObject({ Records: [{ Note: 'Asked, twice' }] })

    const rejects = await saved(page, 'Download')
    expect(rejects.name).toBe('people.rejects.csv')
    expect(rejects.text.split('\r\n')).toEqual([
      'First name,Surname,E-mail,Status,Note,line,error',
      expect.stringMatching(/^,Nameless,x@example\.com,,,3,First name is required\./),
      expect.stringMatching(/^Linus,Torvalds,not-an-address,,,6,E-mail is not/),
      expect.stringMatching(/^Cut,off,,,,8,"?It has 2 cells/),
      '',
    ])

    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Import' }).click()
    await importing(page, path)
    await page.getByRole('button', { name: 'Import 3 rows' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await counts(page)).toEqual({ imported: '0', 'imported before': '3', rejected: '3' })
    expect(await leads()).toHaveLength(3)
    await page.close()
  })

  test('takes a value that only an update can set to the same check', async () => {
    const path = await file('long.csv', `FirstName,LastName,Status\nToo,Long,${'x'.repeat(300)}\nFine,Row,New\n`)
    const page = await console_.open('#/leads?import=')
    await importing(page, path)
    await page.getByText('can be imported').waitFor()
    expect(await page.locator('.files-rejects .table-above').allInnerTexts()).toEqual([expect.stringMatching(/Line 2\s+Status is longer than 255/)])
    await page.getByLabel('Import it as a new value').check()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await leads({ LastName: 'Long' })).toEqual([])
    expect(await leads({ LastName: 'Row' })).toMatchObject([{ Status: 'New' }])
    await page.close()
  })

  test('maps columns as it is told, and reads numbers and dates as they are written', async () => {
    const path = await file('deals.csv', 'Geschäft;Stage;Datum;Betrag\nMotor;Prospecting;31.12.2026;1.234,50\n')
    const page = await console_.open('#/opportunities?import=')
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByText('Every record needs').first().waitFor()
    expect(await page.getByRole('button', { name: 'Check all rows' }).isDisabled()).toBe(true)
    await page.getByLabel('Field for Geschäft').selectOption('OpportunityName')
    await page.getByLabel('Field for Datum').selectOption('CloseDate')
    await page.getByLabel('Field for Betrag').selectOption('Amount')
    await page.getByLabel('Numbers are written as').selectOption('1.234,5')
    await page.getByLabel('Dates are written as').selectOption('31.12.2026')
    await page.getByRole('cell', { name: '1234.5' }).waitFor()
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await console_.server.call('get_many_opportunities', {})).toMatchObject({
      Records: [{ OpportunityName: 'Motor', CloseDate: '2026-12-31', Amount: 1234.5 }],
    })
    await page.close()
  })

  test('fills a custom object: the fields it has, and new ones that its columns define', async () => {
    await console_.server.call('create_custom_object', { ObjectName: 'Boat', Fields: { HullLength: { Type: 'Number', Label: 'Hull length', Value: 7.5 } } })
    const path = await file('boats.csv', 'Hull length,Home harbour,Sunk\n8.5,Kiel,false\nlong,Bremen,true\n')
    const page = await console_.open('#/objects/Boat?import=')
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByText('The first rows').waitFor()
    expect(await page.getByLabel('Field for Hull length').inputValue()).toBe('HullLength')
    expect(await page.getByLabel('Field for Home harbour').inputValue()).toBe('+String')
    expect(await page.getByLabel('Field for Sunk').inputValue()).toBe('+Boolean')
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByText('can be imported').waitFor()
    expect(await page.locator('.files-rejects .table-above').allInnerTexts()).toEqual([expect.stringMatching(/Line 3\s+Hull length is "long"/)])
    await page.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await console_.server.call('get_many_custom_objects', { Filters: { ObjectName: 'Boat', HomeHarbour: 'Kiel' } })).toMatchObject({
      Records: [{ Values: { HullLength: 8.5, HomeHarbour: 'Kiel', Sunk: false } }],
    })
    await page.close()
  })

  test.each([
    ['console', 'console'],
    ['command line', 'console'],
    ['console', 'command line'],
  ])('a file of a custom object that the %s has imported is known to the %s, and no row of it is made twice', async (first, second) => {
    const object = `Ship${first.length}${second.length}`
    await console_.server.call('create_custom_object', { ObjectName: object, Fields: { Zone: { Type: 'Number', Label: 'Zone', Value: 1 } } })
    const rows = [
      '8.5,Kiel,1998-04-30,7',
      ',Ærø,,8',
      '8.5,Kiel,1998-04-30,7',
      ...Array.from({ length: 300 }, (_, i) => `${i},Harbour ${i},,${i}`),
      'long,Bremen,,9',
    ]
    const path = await file(`${object}.csv`, `Hull length,état,Built,zone\n${rows.join('\n')}\n`)
    const place = await placeForFiles({ CRM_URL: console_.server.url, CRM_KEY: console_.server.key })
    const total = async () => (await place.records('get_many_custom_objects')).filter(({ ObjectName }) => ObjectName === object).length
    const take: { readonly [side: string]: () => Promise<unknown> } = {
      async 'command line'() {
        const { Created, AlreadyThere, Rejected } = await place.answer(['import', path, '--object', object, '--yes'])
        return { created: Created, known: AlreadyThere, rejected: Rejected }
      },
      async console() {
        const page = await console_.open(`#/objects/${object}?import=`)
        await importing(page, path)
        await page.getByRole('button', { name: /^Import [\d,]+ rows$/ }).click()
        await page.getByRole('button', { name: 'Done' }).waitFor()
        const { imported, 'imported before': before = '0', rejected } = await counts(page)
        await page.close()
        return { created: Number(imported), known: Number(before), rejected: Number(rejected) }
      },
    }
    expect(await take[first]?.()).toEqual({ created: 304, known: 0, rejected: 0 })
    expect(await total()).toBe(305)
    expect(await take[second]?.()).toEqual({ created: 0, known: 304, rejected: 0 })
    expect(await total()).toBe(305)
  })

  test('updates the records that match by the fields that were chosen, creates the others, and says how many', async () => {
    await console_.server.call('create_contact', { FirstName: 'Mary', LastName: 'Anning', Email: 'mary@fossils.example', Title: 'Collector' })
    await console_.server.call('create_contact', { FirstName: 'Mary', LastName: 'Anning', Email: 'other@fossils.example' })
    const rows = ['mary@fossils.example,Mary,Anning,Palaeontologist', 'new@fossils.example,Joseph,Anning,Brother', ',Richard,Anning,None']
    const path = await file('contacts.csv', `E-mail,First name,Last name,Title\n${rows.join('\n')}\n`)
    const page = await console_.open('#/contacts?import=')
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByLabel('Update the records that match').check()
    const matching = page.getByRole('group', { name: 'Match by' })
    const isChecked = (name: string) => matching.getByRole('checkbox', { name, exact: true }).isChecked()
    expect([await isChecked('E-mail'), await isChecked('Last name')]).toEqual([true, false])

    await matching.getByRole('checkbox', { name: 'E-mail', exact: true }).uncheck()
    await page.getByRole('alert').getByText('Choose at least one field to match by.').waitFor()
    expect(await page.getByRole('button', { name: 'Check all rows' }).isDisabled()).toBe(true)

    // By a name that two records have, every row is refused that would have to choose between them.
    await matching.getByRole('checkbox', { name: 'Last name', exact: true }).check()
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByText('will be updated').waitFor()
    expect(await counts(page)).toEqual({ 'will be created': '0', 'will be updated': '0', 'cannot be imported': '3' })
    expect(await page.locator('.files-rejects .table-above').first().innerText()).toContain('2 records match by LastName')
    expect(await page.getByRole('button', { name: 'Import 0 rows' }).isDisabled()).toBe(true)

    await page.getByRole('button', { name: 'Back' }).click()
    await matching.getByRole('checkbox', { name: 'E-mail', exact: true }).check()
    await matching.getByRole('checkbox', { name: 'Last name', exact: true }).uncheck()
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByText('1 row will be added to the contacts, and 1 row will update what is there; the others are left out.').waitFor()
    expect(await counts(page)).toEqual({ 'will be created': '1', 'will be updated': '1', 'cannot be imported': '1' })
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await counts(page)).toEqual({ created: '1', updated: '1', rejected: '1' })
    const { Records } = await console_.server.call('get_many_contacts', { Filters: { LastName: 'Anning' }, OrderBy: 'Email', Select: ['Email', 'Title'] })
    expect(Records).toMatchObject([
      { Email: 'mary@fossils.example', Title: 'Palaeontologist' },
      { Email: 'new@fossils.example', Title: 'Brother' },
      { Email: 'other@fossils.example', Title: null },
    ])
    await page.close()
  })

  test('updates records of a custom object that match, where every row does', async () => {
    for (const Registration of ['KI-1', 'KI-2'])
      await console_.server.call('create_custom_object', {
        ObjectName: 'Ferry',
        Fields: { Registration: { Type: 'String', Label: 'Registration', Value: Registration }, Seats: { Type: 'Number', Label: 'Seats', Value: 10 } },
      })
    const path = await file('ferries.csv', 'Registration,Seats\nKI-1,20\nKI-2,30\n')
    const page = await console_.open('#/objects/Ferry?import=')
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByLabel('Update the records that match').check()
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await counts(page)).toEqual({ created: '0', updated: '2', rejected: '0' })
    const { Records } = await console_.server.call('get_many_custom_objects', { Filters: { ObjectName: 'Ferry' }, OrderBy: 'CreatedDate asc' })
    expect((Records as { Values: object }[]).map(({ Values }) => Values)).toEqual([
      { Registration: 'KI-1', Seats: 20 },
      { Registration: 'KI-2', Seats: 30 },
    ])
    await page.close()
  })

  test('reads NDJSON and workbooks, and says what it cannot read', async () => {
    const { writeXlsx } = await import('hucre')
    const book = await writeXlsx({
      sheets: [
        {
          name: 'People',
          rows: [
            ['First name', 'Last name', 'Phone'],
            ['Mary', 'Somerville', 123],
          ],
        },
      ],
    })
    const sheet = join(folder, 'sheet.xlsx')
    await writeFile(sheet, book)
    const page = await console_.open('#/leads?import=')
    await page.locator('input[type=file]').setInputFiles(sheet)
    await page.getByRole('cell', { name: 'Somerville' }).waitFor()
    await page.locator('input[type=file]').setInputFiles(await file('lines.ndjson', '{"FirstName":"Emmy","LastName":"Noether"}\n'))
    await page.getByRole('cell', { name: 'Noether' }).waitFor()
    await page.locator('input[type=file]').setInputFiles(await file('picture.png', 'x'))
    await page.getByText('picture.png has none of the endings that can be read').waitFor()
    await writeFile(join(folder, 'old.csv'), Buffer.from('FirstName,LastName\nJ\xf6rg,M\xfcller\n', 'latin1'))
    await page.locator('input[type=file]').setInputFiles(join(folder, 'old.csv'))
    await page.getByRole('button', { name: 'Read it as Windows-1252' }).click()
    await page.getByRole('cell', { name: 'Müller' }).waitFor()
    await page.close()
  })

  test('says what is wrong where no row can be read, and still has the columns', async () => {
    const page = await console_.open('#/leads?import=')
    const choose = async (name: string, text: string) => page.locator('input[type=file]').setInputFiles(await file(name, text))
    await choose('trailing.csv', 'FirstName,LastName,Email\nTr,One,t1@example.com,\nTr,Two,t2@example.com,\n')
    await page.getByRole('alert').getByText('None of the first 2 rows can be read. Line 2: It has 4 cells where the first line names 3 columns.').waitFor()
    expect(await page.getByLabel('Field for Email').inputValue()).toBe('Email')
    await page.getByRole('button', { name: 'Check all rows' }).click()
    await page.getByText('can be imported').waitFor()
    expect(await counts(page)).toEqual({ 'can be imported': '0', 'cannot be imported': '2' })
    await page.getByRole('button', { name: 'Back' }).click()
    await choose('list.json', '[1, 2, "x", null]')
    await page.getByText('None of the first 4 rows of list.json can be read. Line 1: This is JSON, and not an object.').waitFor()
    await choose('fake.xlsx', 'no')
    await page.getByText('fake.xlsx cannot be read as a workbook').waitFor()
    await page.close()
  })

  test('shows a part of a wide file, and of a long cell', async () => {
    const names = ['FirstName', 'LastName', ...Array.from({ length: 500 }, (_, i) => `Extra ${i}`)]
    const path = await file('wide.csv', `${names.join(',')}\n${names.map((name) => (name === 'LastName' ? 'x'.repeat(200_000) : '1')).join(',')}\n`)
    const page = await console_.open('#/leads?import=')
    await page.locator('input[type=file]').setInputFiles(path)
    await page.getByText('The first rows').waitFor()
    expect(await page.locator('.files-column').count()).toBe(100)
    await page.getByRole('button', { name: 'More columns' }).click()
    expect(await page.locator('.files-column').count()).toBe(200)
    await page.getByLabel('Find one of 502 columns').fill('extra 49')
    expect(await page.locator('.files-column strong').allInnerTexts()).toEqual(['Extra 49', ...Array.from({ length: 10 }, (_, i) => `Extra ${490 + i}`)])
    expect((await page.content()).length).toBeLessThan(100_000)
    await page.close()
  })

  test('is stopped in the middle, keeps what it has done, and goes on from there', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `Many,Row ${i},row${i}@example.org`)
    const path = await file('many.csv', `FirstName,LastName,Email\n${rows.join('\n')}\n`)
    const page = await console_.open('#/leads?import=')
    await importing(page, path)
    const go = page.getByRole('button', { name: 'Import 5,000 rows' })
    await go.waitFor()
    // The second batch is answered only once the import is being stopped.
    let stopping = () => {}
    const stopped = new Promise<void>((resolve) => {
      stopping = resolve
    })
    let batches = 0
    await page.route('**/v1/batch', async (route) => {
      if (++batches > 1) await stopped
      await route.continue()
    })
    await go.click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Stopping …' }).waitFor()
    stopping()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    await page.unroute('**/v1/batch')
    const [total, said] = [await many(), Number((await counts(page)).imported?.replaceAll(',', ''))]
    expect(total).toBe(said)
    expect(total).toBeLessThan(5_000)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Import' }).click()
    await importing(page, path)
    await page.getByRole('button', { name: /^Import [\d,]+ rows$/ }).click()
    await page.getByRole('button', { name: 'Done' }).waitFor()
    expect(await many()).toBe(5_000)
    await page.close()

    async function many() {
      return ((await console_.server.call('get_summary_of_leads', { Filters: { FirstName: 'Many' } })) as { Total: number }).Total
    }
  })

  test('rows are known by the digest that everyone has', () => {
    for (const text of ['', 'a', 'ä€😀'.repeat(40), 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(64), 'x'.repeat(1000)])
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
  })
})

describe('export', () => {
  /** Opens the export of a page, and answers with the file that it saves. */
  async function exported(hash: string, format: 'csv' | 'ndjson', { raw = false } = {}): Promise<{ name: string; text: string }> {
    const page = await console_.open(hash)
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Format').selectOption(format)
    if (raw) await dialog.getByLabel('Raw texts, for other systems').check()
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export' }).click()])
    const text = await readFile(await download.path(), 'utf8')
    await dialog.getByRole('button', { name: 'Done' }).waitFor()
    await page.close()
    return { name: download.suggestedFilename(), text }
  }

  test('saves all records as they are answered', async () => {
    const { name, text } = await exported('#/leads', 'ndjson')
    expect(name).toMatch(/^leads-\d{4}-\d\d-\d\d\.ndjson$/)
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { LeadID: string })
    const { Total } = (await console_.server.call('get_summary_of_leads', {})) as { Total: number }
    expect(new Set(records.map(({ LeadID }) => LeadID)).size).toBe(Total)
    const { LeadID } = records[0] ?? {}
    expect(await console_.server.call('get_leads', { LeadID })).toMatchObject({ ...records[0] })
  })

  test('saves what the filters show as CSV, which is read back as it was', async () => {
    await console_.server.call('create_a_lead', { FirstName: '=1+1', LastName: 'Ex,port "it"', Phone: '' })
    await console_.server.call('create_a_lead', { FirstName: 'Two\nlines', LastName: 'Ex,port "it"' })
    const where = encodeURIComponent(JSON.stringify({ LastName: 'Ex,port "it"' }))
    const { text } = await exported(`#/leads?where=${where}`, 'csv', { raw: true })
    const [head, ...lines] = new CsvReader(',').read(text, true).map(({ cells }) => cells)
    const records = (await console_.server.call('get_many_leads', { Filters: { LastName: 'Ex,port "it"' }, OrderBy: 'CreatedDate' })).Records as Record<
      string,
      unknown
    >[]
    expect(records).toHaveLength(2)
    expect(head).toEqual(Object.keys(records[0] ?? {}))
    expect(lines.map((line) => Object.fromEntries(line.map((cell, i) => [head?.[i], cell ?? null])))).toEqual(
      expect.arrayContaining(records.map((record) => ({ ...record, EmailOptOut: String(record.EmailOptOut), Revision: String(record.Revision) }))),
    )
    expect(lines).toHaveLength(2)
    expect(text).toContain(',=1+1,')
    expect((await exported(`#/leads?where=${where}`, 'csv')).text).toContain(",'=1+1,")
  })

  test("writes to a place of one's own choice where that is wanted, and waits for it in words", async () => {
    const page = await console_.open('#/leads')
    await page.route('**/get_summary_of_leads', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), Total: 50_001 } })
    })
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog')
    const place = dialog.getByLabel('Choose where to save it')
    // What is that large is not held in memory unless somebody wants it to be.
    await expect.poll(() => place.isChecked()).toBe(true)
    await page.evaluate(`window.written = ''
      window.showSaveFilePicker = () => new Promise((resolve) => {
        window.choose = () => resolve({ createWritable: async () => ({ write: async (text) => void (written += text), close: async () => void (written += 'END'), abort: async () => void (written = 'dropped') }) })
      })`)
    await dialog.getByRole('button', { name: 'Export' }).click()
    await dialog.getByText('Choose where to save it …').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await place.waitFor()
    await page.evaluate('choose()')
    await expect.poll(() => page.evaluate('written')).toBe('dropped')

    await page.evaluate("written = ''")
    await dialog.getByRole('button', { name: 'Export' }).click()
    await dialog.getByText('Choose where to save it …').waitFor()
    await page.evaluate('choose()')
    await dialog.getByRole('button', { name: 'Done' }).waitFor()
    expect(await page.evaluate('written')).toMatch(/^LeadID,[\s\S]*\r\nEND$/)
    await page.close()
  })

  test('saves the fields of a custom object as columns', async () => {
    const { text } = await exported('#/objects/Boat', 'csv')
    expect(text.split('\r\n')[0]).toBe('ObjectID,ObjectName,HomeHarbour,HullLength,Sunk,OwnerID,CreatedDate,UpdatedDate,Revision')
    expect(text).toContain(',Boat,Kiel,8.5,false,')
  })
})
