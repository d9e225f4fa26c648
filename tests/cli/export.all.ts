import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre'
import { expect, onTestFinished, test } from 'vitest'
import { recordType } from '../../src/contract/operations.ts'
import { withoutFormula } from '../../src/files/exporting/spreadsheet-text.ts'
import { refuseTooMany } from '../../src/files/exporting/workbook.ts'
import { collected, crm, spawnCrm } from '../support/crm.ts'
import { only, placeForFiles } from '../support/files.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'

/** Values that a file must not change. */
const HOSTILE = [
  'plain',
  'say "hi"',
  '"',
  '""',
  'a,b;c\td|e',
  'two\nlines',
  'two\r\nlines\r',
  ' blanks ',
  '=1+1',
  '+49 30 23125',
  '-1',
  '@cmd',
  "'quoted",
  "'=1+1",
  "''-1",
  '＝1+1',
  '\t1',
  '007',
  '1e5',
  'null',
  'true',
  '2026-01-01',
  'naïve 名前 🎈 عمر',
  '.\u2028\u00a0\ufeff',
  '\\n\\',
  '{"a":1}',
  'sep=;',
  '_x000D_',
]

const leads = HOSTILE.map((value, i) => ({ FirstName: value, LastName: `x${value}x`, ...(i % 3 > 0 && { Phone: i % 3 === 1 ? '' : value }) }))

const batchOf = (operation: string, inputs: readonly object[]) => JSON.stringify({ Operations: inputs.map((Input) => ({ Operation: operation, Input })) })

test.each(['csv', 'ndjson', 'json', 'xlsx'])('leads with hostile values survive the way out and back as %s', async (format) => {
  const [from, to] = [await placeForFiles(), await placeForFiles()]
  await from.answer(['batch', from.file('batch.json', batchOf('create_a_lead', leads))])
  const [{ LeadID } = {}] = await from.records('get_many_leads')
  await from.answer(['update_lead', '--LeadID', LeadID as string, '--FieldsToUpdate.Status', 'Won, "twice"'])
  const file = join(to.folder, `leads.${format}`)
  expect(await from.answer(['export', 'leads', '--to', file])).toMatchObject({ RecordType: 'Lead', Records: HOSTILE.length })
  const back = await to.answer(['import', file, '--yes', '--ignore', 'OwnerID'])
  expect(back).toMatchObject({ Created: HOSTILE.length, Rejected: 0 })
  const names = ['FirstName', 'LastName', 'Email', 'Phone', 'Status'] as const
  // A workbook cannot tell an empty text from nothing.
  const sent = (await from.records('get_many_leads')).map((lead) => (format === 'xlsx' && lead.Phone === '' ? { ...lead, Phone: null } : lead))
  expect(only(await to.records('get_many_leads'), ...names)).toEqual(only(sent, ...names))
})

test.each(['csv', 'ndjson', 'xlsx'])('custom objects survive the way out and back as %s', async (format) => {
  const [from, to] = [await placeForFiles(), await placeForFiles()]
  const boats = HOSTILE.map((value, i) => ({
    ObjectName: i % 2 ? 'Boat' : 'Harbour_2',
    Fields: {
      Name: { Type: 'String', Label: 'Name', Value: value },
      Length: { Type: 'Number', Label: 'Length', Value: i % 4 ? i / 7 : null },
      Built: { Type: 'Date', Label: 'Built', Value: i % 2 ? '1998-04-30' : '1850-01-31' },
      Seen: { Type: 'DateTime', Label: 'Seen', Value: i % 2 ? '2026-01-02T03:04:05.678Z' : '2026-01-02T00:00:00.000Z' },
      Open: { Type: 'Boolean', Label: 'Open', Value: i % 3 === 0 },
    },
  }))
  await from.answer(['batch', from.file('batch.json', batchOf('create_custom_object', boats))])
  const file = join(to.folder, `objects.${format}`)
  await from.answer(['export', 'custom_objects', '--to', file])
  if (format === 'csv') expect(to.read('objects.csv')).toMatch(/^ObjectID,ObjectName,Built,Length,Name,Open,Seen,OwnerID,/)
  expect(await to.answer(['import', file, '--type', 'CustomObject', '--yes', '--ignore', 'OwnerID'])).toMatchObject({ Created: HOSTILE.length, Rejected: 0 })
  expect(only(await to.records('get_many_custom_objects'), 'ObjectName', 'Values', 'Fields')).toEqual(
    only(await from.records('get_many_custom_objects'), 'ObjectName', 'Values', 'Fields'),
  )
})

test.each(['csv', 'xlsx'])('opportunities, cases and campaigns survive the way out and back as %s', async (format) => {
  const [from, to] = [await placeForFiles(), await placeForFiles()]
  const made = {
    opportunities: [
      'create_opportunity',
      HOSTILE.map((value, i) => ({ OpportunityName: value, Stage: `${value}.`, CloseDate: '2026-02-28', ...(i % 2 && { Amount: -i / 8 }) })),
    ],
    cases: ['create_case', HOSTILE.map((value) => ({ Subject: value, Description: value.repeat(3), Status: `${value}.` }))],
    campaigns: ['create_campaign', HOSTILE.map((value) => ({ CampaignName: value }))],
  } as const
  for (const [kind, [operation, inputs]] of Object.entries(made)) {
    await from.answer(['batch', from.file('batch.json', batchOf(operation, inputs))])
    const file = join(to.folder, `${kind}.${format}`)
    await from.answer(['export', kind, '--to', file])
    expect(await to.answer(['import', file, '--yes', '--ignore', 'OwnerID']), kind).toMatchObject({ Created: HOSTILE.length, Rejected: 0 })
    const names = [...Object.keys(inputs[1] ?? {}), 'Status', 'Amount']
    expect(only(await to.records(`get_many_${kind}`), ...names), kind).toEqual(only(await from.records(`get_many_${kind}`), ...names))
  }
})

test('a workbook has numbers, truths and dates, and texts for all the rest', async () => {
  const place = await placeForFiles()
  const Fields = { Built: { Type: 'Date', Label: 'Built', Value: '1998-04-30' }, Open: { Type: 'Boolean', Label: 'Open', Value: true } }
  await place.answer(['create_custom_object', '--ObjectName', 'Boat', '--Fields', JSON.stringify(Fields)])
  await place.answer(['create_opportunity', '--OpportunityName', '=1+1', '--Stage', '7', '--CloseDate', '2026-12-31', '--Amount', '12.5'])
  const sheetOf = async (...words: string[]) => {
    const file = join(place.folder, `${words[0]}.xlsx`)
    await place.answer(['export', ...words, '--to', file])
    return (await readXlsx(readFileSync(file))).sheets[0]
  }
  expect(await sheetOf('opportunities', '--Select', 'OpportunityName,Stage,CloseDate,Amount')).toMatchObject({
    name: 'opportunities',
    rows: [
      ['OpportunityID', 'OpportunityName', 'Stage', 'CloseDate', 'Amount'],
      [expect.any(String), '=1+1', '7', new Date('2026-12-31'), 12.5],
    ],
  })
  expect((await sheetOf('custom_objects'))?.rows[1]?.slice(1, 4)).toEqual(['Boat', new Date('1998-04-30'), true])
})

test.each(['csv', 'json', 'xlsx'])('an export of nothing is imported as nothing from %s', async (format) => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  const file = join(place.folder, `leads.${format}`)
  expect(await place.answer(['export', 'leads', '--Filters.LastName', 'None', '--to', file])).toMatchObject({ Records: 0 })
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Rows: 0, Created: 0, Rejected: 0 })
})

test('more records than a sheet holds, or a text that no cell holds, are refused before a file is there', async () => {
  expect(() => refuseTooMany(1_048_575)).not.toThrow()
  expect(() => refuseTooMany(1_048_576)).toThrow('There are more records than a sheet holds, which is 1,048,575.')
  const place = await placeForFiles()
  const Fields = { Log: { Type: 'String', Label: 'Log', Value: 'x'.repeat(20_000) }, More: { Type: 'String', Label: 'More', Value: 'x'.repeat(20_000) } }
  await place.answer(['create_custom_object', '--json', JSON.stringify({ ObjectName: 'Boat', Fields })])
  const { code, err } = await place.run(['export', 'changes', '--to', join(place.folder, 'changes.xlsx')])
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('is longer than a cell of a sheet can be, which is 32,767 characters.') })
  expect(readdirSync(place.folder).filter((name) => name.startsWith('changes'))).toEqual([])
})

test('events are exported up to now, and from where it is said', async () => {
  const place = await placeForFiles()
  const many = Array.from({ length: 1000 }, (_, i) => ({ FirstName: 'Ada', LastName: `${i}` }))
  for (let i = 0; i < 2; i++) await place.answer(['batch', place.file('batch.json', batchOf('create_a_lead', many))])
  const file = join(place.folder, 'events.ndjson')
  expect(await place.answer(['export', 'events', '--to', file])).toMatchObject({ RecordType: 'Event', Records: 2000 })
  const events = place
    .read('events.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { EventID: string; Type: string })
  expect(new Set(events.map(({ EventID }) => EventID)).size).toBe(2000)
  const { out } = await place.run(['export', 'events', '--After', events[1997]?.EventID ?? ''])
  expect(out.split('\r\n').map((line) => line.split(',').slice(0, 2))).toEqual([
    ['EventID', 'Type'],
    [events[1998]?.EventID, 'lead.created'],
    [events[1999]?.EventID, 'lead.created'],
    [''],
  ])
})

test('an export to the same store comes back under the same owners', async () => {
  const place = await placeForFiles()
  const { UserID } = await place.answer(['create_user', '--Name', 'Grace'])
  const { LeadID } = await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  await place.answer(['update_lead', '--LeadID', LeadID as string, '--FieldsToUpdate.OwnerID', UserID as string])
  const file = join(place.folder, 'leads.csv')
  await place.answer(['export', 'leads', '--to', file])
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Created: 1 })
  expect((await place.records('get_many_leads')).map(({ OwnerID }) => OwnerID)).toEqual([UserID, UserID])
})

test('only what matches is exported, with the fields and in the order that are wanted', async () => {
  const place = await placeForFiles()
  for (const Amount of [1, 20, 3])
    await place.answer(['create_opportunity', '--OpportunityName', `Deal ${Amount}`, '--Stage', 'Won', '--CloseDate', '2026-12-31', '--Amount', `${Amount}`])
  const { out } = await place.run(['export', 'opportunities', '--Filters.Amount.gte', '2', '--Select', 'OpportunityName,Amount', '--OrderBy', 'Amount desc'])
  expect(out.replace(/^\w{20},/gm, '')).toBe('OpportunityID,OpportunityName,Amount\r\nDeal 20,20\r\nDeal 3,3\r\n')
  const filtered = await place.run(['export', 'opportunities', '--Filters', '{"Amount":1}', '--format', 'json', '--to', '-'])
  expect(JSON.parse(filtered.out)).toMatchObject([{ OpportunityName: 'Deal 1' }])
  expect((await place.run(['export', 'opportunities', '--Filters.Amount', '99', '--format', 'json'])).out).toBe('[]\n')
  expect((await place.run(['export', 'opportunities', '--Filters.Amount', '99'])).out).toBe(`${Object.keys(recordType('Opportunity').fields).join(',')}\r\n`)
})

test('notes and comments are exported with the record they hang on', async () => {
  const place = await placeForFiles()
  const { LeadID } = await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  const { CaseID } = await place.answer(['create_case', '--Subject', 'Jam', '--Description', 'It sticks.'])
  const notes = Array.from({ length: 120 }, (_, i) => ({ LeadID, Note: `Note ${i}` }))
  await place.answer(['batch', place.file('batch.json', batchOf('add_notes_to_leads', notes))])
  await place.answer(['add_comment', '--CaseID', CaseID as string, '--Comment', 'Soon.', '--Publish', 'true'])
  const exported = (await place.run(['export', 'notes', '--format', 'ndjson'])).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exported).toHaveLength(120)
  expect(exported.slice(0, 2)).toMatchObject([{ RecordType: 'Lead', RecordID: LeadID, Note: 'Note 0' }, { Note: 'Note 1' }])
  expect((await place.run(['export', 'comments'])).out).toMatch(
    new RegExp(`^RecordType,RecordID,CommentID,Comment,Publish,AuthorID,CreatedDate\\r\\nCase,${CaseID},\\w+,Soon\\.,true,`),
  )
})

test('a file is there when it is whole, and is not written over unless that was said', async () => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  const file = place.file('leads.csv', 'mine')
  expect(await place.run(['export', 'leads', '--to', file])).toMatchObject({ code: 5, out: '' })
  expect(place.read('leads.csv')).toBe('mine')
  const refused = await place.run(['export', 'leads', '--to', join(place.folder, 'other.csv'), '--Filters.Colour', 'red'])
  expect(refused.code).toBe(2)
  expect(readdirSync(place.folder).filter((name) => name.startsWith('other'))).toEqual([])
  expect(await place.answer(['export', 'leads', '--to', file, '--force'])).toMatchObject({ Records: 1 })
  expect(place.read('leads.csv')).toContain('Ada,Lovelace')
  expect(existsSync(`${file}.part`)).toBe(false)
})

test.each(['leads.csv', 'leads.csv.part'])('a symbolic link at %s is refused, and where it leads nothing is written', async (name) => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  for (const content of ['precious', undefined]) {
    const elsewhere = join(await temporaryFolder(), 'precious.txt')
    if (content !== undefined) writeFileSync(elsewhere, content)
    symlinkSync(elsewhere, join(place.folder, name))
    const { code, err } = await place.run(['export', 'leads', '--to', join(place.folder, 'leads.csv'), '--force'])
    expect(code).toBe(5)
    expect(err).toContain(`${name} is a symbolic link, which is not followed.`)
    expect(existsSync(elsewhere) ? readFileSync(elsewhere, 'utf8') : undefined).toBe(content)
    expect(lstatSync(join(place.folder, name)).isSymbolicLink()).toBe(true)
    rmSync(join(place.folder, name))
  }
})

test('what an interrupted export has left is replaced', async () => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  place.file('leads.csv.part', 'half a file')
  await place.answer(['export', 'leads', '--to', join(place.folder, 'leads.csv')])
  expect(place.read('leads.csv')).toMatch(/^LeadID,/)
})

test('what a spreadsheet would take for a formula is made harmless, unless raw texts are wanted', async () => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', '=cmd()', '--LastName', '@x', '--Phone', '+49'])
  expect((await place.run(['export', 'leads', '--Select', 'FirstName,LastName,Phone'])).out).toContain(",'=cmd(),'@x,'+49\r\n")
  expect((await place.run(['export', 'leads', '--Select', 'FirstName,LastName,Phone', '--raw'])).out).toContain(',=cmd(),@x,+49\r\n')
  for (const text of ['=1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x', "'=1"]) expect(withoutFormula(text), text).toBe(`'${text}`)
  for (const value of [-5, 1e-7, 'a=1', "'quoted", '', null, true]) expect(withoutFormula(value)).toBe(value)
  await place.answer(['create_opportunity', '--OpportunityName', 'Refund', '--Stage', 'Won', '--CloseDate', '2026-01-01', '--Amount', '-5'])
  expect((await place.run(['export', 'opportunities', '--Select', 'OpportunityName,Amount'])).out).toContain(',Refund,-5\r\n')
})

test('raw texts are read back as they were where that is said, and those of other files lose a quote before a formula', async () => {
  const place = await placeForFiles()
  await place.answer(['batch', place.file('batch.json', batchOf('create_a_lead', leads))])
  const raw = join(place.folder, 'leads.csv')
  await place.answer(['export', 'leads', '--to', raw, '--raw'])
  const to = await placeForFiles()
  await to.answer(['import', raw, '--raw', '--yes', '--ignore', 'OwnerID'])
  expect(only(await to.records('get_many_leads'), 'FirstName', 'Phone')).toEqual(only(await place.records('get_many_leads'), 'FirstName', 'Phone'))
  await to.answer(['import', to.file('others.csv', "FirstName,LastName\r\n'=a,''=b\r\n"), '--yes'])
  expect((await to.records('get_many_leads')).at(-1)).toMatchObject({ FirstName: '=a', LastName: "'=b" })
})

test('rejected rows are written as an export would be', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', "FirstName,LastName,Email\r\n'=a,''-b,nowhere\r\n")
  expect((await place.run(['import', file, '--yes'])).code).not.toBe(0)
  expect(place.read('leads.rejects.csv')).toContain("\r\n'=a,''-b,nowhere,2,")
})

test.each([
  [['export', 'leeds'], 2, 'Did you mean leads?'],
  [['export', 'leads', '--to', 'leads.pdf'], 2, '--format'],
  [['export', 'leads', '--format', 'xlsx'], 2, '--to leads.xlsx'],
  [['export', 'leads', '--Limit', '5'], 2, 'export has no flag --Limit'],
  [['export', 'leads', '--to', '/nowhere/leads.csv'], 2, '/nowhere/leads.csv cannot be written'],
  [['export', 'leads', '--Filters', '{'], 2, '--Filters is not JSON'],
  [['export', 'leads', '--Select', 'Fristname'], 2, 'did you mean FirstName?'],
])('%j is refused with what to say instead', async (words, code, said) => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'])
  const refused = await place.run(words)
  expect(refused).toMatchObject({ code, out: '' })
  expect(refused.err).toContain(said)
})

test('through a server everything is exported, page by page', async () => {
  const server = await serverForTest()
  const place = await placeForFiles({ CRM_URL: server.url, CRM_KEY: server.key })
  const many = Array.from({ length: 1000 }, (_, i) => ({ FirstName: 'Ada', LastName: `${i}` }))
  for (let i = 0; i < 3; i++) await place.answer(['batch', place.file('batch.json', batchOf('create_a_lead', many))])
  const { code, out, err } = await place.run(['export', 'leads', '--to', join(place.folder, 'leads.json')], { columns: 100 })
  expect({
    code,
    shown: /^Records +3000$/m.test(out),
    bar: err.includes('█ 100%  leads 3,000/3,000 exported') || err.includes('leads 1,000/3,000 exported'),
  }).toEqual({ code: 0, shown: true, bar: true })
  const ids = (JSON.parse(place.read('leads.json')) as { LeadID: string }[]).map(({ LeadID }) => LeadID)
  expect(ids).toEqual([...new Set(ids)].sort())
  expect(ids).toHaveLength(3000)
})

test('an export that is stopped leaves no file, and says that it was stopped', async () => {
  const cwd = await temporaryFolder()
  const rows = Array.from({ length: 20_000 }, (_, i) => `First ${i},Last ${i}`)
  writeFileSync(join(cwd, 'leads.csv'), `FirstName,LastName\n${rows.join('\n')}\n`)
  expect(await crm(['import', 'leads.csv', '--yes'], { cwd })).toMatchObject({ code: 0 })
  const part = join(cwd, 'out.ndjson.part')
  const written = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0
  /** An export that is paused in the middle of it. One that was too quick is begun again. */
  async function begun() {
    for (;;) {
      const child = spawnCrm(['export', 'leads', '--to', 'out.ndjson'], { cwd })
      onTestFinished(() => void child.kill('SIGKILL'))
      const [out, err, ended] = [collected(child.stdout), collected(child.stderr), once(child, 'close')]
      while (written() === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1))
      child.kill('SIGSTOP')
      if (written() > 0 && readFileSync(part, 'utf8').split('\n').length < rows.length / 2) return { child, out, err, ended }
      child.kill('SIGKILL')
      await ended
      for (const path of [part, join(cwd, 'out.ndjson')]) rmSync(path, { force: true })
    }
  }
  const { child, out, err, ended } = await begun()
  child.kill('SIGINT')
  child.kill('SIGCONT')
  expect(await ended).toEqual([null, 'SIGINT'])
  expect([out(), err()]).toEqual(['', 'crm: Stopped. No file was written.\n'])
  expect(readdirSync(cwd).filter((name) => name.startsWith('out'))).toEqual([])
})

test('what was exported comes into another store, where nobody knows its owners', async () => {
  const [here, there] = [await placeForFiles(), await placeForFiles()]
  for (const [operation, input] of [
    ['create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }],
    ['create_campaign', { CampaignName: 'Spring' }],
    ['create_custom_object', { ObjectName: 'Boat', Fields: { Hull: { Type: 'Number', Label: 'Hull', Value: 7 } } }],
  ] as const)
    await here.answer([operation, '--json', JSON.stringify(input)])
  for (const name of ['leads', 'campaigns', 'custom_objects']) {
    const file = join(here.folder, `${name}.csv`)
    await here.answer(['export', name, '--to', file])
    expect(await there.answer(['import', file, '--yes'])).toMatchObject({ Created: 1, Rejected: 0 })
  }
  expect(await there.records('get_many_custom_objects')).toMatchObject([{ ObjectName: 'Boat', Values: { Hull: 7 } }])
})
