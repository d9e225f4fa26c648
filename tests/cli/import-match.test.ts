import { expect, test } from 'vitest'
import { only, placeForFiles } from '../support/files.ts'

const ROWS = 'E-mail,First name,Last name,Title\nada@example.com,Ada,Lovelace,Countess\ngrace@example.com,Grace,Hopper,Admiral\n'

test('an import that matches updates what is there, in any spelling of the field, and creates the rest', async () => {
  const place = await placeForFiles()
  const path = place.file('contacts.csv', ROWS)
  await place.answer(['create_contact', '--LastName', 'King', '--Email', 'ada@example.com'])
  expect(await place.answer(['import', path, '--match', 'e-mail', '--dry-run'])).toMatchObject({ DryRun: true, Good: 2, Rejected: 0 })
  expect(await place.answer(['import', path, '--match', 'e-mail', '--yes'])).toMatchObject({ Created: 1, Updated: 1, AlreadyThere: 0, Rejected: 0 })
  expect(only(await place.records('get_many_contacts', 'Email'), 'Email', 'LastName', 'Title')).toEqual([
    { Email: 'ada@example.com', LastName: 'Lovelace', Title: 'Countess' },
    { Email: 'grace@example.com', LastName: 'Hopper', Title: 'Admiral' },
  ])
})

test('an import is one batch, which is undone as one', async () => {
  const place = await placeForFiles()
  await place.answer(['create_contact', '--LastName', 'King', '--Email', 'ada@example.com'])
  const { BatchID } = (await place.answer(['import', place.file('contacts.csv', ROWS), '--match', 'e-mail', '--yes'])) as { BatchID: string }
  expect(await place.answer(['undo_change', '--BatchID', BatchID])).toMatchObject({
    Undone: 2,
    Left: 0,
    Changes: { 'contact.deleted': 1, 'contact.updated': 1 },
  })
  expect(only(await place.records('get_many_contacts', 'Email'), 'Email', 'LastName')).toEqual([{ Email: 'ada@example.com', LastName: 'King' }])
})

test('a batch larger than one call undoes is undone whole, and only as far as one call goes where a key is given', async () => {
  const place = await placeForFiles()
  const rows = Array.from({ length: 1005 }, (_, i) => `Ada,Lovelace ${i}\n`)
  const { BatchID } = (await place.answer(['import', place.file('contacts.csv', `First name,Last name\n${rows.join('')}`), '--yes'])) as { BatchID: string }
  expect(await place.answer(['undo_change', '--BatchID', BatchID])).toMatchObject({ Undone: 1005, Left: 0, Changes: { 'contact.deleted': 1005 } })
  expect(await place.records('get_many_contacts')).toEqual([])

  const { BatchID: undo } = (await place.records('get_many_changes', 'At')).at(-1) as { BatchID: string }
  const once = await place.run(['undo_change', '--BatchID', undo, '--idempotency-key', 'once', '--output', 'json'], { columns: 120 })
  expect(JSON.parse(once.out)).toMatchObject({ Undone: 1000, Left: 5 })
  expect(once.err).toContain('5 changes are left. Run it again, with another --idempotency-key, to undo more.')
})

test.each([
  ['a field that is not there, with the nearest', ['--type', 'Contact', '--match', 'Emial'], 'Email'],
  ['a field that no column has', ['--type', 'Contact', '--match', 'ExternalID'], "--map 'COLUMN=ExternalID'"],
  ['a type that cannot be matched', ['--type', 'Campaign', '--map', 'Title=CampaignName', '--match', 'CampaignName'], 'Leave --match out.'],
])('an import does not match by %s', async (_, flags, hint) => {
  const place = await placeForFiles()
  const path = place.file('people.csv', ROWS)
  const { code, err } = await place.run(['import', path, ...flags, '--yes', '--ignore', '*'])
  expect(code).toBe(2)
  expect(err).toContain(hint)
})

test('a column with the label of two fields goes to neither, and both are named', async () => {
  const place = await placeForFiles()
  const path = place.file('contacts.csv', 'Last name,Region\nLovelace,North\n')
  for (const name of ['SalesRegion', 'TaxRegion'])
    await place.answer(['define_field', '--RecordType', 'Contact', '--FieldName', name, '--Kind', 'text', '--Label', 'Region'])
  const { code, err } = await place.run(['import', path, '--type', 'Contact', '--yes'])
  expect([code, err]).toEqual([2, expect.stringContaining('is the label of SalesRegion and TaxRegion')])
  expect(await place.answer(['import', path, '--type', 'Contact', '--map', 'Region=TaxRegion', '--yes'])).toMatchObject({ Created: 1 })
  expect(only(await place.records('get_many_contacts', 'LastName'), 'SalesRegion', 'TaxRegion')).toEqual([{ SalesRegion: null, TaxRegion: 'North' }])
})

test('a dry run says which rows have a record already, and which values of choices are new', async () => {
  const place = await placeForFiles()
  await place.answer(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'King', '--Email', 'ada@example.com'])
  const path = place.file('leads.csv', 'FirstName,LastName,Email,Status\nAda,Lovelace,ADA@example.com,Open\nGrace,Hopper,grace@example.com,Opne\n')
  const { err } = await place.run(['import', path, '--dry-run'])
  expect(err).toContain('1 row has the Email of a record that is there already; --match Email would update it.')
  expect(err).toContain('Status has 1 new value: Opne.')
  await place.answer(['import', path, '--yes'])
  expect((await place.run(['import', path, '--dry-run'])).err).not.toContain('Opne.')
})
