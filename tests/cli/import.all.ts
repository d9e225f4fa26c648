import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { only, placeForFiles } from '../support/files.ts'
import { serverForTest } from '../support/server.ts'

const ADA = 'Ada,Lovelace,ada@example.com,+44 20 7946 0958'
const GRACE = 'Grace,Hopper,grace@example.com,'
const HEAD = 'FirstName,LastName,Email,Phone'

test('columns are known by name, by label and by what others call them, however they are written', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', 'first_name,SURNAME,E-mail,Phone-Number,Lead Status\nAda,Lovelace,ada@example.com,007,Contacted\nGrace,Hopper,,,\n')
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ RecordType: 'Lead', Rows: 2, Created: 2, AlreadyThere: 0, Rejected: 0, Rejects: null })
  expect(only(await place.records('get_many_leads'), 'FirstName', 'LastName', 'Email', 'Phone', 'Status')).toEqual([
    { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '007', Status: 'Contacted' },
    { FirstName: 'Grace', LastName: 'Hopper', Email: null, Phone: null, Status: 'Open' },
  ])
})

test('without a person to ask, the mapping and the first rows are shown and nothing is imported', async () => {
  const place = await placeForFiles()
  const { code, out, err } = await place.run(['import', place.file('leads.csv', `${HEAD}\n${ADA}\nGrace,,grace@example.com,\n`)])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(/Column +Field\nFirstName +FirstName\n/)
  expect(err).toMatch(/FirstName +LastName +Email +Phone +EmailOptOut +Status\nAda +Lovelace +ada@example.com/)
  expect(err).toContain('Line 3 would be rejected: LastName is required.')
  expect(err).toContain('Use --yes to import it')
  expect(await place.records('get_many_leads')).toEqual([])
})

test('whoever says yes is shown the same beside the answer', async () => {
  const place = await placeForFiles()
  const { code, out, err } = await place.run(['import', place.file('leads.csv', `${HEAD}\n${ADA}\n`), '--yes'])
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, Created: 1 })
  expect(err).toMatch(/→ Lead, separated by commas\n\nColumn +Field\nFirstName +FirstName\n/)
  expect(err).toMatch(/FirstName +LastName +Email +Phone +EmailOptOut +Status\nAda +Lovelace +ada@example.com/)
})

test('a person is asked, and only a yes imports', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', `${HEAD}\n${ADA}\n${GRACE}\n`)
  for (const typed of ['\n', 'n\n', '\u0004']) {
    const no = await place.run(['import', file], { columns: 100, typed: [typed] })
    expect(no).toMatchObject({ code: 5, out: '' })
    expect(no.err).toMatch(/Import 2 rows\? \[y\/N\][\s\S]*It was not confirmed\. Nothing was imported\./)
  }
  const stopped = await place.run(['import', file], { columns: 100, typed: ['\u0003'] })
  expect(stopped).toMatchObject({ code: 130, out: '', err: expect.stringMatching(/\ncrm: Stopped\. Nothing was done\.\n$/) })
  expect(await place.records('get_many_leads')).toEqual([])
  const yes = await place.run(['import', file], { columns: 100, typed: ['y\n'] })
  expect(yes.code).toBe(0)
  expect(yes.out).toMatch(/^Created +2$/m)
  expect(await place.records('get_many_leads')).toHaveLength(2)
})

test('a column that fits nothing stops what nobody looks at, until it is mapped or left out', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', 'Vorname;Nachname;Email;Fax;Notiz\nJörg;Weiß;joerg@example.com;1;Ruft zurück\n')
  const map = ['--map', 'Vorname=FirstName,Nachname=LastName']
  const refused = await place.run(['import', file, '--yes', ...map])
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.err).toContain('no field is known for "Fax", "Notiz"')
  expect(await place.answer(['import', file, '--yes', ...map, '--map', 'Notiz=Note', '--ignore', 'fax'])).toMatchObject({ Created: 1, Rejected: 0 })
  const [lead] = await place.records('get_many_leads')
  expect(await place.answer(['get_leads', '--LeadID', lead?.LeadID as string])).toMatchObject({ FirstName: 'Jörg', Notes: [{ Note: 'Ruft zurück' }] })
})

test.each([
  [['--map', 'Fisrt=FirstName'], 'There is no column called "Fisrt". (expected: First, Email; did you mean First?)'],
  [['--map', 'First=FristName'], 'did you mean FirstName?'],
  [['--ignore', 'Emial'], 'did you mean Email?'],
  [[], 'Create A Lead needs FirstName and LastName, and no column of'],
  [['--map', 'First=FirstName'], "--map 'COLUMN=LastName'"],
  [['--type', 'Lad'], 'Did you mean Lead?'],
  [['--type', 'Lead', '--map', 'First'], 'is not of the form a=b'],
])('import %j is refused with what to say instead', async (flags, said) => {
  const place = await placeForFiles()
  const { code, err } = await place.run(['import', place.file('leads.csv', 'First,Email\nAda,ada@example.com\n'), '--yes', ...flags])
  expect(code).toBe(2)
  expect(err).toContain(said)
})

test.each([
  ['people.csv', HEAD, 'Lead'],
  ['q3 opportunities.csv', 'Name,Stage,Close date\nDeal,Prospecting,2026-12-31', 'Opportunity'],
  ['list.csv', 'Name,Stage,Close date', 'Opportunity'],
  ['export.csv', 'Subject,Description', 'Case'],
  ['campaign.csv', 'Name,Status', 'Campaign'],
])('%s with the columns %s has rows of type %s', async (name, head, type) => {
  const place = await placeForFiles()
  const { err } = await place.run(['import', place.file(name, `${head}\n${head.replace(/\w+/g, 'x')}\n`)])
  expect(err).toContain(`→ ${type}`)
})

test('where neither the name nor the columns say what rows are, that is asked for', async () => {
  const place = await placeForFiles()
  const { code, err } = await place.run(['import', place.file('list.csv', 'Name,Colour\nx,y\n'), '--yes'])
  expect(code).toBe(2)
  expect(err).toContain('--type: Lead, Opportunity, Case, Company, Contact, CustomObject, Campaign')
})

test('rows that are refused go to a file of rejects with their line and what is wrong, which can be mended and imported', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', `${HEAD}\n${ADA}\n"Two\nlines",,a@b,\nBad,Mail,nowhere,\nShort,Row\n${GRACE}\nLong,Row,,,,\n"Br"oken,Row,,\n`)
  const first = await place.run(['import', file, '--yes'])
  expect(first.code).toBe(2)
  expect(JSON.parse(first.out)).toMatchObject({ Rows: 7, Created: 2, Rejected: 5, Rejects: join(place.folder, 'leads.rejects.csv') })
  expect(first.err).toContain('line 5: Email is not an e-mail address.')
  const rejects = place.read('leads.rejects.csv')
  expect(rejects.split('\r\n').map((line) => line.slice(0, 60))).toEqual([
    'FirstName,LastName,Email,Phone,line,error',
    '"Two\nlines",,a@b,,3,LastName is required.',
    'Bad,Mail,nowhere,,5,"Email is not an e-mail address. Expecte',
    'Short,Row,,,6,It has 2 cells where the first line names 4 co',
    'Long,Row,,",,",8,It has 6 cells where the first line names 4',
    '"""Br""oken,Row,,",,,,9,"A quote is closed before cell 1 end',
    '',
  ])

  const mended = place.file(
    'leads.rejects.csv',
    rejects.split('\r\n').slice(0, 3).join('\r\n').replace('nowhere', 'somewhere@example.com').replace(',,a@b', ',Here,a@b'),
  )
  expect(await place.answer(['import', mended, '--yes'])).toMatchObject({ Created: 2, AlreadyThere: 0, Rejected: 0 })
  expect(only(await place.records('get_many_leads'), 'FirstName').map(({ FirstName }) => FirstName)).toEqual(['Ada', 'Grace', 'Two\nlines', 'Bad'])

  const again = await place.run(['import', file, '--yes'])
  expect(JSON.parse(again.out)).toMatchObject({ Created: 0, AlreadyThere: 2, Rejected: 5, Rejects: join(place.folder, 'leads.rejects-2.csv') })
  expect(place.read('leads.rejects.csv')).toContain('somewhere@example.com')
  expect(existsSync(join(place.folder, 'leads.rejects-2.csv.part'))).toBe(false)
})

test('a row with the wrong number of cells is not imported from its file of rejects either, until its error is deleted', async () => {
  const place = await placeForFiles()
  const file = place.file('boats.csv', 'Name,Harbour,Seats\nAlma,Kiel\nBerta,Bremen,4,5\n"Ca"rla,Kiel,3\nDora,Kiel,2\n')
  const imported = async (path: string) => JSON.parse((await place.run(['import', path, '--object', 'Boat', '--yes'])).out)
  expect(await imported(file)).toMatchObject({ Rows: 4, Created: 1, Rejected: 3 })
  const rejects = place.read('boats.rejects.csv')
  const path = join(place.folder, 'boats.rejects.csv')
  expect(await imported(path)).toMatchObject({ Created: 0, Rejected: 3, Rejects: path })
  expect(place.read('boats.rejects.csv')).toBe(rejects)

  place.file('boats.rejects.csv', 'Name,Harbour,Seats,line,error\nAlma,Kiel,,2,\n"Berta, Bremen",Bremen,45,3,\n')
  expect(await imported(path)).toMatchObject({ Created: 2, Rejected: 0 })
  const { out } = await place.run(['get_many_custom_objects', '--all', '--OrderBy', 'CreatedDate asc', '--output', 'json'])
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).Values),
  ).toMatchObject([
    { Name: 'Dora', Seats: 2 },
    { Name: 'Alma', Harbour: 'Kiel' },
    { Name: 'Berta, Bremen', Seats: 45 },
  ])
})

test.each([',,', ' , ,\t', '"","",""', '" ","\n",', '   ', '; ;', '" , "', '\t\t', ';;;;', '"" ; ""', '| |'])(
  'a row of separators only is blank: %j',
  async (blank) => {
    const place = await placeForFiles()
    const file = place.file('leads.csv', `${blank}\nFirstName,LastName,Email\n${blank}\nAda,Lovelace,\n${blank}`)
    expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Rows: 1, Created: 1, Rejected: 0 })
  },
)

test('rejects that say the same as those that are there are those', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', `${HEAD}\n${ADA}\n,Nameless,,\n`)
  const rejectsOf = async (...flags: string[]) => JSON.parse((await place.run(['import', file, ...flags])).out).Rejects
  expect(await rejectsOf('--dry-run')).toBe(join(place.folder, 'leads.rejects.csv'))
  expect(await rejectsOf('--yes')).toBe(join(place.folder, 'leads.rejects.csv'))
  place.file('leads.csv', `${HEAD}\n${ADA}\n,Shameless,,\n`)
  expect(await rejectsOf('--yes')).toBe(join(place.folder, 'leads.rejects-2.csv'))
  expect(await rejectsOf('--yes')).toBe(join(place.folder, 'leads.rejects-2.csv'))
  expect(readdirSync(place.folder).filter((name) => name.includes('rejects'))).toEqual(['leads.rejects-2.csv', 'leads.rejects.csv'])
})

const MANY = Array.from({ length: 5000 }, (_, i) => `First ${i},Last ${i}`)

test('a line that is too long is one row that is rejected, and of its rejects nothing is made', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', `FirstName,LastName\n${MANY.join('\n')}\nq,${'x'.repeat(2_000_000)}\n${MANY.slice(0, 50).join('\n')}\n`)
  const { code, out, err } = await place.run(['import', file, '--yes'])
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 2, Rows: 5051, Created: 5050, Rejected: 1 })
  expect(err).toContain('line 5002: It is longer than a million characters')
  expect(place.read('leads.rejects.csv')).toMatch(
    /^FirstName,LastName,line,error\r\n,,5002,"It is longer than .* mend it in the file that it comes from\."\r\n$/,
  )
  const boats = place.file('boats.rejects.csv', place.read('leads.rejects.csv'))
  expect((await place.run(['import', boats, '--object', 'Boat', '--yes'])).out).toContain('"Created":0,"AlreadyThere":0,"Rejected":1')
})

test('all rows before a quote that is never closed are imported, and it is told what became of them and how to go on', async () => {
  const place = await placeForFiles()
  const lines = ['FirstName,LastName', ...MANY, ',Nameless', 'q,"oops', ...MANY.slice(0, 50)]
  const file = place.file('leads.csv', lines.join('\n'))
  const { code, out, err } = await place.run(['import', file, '--yes'])
  const rejects = join(place.folder, 'leads.rejects.csv')
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 2, Rows: 5001, Created: 5000, Rejected: 1, Rejects: rejects })
  expect(err).toContain('A quote that opens on line 5003 is never closed.')
  expect(err).toContain(
    `Of the 5,001 rows before it 5,000 are imported, and 1 rejected: see ${rejects}. Once it is corrected the same command goes on from there.`,
  )
  place.file('leads.csv', lines.join('\n').replace('"oops', 'oops'))
  expect(JSON.parse((await place.run(['import', file, '--yes'])).out)).toMatchObject({ Rows: 5052, Created: 51, AlreadyThere: 5000 })
})

test('a person is asked whether to import what is before a quote that is never closed', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', `${HEAD}\n${ADA}\nq,"oops\n${GRACE}\n`)
  const dry = await place.run(['import', file, '--dry-run'])
  expect({ code: dry.code, ...JSON.parse(dry.out) }).toMatchObject({ code: 2, Rows: 1, Good: 1 })
  const asked = await place.run(['import', file], { columns: 120, typed: ['y\n'] })
  expect(asked.code).toBe(2)
  expect(asked.err).toContain('A quote that opens on line 3 is never closed. Import the 1 row before it? [y/N]')
  expect(await place.records('get_many_leads')).toMatchObject([{ FirstName: 'Ada' }])
})

test('columns without a name and without a value, as spreadsheets leave them behind, are none', async () => {
  const place = await placeForFiles()
  expect(await place.answer(['import', place.file('leads.csv', 'FirstName,LastName,,\na,b,,\nc,d,,\n'), '--yes'])).toMatchObject({ Created: 2, Rejected: 0 })
  const asked = await place.run(['import', place.file('people.csv', 'FirstName,LastName,,\na,b,,\nc,d,,x\n'), '--yes'])
  expect(asked).toMatchObject({ code: 2, out: '' })
  expect(asked.err).toContain('no field is known for "column 4".')
  const late = place.file('late.csv', `FirstName,LastName,,\n${MANY.map((row) => `${row},,`).join('\n')}\na,b,,x\n`)
  const { out, err } = await place.run(['import', late, '--type', 'Lead', '--yes'])
  expect(JSON.parse(out)).toMatchObject({ Created: 5000, Rejected: 1 })
  expect(err).toContain('"column 4" was not there in the first rows, and fits no field.')
})

test('a row of a file is imported once: again, with others mended, with its columns in another order, and in a renamed file under the name of the run', async () => {
  const place = await placeForFiles()
  const rows = [ADA, GRACE, ADA, 'Katherine,Johnson,,']
  const file = place.file('leads.csv', `${HEAD}\n${rows.join('\n')}\n`)
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Created: 4, AlreadyThere: 0 })
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Created: 0, AlreadyThere: 4 })
  renameSync(file, join(place.folder, 'people.csv'))
  expect(await place.answer(['import', join(place.folder, 'people.csv'), '--yes', '--run', 'leads'])).toMatchObject({ Created: 0, AlreadyThere: 4 })
  const mended = place.file('leads.csv', `${HEAD}\nDorothy,Vaughan,,\n${rows.join('\n').replace('Johnson', 'Goble')}\n${ADA}\n`)
  expect(await place.answer(['import', mended, '--yes'])).toMatchObject({ Created: 3, AlreadyThere: 3 })
  const turned = place.file('leads.ndjson', '{"Phone":"+44 20 7946 0958","Email":"ada@example.com","LastName":"Lovelace","FirstName":"Ada"}\n')
  expect(await place.answer(['import', turned, '--yes'])).toMatchObject({ Created: 0, AlreadyThere: 1 })
  expect(await place.records('get_many_leads')).toHaveLength(7)
  expect(await place.answer(['import', turned, '--yes', '--run', 'second'])).toMatchObject({ Created: 1, AlreadyThere: 0 })
})

test('a row of another file is another record, though it says the same', async () => {
  const place = await placeForFiles()
  for (const name of ['leads-monday.csv', 'leads-tuesday.csv'])
    expect(await place.answer(['import', place.file(name, `${HEAD}\n${ADA}\n`), '--yes'])).toMatchObject({ Created: 1, AlreadyThere: 0 })
  expect(await place.records('get_many_leads')).toHaveLength(2)
})

test('rejects are never written over a file that is there, least of all the one that is imported', async () => {
  const place = await placeForFiles()
  const file = place.file('leads.csv', `${HEAD}\n${ADA}\n,Nameless,,\n`)
  const before = readFileSync(file, 'utf8')
  expect((await place.run(['import', file, '--rejects', file, '--yes'])).code).toBe(5)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(await place.records('get_many_leads')).toHaveLength(0)
})

test('what only an update can set is set once, and follows the file when only that was mended', async () => {
  const place = await placeForFiles()
  const words = ['import', place.file('leads.csv', 'FirstName,LastName,Status\nAda,Lovelace,Contacted\n'), '--yes']
  await place.answer(words)
  const [{ LeadID } = {}] = await place.records('get_many_leads')
  await place.answer(['update_lead', '--LeadID', LeadID as string, '--FieldsToUpdate.Status', 'Won'])
  expect(await place.answer(words)).toMatchObject({ Created: 0, AlreadyThere: 1 })
  expect(await place.records('get_many_leads')).toMatchObject([{ Status: 'Won', Revision: 3 }])
  place.file('leads.csv', 'FirstName,LastName,Status\nAda,Lovelace,Lost\n')
  expect(await place.answer(words)).toMatchObject({ Created: 0, AlreadyThere: 1 })
  expect(await place.records('get_many_leads')).toMatchObject([{ Status: 'Lost', Revision: 4 }])
})

test('an owner who does not exist here is refused before anything is made', async () => {
  const place = await placeForFiles()
  const { UserID } = await place.answer(['create_user', '--Name', 'Grace'])
  const file = place.file('leads.csv', `FirstName,LastName,OwnerID,LeadID\nAda,Lovelace,${UserID},1\nGrace,Hopper,nobody,2\n`)
  const { code, out, err } = await place.run(['import', file, '--yes'])
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 2, Created: 1, Rejected: 1 })
  expect(err).toContain('there is no such user here')
  expect(await place.records('get_many_leads')).toMatchObject([{ FirstName: 'Ada', OwnerID: UserID }])
})

test('what is read as one of several choices, and is none, says how several are separated', async () => {
  const place = await placeForFiles()
  await place.answer(['define_field', '--json', JSON.stringify({ RecordType: 'Lead', FieldName: 'Tags', Kind: 'choices', Values: ['A', 'B', 'C'] })])
  await place.answer(['define_field', '--json', JSON.stringify({ RecordType: 'Lead', FieldName: 'Tier', Kind: 'choice', Values: ['A', 'B'] })])
  const rows = ['Ada,One,"A,B",', 'Ada,Two,A|B,', 'Ada,Three,A;X,', 'Ada,Four,A;B,', 'Ada,Five,,C']
  const { out, err } = await place.run(['import', place.file('leads.csv', `FirstName,LastName,Tags,Tier\n${rows.join('\n')}\n`), '--type', 'Lead', '--yes'])
  expect(JSON.parse(out)).toMatchObject({ Created: 1, Rejected: 4 })
  expect(err).toContain('Tags is "A,B". Expected: A, B, C. Several values are separated by “;”.')
  expect(err).toContain('Tags is "A|B". Expected: A, B, C. Several values are separated by “;”.')
  expect(err).toMatch(/Tags is "X"\. Expected: A, B, C\.\n/)
  expect(err).toMatch(/Tier is "C"\. Expected: A, B\.\n/)
})

test('values are read by their field, and what does not fit says how it could be read', async () => {
  const place = await placeForFiles()
  const file = place.file(
    'deals.csv',
    'Name;Stage;Close date;Amount\nA;Won;31.12.2026;1.234,50\nB;Won;2026-12-31;99\nC;Won;2026-02-30;\nD;Won;12/31/2026;"1,234.5"\n',
  )
  const words = ['import', file, '--type', 'Opportunity', '--yes']
  const plain = await place.run(words)
  expect(JSON.parse(plain.out)).toMatchObject({ Created: 1, Rejected: 3 })
  expect(plain.err).toContain('CloseDate is "31.12.2026". Expected: a date such as 2026-12-31; --dates 31.12.2026 reads it.')
  expect(plain.err).toContain('Amount is "1.234,50". Expected: a number such as 1234.5; --numbers 1.234,5 reads it.')
  expect(plain.err).toContain('line 4: CloseDate is not a day of the calendar.')
  const german = await place.run([...words, '--dates', '31.12.2026', '--numbers', '1.234,5'])
  expect(JSON.parse(german.out)).toMatchObject({ Created: 1, AlreadyThere: 1, Rejected: 2 })
  expect(only(await place.records('get_many_opportunities'), 'OpportunityName', 'CloseDate', 'Amount')).toEqual([
    { OpportunityName: 'B', CloseDate: '2026-12-31', Amount: 99 },
    { OpportunityName: 'A', CloseDate: '2026-12-31', Amount: 1234.5 },
  ])
})

test('a text is read in the encoding it is marked with or said to be in, and refused in any other', async () => {
  const place = await placeForFiles()
  const text = 'FirstName;LastName\r\nJörg;Weiß\r\n'
  for (const [name, bytes, flags] of [
    ['utf8.csv', Buffer.from(`\ufeff${text}`), []],
    ['utf16.csv', Buffer.from(`\ufeff${text}`, 'utf16le'), []],
    ['latin1.csv', Buffer.from(text, 'latin1'), ['--encoding', 'latin1']],
  ] as const)
    expect(await place.answer(['import', place.file(name, bytes), '--type', 'Lead', '--run', name, '--yes', ...flags]), name).toMatchObject({ Created: 1 })
  expect(new Set((await place.records('get_many_leads')).map(({ FirstName, LastName }) => `${FirstName} ${LastName}`))).toEqual(new Set(['Jörg Weiß']))
  const wrong = await place.run(['import', place.file('wrong.csv', Buffer.from(text, 'latin1')), '--type', 'Lead', '--yes'])
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.err).toContain('is not UTF-8')
  expect((await place.run(['import', place.file('wrong.csv', text), '--encoding', 'klingon'])).err).toContain('There is no encoding called "klingon"')
})

test('a pair of quotes is an empty text where only what needs quotes has them, and nothing where everything has', async () => {
  const place = await placeForFiles()
  await place.answer(['import', place.file('few.csv', 'FirstName,LastName,Email,Phone\nAda,Lovelace,"",""\n'), '--type', 'Lead', '--yes'])
  await place.answer(['import', place.file('all.csv', '"FirstName","LastName","Email","Phone"\n"Grace","Hopper","",""\n'), '--type', 'Lead', '--yes'])
  expect(only(await place.records('get_many_leads'), 'FirstName', 'Email', 'Phone')).toEqual([
    { FirstName: 'Ada', Email: null, Phone: '' },
    { FirstName: 'Grace', Email: null, Phone: null },
  ])
})

test('JSON is imported as lines and as a list, with its types, and what turns up late is not passed over', async () => {
  const place = await placeForFiles()
  const deal = { OpportunityName: 'Engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 12.5 }
  expect(await place.answer(['import', place.file('opportunities.json', JSON.stringify([deal, { ...deal, Amount: null }], null, 2)), '--yes'])).toMatchObject({
    Created: 2,
  })
  const many = Array.from({ length: 1500 }, (_, i) =>
    JSON.stringify({ ...deal, Amount: i, ...(i === 1200 && { Colour: 'red' }), ...(i === 1300 && { owner_id: 'nobody' }) }),
  )
  const { code, out, err } = await place.run(['import', place.file('opportunities.ndjson', `${many.join('\n')}\n{"Amount":true}\nnonsense\n`), '--yes'])
  expect({ code, ...JSON.parse(out) }).toMatchObject({
    code: 2,
    Rows: 1502,
    Created: 1498,
    Rejected: 4,
    Rejects: join(place.folder, 'opportunities.rejects.ndjson'),
  })
  expect(err).toContain('line 1201: "Colour" was not there in the first rows, and fits no field.')
  const lines = place
    .read('opportunities.rejects.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([{ Colour: 'red', line: 1201 }, { owner_id: 'nobody', line: 1301 }, { line: 1501 }, { text: 'nonsense', line: 1502 }])
  expect(lines[2].error).toMatch(/OpportunityName is required.*Amount must be a number/)
})

test('a dry run checks every row and imports none', async () => {
  const place = await placeForFiles()
  const rows = Array.from({ length: 1500 }, (_, i) => `Ada,Lovelace ${i},${i === 1400 ? 'nowhere' : 'ada@example.com'},`)
  const { code, out } = await place.run(['import', place.file('leads.csv', `${HEAD}\n${rows.join('\n')}\n`), '--dry-run'])
  expect(code).toBe(2)
  expect(JSON.parse(out)).toMatchObject({ DryRun: true, Rows: 1500, Good: 1499, Rejected: 1 })
  expect(place.read('leads.rejects.csv')).toContain('Ada,Lovelace 1400,nowhere,,1402,')
  expect(await place.records('get_many_leads')).toEqual([])
})

test('through a server it is the same', async () => {
  const server = await serverForTest()
  const place = await placeForFiles({ CRM_URL: server.url, CRM_KEY: server.key })
  const rows = Array.from({ length: 2500 }, (_, i) => `Ada,Lovelace ${i},,,${i % 2 ? 'Contacted' : 'Open'}`)
  const file = place.file('leads.csv', `${HEAD},Status\n${rows.join('\n')}\nNo,,,,\n`)
  const first = await place.run(['import', file, '--yes'])
  expect({ code: first.code, ...JSON.parse(first.out) }).toMatchObject({ code: 2, Created: 2500, AlreadyThere: 0, Rejected: 1 })
  const again = await place.run(['import', file, '--yes'])
  expect(JSON.parse(again.out)).toMatchObject({ Created: 0, AlreadyThere: 2500, Rejected: 1 })
  const { Total, ByStatus } = await server.call('get_summary_of_leads')
  expect({ Total, ByStatus }).toEqual({
    Total: 2500,
    ByStatus: expect.arrayContaining([
      { Status: 'Open', Count: 1250 },
      { Status: 'Contacted', Count: 1250 },
    ]),
  })
})

test('a key that may only write leads imports them all the same, and one that may not is told so', async () => {
  const server = await serverForTest()
  const { Key } = await server.call('create_key', { Scopes: ['write:Lead'] })
  const place = await placeForFiles({ CRM_URL: server.url, CRM_KEY: Key as string })
  const { UserID } = await server.call('get_current_user')
  const file = place.file('leads.csv', `FirstName,LastName,Status,OwnerID\nAda,Lovelace,Contacted,${UserID}\nGrace,Hopper,,nobody\n`)
  const { code, out, err } = await place.run(['import', file, '--yes'])
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 2, Created: 2, Rejected: 1 })
  expect(err).toContain('The record was made, but not all of it was set: There is no User "nobody"')
  expect(await server.call('get_many_leads', { Filters: { Status: 'Contacted' } })).toMatchObject({ Records: [{ FirstName: 'Ada' }] })
  const refused = await place.run(['import', place.file('cases.csv', 'Subject,Description\na,b\n'), '--yes'])
  expect(refused).toMatchObject({ code: 3, out: '' })
  expect(refused.err).toContain('This key does not allow Create Case.')
})

test('a key that is only allowed so much at once is given its time', async () => {
  const server = await serverForTest({ rateLimit: 400, limitWindowMs: 1000 })
  const place = await placeForFiles({ CRM_URL: server.url, CRM_KEY: server.key })
  const file = place.file('leads.csv', `${HEAD}\n${Array.from({ length: 1100 }, (_, i) => `Ada,${i},,`).join('\n')}\n`)
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Created: 1100, AlreadyThere: 0, Rejected: 0 })
})

test.each([
  ['leads.pdf', 'x', 'none of the endings that can be read'],
  ['leads.csv', '', 'leads.csv is empty.'],
  ['leads.ndjson', '\n', 'leads.ndjson is empty.'],
  ['leads.csv', `FirstName,"Last"Name\n${ADA}\n`, 'Line 1 should name the columns, and cannot be read: A quote is closed before cell 2 ends'],
  ['leads.csv', `${HEAD}\n"Ada\n`, 'A quote that opens on line 2 is never closed.'],
  ['leads.json', '{"FirstName":"Ada"}', 'This is not a list of records, on line 1.'],
  ['leads.xlsx', 'PK no', 'cannot be read as a workbook'],
])('%s with %j is refused', async (name, content, said) => {
  const place = await placeForFiles()
  const { code, err } = await place.run(['import', place.file(name, content), '--yes'])
  expect(code).toBe(2)
  expect(err).toContain(said)
})

test.each([
  ['leads.csv', `${HEAD}\n\n`, 'Lead'],
  ['nothing.json', '[ ]', null],
])('%s with %j has nothing to import, which is no fault', async (name, content, RecordType) => {
  const place = await placeForFiles()
  const file = place.file(name, content)
  expect(await place.answer(['import', file, '--yes'])).toEqual({
    File: file,
    RecordType,
    Rows: 0,
    Created: 0,
    AlreadyThere: 0,
    Rejected: 0,
    Rejects: null,
    Seconds: 0,
  })
  expect((await place.run(['import', file], { columns: 100 })).err).toContain('has no rows, so that there was nothing to import.')
})

test('a file that is not there, and a folder, are refused', async () => {
  const place = await placeForFiles()
  expect(await place.run(['import', join(place.folder, 'none.csv'), '--yes'])).toMatchObject({ code: 4 })
  expect((await place.run(['import', join(place.folder, '..', 'x.csv'), '--yes'])).err).toContain('cannot be read')
})
